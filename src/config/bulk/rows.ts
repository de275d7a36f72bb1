import { trimPlain } from '../../util/look-alikes.ts';
import type { Finding, Range } from '../read/source.ts';
import type { Mapping } from '../read/spot.ts';
import { plainOf } from '../read/validate.ts';
import { BULK_RECORD_KEYS, LIST_KEYS, SECRET_KEYS } from '../schema/keys.ts';

export interface BulkRow {
  readonly start: number;
  /** `undefined` for an unknown column. */
  readonly keys: readonly (string | undefined)[];
  /** Trimmed texts; in JSON, any value. */
  readonly cells: readonly unknown[];
}

export const DOMAIN_ALONE: BulkRow['keys'] = ['domain'];

/** A place without a record. A fatal one ends the reading. */
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
  locate(start: number, key: string): Range | undefined;
  readonly list?: string | undefined;
  /** The offset of a table's header that has a title above it. */
  readonly headerAt?: number | undefined;
}

/** The number of first records by which the content of a column is guessed. */
export const SAMPLES = 100;

export function* firstOf<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}

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

/** The YAML map that equals a row (decision: "Files are joined into one configuration"). */
export function mappingOf({ keys, cells }: BulkRow): Mapping {
  const entries: [string, unknown][] = [];
  for (const [index, key] of keys.entries()) {
    const value = key === undefined ? undefined : cellValue(key, cells[index]);
    if (key !== undefined && value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

/** Lists whose items never contain a comma, such as addresses. */
const SPLIT_AT_COMMAS: readonly string[] = LIST_KEYS.filter(
  (key) => !BULK_RECORD_KEYS[key]?.schema.safeParse(['a,b']).success,
);

/**
 * Empty text declares nothing, and `null` clears. A secret is `env:NAME` or `file:PATH`. Lists are split at white space
 * or `;`, those of addresses at commas too. Case does not matter for words and numbers.
 */
export function cellValue(key: string, cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  const text = trimPlain(cell);
  if (text === '') return undefined;
  const small = text.toLowerCase();
  // These are valid names, and neither key can be cleared.
  if (small === 'null') return key === 'domain' || key === 'group' ? text : null;
  if (SECRET_KEYS.includes(key)) return secretRef(text);
  if (SPLIT_AT_COMMAS.includes(key)) return text.split(/[ \t\r\n\f\v;,]+/).filter(Boolean);
  if (LIST_KEYS.includes(key))
    return text.includes(',') ? text : text.split(/[ \t\r\n\f\v;]+/).filter(Boolean);
  const accepts = (value: unknown): boolean =>
    BULK_RECORD_KEYS[key]?.schema.safeParse(value).success ?? false;
  return [text, small, plainOf(small)].find(accepts) ?? text;
}

function secretRef(text: string): unknown {
  const [, kind, name] = /^(env|file):(.+)$/s.exec(text) ?? [];
  return kind === undefined ? text : { [kind]: name };
}
