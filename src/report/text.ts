import { stripVTControlCharacters } from 'node:util';

/** Colors and weights by meaning (ECMA-48, 8.3.117). The text has the same meaning without them. */
const CODES = { plain: 0, strong: 1, dim: 2, add: 32, change: 33, remove: 31, good: 32, warn: 33, bad: 31 };

export type Style = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

function styleOf(color: boolean): Style {
  const painted = ([name, code]: [string, number]) => {
    const isPainted = color && code !== 0;
    return [name, (text: string) => (isPainted && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text)];
  };
  return Object.fromEntries(Object.entries(CODES).map(painted));
}

const [PLAIN, COLORED] = [styleOf(false), styleOf(true)];

export interface RenderOptions {
  readonly color: boolean;
  /** Width of the terminal in columns; `Infinity` without a terminal. */
  readonly width: number;
  /** Column at which messages are wrapped. Missing if the output is not a terminal. */
  readonly fold?: number | undefined;
}

export interface Page {
  readonly style: Style;
  readonly width: number;
  /** Maximum length of a line of a message; `Infinity` if messages are not wrapped. */
  readonly fold: number;
}

/** A longer line is hard to read. A shorter one has no room for a domain. */
const [MIN_WIDTH, MAX_WIDTH] = [40, 120];

export function pageOf(options: RenderOptions): Page {
  return {
    style: options.color ? COLORED : PLAIN,
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, options.width)),
    fold: Math.max(MIN_WIDTH, options.fold ?? Number.POSITIVE_INFINITY),
  };
}

const ASCII = /^[\x20-\x7e]*$/;
const MARK = /^\p{M}$/u;
/** Characters that are wide or fullwidth (UAX 11, East Asian Width). Excludes halfwidth forms. */
const WIDE =
  /^(?:(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3001-\u30ff\uff01-\uff60\uffe0-\uffe6])$/u;

export function columns(text: string): number {
  const plain = ASCII.test(text) ? text : stripVTControlCharacters(text);
  if (ASCII.test(plain)) return plain.length;
  let sum = 0;
  for (const character of plain) sum += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return sum;
}

export function widestOf(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, columns(text)), 0);
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

export function linedUp<T extends string>(rows: readonly (readonly T[])[]): T[] {
  const widths = rows[0]?.map((_, index) => widestOf(rows.map((row) => row[index] ?? '')));
  return rows.map((row) =>
    row
      .map((cell, index) => pad(cell, widths?.[index] ?? 0))
      .join('  ')
      .trimEnd(),
  ) as T[];
}

/** Does not split long words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const isTooLong = columns(line) + 1 + columns(word) > width;
    // Two spaces make an empty word, after which the next word would start the line.
    if (line !== '' && isTooLong && word !== '') {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Wraps `text` after `label`. Further lines have `indent` spaces. */
export function hang(label: string, text: string, width: number, indent = columns(label)): string[] {
  return wrap(text, width - indent).map((line, index) => (index === 0 ? label : ' '.repeat(indent)) + line);
}

/** Returns all `items` in lines with columns of equal width. */
export function flow<T extends string>(items: readonly T[], width: number): T[] {
  const across = Math.max(1, Math.floor((width + 2) / (widestOf(items) + 2)));
  const count = Math.ceil(items.length / across);
  return linedUp(Array.from({ length: count }, (_, at) => items.slice(at * across, (at + 1) * across)));
}
