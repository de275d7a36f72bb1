/**
 * CSV and TSV (RFC 4180, with any delimiter). As in spreadsheets, a quote inside of an unquoted value, such as `12"
 * screen`, is a normal character.
 */
import { trimPlain } from '../../util/look-alikes.ts';
import type { Range } from '../read/source.ts';
import { type Columns, isDomain } from './columns.ts';
import {
  DOMAIN_ALONE,
  endOfLine,
  faultAt,
  firstOf,
  type Reader,
  type RowFault,
  SAMPLES,
  type WrittenRow,
} from './rows.ts';

/** The longest title above the header, in records, of a table that is not ours. */
const MAX_ABOVE = 10;

const DELIMITERS = { csv: [',', ';', '\t'], tsv: ['\t'] } as const;

export function tableReader(text: string, format: 'csv' | 'tsv', columns: Columns): Reader {
  const { delimiter = DELIMITERS[format][0], above = 0, rank } = layoutOf(text, format, columns) ?? {};
  const first = [...firstOf(readRecords(text, delimiter), above + 1)][above];
  const header = readHeader(first, rank, columns);
  const names = header === undefined || 'fault' in header ? DOMAIN_ALONE : header.names;
  const begin =
    first === undefined || 'fault' in first ? 0 : header === undefined ? first.start : first.end + 1;
  return {
    header,
    ...(above > 0 && { headerAt: first?.start }),
    *rows() {
      for (const record of readRecords(text, delimiter, begin)) {
        if ('fault' in record) yield record;
        else if (record.cells.some((cell) => cell !== '')) {
          yield { start: record.start, names, cells: record.cells };
        }
      }
    },
    cellsAt(start) {
      const cells = cellsAt(text, start, delimiter);
      return { names, ranges: 'fault' in cells ? [] : cells };
    },
  };
}

export function isTable(text: string, columns: Columns): boolean {
  const { rank, width = 1 } = layoutOf(text, 'csv', columns) ?? {};
  return rank !== undefined && width > 1;
}

interface Layout {
  readonly delimiter: string;
  readonly above: number;
  readonly width: number;
  /** The rank of the name of the domains; missing without one. */
  readonly rank: number | undefined;
  readonly isSure: boolean;
}

/**
 * Finds the header and the delimiter. Since a name may contain a comma, the delimiter that gives the best name for the
 * domains is preferred.
 */
function layoutOf(text: string, format: 'csv' | 'tsv', columns: Columns): Layout | undefined {
  const found = DELIMITERS[format].flatMap((delimiter, index) =>
    layoutsBy(delimiter, index === 0, text, columns),
  );
  const rankOf = ({ rank = 100 }: Layout): number => rank;
  const order = (a: Layout, b: Layout): number =>
    Number(b.isSure) - Number(a.isSure) || a.above - b.above || rankOf(a) - rankOf(b) || b.width - a.width;
  return found.sort(order)[0];
}

/** The first line as a header, and certain headers below it. */
function layoutsBy(delimiter: string, isUsual: boolean, text: string, columns: Columns): Layout[] {
  const most = columns.guesses ? MAX_ABOVE : 0;
  const records = [...firstOf(readRecords(text, delimiter), most + 1 + SAMPLES)];
  return records.slice(0, most + 1).flatMap((record, above) => {
    if ('fault' in record) return [];
    const samples = records.slice(above + 1, above + 1 + SAMPLES);
    const valuesOf = (index: number): readonly string[] =>
      samples.flatMap((sample) => ('fault' in sample ? [] : (sample.cells[index] ?? [])));
    const { rank, isSure = false } = columns.domainsIn(record.cells, valuesOf) ?? {};
    const width = record.cells.length;
    // A line that another delimiter leaves whole may be a broken one.
    const isFirst = above === 0 && (width > 1 || isUsual);
    const isHeader = isFirst || (isSure && !record.cells.some(isDomain));
    return isHeader ? [{ delimiter, above, width, rank, isSure }] : [];
  });
}

/** The first line; `undefined` if it is itself a record, of a list of domains alone. */
function readHeader(
  first: Cells | RowFault | undefined,
  rank: number | undefined,
  columns: Columns,
): WrittenRow | RowFault | undefined {
  if (first === undefined) return faultAt(0, 'the file is empty: it has no header line', undefined, 'layout');
  if ('fault' in first) return first;
  const { start, cells } = first;
  if (cells.length === 1 && isDomain(cells[0])) return undefined;
  if (rank !== undefined) return { start, names: cells, cells };
  // It may be a row, whose values must not be reported as columns: one may be a password.
  const { message, remedy } = columns.noDomains;
  return faultAt(start, message, remedy, 'layout');
}

interface Cells extends Range {
  readonly cells: readonly string[];
}

function* readRecords(text: string, delimiter: string, begin = 0): Generator<Cells | RowFault, void> {
  for (let [start, end] = [begin, begin]; start < text.length; start = end + 1) {
    end = endOfLine(text, start);
    const line = text.slice(start, end);
    if (!line.includes('"')) {
      if (line.trim() !== '') yield { start, end, cells: line.split(delimiter).map(trimPlain) };
      continue;
    }
    const cells = cellsAt(text, start, delimiter);
    if ('fault' in cells) {
      yield cells;
      return;
    }
    end = cells.at(-1)?.end ?? end;
    yield { start, end, cells: cells.map(({ value }) => value) };
  }
}

interface Cell extends Range {
  readonly value: string;
}

/** The cells of the record at `start`, which may continue over several lines. */
function cellsAt(text: string, start: number, delimiter: string): readonly Cell[] | RowFault {
  const cells: Cell[] = [];
  for (let at = start; ; at += 1) {
    const cell = cellAt(text, at, delimiter);
    if ('fault' in cell) return cell;
    cells.push(cell);
    at = cell.end;
    if (at >= text.length || text[at] === '\n') return cells;
    if (text[at] === delimiter) continue;
    const remedy = 'Write each double quote inside a quoted value twice.';
    return faultAt(at, 'text follows the double quote that closes a value', remedy, 'quotes');
  }
}

function cellAt(text: string, start: number, delimiter: string): Cell | RowFault {
  const first = afterBlanks(text, start, delimiter);
  if (text[first] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end += 1;
    return { start, end, value: trimPlain(text.slice(start, end)) };
  }
  const close = closingQuote(text, first);
  if (close === -1) {
    const remedy = 'Close the value with a double quote, and write each double quote inside it twice.';
    return faultAt(first, 'the double quote that opens this value is not closed', remedy, 'quotes');
  }
  const value = trimPlain(text.slice(first + 1, close).replaceAll('""', '"'));
  return { start, end: afterBlanks(text, close + 1, delimiter), value };
}

function afterBlanks(text: string, start: number, delimiter: string): number {
  let at = start;
  while (text[at] !== delimiter && (text[at] === ' ' || text[at] === '\t')) at += 1;
  return at;
}

/** The closing quote of the value that opens at `open`, or -1. */
function closingQuote(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}
