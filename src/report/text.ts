import { ansi, plain, type Style, unpainted } from './style.ts';

export interface RenderOptions {
  readonly color: boolean;
  /** Columns of the terminal; `Infinity` without one. */
  readonly width: number;
  /** Columns that messages are wrapped at; missing if no terminal shows them. */
  readonly fold?: number | undefined;
}

export interface Page {
  readonly style: Style;
  readonly width: number;
  /** The longest line of a message; `Infinity` if it is never wrapped. */
  readonly fold: number;
}

/** Longer lines are hard to read, shorter ones leave no room for a domain. */
const [MIN_WIDTH, MAX_WIDTH] = [40, 120];

export function pageOf(options: RenderOptions): Page {
  return {
    style: options.color ? ansi : plain,
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, options.width)),
    fold: Math.max(MIN_WIDTH, options.fold ?? Number.POSITIVE_INFINITY),
  };
}

const ASCII = /^[\x20-\x7e]*$/;
const MARK = /^\p{M}$/u;
/** Characters that East Asian Width (UAX 11) calls wide or fullwidth, except halfwidth forms. */
const WIDE =
  /^(?:(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3001-\u30ff\uff01-\uff60\uffe0-\uffe6])$/u;

export function columns(text: string): number {
  if (ASCII.test(text)) return text.length;
  let sum = 0;
  for (const character of unpainted(text)) sum += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return sum;
}

export function widestOf(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, columns(text)), 0);
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

export function linedUp(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, index) => widestOf(rows.map((row) => row[index] ?? '')));
  return rows.map((row) =>
    row
      .map((cell, index) => pad(cell, widths?.[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A longer word stays whole. No further line begins with a CI system's command (`::error::`). */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const isTooLong = columns(line) + 1 + columns(word) > width;
    // After two spaces the word is empty, and the next one would begin the line.
    if (line !== '' && isTooLong && word !== '' && !word.startsWith('::')) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

export function hang(label: string, text: string, width: number): string[] {
  const indent = columns(label);
  return wrap(text, width - indent).map((line, index) => (index === 0 ? label : ' '.repeat(indent)) + line);
}

const [NARROW_STOP, WIDE_STOP] = [12, 30];

/** All of `items`, several per line, each at a tab stop; one longer than `widest` takes several stops. */
export function flow(items: readonly string[], width: number, widest = WIDE_STOP): string[] {
  const widths = items.map(columns);
  const longest = widths.reduce((most, own) => Math.max(most, own), 0);
  const stop = Math.min(widest, Math.max(NARROW_STOP, longest + 2));
  const lines: string[] = [];
  let line = '';
  let taken = 0;
  for (const [index, item] of items.entries()) {
    const own = widths[index] ?? 0;
    const start = line === '' ? 0 : Math.ceil((taken + 2) / stop) * stop;
    if (start > 0 && start + own > width) {
      lines.push(line);
      [line, taken] = [item, own];
    } else {
      line += ' '.repeat(start === 0 ? 0 : start - taken) + item;
      taken = start + own;
    }
  }
  return items.length === 0 ? lines : [...lines, line];
}
