import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import { groupChanges } from '../../../src/report/groups.ts';
import { pageData, scriptJson } from '../../../src/report/html/data.ts';
import { html } from '../../../src/report/html/markup.ts';
import { SCRIPT } from '../../../src/report/html/page.ts';
import { planHtml } from '../../../src/report/plan/html.ts';
import { PLANNED } from '../../../src/report/wording.ts';
import { sha256 } from '../../../src/util/node/sha256.ts';
import { planFor, shown, times, wanted } from '../../support/plans.ts';
import { plan } from '../arbitrary.ts';
import { manyChanges, NOTHING, THREE } from '../situations.ts';

const dataOf = (value: Plan) => pageData(groupChanges(value.changes), PLANNED);
const page = (value: Plan): string => planHtml(value, { digest: sha256 });

/** The content of the first element that `open` opens. */
const content = (text: string, open: string): string => {
  const start = text.indexOf(open) + open.length;
  return text.slice(start, text.indexOf('</', start));
};

/** The page without its style, script and data. */
const markup = (text: string): string =>
  text.replace(/<style>.*?<\/style>/s, '').replace(/<script[^>]*>.*?<\/script>/gs, '');

describe('html', () => {
  it('escapes what is put in, unless it is HTML already', () => {
    expect(
      html`<b title="${`"'`}">${'<i>&\u202e'}${html`<hr>`}${[html`1`, html`2`]}${12_345}</b>`.markup,
    ).toBe('<b title="&quot;&#39;">&lt;i&gt;&amp;\\u202e<hr>1212345</b>');
  });
});

describe('the page', () => {
  it('allows its one script and its one style sheet, and nothing else', () => {
    const text = page(THREE);
    const hash = (source: string): string => createHash('sha256').update(source).digest('base64');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1];
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash(content(text, '<style>'))}'; ` +
        `script-src 'sha256-${hash(content(text, '<script>'))}'; base-uri 'none'; form-action 'none'; ` +
        `require-trusted-types-for 'script'; trusted-types 'none'`,
    );
    expect(text).not.toMatch(/ (?:src|href|style|on\w+)=|@import|url\(/);
  });

  it('has a script that is one, and that makes no markup of anything', () => {
    expect(() => new Script(SCRIPT)).not.toThrow();
    expect(SCRIPT).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|fetch|Function\(/,
    );
    expect(SCRIPT).not.toContain('</');
  });

  it('tells without a script what the plan comes to, and every risky change', () => {
    const text = markup(page(THREE));
    for (const action of ['create', 'update', 'delete']) {
      expect(text).toMatch(new RegExp(`<dt>to ${action}</dt><dd><span aria-hidden="true">.</span>1</dd>`));
    }
    expect(text).toContain('<b>125</b> unchanged');
    expect(text).toContain('<b>3</b> orphans kept (no --prune)');
    expect(text).toContain('aria-label="critical risk: 1 to delete"');
    const [, unscripted = ''] = text.split('<noscript>');
    expect(unscripted).toContain('2 of 3 changes are deletes or of high risk');
    expect(unscripted.indexOf('old.example.com')).toBeLessThan(unscripted.indexOf('blog.example.com'));
    expect(unscripted).not.toContain('shop.example.com');
  });

  it('names orphans, and counts those that are very many', () => {
    const text = markup(page(THREE));
    expect(text).toContain('<summary>3 orphans, not declared and kept</summary>');
    expect(text).toContain('<li>c.example.com <span class="id">#9</span> (protected)</li>');
    const orphans = times(1_200, (index) => ({ domain: `o${index}.example.com`, id: '1', protected: false }));
    const many = markup(page({ ...NOTHING, orphans }));
    expect(many.match(/<li>o\d+\./g)).toHaveLength(1_000);
    expect(many).toContain('<li>… and 200 more</li>');
  });

  it('says that there is nothing to do', () => {
    const text = markup(page(NOTHING));
    expect(text).toContain('<p class="verdict good">Nothing to do</p>');
    expect(text).toContain('<p>No changes.</p><p>125 websites match the configuration.</p>');
    expect(text).not.toContain('<svg');
  });

  it('shows guards with their remedy, warnings, and a selection', () => {
    const websites = times(20, (index) => wanted(`w${index}.example.com`, { email: true }));
    const current = times(20, (index) => shown(`w${index}.example.com`, index, { email: false }));
    const options = (updates?: number) => ({
      domain: ['*.example.com'],
      allow: { empty: false, ...(updates === undefined ? {} : { updates }) },
    });
    const of = (updates?: number): string =>
      page(
        planFor({
          desired: { websites },
          current: { websites: current, complete: false },
          options: options(updates),
        }),
      );
    const refused = of();
    expect(refused).toContain('<p class="verdict bad">Blocked by 1 guard</p>');
    expect(refused).toContain(
      '<strong>Blocked (updates)</strong>The plan updates 20 of 20 records.</p><p class="remedy">Pass --allow-updates 20 if this is intended',
    );
    expect(refused).toContain('<strong>1 warning</strong>');
    expect(refused).toContain('Filtered by: <span class="mono">--domain *.example.com</span>');
    const approved = of(20);
    expect(approved).toContain('<p class="verdict good">Ready to apply</p>');
    expect(approved).toContain(
      '<strong>Approved (updates)</strong>The plan updates 20 of 20 records.</p></div>',
    );
  });

  it('has markup of its own alone, whatever texts come in', () => {
    const tags = new Set(
      [page(THREE), page(NOTHING), page(manyChanges(200))]
        .flatMap((text) => markup(text).match(/<\/?[a-z0-9]+/gi) ?? [])
        .concat(
          '<li',
          '</li',
          '<strong',
          '</strong',
          '<code',
          '</code',
          '<ul',
          '</ul',
          '<details',
          '</details',
          '<summary',
          '</summary',
        ),
    );
    fc.assert(
      fc.property(plan, (value) => {
        const text = page(value);
        for (const tag of markup(text).match(/<[^\s>]*/g) ?? []) {
          expect(tags.has(tag) || /^<(?:!doctype|!--)?$/.test(tag) ? '' : tag).toBe('');
        }
        expect(text.match(/<script/g)).toHaveLength(2);
        expect(markup(text)).not.toMatch(/<!--/);
      }),
    );
  });
});

describe('the data of the page', () => {
  it('holds every change once, and stays within its element', () => {
    fc.assert(
      fc.property(plan, (value) => {
        const json = scriptJson(dataOf(value));
        expect(json).not.toMatch(/[<\u2028\u2029]/);
        const { groups, settings, files } = JSON.parse(json) as ReturnType<typeof pageData>;
        expect(groups.flatMap((group) => group.changes)).toHaveLength(value.changes.length);
        for (const [, , file, index] of groups.flatMap((group) => group.changes)) {
          expect(file).toBeLessThan(files.length);
          expect(index).toBeLessThan(settings.length);
        }
      }),
    );
  });

  it('tells an edit, and settings that many share, once', () => {
    const { groups, settings } = dataOf(manyChanges(4_000));
    expect(groups.length).toBeLessThan(40);
    expect(settings.length).toBeLessThan(10);
  });

  it('tells the group of each website, by which the page filters', () => {
    const websites = ['acme', undefined, 'acme', 'globex'].map((group, index) =>
      wanted(`w${index}.example.com`, {}, 1, { group }),
    );
    const { sites, groups } = dataOf(planFor({ desired: { websites } }));
    const told = groups
      .flatMap(({ changes }) => changes)
      .map(([domain, , , , , site]) => [domain, sites[site]]);
    expect(told.toSorted()).toEqual([
      ['w0.example.com', 'acme'],
      ['w1.example.com', undefined],
      ['w2.example.com', 'acme'],
      ['w3.example.com', 'globex'],
    ]);
  });

  it('holds whole lists, where a terminal shows their beginning', () => {
    const ips = times(40, (index) => `192.0.2.${index}`);
    const value = planFor({ desired: { websites: [wanted('a.example.com', { exclude_ips: ips })] } });
    const [, , pieces] = dataOf(value).groups[0]?.rows[0] ?? [];
    expect(pieces?.map(([, text]) => text)).toEqual(ips);
  });
});
