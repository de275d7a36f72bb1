/**
 * Builds dist/: one bundled entry and chunks that are loaded when they are needed, because a start-up
 * that resolves hundreds of small files costs more than the work of a plan (docs/performance.md).
 * Only libsql, which is a native module, stays a dependency at run time.
 */
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
// Built aside and put in place whole: a build that fails, or a reader meanwhile, finds the former one.
const draft = `dist.${process.pid}`;

const { metafile } = await build({
  entryPoints: { main: 'src/cli/main.ts' },
  outdir: draft,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['libsql'],
  chunkNames: 'chunks/[name]-[hash]',
  define: { 'process.env.WEBSITES_BUILD_VERSION': JSON.stringify(manifest.version) },
  // CommonJS parts of the bundle ask for Node's own modules through require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
  legalComments: 'none',
  metafile: true,
});
chmodSync(`${draft}/main.js`, 0o755);
writeFileSync(`${draft}/THIRD-PARTY-LICENSES.txt`, licences(Object.keys(metafile.inputs)));
rmSync('dist', { recursive: true, force: true });
renameSync(draft, 'dist');

/** The licence of every package that went into the bundle, as their terms ask. */
function licences(inputs) {
  const packages = new Set(
    inputs.flatMap((path) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.slice(0, 1) ?? []),
  );
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'));
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE']
      .map((one) => folder + one)
      .find(existsSync);
    return `${name} ${version} (${license})\n\n${file ? readFileSync(file, 'utf8').trim() : ''}\n`;
  });
  return texts.join(`\n${'-'.repeat(79)}\n\n`);
}
