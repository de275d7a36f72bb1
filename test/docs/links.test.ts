import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { proseOf, ROOT, read } from './pages.ts';

/** Includes pages for contributors. */
const DOCS = readdirSync(resolve(ROOT, 'docs'), { recursive: true })
  .map((path) => join('docs', String(path)))
  .filter((path) => path.endsWith('.md'));
const ALL = [...readdirSync(ROOT).filter((name) => name.endsWith('.md')), ...DOCS, 'bench/performance.md'];

/** Follows GitHub: lower case, no punctuation, a hyphen for each space. */
function anchorsOf(page: string): Set<string> {
  const headings = Array.from(proseOf(page).matchAll(/^#{1,6} (.+)$/gm), ([, title = '']) => title);
  return new Set(
    headings.map((title) =>
      title
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test.for(ALL)('the links of %s lead to existing places', (page) => {
  for (const [link, target = ''] of proseOf(read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    expect(existsSync(resolve(ROOT, file)), link).toBe(true);
    if (anchor === undefined || statSync(resolve(ROOT, file)).isDirectory()) continue;
    expect([...anchorsOf(read(file))], link).toContain(anchor);
  }
});

/** A code span with a path of this repository; others may be the reader's. */
const OWN_PATH = /`((?:src|test|bench|scripts|examples|docs|schema|\.ci)\/[^\s`]*)`/g;

test.for(ALL)('the paths that %s names exist', (page) => {
  for (const [span, path = ''] of proseOf(read(page)).matchAll(OWN_PATH)) {
    expect(existsSync(resolve(ROOT, path)), span).toBe(true);
  }
});

test('the index of the documentation links to every page', () => {
  const index = read('docs/README.md');
  const own = /^docs\/(?:README|decisions\/\d.*)\.md$/;
  for (const page of DOCS.filter((each) => !own.test(each))) {
    expect(index).toContain(`](${page.slice('docs/'.length)})`);
  }
});

test('no page or source file runs "npx websites", which would download another package', () => {
  const within = ['docs', 'examples', 'scripts', 'src', '.github'].flatMap((folder) =>
    readdirSync(resolve(ROOT, folder), { recursive: true }).map((path) => join(folder, String(path))),
  );
  const files = [...ALL, 'websites.yaml', 'action.yml', 'Dockerfile', ...within];
  const told = files.filter((file) => {
    const path = resolve(ROOT, file);
    return statSync(path).isFile() && /\bnpx websites\b/.test(readFileSync(path, 'utf8'));
  });
  expect(told).toEqual([]);
});
