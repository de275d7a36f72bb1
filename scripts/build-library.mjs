/**
 * Builds the library and its types separately from the command line, so that neither adds chunks to the
 * other.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

const ENTRY = 'library/index';

/** Takes options of esbuild and returns its metafile. */
export async function buildLibrary(folder, options) {
  const { metafile } = await build({ ...options, entryPoints: { index: `src/${ENTRY}.ts` }, outdir: folder });
  writeTypes(join(folder, 'types'));
  return metafile;
}

function writeTypes(folder) {
  const all = mkdtempSync(`${folder}.`);
  try {
    execFileSync('node_modules/.bin/tsc', ['--project', 'src/library', '--outDir', all]);
    copyReachable(all, `${ENTRY}.d.ts`, folder);
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}

// Schemas are private, so the types need no dependency on zod.
const ZOD = "import * as z from 'zod/mini';";
const NO_ZOD =
  'declare namespace z { interface ZodMiniType<T> { readonly type?: T } namespace core { type $ZodRawIssue = object } }';

function copyReachable(from, file, to, seen = new Set()) {
  if (seen.has(file)) return;
  seen.add(file);
  const text = readFileSync(join(from, file), 'utf8').replace(ZOD, NO_ZOD);
  mkdirSync(dirname(join(to, file)), { recursive: true });
  writeFileSync(join(to, file), text);
  for (const [, path = ''] of text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)) {
    if (!path.startsWith('.')) throw new Error(`${file}: the types of the library lean on ${path}.`);
    const next = resolve('/', dirname(file), path).slice(1).replace(/\.ts$/, '.d.ts');
    copyReachable(from, next, to, seen);
  }
}
