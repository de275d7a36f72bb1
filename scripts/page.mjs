/** The script of the HTML page, bundled into one text. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SCRIPT = new URL('../src/render/html/browser/main.ts', import.meta.url);

/** What src/render/html/page.ts declares, as the option `define` of esbuild and Vite takes it. */
export async function pageTexts() {
  const entryPoints = [fileURLToPath(SCRIPT)];
  const small = { minifySyntax: true, minifyWhitespace: true };
  const options = { bundle: true, write: false, outdir: '.', format: 'iife', target: 'es2022', ...small };
  const { outputFiles } = await build({ ...options, entryPoints });
  const [script] = outputFiles.map(({ text }) => JSON.stringify(text));
  return { PAGE_SCRIPT: script };
}
