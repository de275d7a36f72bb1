/** The page as a browser shows it. Where Chromium is not installed these tests are skipped, and say so. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import { planHtml } from '../../../src/report/plan/html.ts';
import { sha256 } from '../../../src/util/node/sha256.ts';
import { planFor, shown, wanted } from '../../support/plans.ts';
import { type Browser, CHROMIUM, type Page, startBrowser, type View } from '../chromium.ts';
import { manyChanges, NOTHING, THREE } from '../situations.ts';

let browser: Browser | undefined;
let folder = '';
const pages: Page[] = [];

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  folder = mkdtempSync(join(tmpdir(), 'websites-page-'));
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  if (folder !== '') rmSync(folder, { recursive: true });
});

beforeEach((context) => {
  context.skip(CHROMIUM === undefined, 'Chromium is not installed (apt-get install chromium)');
});

afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

async function open(plan: Plan, view: Partial<View> = {}): Promise<Page> {
  if (browser === undefined) throw new Error('there is no browser');
  const file = join(folder, `plan-${pages.length}.html`);
  writeFileSync(file, planHtml(plan, { digest: sha256 }));
  const page = await browser.open(file, view);
  pages.push(page);
  return page;
}

const found = (page: Page): Promise<string> => page.evaluate("document.getElementById('found').textContent");
const domains = (page: Page): Promise<string[]> =>
  page.evaluate("[...document.querySelectorAll('.row .domain')].map((node) => node.textContent)");
const selected = (page: Page): Promise<string> =>
  page.evaluate('document.querySelector(\'[aria-selected="true"] .domain\').textContent');
const details = (page: Page): Promise<string> =>
  page.evaluate(
    "document.getElementById('details').hidden ? '' : document.getElementById('details').innerText",
  );
const click = (page: Page, text: string): Promise<void> =>
  page.evaluate(
    `[...document.querySelectorAll('button')].find((node) => node.textContent.startsWith('${text}')).click()`,
  );
const frame = (page: Page): Promise<void> =>
  page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))',
  );

describe('hostile texts', () => {
  const texts = [
    '<img src=x onerror=window.broken=1>',
    '</script><script>window.broken=1</script>',
    '<!--<script>window.broken=1',
    '"><svg onload=window.broken=1>',
    'javascript:window.broken=1',
    'a\u2028b\u202ec',
  ];

  it('stay texts, in the list, in the details and without a script', async () => {
    const plan = planFor({
      desired: {
        websites: texts.map((text, index) =>
          wanted(`${text}.example`, { exclude_params: [text] }, 1, {
            source: { file: `${text}.yaml`, line: index + 1, column: 1 },
          }),
        ),
      },
      current: { websites: texts.map((text, index) => shown(`gone-${text}`, index)) },
      options: { prune: true },
      unmatched: texts,
    });
    const all = {
      ...plan,
      options: { ...plan.options, target: texts },
      warnings: texts.map((message) => ({ code: 'list-unconfirmed', message }) as const),
      service: { ...plan.service, base_url: texts[0] ?? '' },
    };
    for (const script of [true, false]) {
      const page = await open(all, { script });
      if (script) {
        await page.press('j');
        await page.press('Enter');
        expect(await domains(page)).toContain('"</script><script>window.broken=1</script>.example"');
        expect((await domains(page)).join()).not.toMatch(/[\u2028\u202e]/);
        expect(await details(page)).toContain('window.broken=1');
        expect(await page.evaluate('typeof window.broken')).toBe('undefined');
      }
      expect(await page.evaluate("document.querySelectorAll('img, iframe, a').length")).toBe(0);
      expect(page.requests).toEqual([]);
      expect(page.complaints).toEqual([]);
    }
  });

  it('could neither run nor send anything, were there a hole', async () => {
    const page = await open(THREE);
    const attempt = (code: string): Promise<string> =>
      page.evaluate(
        `(async () => { try { ${code}; return 'done'; } catch (error) { return error.name; } })()`,
      );
    expect(await attempt("document.body.innerHTML = '<b>x</b>'")).toBe('TypeError');
    expect(await attempt("await fetch('http://127.0.0.1:9/')")).toBe('TypeError');
    await attempt(
      "document.head.append(Object.assign(document.createElement('style'), { textContent: 'h1 { display: none }' }))",
    );
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).display")).toBe('block');
    expect(page.complaints.join()).toContain('Content Security Policy');
  });
});

describe('search and filters', () => {
  it('find by domain, value, file and risk, every word of it', async () => {
    const page = await open(THREE);
    expect(await found(page)).toBe('3 changes');
    await page.press('/');
    await page.type('BLOG 198.51');
    expect(await found(page)).toBe('1 of 3 changes');
    expect(await domains(page)).toEqual(['blog.example.com']);
    await page.press('Escape');
    await page.type('websites.yaml:14');
    expect(await domains(page)).toEqual(['shop.example.com']);
    await page.press('Escape');
    await page.type('nothing at all');
    expect(await found(page)).toBe('0 of 3 changes');
    expect(await page.evaluate("document.getElementById('none').hidden")).toBe(false);
    await click(page, 'clear');
    expect(await found(page)).toBe('3 changes');
  });

  it('narrow by action, risk and field, and by several of one kind', async () => {
    const page = await open(THREE);
    await click(page, 'delete');
    expect(await domains(page)).toEqual(['old.example.com']);
    await click(page, 'create');
    expect(await domains(page)).toEqual(['old.example.com', 'shop.example.com']);
    await click(page, 'low');
    expect(await domains(page)).toEqual(['shop.example.com']);
    await click(page, 'clear');
    await page.evaluate("field.value = 'exclude_ips'; field.dispatchEvent(new Event('change'))");
    expect(await domains(page)).toEqual(['blog.example.com', 'shop.example.com']);
  });

  it('tell whose changes they are, where that is known', async () => {
    const changes = THREE.changes.map((change, index) => ({
      ...change,
      origin: index === 0 ? ('config' as const) : ('drift' as const),
    }));
    const page = await open({ ...THREE, changes, options: { ...THREE.options, since: 'v1.2' } });
    expect(await page.evaluate("document.querySelector('header').innerText")).toContain('Compared with v1.2');
    await click(page, 'service drifted');
    expect(await found(page)).toBe('2 of 3 changes');
  });
});

describe('10,000 changes', () => {
  const large = manyChanges(11_000);

  it('are there, though only those in sight exist', async () => {
    const page = await open(large);
    const total = String(large.changes.length);
    expect(await found(page)).toBe(`${total} changes`);
    await page.evaluate("document.getElementById('grouped').click()");
    const height = await page.evaluate<number>("document.getElementById('rows').offsetHeight");
    expect(height).toBe(large.changes.length * 40);
    await page.press('End');
    await frame(page);
    expect(
      await page.evaluate("document.querySelector('[aria-selected=true]').getAttribute('aria-rowindex')"),
    ).toBe(String(large.changes.length));
    expect(await page.evaluate<number>("document.querySelectorAll('.row').length")).toBeLessThan(60);
    await page.press('/');
    await page.type('site-09999.');
    expect(await found(page)).toBe(`1 of ${total} changes`);
    expect(await domains(page)).toEqual(['site-09999.example.com']);
  });

  it('stand together where the edit is the same, and open', async () => {
    const page = await open(large);
    expect(await selected(page)).toBe('275 records');
    await page.press('ArrowRight');
    await page.press('j');
    expect(await selected(page)).toBe('site-00000.gone.example.com');
    await page.press('ArrowLeft');
    await page.press('ArrowLeft');
    expect((await domains(page)).slice(0, 2)).toEqual(['275 records', expect.stringMatching(/ records$/)]);
  });
});

describe('the keyboard', () => {
  it('moves, opens, closes and searches', async () => {
    const page = await open(THREE);
    expect(await selected(page)).toBe('old.example.com');
    await page.press('j');
    await page.press('ArrowDown');
    await page.press('j');
    expect(await selected(page)).toBe('shop.example.com');
    await page.press('k');
    await page.press('Enter');
    const text = await details(page);
    for (const part of [
      'blog.example.com',
      '#42',
      'websites.yaml:21',
      'privacy loosened',
      'private → public',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/− 192\.0\.2\.1\s+\+ 198\.51\.100\.0\/24/);
    expect(text).toMatch(/Stays as it is\s+email\s+true/);
    await page.press('k');
    expect(await details(page)).toContain('Settings that go with it');
    await page.press('Escape');
    expect(await details(page)).toBe('');
    await page.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    await page.type('j');
    expect(await page.evaluate('search.value')).toBe('j');
    await page.press('Escape');
    await page.press('Escape');
    expect(await page.evaluate('document.activeElement.id')).toBe('list');
  });
});

/** Texts whose contrast with what is behind them is too low (WCAG 2.2, 1.4.3). */
const FAINT = `(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = (node) => {
    const [r, g, b, a = 1] = parse(getComputedStyle(node).backgroundColor);
    return a === 1 ? [r, g, b] : behind(node.parentElement);
  };
  const faint = [];
  for (const node of document.body.querySelectorAll('*')) {
    const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== '');
    if (!hasText || !node.checkVisibility() || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(node.tagName)) continue;
    const style = getComputedStyle(node);
    const [a, b] = [light(parse(style.color)), light(behind(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) faint.push(node.textContent.slice(0, 30) + ' ' + ratio.toFixed(2));
  }
  return faint;
})()`;

