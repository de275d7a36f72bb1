import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createLayout } from '../../src/sync/layout.ts';
import { testFolder } from '../support/cli.ts';

const LINKS: Readonly<Record<string, string>> = {
  'sites/link.csv': '../lists/a.csv',
  conf: 'sites/deep',
  circle: 'sites/circle',
  'sites/circle': '../circle',
  out: '../../elsewhere/a.csv',
};
const FILES = ['websites.yaml', 'sites/a.yaml', 'sites/deep/b.yaml', 'lists/a.csv', 'apps/x.txt'];

async function layout() {
  const folder = join(await testFolder(), 'tree');
  const batches: (readonly string[])[] = [];
  const line = (mode: string, path: string): string => `${mode} 0123456789 0\t${path}\0`;
  const listed = [
    ...FILES.map((path) => line('100644', path)),
    ...Object.keys(LINKS).map((path) => line('120000', path)),
    line('160000', 'module'),
  ];
  const { layOut } = createLayout(listed.join(''), folder, async (paths) => {
    batches.push(paths);
    for (const path of paths) {
      const at = join(folder, path);
      mkdirSync(dirname(at), { recursive: true });
      if (LINKS[path] === undefined) writeFileSync(at, `content of ${path}`);
      else symlinkSync(LINKS[path], at);
    }
  });
  const text = (path: string): string => readFileSync(join(folder, path), 'utf8');
  return { folder, batches, layOut, text };
}

test('files are laid out once, together, and nothing else is', async () => {
  const { batches, layOut } = await layout();
  expect(await layOut(['websites.yaml', 'lists/a.csv', 'missing', 'missing/too'])).toBe(true);
  expect(await layOut(['websites.yaml', 'lists/a.csv'])).toBe(false);
  expect(batches).toEqual([['websites.yaml', 'lists/a.csv']]);
});

test('a directory is laid out by its names, and a file of it in full where it is asked for', async () => {
  const { folder, batches, layOut, text } = await layout();
  expect(await layOut(['', 'sites/'])).toBe(true);
  expect(readdirSync(folder).sort()).toEqual(
    ['apps', 'circle', 'conf', 'lists', 'module', 'out', 'sites', 'websites.yaml'].sort(),
  );
  expect(readdirSync(join(folder, 'sites'))).toEqual(['a.yaml', 'circle', 'deep', 'link.csv']);
  expect(readdirSync(join(folder, 'apps'))).toEqual([]);
  expect(text('sites/a.yaml')).toBe('');
  expect(batches.flat().filter((path) => LINKS[path] === undefined)).toEqual([]);
  expect(await layOut(['sites/a.yaml'])).toBe(true);
  expect(text('sites/a.yaml')).toBe('content of sites/a.yaml');
  expect(await layOut(['', 'sites', 'sites/a.yaml'])).toBe(false);
  expect(text('sites/a.yaml')).toBe('content of sites/a.yaml');
});

test('links are followed, to where they lead out of the tree or in a circle', async () => {
  const { batches, layOut, text } = await layout();
  await layOut(['sites/link.csv', 'conf/b.yaml', 'circle', 'out']);
  expect(text('sites/link.csv')).toBe('content of lists/a.csv');
  expect(text('conf/b.yaml')).toBe('content of sites/deep/b.yaml');
  expect(batches).toHaveLength(2);
  expect(batches.flat()).not.toContain('apps/x.txt');
});
