/** Measuring and laying out text that is already safe, in columns of a terminal. */
import { count } from '../util/text.ts';
import { ansi, plain, type Style, unpainted } from './style.ts';

export interface RenderOptions {
  readonly color: boolean;
  /** Columns of the terminal; `Infinity` where there is none. */
  readonly width: number;
  /** Columns that messages are wrapped at; missing where no terminal shows them. */
  readonly fold?: number | undefined;
}

/** What everything that writes lines is handed: how to paint, and how wide a line may get. */
export interface Page {
  readonly style: Style;
  readonly width: number;
  /** How wide the line of a message may get; `Infinity` where it is never wrapped. */
  readonly fold: number;
}

/** Longer lines are hard to read, shorter ones leave no room for a domain. */
const [NARROWEST, WIDEST] = [40, 120];

export function pageOf(options: RenderOptions): Page {
  return {
    style: options.color ? ansi : plain,
    width: Math.min(WIDEST, Math.max(NARROWEST, options.width)),
    fold: Math.max(NARROWEST, options.fold ?? Number.POSITIVE_INFINITY),
  };
}

export { count };

const ASCII = /^[\x20-\x7e]*$/;
const MARK = /^\p{M}$/u;
/** Halfwidth forms aside, what East Asian Width (UAX 11) calls wide or fullwidth. */
const WIDE =
  /^(?:(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3001-\u30ff\uff01-\uff60\uffe0-\uffe6])$/u;

/** How many columns `text` takes. */
export function columns(text: string): number {
  if (ASCII.test(text)) return text.length;
  let sum = 0;
  for (const character of unpainted(text)) sum += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return sum;
}

/** How many the widest of `texts` takes; 0 where there is none. */
export function widestOf(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, columns(text)), 0);
}

export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columns(text)));
}

/** Rows of cells as lines, in which the cells of each column begin below one another. */
export function linedUp(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, index) => widestOf(rows.map((row) => row[index] ?? '')));
  return rows.map((row) =>
    row
      .map((cell, index) => pad(cell, widths?.[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * Breaks `text` at spaces into lines of at most `width` columns; a longer word stays whole, and none that
 * a CI system would take for a command (`::error::`) begins a further line.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const isTooLong = columns(line) + 1 + columns(word) > width;
    // After two spaces the word is empty, and the one behind it would begin the line.
    if (line !== '' && isTooLong && word !== '' && !word.startsWith('::')) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Wraps `text` behind `label`, further lines indented to the text. */
export function hang(label: string, text: string, width: number): string[] {
  const indent = columns(label);
  return wrap(text, width - indent).map((line, index) => (index === 0 ? label : ' '.repeat(indent)) + line);
}

const [NARROW_STOP, WIDE_STOP] = [12, 30];

/** All of `items`, several a line, each at a tab stop; one that is longer than `widest` takes several stops. */
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

/** How many items of a list are named where the rest is only counted. */
const NAMED = 10;

/** The first `named` of `items` by what `name` calls each, joined by commas; the rest counted. */
export function some<T>(items: readonly T[], name: (item: T) => string = String, named = NAMED): string {
  const shown = items.slice(0, named).map((item) => name(item));
  const left = items.length - shown.length;
  return left > 0 ? `${shown.join(', ')} … and ${left} more` : shown.join(', ');
}

/** A line for each of at most `most` of `items`; the rest is counted, each being one `noun`. */
export function limited<T>(
  items: readonly T[],
  most: number,
  noun: string,
  line: (item: T) => string,
): string[] {
  return [...items.slice(0, most).map((item) => line(item)), ...moreLine(items.length - most, noun)];
}

/** The line that counts what is left out, each being one `noun`; none where nothing is. */
export function moreLine(left: number, noun?: string): string[] {
  if (left <= 0) return [];
  return [`… and ${noun === undefined ? `${left} more` : count(left, `more ${noun}`)}`];
}

/** A length of time for a person: `0.4 s`, `42 s`, `5 min`, `1 h 20 min`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Blocks of lines, an empty line between them, as one text that ends in a line break. */
export function textOf(blocks: readonly (readonly string[])[]): string {
  const filled = blocks.filter((block) => block.length > 0);
  return filled.map((block) => `${block.join('\n')}\n`).join('\n');
}
