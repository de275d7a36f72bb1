/** Writes docs/plan.svg, the picture of the README, from the plan of the demo. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const PICTURE = resolve(import.meta.dirname, '../docs/plan.svg');
const [COLUMN, LINE, MARGIN, SIZE] = [8.4, 20, 16, 14];
const FONT = 'ui-monospace, monospace';
const PAPER = '#0d1117';
const INK = '#e6edf3';
const STYLES = {
  0: '',
  1: ' font-weight="bold"',
  2: ' fill="#8b949e"',
  31: ' fill="#ff7b72"',
  32: ' fill="#7ee787"',
  33: ' fill="#e3b341"',
};

export function demoPlan() {
  const demo = resolve(import.meta.dirname, 'demo.mjs');
  const env = { ...process.env, FORCE_COLOR: '1' };
  const printed = execFileSync(process.execPath, [demo], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return /\$ websites plan\n\n[\s\S]*?(?=\n+\$ websites apply)/.exec(printed)?.[0] ?? '';
}

/** Positions each part after a gap, so that any font keeps the columns. */
export function pictureOf(text) {
  const lines = text.split('\n');
  const widest = Math.max(...lines.map((line) => stripVTControlCharacters(line).length));
  const [width, height] = [Math.ceil(widest * COLUMN) + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  const rows = lines.map((line, row) => rowOf(line, MARGIN + (row + 0.7) * LINE));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>websites plan</title>
<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>
<g font-family="${FONT}" font-size="${SIZE}" fill="${INK}">
${rows.join('')}</g>
</svg>
`;
}

function rowOf(line, y) {
  let column = 0;
  const parts = `0m${line}`.split('\x1b[').flatMap((part) => {
    const [, number, text] = /^(\d+)m(.*)$/.exec(part);
    const start = column;
    column += text.length;
    return Array.from(text.matchAll(/\S+(?: \S+)*/g), ({ 0: shown, index }) => {
      const x = (MARGIN + (start + index) * COLUMN).toFixed(1);
      return `<text x="${x}" y="${y}"${STYLES[number]}>${shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>\n`;
    });
  });
  return parts.join('');
}

if (process.argv[1] === import.meta.filename) writeFileSync(PICTURE, pictureOf(demoPlan()));
