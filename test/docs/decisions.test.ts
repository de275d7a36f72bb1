import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, read } from './pages.ts';

const FOLDER = 'docs/decisions';
const PAGES = readdirSync(join(ROOT, FOLDER)).filter((name) => name !== 'README.md');
const MAX_WORDS = 250;

const titleOf = (name: string): string => /^# (.+)$/m.exec(read(`${FOLDER}/${name}`))?.[1] ?? '';
const TITLES = PAGES.map(titleOf);

function sources(): string[] {
  const within = ['src', 'test', 'scripts', 'bench', 'docs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  return within.filter((path) => /\.(?:ts|mjs|md)$/.test(path));
}

/** A title may continue on the next line of a comment. */
function citedIn(text: string): string[] {
  return Array.from(text.matchAll(/\(decisions?: ((?:"[^"]+"(?:,\s+)?)+)/g), ([, list = '']) =>
    Array.from(list.matchAll(/"([^"]+)"/g), ([, title = '']) => title.replaceAll(/\s+(?:\* )?/g, ' ')),
  ).flat();
}

test.for(PAGES)('the decision %s has three sections and at most 250 words', (name) => {
  const page = read(`${FOLDER}/${name}`);
  expect(Array.from(page.matchAll(/^## (.+)$/gm), ([, heading]) => heading)).toEqual([
    'Context',
    'Decision',
    'Consequences',
  ]);
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS);
  const slug = titleOf(name)
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-');
  expect(name).toMatch(new RegExp(`^\\d{4}-${slug}\\.md$`));
});

test('decisions are numbered without gaps, and the index links to each', () => {
  const numbers = [...PAGES].sort().map((name) => Number(name.slice(0, 4)));
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  const index = read(`${FOLDER}/README.md`);
  for (const name of PAGES) expect(index).toContain(`[${titleOf(name)}](${name})`);
});

test('each decision that a source file cites exists', () => {
  const cited = sources().flatMap((path) =>
    citedIn(readFileSync(join(ROOT, path), 'utf8')).map((title) => ({ path, title })),
  );
  expect(cited.length).toBeGreaterThan(0);
  expect(cited.filter(({ title }) => !TITLES.includes(title))).toEqual([]);
});
