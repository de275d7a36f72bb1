import { trimPlain } from '../../util/look-alikes.ts';
import type { Finding, Mapping, Range } from '../read/source.ts';
import { parse } from '../read/validate.ts';
import { BULK_RECORD_KEYS, LIST_KEYS, SECRET_KEYS } from '../schema/keys.ts';

/** The columns of some rows, in their order. */
export interface Shape {
  readonly names: readonly string[];
  /** A key is `undefined` for an unknown column. */
  readonly keys: readonly (string | undefined)[];
  /** The key that two columns have. */
  readonly twice: string | undefined;
}

/** The columns of a row that is only a domain. */
export const DOMAIN_ALONE: Shape = { names: ['domain'], keys: ['domain'], twice: undefined };

/** The start of a row whose domain comes first. Rows with the same `rest` differ only in their domain. */
export interface RowStart {
  readonly start: number;
  readonly domain?: string;
  /** The text after the domain. */
  readonly rest?: string | undefined;
}

/** A row as written. Cells are trimmed texts, or any JSON value. */
export interface BulkRow extends RowStart {
  readonly shape: Shape;
  readonly cells: readonly unknown[];
}

/** An error at a place. After a fatal error, the rest of the file is not read. */
export interface RowFault {
  readonly start: number;
  readonly fault: Finding;
  readonly fatal: false | 'layout' | 'quotes';
}

export function faultAt(
  start: number,
  message: string,
  remedy?: string,
  fatal: RowFault['fatal'] = false,
): RowFault {
  return { start, fault: { message, remedy }, fatal };
}

/** Takes a row whose `rest` is known, so that the reader skips it. Returns false for any other row. */
export type TakeKnown = (row: RowStart) => boolean;

export interface BulkReader {
  rows(take?: TakeKnown): Iterable<BulkRow | RowFault>;
  /** Returns the valid row at `start`, with the places of its cells or names. */
  cellsAt(start: number): Pick<BulkRow, 'shape' | 'cells'> & { readonly ranges: readonly Range[] };
  /** Offset of the header of a table, if a title is above it. */
  readonly headerAt?: number | undefined;
  /** Name of the list in JSON that is an object. */
  readonly list?: string | undefined;
}

/** Returns the row, or the fault of its columns. */
export function checkedRow(row: BulkRow, fatal: RowFault['fatal'] = false): BulkRow | RowFault {
  const { start, cells, shape } = row;
  const { names, twice } = shape;
  if (twice !== undefined) return faultAt(start, `two columns are named ${twice}`, undefined, fatal);
  const isStray = cells.some((cell, index) => (names[index] ?? '') === '' && (cell ?? '') !== '');
  return isStray ? faultAt(start, 'a value is in a column without a name', STRAY) : row;
}

const STRAY =
  'Name the column, remove the value, or put a value that contains the delimiter in double quotes.';

/** Number of records, from the first on, that are read to guess what a column contains. */
export const MAX_SAMPLES = 100;

export function* firstItems<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}

export function* linesOf(text: string): Generator<Range> {
  for (let [start, end] = [0, 0]; start < text.length; start = end + 1) {
    end = endOfLine(text, start);
    if (text.slice(start, end).trim() !== '') yield { start, end };
  }
}

export function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}

/** Returns the end of the match of the sticky `pattern` at `at`, or `at` if nothing matches. */
export function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Returns the YAML map that is equivalent to a row (decision: "Files are joined into one configuration"). */
export function mappingOf(keys: Shape['keys'], cells: BulkRow['cells']): Mapping {
  const entries = keys.flatMap((key, index) => {
    const value = key === undefined ? undefined : cellValue(key, cells[index]);
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}

/** Lists whose items never contain a comma, for example IP addresses. */
const SPLIT_AT_COMMAS = LIST_KEYS.filter((key) => !fits(key, ['a,b']));

/** True if the value of a cell is valid for the setting `key`. */
export function fits(key: string, value: unknown): boolean {
  const schema = BULK_RECORD_KEYS[key]?.schema;
  return schema !== undefined && parse(schema, value, true).success;
}

/**
 * Converts a cell to a YAML value. Empty text declares nothing; `null` clears. A secret is `env:NAME` or `file:PATH`.
 * Lists are split at white space or `;`, and lists of addresses also at commas.
 */
export function cellValue(key: string, cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  const text = trimPlain(cell);
  if (text === '') return undefined;
  // For these keys, `null` is a valid name, and the key cannot be cleared.
  if (text.toLowerCase() === 'null') return key === 'domain' || key === 'group' ? text : null;
  if (SECRET_KEYS.includes(key)) {
    const [, kind, name] = /^(env|file):(.+)$/s.exec(text) ?? [];
    return kind === undefined ? text : { [kind]: name };
  }
  if (SPLIT_AT_COMMAS.includes(key)) return text.split(/[ \t\r\n\f\v;,]+/).filter(Boolean);
  if (LIST_KEYS.includes(key))
    return text.includes(',') ? text : text.split(/[ \t\r\n\f\v;]+/).filter(Boolean);
  return text;
}
