/**
 * Builds dist/: one entry, and chunks that load on demand, since resolving hundreds of small files takes longer than a
 * plan (bench/performance.md). Only the native module libsql stays a dependency.
 */
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { buildLibrary } from './build-library.mjs';
import { packageFolders, sbom } from './sbom.mjs';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
// Built in a temporary directory and then renamed, so that a failed build or a concurrent reader finds the
// earlier one.
const draft = `dist.${process.pid}`;

const options = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['libsql'],
  // Includes the page that `websites explain` quotes.
  loader: { '.md': 'text' },
  chunkNames: 'chunks/[name]-[hash]',
  define: { 'process.env.WEBSITES_BUILD_VERSION': JSON.stringify(manifest.version) },
  // CommonJS parts of the bundle load Node's modules through require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
  legalComments: 'none',
  minifySyntax: true,
  minifyWhitespace: true,
  metafile: true,
  plugins: [
    keepAlone(
      'undici',
      'undici',
      "export { default as Pool } from './lib/dispatcher/pool.js';export { default as Client } from './lib/dispatcher/client.js';",
    ),
  ],
};
const program = { ...options, entryPoints: { main: 'src/cli/main.ts' }, outdir: draft };
const { metafile: cut } = await build({ ...program, write: false });
const { metafile } = await build({ ...program, plugins: [...options.plugins, together(cut)] });
const { inputs: ofLibrary } = await buildLibrary(`${draft}/library`, options);
const inside = Object.keys({ ...metafile.inputs, ...ofLibrary });
chmodSync(`${draft}/main.js`, 0o755);
writeFileSync(`${draft}/THIRD-PARTY-LICENSES.txt`, licences(inside));
writeFileSync(`${draft}/sbom.cdx.json`, sbom(manifest, inside));
rmSync('dist', { recursive: true, force: true });
renameSync(draft, 'dist');

/**
 * Replaces the entry `path` of the package `name` by `contents`, so that the rest of the package is not
 * bundled. The files are private to the package, so its version is pinned.
 */
function keepAlone(path, name, contents) {
  return {
    name: `${name}-alone`,
    setup({ onResolve, onLoad }) {
      const namespace = `${name}-alone`;
      onResolve({ filter: new RegExp(`^${path}$`) }, () => ({ path, namespace }));
      onLoad({ filter: /^/, namespace }, () => ({ contents, resolveDir: resolve('node_modules', name) }));
    },
  };
}

/**
 * Puts the start and a plan into one chunk, and all shared code into another. Otherwise esbuild makes about
 * fifty chunks for one command.
 */
function together({ outputs }) {
  const chunkOf = (entry) => Object.keys(outputs).find((path) => outputs[path].entryPoint === entry);
  const lazy = Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const chunks = new Set(['src/cli/start.ts', 'src/cli/commands/plan.ts'].map(chunkOf));
  for (const path of chunks) {
    const whole = outputs[path].imports.filter(
      ({ kind, external }) => kind === 'import-statement' && !external,
    );
    for (const { path: next } of whole) chunks.add(next);
  }
  const inputs = [...chunks].flatMap((path) => Object.keys(outputs[path].inputs));
  const shared = inputs.filter((path) => path.startsWith('src/') && !lazy.includes(path));
  const all = shared.map((path) => `import ${JSON.stringify(resolve(path))};`).join('\n');
  return {
    name: 'together',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^together$/ }, ({ path }) => ({ path, namespace: path }));
      onLoad({ filter: /^/, namespace: 'together' }, () => ({ contents: all, resolveDir: resolve('.') }));
      onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        if (path === resolve('src/cli/main.ts') || !lazy.includes(relative(resolve('.'), path)))
          return undefined;
        return { contents: `${readFileSync(path, 'utf8')}\nimport 'together';\n`, loader: 'ts' };
      });
    },
  };
}

/** Collects the license texts, which the licenses require. */
function licences(inputs) {
  const texts = packageFolders(inputs).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'));
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE']
      .map((one) => folder + one)
      .find(existsSync);
    return `${name} ${version} (${license})\n\n${file ? readFileSync(file, 'utf8').trim() : ''}\n`;
  });
  return texts.join(`\n${'-'.repeat(79)}\n\n`);
}
