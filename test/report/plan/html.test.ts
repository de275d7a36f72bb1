import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import { element } from '../../../src/report/media/html.ts';
import { SCRIPT } from '../../../src/report/media/page.ts';
import { say } from '../../../src/report/sanitize.ts';
import { planFor, times, wanted } from '../../support/plans.ts';
import { plan } from '../arbitrary.ts';
import { planHtml } from '../render.ts';
import { manyChanges, NOTHING, THREE } from '../situations.ts';

const page = (value: Plan): string => planHtml(value);

/** The content of the first element that begins with `open`. */
const content = (text: string, open: string): string => {
  const start = text.indexOf(open) + open.length;
  return text.slice(start, text.indexOf('</', start));
};

const markup = (text: string): string =>
  text.replace(/<style>.*?<\/style>/s, '').replace(/<script[^>]*>.*?<\/script>/gs, '');

it('an element escapes its texts, but not the elements in it', () => {
  const { markup } = element('p.mono.dim', say`"'`, [element('code', say`<i>&`), say`12`], false);
  expect(markup).toBe('<p class="mono dim">&#34;&#39;<code>&#60;i&#62;&#38;</code>12</p>\n');
  // @ts-expect-error any text may be harmful
  element('p', String(1));
  // @ts-expect-error also as the name of an element
  element(String(1));
});

it('the policy of the HTML page allows only its own script and style sheet', () => {
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

it('the script of the HTML page is short, inserts no HTML, and is omitted without changes', () => {
  expect(SCRIPT.trim().split('\n').length).toBeLessThanOrEqual(20);
  expect(SCRIPT).not.toMatch(
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|fetch|Function\(/,
  );
  expect(page(NOTHING)).not.toMatch(/<script|script-src/);
});

it('the HTML page contains each of 10,000 changes', () => {
  const many = markup(page(manyChanges(10_000)));
  expect(new Set(many.match(/site-\d+(?:\.gone)?\.example\.com <span class="id">/g)).size).toBe(8_583);
  expect(many.match(/<li class="row">/g)).toHaveLength(10_250);
});

it('the HTML page folds sections of a large plan, but none of a small one', () => {
  const folded = (value: Plan) => markup(page(value)).match(/<details>(?=<summary><h2)/g) ?? [];
  expect(folded(THREE)).toHaveLength(0);
  expect(folded(manyChanges(300))).toHaveLength(2);
});

it('the HTML page shows all 40 items of a list', () => {
  const ips = times(40, (index) => `192.0.2.${index}`);
  const value = planFor({ desired: { websites: [wanted('a.example.com', { exclude_ips: ips })] } });
  for (const ip of ips) expect(page(value)).toContain(`>+ ${ip}<`);
});

it('the HTML page names all 10,200 orphans', () => {
  const orphans = times(10_200, (index) => ({
    domain: `o${index}.example.com`,
    id: '1',
    protected: false,
  }));
  expect(markup(page({ ...NOTHING, orphans })).match(/<li>o\d+\./g)).toHaveLength(10_200);
});

it('the HTML page contains only its own tags, with any text in the plan', () => {
  const tags = new Set(
    [page(THREE), page(NOTHING), page(manyChanges(200))]
      .flatMap((text) => markup(text).match(/<\/?[a-z0-9]+/gi) ?? [])
      .concat(['li', 'strong', 'code', 'ul', 'details', 'summary'].flatMap((tag) => [`<${tag}`, `</${tag}`])),
  );
  fc.assert(
    fc.property(plan, (value) => {
      const text = page(value);
      for (const tag of markup(text).match(/<[^\s>]*/g) ?? []) {
        expect(tags.has(tag) || /^<(?:!doctype|!--)?$/.test(tag) ? '' : tag).toBe('');
      }
      expect(text.match(/<script/g) ?? []).toHaveLength(value.changes.length === 0 ? 0 : 1);
      expect(markup(text)).not.toMatch(/<!--/);
    }),
  );
});
