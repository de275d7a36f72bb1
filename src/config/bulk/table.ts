/**
 * CSV and TSV (RFC 4180, with any delimiter). As in spreadsheets, a quote inside of an unquoted value, such as `12"
 * screen`, is a normal character.
 */
import { trimPlain } from '../../util/look-alikes.ts';
import type { Range } from '../read/source.ts';
import { type Columns, isDomain, rowOf, type Shape, shapeOf } from './columns.ts';
import {
  type BulkRow,
  DOMAIN_ALONE,
  endOfLine,
  faultAt,
  firstOf,
  isBlank,
  type Reader,
  type RowFault,
  SAMPLES,
} from './rows.ts';

const SEPARATOR_LINE = /^sep=.(?=\r?\n)/i;

/** The longest title above the header, in records, of a table that is not ours. */
const MAX_ABOVE = 10;

export function tableReader(whole: string, format: 'csv' | 'tsv', columns: Columns): Reader {
  const text = withoutSeparator(whole);
  const delimiters = format === 'tsv' ? ['\t'] : [',', ';', '\t'];
  const layout = layoutOf(text, delimiters, columns);
  const { delimiter = delimiters[0] ?? ',', above = 0 } = layout ?? {};
  const records = (): Iterable<Cells | RowFault> => after(above, readRecords(text, delimiter));
  const placeOf = (start: number, index: number): Range => {
    const ranges = cellRanges(text, start, delimiter);
    return ranges[index] ?? (ranges.at(-1) as Range);
  };
  const [first, ...samples] = firstOf(records(), SAMPLES + 1);
  const head = readHead(first, columns, placeOf, valuesIn(samples));
  return {
    ...(above > 0 && { headerAt: first?.start }),
    rows: () => tableRows(records(), head),
    locate(start, key) {
      const index = 'keys' in head ? head.keys.indexOf(key) : -1;
      return index === -1 ? undefined : placeOf(start, index);
    },
  };
}

/** Leaves a blank line, so that all other lines keep their places. */
function withoutSeparator(whole: string): string {
  return whole.replace(SEPARATOR_LINE, (line) => ' '.repeat(line.length));
}

export function isTable(whole: string, columns: Columns): boolean {
  const layout = layoutOf(withoutSeparator(whole), [',', ';', '\t'], columns);
  return layout?.rank !== undefined && layout.width > 1;
}

interface Layout {
  readonly delimiter: string;
  readonly above: number;
  readonly width: number;
  readonly rank: number | undefined;
}

/**
 * Finds the header and the delimiter. Since a name may contain a comma, the delimiter that gives the best name for the
 * domains is preferred.
 */
function layoutOf(text: string, delimiters: readonly string[], columns: Columns): Layout | undefined {
  const found = delimiters.flatMap((delimiter) => layoutsBy(delimiter, text, columns));
  const sure = found.filter(({ isSure }) => isSure);
  const least = Math.min(...sure.map(({ above }) => above));
  const fit = sure.length > 0 ? sure.filter(({ above }) => above === least) : found;
  const rankOf = ({ rank = Number.POSITIVE_INFINITY }: Layout): number => rank;
  const best = Math.min(...fit.map(rankOf));
  return fit.find((layout) => rankOf(layout) === best);
}

/** The first line as a header, if it has several cells, and certain headers below it. */
function layoutsBy(delimiter: string, text: string, columns: Columns) {
  const most = columns.guesses ? MAX_ABOVE : 0;
  const records = [...firstOf(readRecords(text, delimiter), most + 1 + SAMPLES)];
  return records.slice(0, most + 1).flatMap((record, above) => {
    if ('fault' in record) return [];
    const samples = records.slice(above + 1, above + 1 + SAMPLES);
    const domains = columns.domainsIn(record.cells, valuesIn(samples));
    const [width, isSure] = [record.cells.length, domains?.isSure ?? false];
    const isHeader = (isSure && !record.cells.some(isDomain)) || (above === 0 && width > 1);
    return isHeader ? [{ delimiter, above, width, rank: domains?.rank, isSure }] : [];
  });
}

function valuesIn(records: readonly (Cells | RowFault)[]): (index: number) => readonly string[] {
  return (index) => records.flatMap((record) => ('fault' in record ? [] : (record.cells[index] ?? [])));
}

function* after<T>(count: number, items: Iterable<T>): Generator<T> {
  let left = count;
  for (const item of items) if (left-- <= 0) yield item;
}

/** The first line; `isRow`: it is itself a record, of a list of domains alone. */
type TableHead = (Shape & { readonly isRow: boolean }) | RowFault;

