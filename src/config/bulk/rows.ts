import type { Finding, Range } from '../read/source.ts';

export interface BulkRow {
  readonly start: number;
  /** `undefined` for a column that is none of ours. */
  readonly keys: readonly (string | undefined)[];
  /** Texts without white space around them; in JSON, whatever stands there. */
  readonly cells: readonly unknown[];
}

export const DOMAIN_ALONE: BulkRow['keys'] = ['domain'];

/** A place that is no record. After a fatal one there is nothing more to be read: it says what is in the way. */
export interface RowFault {
  readonly start: number;
  readonly fault: Finding;
  readonly fatal: false | 'columns' | 'quotes' | 'format' | 'list';
}

export function faultAt(
  start: number,
  message: string,
  remedy?: string,
  fatal: RowFault['fatal'] = false,
): RowFault {
  return { start, fault: { message, remedy }, fatal };
}

export interface Reader {
  rows(): Iterable<BulkRow | RowFault>;
  /** Where the cell of a key stands in the row that starts at `start`, if that can be told. */
  locate(start: number, key: string): Range | undefined;
  readonly list?: string | undefined;
  /** Where the header of a table is that has a title above it. */
  readonly headerAt?: number | undefined;
}

/** From so many records at the beginning it is guessed what a column holds. */
export const SAMPLES = 100;

export function* firstOf<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}

/** Every line that is not blank, without its end. */
export function* linesOf(text: string): Generator<Range> {
  for (let [start, end] = [0, 0]; start < text.length; start = end + 1) {
    end = endOfLine(text, start);
    if (!isBlank(text.slice(start, end))) yield { start, end };
  }
}

export function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}
