/** Checks the page in a browser. Without Chromium these tests are skipped, with a notice. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import { planFor, wanted } from '../../support/plans.ts';
import { type Browser, CHROMIUM, type Page, startBrowser, type View } from '../chromium.ts';
import { planHtml } from '../render.ts';
import { manyChanges, THREE } from '../situations.ts';

let browser: Browser | undefined;
let folder = '';

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

async function open(plan: Plan, view: Partial<View> = {}): Promise<Page> {
  if (browser === undefined) throw new Error('there is no browser');
  const file = join(folder, 'plan.html');
  writeFileSync(file, planHtml(plan));
  return browser.open(file, view);
}

/** The text of the visible rows; `innerText` is empty until they were drawn once. */
const seen = (page: Page): Promise<string[]> =>
  page.evaluate(
    "[...document.querySelectorAll('div.row')].filter((row) => row.checkVisibility()).map((row) => row.textContent)",
  );

async function search(page: Page, words: string): Promise<string[]> {
  await page.evaluate("document.querySelector('[type=search]').focus()");
  await page.evaluate("document.querySelector('[type=search]').select()");
  await page.type(words);
  return seen(page);
}

it('finds among 10,000 changes by domain, setting and file, by every word of it', async () => {
  const page = await open(manyChanges(10_000));
  expect(await search(page, 'SITE-04321')).toEqual([expect.stringContaining('site-04321.example.com')]);
  expect(await search(page, 'gone.example password')).toEqual([]);
  expect(await search(page, 'privacy public websites.yaml:3')).toContainEqual(
    expect.stringContaining('websites.yaml:3'),
  );
  expect(page.complaints).toEqual([]);
  expect(page.requests).toEqual([]);
  await page.close();
});

it('opens and closes without a script, and has no search box then', async () => {
  const page = await open(manyChanges(300), { script: false });
  expect((await seen(page)).join()).toContain('password removed');
  expect(await page.evaluate("document.querySelector('.search').checkVisibility()")).toBe(false);
  await page.close();
});

it('shows hostile texts as texts', async () => {
  const page = await open(
    planFor({
      desired: {
        websites: [
          wanted('a.example', {
            exclude_params: ['<img src=x onerror=alert(1)>', '</script><script>alert(1)'],
          }),
        ],
      },
    }),
  );
  expect((await seen(page)).join()).toContain('<img src=x onerror=alert(1)>');
  expect(page.complaints).toEqual([]);
  await page.close();
});

it.each([320, 820, 1280])('fits a window of %i, line numbers and all, in the dark too', async (width) => {
  const place = { file: `${'customers/'.repeat(12)}websites.yaml`, line: 12_345, column: 1 };
  const [first, ...rest] = THREE.changes;
  if (first === undefined) throw new Error('no change');
  const page = await open(
    { ...THREE, changes: [{ ...first, source: place }, ...rest] },
    { width, dark: true },
  );
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  expect(
    await page.evaluate(
      "[...document.querySelectorAll('.place')].every((node) => node.scrollWidth <= node.clientWidth)",
    ),
  ).toBe(true);
  await page.close();
});
