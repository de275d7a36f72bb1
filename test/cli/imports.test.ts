/** The modules that a command loads first: files of src, and packages. */
import { readdirSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** The files of src and the packages that a file leads to by imports that are not made later. */
async function loadedBy(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    loader: { '.md': 'text' },
    // An import of types alone loads nothing.
    tsconfigRaw: {},
    write: false,
    outdir: 'nowhere',
    metafile: true,
  });
  const found = new Set([entry]);
  for (const path of found) {
    for (const { kind, path: next } of metafile.inputs[path]?.imports ?? []) {
      if (kind === 'import-statement') found.add(next);
    }
  }
  return [...found];
}

const OFFLINE = ['completion', 'explain', 'import', 'init', 'runs', 'schema', 'show', 'validate', 'version'];

test.each(OFFLINE)('the command %s loads no code that talks to a service', async (command) => {
  const loaded = await loadedBy(`src/cli/commands/${command}.ts`);
  expect(
    loaded.filter((path) => /^src\/client\/|^src\/run\/(?!file|lock)|connect\.ts|undici/.test(path)),
  ).toEqual([]);
});

test.each([
  ['validate', 7000],
  ['apply', 14_000],
])('the command %s loads at most %i lines of src', async (command, most) => {
  const files = (await loadedBy(`src/cli/commands/${command}.ts`)).filter((path) => path.startsWith('src/'));
  const lines = files.map((path) => readFileSync(path, 'utf8').split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(most);
});

test('no chunk has the languages of zod, which a namespace that is not only read by its members brings', () => {
  const chunks = readdirSync('dist/chunks').filter((name) =>
    readFileSync(`dist/chunks/${name}`, 'utf8').includes('Eingabe'),
  );
  expect(chunks).toEqual([]);
});
