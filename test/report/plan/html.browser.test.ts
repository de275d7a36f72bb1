/** Checks the HTML page of a plan in Chromium; skipped, with a notice, without Chromium. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import { sha256 } from '../../../src/util/node/sha256.ts';
import { testFolder } from '../../support/cli.ts';
import { planFor, wanted } from '../../support/plans.ts';
import { planHtml } from '../render.ts';
import { manyChanges, THREE } from '../situations.ts';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const CHROMIUM = PATHS.find((path) => existsSync(path));
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--hide-scrollbars',
  '--virtual-time-budget=5000',
  '--dump-dom',
];

beforeEach((context) => {
  context.skip(CHROMIUM === undefined, 'Chromium is not installed (apt-get install chromium)');
});

/** The DOM of `html` as Chromium leaves it. */
async function opened(html: string): Promise<string> {
  const folder = await testFolder({ 'plan.html': html });
  const args = [...FLAGS, `--user-data-dir=${folder}/profile`, `file://${folder}/plan.html`];
  const { stdout } = await promisify(execFile)(CHROMIUM ?? '', args, { maxBuffer: 1e8 });
  return stdout;
}

/** Evaluates `expression` in the page, and collects violations of its policy. */
async function evaluated<T>(html: string, expression: string): Promise<{ value: T; violations: string[] }> {
  const probe = `const violations = [];
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.blockedURI));
    addEventListener('load', () => {
      const value = ${expression};
      setTimeout(() => document.body.replaceChildren('«' + JSON.stringify({ value, violations }) + '»'), 100);
    });`;
  const source = `'sha256-${Buffer.from(sha256(probe), 'hex').toString('base64')}'`;
  const page = html
    .replace("script-src '", `script-src ${source} '`)
    .replace('<style>', () => `<script>${probe}</script><style>`);
  const [, text = ''] = /.*«(.*)»/s.exec(await opened(page)) ?? [];
  return JSON.parse(text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
}

const SEEN =
  "[...document.querySelectorAll('li.row')].filter((row) => row.checkVisibility()).map((row) => row.textContent)";

/** The text of the rows that are visible after a search. */
async function search(plan: Plan, words: string): Promise<string[]> {
  const box = "document.querySelector('[type=search]')";
  const typed = `(${box}.value = ${JSON.stringify(words)}, ${box}.dispatchEvent(new Event('input')), ${SEEN})`;
  const { value, violations } = await evaluated<string[]>(planHtml(plan), typed);
  expect(violations).toEqual([]);
  return value;
}

it('the search box of the HTML page finds changes by domain, setting and file', async () => {
  const plan = manyChanges(10_000);
  expect(await search(plan, 'SITE-04321')).toEqual([expect.stringContaining('site-04321.example.com')]);
  expect(await search(plan, 'gone.example password')).toEqual([]);
  expect(await search(plan, 'privacy public websites.yaml:3')).toContainEqual(
    expect.stringContaining('websites.yaml:3'),
  );
});

it('without its script, the HTML page shows the changes and no search box', async () => {
  const html = planHtml(manyChanges(300)).replace(/<script>.*<\/script>/s, '');
  const seen = `[${SEEN}, document.querySelector('.search').checkVisibility()]`;
  const { value } = await evaluated<[string[], boolean]>(html, seen);
  expect(value).toEqual([expect.arrayContaining([expect.stringContaining('password removed')]), false]);
});

it('the HTML page shows markup in a setting as text', async () => {
  const exclude_params = ['<img src=x onerror=alert(1)>', '</script><script>alert(1)'];
  const plan = planFor({ desired: { websites: [wanted('a.example', { exclude_params })] } });
  expect((await search(plan, '')).join()).toContain('<img src=x onerror=alert(1)>');
});

it.each([320, 820, 1280])('the HTML page with a long path fits a window of %i pixels', async (width) => {
  const place = { file: `${'customers/'.repeat(12)}websites.yaml`, line: 12_345, column: 1 };
  const [first, ...rest] = THREE.changes;
  if (first === undefined) throw new Error('no change');
  const html = planHtml({ ...THREE, changes: [{ ...first, source: place }, ...rest] });
  const srcdoc = html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const framed = `<style></style><iframe style="width: ${width}px; border: 0" srcdoc="${srcdoc}"></iframe>`;
  const fits = `(() => {
    const { innerWidth, document: page } = document.querySelector('iframe').contentWindow;
    const places = [...page.querySelectorAll('.place')];
    const { scrollWidth } = page.documentElement;
    return [innerWidth, scrollWidth, places.every((node) => node.scrollWidth <= node.clientWidth)];
  })()`;
  expect((await evaluated(framed, fits)).value).toEqual([width, width, true]);
});
