/** Parts of the program that a browser is given as texts. Each is bundled into one. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SCRIPT = new URL('../src/report/html/browser/main.ts', import.meta.url);
const STYLE = new URL('../src/report/html/browser/style.css', import.meta.url);

const BUNDLED = {
  bundle: true,
  write: false,
  outdir: '.',
  format: 'iife',
  minifySyntax: true,
  minifyWhitespace: true,
  target: 'es2022',
};

/** The constants that src/report/html/page.ts declares, as the option `define` of esbuild and Vite takes them. */
export async function pageTexts() {
  const entryPoints = [SCRIPT, STYLE].map((url) => fileURLToPath(url));
  const { outputFiles } = await build({ ...BUNDLED, entryPoints });
  const [script, style] = outputFiles.map(({ text }) => JSON.stringify(text));
  return { PAGE_SCRIPT: script, PAGE_STYLE: style };
}
