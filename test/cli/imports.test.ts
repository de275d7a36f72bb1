import { readdirSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** All files of src and packages that a file imports statically, directly or through others. */
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

test.each(OFFLINE)('the command %s starts without loading code that sends requests', async (command) => {
  const loaded = await loadedBy(`src/cli/commands/${command}.ts`);
  expect(
    loaded.filter((path) => /^src\/client\/|^src\/run\/(?!file|lock)|connect\.ts|undici/.test(path)),
  ).toEqual([]);
});

test.each([
  ['validate', 7000],
  ['apply', 14_000],
])('the command %s loads at most %i lines of src at its start', async (command, most) => {
  const files = (await loadedBy(`src/cli/commands/${command}.ts`)).filter((path) => path.startsWith('src/'));
  const lines = files.map((path) => readFileSync(path, 'utf8').split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(most);
});

test('no file in dist/chunks contains the message translations of zod', () => {
  const chunks = readdirSync('dist/chunks').filter((name) =>
    readFileSync(`dist/chunks/${name}`, 'utf8').includes('Eingabe'),
  );
  expect(chunks).toEqual([]);
});
