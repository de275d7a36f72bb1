/** Parts of the program that are given to others as a text: a browser, or a worker. Each is bundled into one. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SCRIPT = new URL('../src/render/html/browser/main.ts', import.meta.url);
const STYLE = new URL('../src/render/html/browser/style.css', import.meta.url);
const WORKER = new URL('../src/sync/policies/worker.ts', import.meta.url);

const BUNDLED = {
  bundle: true,
  write: false,
  outdir: '.',
  format: 'iife',
  minifySyntax: true,
  minifyWhitespace: true,
  metafile: true,
};

/**
 * What src/render/html/page.ts and src/sync/policies/run.ts declare, as the option `define` of esbuild and Vite takes it,
 * and the files that are in it.
 */
export async function pageTexts() {
  const pages = await bundle([SCRIPT, STYLE], { target: 'es2022' });
  const worker = await bundle([WORKER], { platform: 'node', target: 'node20.19' });
  const [script, style] = pages.texts;
  return {
    define: { PAGE_SCRIPT: script, PAGE_STYLE: style, POLICY_WORKER: worker.texts[0] },
    inputs: worker.inputs,
  };
}

async function bundle(urls, options) {
  const entryPoints = urls.map((url) => fileURLToPath(url));
  const { outputFiles, metafile } = await build({ ...BUNDLED, ...options, entryPoints });
  return { texts: outputFiles.map(({ text }) => JSON.stringify(text)), inputs: Object.keys(metafile.inputs) };
}
