/** A program of the source in one file, which starts several times as fast as hundreds of them. */
import { rename } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const built = new Map<string, Promise<string>>();

/** Bundles `entry` once per process; returns the path of the program. */
export function bundle(entry: string): Promise<string> {
  const known = built.get(entry);
  if (known !== undefined) return known;
  const program = write(entry);
  built.set(entry, program);
  return program;
}

async function write(entry: string): Promise<string> {
  // A folder where packages are found. The file is renamed into place: other runs may write it too.
  const folder = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
  const file = `${folder}websites-test-${basename(entry, '.ts')}.mjs`;
  const draft = `${file}.${process.pid}`;
  await build({
    entryPoints: [entry],
    outfile: draft,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    loader: { '.md': 'text' },
  });
  await rename(draft, file);
  return file;
}
