/** Color and weight, by meaning. They carry no information that the text lacks. */

type Paint = (text: string) => string;

const [RED, GREEN, YELLOW, BOLD, FAINT] = [31, 32, 33, 1, 2];

const CODES = {
  plain: undefined,
  add: GREEN,
  change: YELLOW,
  remove: RED,
  good: GREEN,
  warn: YELLOW,
  bad: RED,
  strong: BOLD,
  dim: FAINT,
};

export type Style = Readonly<Record<keyof typeof CODES, Paint>>;

export const plain = styleOf(() => (text) => text);

/** Wraps a text in "select graphic rendition" sequences (ECMA-48, 8.3.117). They do not nest. */
export const ansi = styleOf((code) => (text) => (text === '' ? '' : `\x1b[${code}m${text}\x1b[0m`));

/** Removes the sequences of `ansi`, which take no columns. */
export function unpainted(text: string): string {
  return text
    .split('\x1b[')
    .map((part, index) => (index === 0 ? part : part.replace(/^\d+m/, '')))
    .join('');
}

function styleOf(paint: (code: number) => Paint): Style {
  const paintOf = (code: number | undefined): Paint => (code === undefined ? (text) => text : paint(code));
  return Object.fromEntries(Object.entries(CODES).map(([name, code]) => [name, paintOf(code)])) as Style;
}
