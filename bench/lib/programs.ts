import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

export const BINARY = join(ROOT, 'dist/main.js');

const PROGRAMS = [
  'list-http',
  'list-undici',
  'write-http',
  'write-undici',
  'plan-alone',
  'layers',
  'barest',
  'service',
] as const;

export type ProgramName = (typeof PROGRAMS)[number];

export interface Programs {
  readonly binary: string;
  readonly pathOf: (name: ProgramName) => string;
}

/**
 * Bundles the programs into `folder` and copies the binary there, so that a build meanwhile does no harm. Throws if the
 * binary is missing.
 */
export async function bundlePrograms(folder: string): Promise<Programs> {
  const dist = join(ROOT, 'dist');
  if (!existsSync(dist)) throw new Error('There is no dist/: run "npm run build" first.');
  await cp(dist, join(folder, 'dist'), { recursive: true });
  await build({
    entryPoints: PROGRAMS.map((name) => join(ROOT, `bench/programs/${name}.ts`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['libsql'],
    minifySyntax: true,
    minifyWhitespace: true,
    banner: {
      js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return { binary: join(folder, 'dist/main.js'), pathOf: (name) => join(folder, `${name}.mjs`) };
}
