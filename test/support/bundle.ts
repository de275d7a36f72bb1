/** A program of the source in one file, which starts several times as fast as hundreds of them. */
import { rename } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const built = new Map<string, Promise<string>>();

/** Bundles the file at `entry`, once a process; returns the path of the program. */
export function bundle(entry: string): Promise<string> {
  const known = built.get(entry);
  if (known !== undefined) return known;
  const program = write(entry);
  built.set(entry, program);
  return program;
}

async function write(entry: string): Promise<string> {
  // Where packages are found from; written whole, or not at all: other runs may be at it too.
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