/** Controls that nobody who cannot see them could name. */
const NAMELESS = `[...document.querySelectorAll('input, select, button, aside, section, [role]')]
  .filter((node) => !['row', 'rowgroup', 'gridcell', 'status'].includes(node.getAttribute('role')))
  .filter((node) => !(node.getAttribute('aria-label') || node.closest('label') || node.textContent.trim()))
  .map((node) => node.outerHTML)`;

describe('for everybody', () => {
  it.each([false, true])('has contrast and names, dark: %s', async (dark) => {
    const page = await open(manyChanges(300), { dark });
    await click(page, 'update');
    await page.press('j');
    await page.press('Enter');
    expect(await page.evaluate(FAINT)).toEqual([]);
    expect(await page.evaluate(NAMELESS)).toEqual([]);
    expect(page.complaints).toEqual([]);
  });

  it('is dark where that is preferred', async () => {
    const shots = [];
    for (const dark of [false, true]) {
      const page = await open(THREE, { dark });
      shots.push({
        canvas: await page.evaluate('getComputedStyle(document.body).backgroundColor'),
        size: (await page.screenshot()).length,
      });
    }
    expect(shots.map(({ canvas }) => canvas)).toEqual(['rgb(245, 246, 248)', 'rgb(14, 17, 22)']);
    for (const { size } of shots) expect(size).toBeGreaterThan(10_000);
  });

  it.each([320, 820, 1280])('fits a window of %i without scrolling sideways', async (width) => {
    for (const plan of [NOTHING, manyChanges(300)]) {
      const page = await open(plan, { width });
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });

  it.each([320, 500, 700, 1100, 1280])('cuts no action in a window of %i', async (width) => {
    const page = await open(manyChanges(300), { width });
    expect(
      await page.evaluate(
        "[...document.querySelectorAll('.row .action')].filter((node) => node.scrollWidth > node.clientWidth).map((node) => node.textContent)",
      ),
    ).toEqual([]);
  });

  it('tells what the plan comes to without a script, and offers nothing that would need one', async () => {
    const page = await open(THREE, { script: false });
    const text = await page.evaluate<string>('document.body.innerText');
    for (const part of ['to create', '125 unchanged', 'Changes by risk', 'old.example.com'])
      expect(text).toContain(part);
    expect(await page.evaluate("document.getElementById('toolbar').checkVisibility()")).toBe(false);
  });

  it('prints every change by name', async () => {
    const large = manyChanges(400);
    const page = await open(large);
    await page.evaluate(
      "window.addEventListener('beforeprint', () => { window.printed = document.querySelectorAll('.row .domain').length })",
    );
    const before = await domains(page);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
    expect(await page.evaluate('window.printed')).toBe(large.changes.length);
    expect(await domains(page)).toEqual(before);
  });
});

describe('a page that is filtered', () => {
  it('says so on paper', async () => {
    const plan = planFor({
      desired: { websites: [wanted('new.example', { exclude_params: ['utm'] })] },
      current: { websites: [shown('gone.example', 1)] },
      options: { prune: true },
    });
    const page = await open(plan);
    await page.evaluate(
      "window.addEventListener('beforeprint', () => { window.printed = document.getElementById('rows').textContent })",
    );
    await page.pdf();
    expect(await page.evaluate('window.printed')).not.toContain('Filtered');
    await click(page, 'delete');
    await page.pdf();
    expect(await page.evaluate('window.printed')).toContain('Filtered: 1 of 2 changes');
    expect(await page.evaluate("document.getElementById('rows').textContent")).not.toContain('Filtered');
  });
});

describe('what is folded away', () => {
  it('stands open on paper', async () => {
    const page = await open(planFor({ current: { websites: [shown('orphan.example', 1)] } }));
    const isSeen = "document.querySelector('.orphans li').checkVisibility({ contentVisibilityAuto: true })";
    await page.evaluate(
      `matchMedia('print').addEventListener('change', ({ matches }) => { if (matches) window.printed = ${isSeen} })`,
    );
    expect(await page.evaluate(isSeen)).toBe(false);
    await page.pdf();
    expect(await page.evaluate('window.printed')).toBe(true);
    expect(await page.evaluate(isSeen)).toBe(false);
  });
});

describe('details', () => {
  it('stand below a toolbar of any height', async () => {
    const websites = Array.from({ length: 200 }, (_, index) =>
      wanted(`site-${index}.example`, { exclude_params: [`p${index}`] }),
    );
    const page = await open(planFor({ desired: { websites } }), { width: 900 });
    const press = (key: string): Promise<void> =>
      page.evaluate(
        `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`,
      );
    await page.evaluate(`document.getElementById('grouped').click();
      for (const chip of document.querySelectorAll('.chip')) {
        for (let copies = 0; copies < 6; copies += 1) chip.after(chip.cloneNode(true));
      }
      dispatchEvent(new Event('resize'))`);
    await press('End');
    await press('Enter');
    await frame(page);
    const { bottom, top } = await page.evaluate<{ bottom: number; top: number }>(
      "({ bottom: document.getElementById('toolbar').getBoundingClientRect().bottom, top: document.getElementById('details').getBoundingClientRect().top })",
    );
    expect(bottom).toBeGreaterThan(110);
    expect(top).toBeGreaterThanOrEqual(bottom);
  });
});