function readHead(
  first: Cells | RowFault | undefined,
  columns: Columns,
  placeOf: (start: number, index: number) => Range,
  valuesOf: (index: number) => readonly string[],
): TableHead {
  if (first === undefined) {
    return faultAt(0, 'the file is empty: it has no header line', undefined, 'format');
  }
  if ('fault' in first) return first;
  const [only = '', ...others] = first.cells;
  if (others.length === 0 && isDomain(only)) return { ...shapeOf(DOMAIN_ALONE, [only]), isRow: true };
  // It may be a row, whose values must not be reported as columns: one may be a password.
  if (columns.domainsIn(first.cells, valuesOf) === undefined) {
    const { message, remedy } = columns.noDomains(first.cells);
    return faultAt(first.start, message, remedy, 'columns');
  }
  const keys = columns.keysOf(first.cells, (index) => placeOf(first.start, index), valuesOf);
  const shape = shapeOf(keys, first.cells);
  if (shape.alike !== undefined) return faultAt(first.start, shape.alike, undefined, 'columns');
  return { ...shape, isRow: false };
}

function* tableRows(records: Iterable<Cells | RowFault>, head: TableHead): Generator<BulkRow | RowFault> {
  if ('fault' in head) {
    yield head;
    return;
  }
  const { keys } = head;
  let isHeader = !head.isRow;
  for (const record of records) {
    if ('fault' in record) yield record;
    else if (isHeader) isHeader = false;
    else if (hasMore(record.cells, keys.length)) yield tooMany(record, keys.length);
    else if (record.cells.some((cell) => cell !== '')) yield rowOf(head, record.start, record.cells);
  }
}

function hasMore(cells: readonly string[], count: number): boolean {
  for (let index = count; index < cells.length; index++) if (cells[index] !== '') return true;
  return false;
}

/** Most likely a value contains a delimiter, and the cells after it are under the wrong names. */
function tooMany({ start, cells }: Cells, count: number): RowFault {
  const message = `this line has ${cells.length} cells, and the first line names ${count}`;
  return faultAt(start, message, 'Put a value that holds the delimiter in double quotes.');
}

interface Cells {
  readonly start: number;
  readonly cells: readonly string[];
}

function* readRecords(text: string, delimiter: string): Generator<Cells | RowFault, void> {
  for (let start = 0; start < text.length; ) {
    const end = endOfLine(text, start);
    const line = text.slice(start, end);
    if (!line.includes('"')) {
      if (!isBlank(line)) yield { start, cells: line.split(delimiter).map(trimPlain) };
      start = end + 1;
      continue;
    }
    const record = readQuoted(text, start, delimiter);
    yield record;
    if ('fault' in record) return;
    start = record.end + 1;
  }
}

/** The record at `start`, which may continue over several lines. */
function readQuoted(text: string, start: number, delimiter: string): (Cells & { end: number }) | RowFault {
  const cells: string[] = [];
  for (let at = start; ; at++) {
    const cell = cellAt(text, at, delimiter);
    if ('fault' in cell) return cell;
    cells.push(trimPlain(cell.value));
    at = cell.end;
    if (text[at] !== delimiter) return { start, cells, end: at };
  }
}

interface Cell {
  readonly value: string;
  readonly end: number;
}

function cellAt(text: string, start: number, delimiter: string): Cell | RowFault {
  const first = afterBlanks(text, start, delimiter);
  if (text[first] !== '"') {
    const end = endOfPlain(text, start, delimiter);
    return { value: text.slice(start, end), end };
  }
  const close = closingQuote(text, first);
  if (close === -1) {
    const remedy = 'Close the value with a double quote, and write each double quote inside it twice.';
    return faultAt(first, 'the double quote that opens this value is not closed', remedy, 'quotes');
  }
  const end = afterBlanks(text, close + 1, delimiter);
  if (end < text.length && text[end] !== delimiter && text[end] !== '\n') {
    const remedy = 'Write each double quote inside a quoted value twice.';
    return faultAt(end, 'text follows the double quote that closes a value', remedy, 'quotes');
  }
  return { value: text.slice(first + 1, close).replaceAll('""', '"'), end };
}

function afterBlanks(text: string, start: number, delimiter: string): number {
  let at = start;
  while (text[at] !== delimiter && (text[at] === ' ' || text[at] === '\t')) at++;
  return at;
}

function endOfPlain(text: string, start: number, delimiter: string): number {
  let at = start;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
  return at;
}

/** The closing quote of the value that opens at `open`, or -1. */
function closingQuote(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}

function cellRanges(text: string, start: number, delimiter: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = start; ; at++) {
    const found = cellAt(text, at, delimiter);
    const end = 'fault' in found ? endOfLine(text, at) : found.end;
    ranges.push({ start: at, end });
    if (text[end] !== delimiter) return ranges;
    at = end;
  }
}
