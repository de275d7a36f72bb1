/** The script and the style sheet of the HTML page, each bundled into one text. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SCRIPT = new URL('../src/render/html/browser/main.ts', import.meta.url);
const STYLE = new URL('../src/render/html/browser/style.css', import.meta.url);

/** What src/render/html/page.ts declares, as the option `define` of esbuild and Vite takes it. */
export async function pageTexts() {
  const entryPoints = [SCRIPT, STYLE].map((url) => fileURLToPath(url));
  const small = { minifySyntax: true, minifyWhitespace: true };
  const options = { bundle: true, write: false, outdir: '.', format: 'iife', target: 'es2022', ...small };
  const { outputFiles } = await build({ ...options, entryPoints });
  const [script, style] = outputFiles.map(({ text }) => JSON.stringify(text));
  return { PAGE_SCRIPT: script, PAGE_STYLE: style };
}
