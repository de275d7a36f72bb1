/**
 * Reads CSV and TSV (RFC 4180, with any delimiter). Like in spreadsheets, a quote inside an unquoted value, such as
 * `12" screen`, is a normal character.
 */

import { trimPlain } from '../../util/look-alikes.ts';
import { memoize } from '../../util/memoize.ts';
import type { Range } from '../read/source.ts';
import { type Columns, isDomain, type ValuesOf } from './columns.ts';
import {
  type BulkReader,
  type BulkRow,
  checkedRow,
  DOMAIN_ALONE,
  endOfLine,
  faultAt,
  firstItems,
  MAX_SAMPLES,
  type RowFault,
  type Shape,
  type TakeKnown,
} from './rows.ts';

/** Maximum number of title rows above the header, in a table of another program. */
const MAX_ABOVE = 10;

const DELIMITERS = { csv: [',', ';', '\t'], tsv: ['\t'] } as const;

export function tableReader(text: string, format: 'csv' | 'tsv', columns: Columns): BulkReader {
  const layout = layoutOf(text, format, columns);
  const { delimiter = DELIMITERS[format][0], above = 0, first } = layout ?? {};
  const shape = layout === undefined ? whyNoHeader(text, delimiter) : readHeader(layout, columns);
  return {
    headerAt: above > 0 ? first?.start : undefined,
    *rows(take) {
      const header = 'fault' in shape ? shape : checkedRow({ ...(first as SourceRow), shape }, 'layout');
      if ('fault' in header) return yield header;
      const begin = shape === DOMAIN_ALONE ? first?.start : first?.end;
      for (const row of readRows(text, delimiter, begin, header.shape, take)) {
        yield 'fault' in row ? row : checkedRow(row);
      }
    },
    cellsAt: (start) => ({
      shape: shape as Shape,
      ...(cellsAt(text, start, delimiter) as QuotedRow),
    }),
  };
}

export function isTable(text: string, columns: Columns): boolean {
  const layout = layoutOf(text, 'csv', columns);
  return layout?.rank !== undefined && layout.first.cells.length > 1;
}

interface Layout {
  readonly delimiter: string;
  /** The header row, and the number of rows above it. */
  readonly first: SourceRow;
  readonly above: number;
  /** Rank of the name of the domain column; missing if no column has a known name. */
  readonly rank: number | undefined;
  readonly isSure: boolean;
  readonly valuesOf: ValuesOf;
}

/**
 * Finds the header and the delimiter. A name may contain a comma, so the delimiter that gives the best name for the
 * domain column is used.
 */
function layoutOf(text: string, format: 'csv' | 'tsv', columns: Columns): Layout | undefined {
  const found = DELIMITERS[format].flatMap((delimiter, index) =>
    layoutsBy(delimiter, index === 0, text, columns),
  );
  const rankOf = ({ rank = 100 }: Layout): number => rank;
  const order = (a: Layout, b: Layout): number =>
    Number(b.isSure) - Number(a.isSure) ||
    a.above - b.above ||
    rankOf(a) - rankOf(b) ||
    b.first.cells.length - a.first.cells.length;
  return found.sort(order)[0];
}

/** Returns the first row as a possible header, and rows below it that are certainly headers. */
function layoutsBy(delimiter: string, isUsual: boolean, text: string, columns: Columns): Layout[] {
  const most = columns.guesses ? MAX_ABOVE : 0;
  const records = [...firstItems(readRows(text, delimiter), most + 1 + MAX_SAMPLES)];
  return records.slice(0, most + 1).flatMap((first, above) => {
    if ('fault' in first) return [];
    const samples = records.slice(above + 1, above + 1 + MAX_SAMPLES);
    const valuesOf: ValuesOf = (index) =>
      samples.flatMap((sample) => ('fault' in sample ? [] : (sample.cells[index] ?? [])));
    const { rank, isSure = false } = columns.domainsIn(first.cells, valuesOf) ?? {};
    // If this delimiter does not split the row, the file may use another one, and the row may be malformed.
    const isFirst = above === 0 && (first.cells.length > 1 || isUsual);
    const isHeader = isFirst || (isSure && !first.cells.some(isDomain));
    return isHeader ? [{ delimiter, first, above, rank, isSure, valuesOf }] : [];
  });
}

/** Returns the reason that no header was found: the first row is broken or missing. */
function whyNoHeader(text: string, delimiter: string): RowFault {
  const [first] = readRows(text, delimiter);
  const isFault = first !== undefined && 'fault' in first;
  return isFault ? first : faultAt(0, 'the file is empty: it has no header line', undefined, 'layout');
}

/** Returns the columns. The first row may already be a record of a list of domains. */
function readHeader({ rank, valuesOf, first }: Layout, columns: Columns): Shape | RowFault {
  const { start, cells } = first;
  if (cells.length === 1 && isDomain(cells[0])) return DOMAIN_ALONE;
  // The row may be a record, so its values are not reported as column names: a value may be a password.
  if (rank === undefined) return faultAt(start, ...columns.noDomains, 'layout');
  return columns.shapeOf(cells, valuesOf, start);
}

interface SourceRow extends Range, BulkRow {
  readonly cells: readonly string[];
}

/** Reads all rows that have a value. */
function* readRows(
  text: string,
  delimiter: string,
  begin = 0,
  shape: Shape = DOMAIN_ALONE,
  take?: TakeKnown,
): Generator<SourceRow | RowFault, void> {
  for (let [start, end] = [begin, begin]; start < text.length; start = end + 1) {
    end = endOfLine(text, start);
    const line = text.slice(start, end);
    const first = line.indexOf(delimiter);
    const domain = first < 0 ? line : line.slice(0, first);
    const rest = first < 0 ? '' : line.slice(first);
    if (take?.({ start, domain, rest })) continue;
    const found = line.includes('"')
      ? cellsAt(text, start, delimiter)
      : { end, cells: plainCells(line, delimiter), rest };
    if ('fault' in found) return yield found;
    const { cells } = found;
    end = found.end;
    if (cells.some((cell) => cell !== '')) yield { start, end, shape, cells, rest: found.rest };
  }
}

function plainCells(line: string, delimiter: string): readonly string[] {
  const cells = line.split(delimiter);
  return /\s/.test(line) ? cells.map(trimPlain) : cells;
}

interface QuotedRow extends Pick<SourceRow, 'end' | 'cells'> {
  readonly rest?: undefined;
  readonly ranges: readonly Range[];
}

/** Matches the blanks before a cell, then a quoted or any other value. */
const patternOf = memoize((delimiter: string) => {
  const blanks = delimiter === '\t' ? ' *' : '[ \t]*';
  const quoted = `"([^"]*(?:""[^"]*)*)"(?!")`;
  return new RegExp(`(${blanks})(?:${quoted}${blanks}|[^\\n${delimiter}]*)`, 'y');
});

/** Returns the cells of the row at `begin`. A quoted cell may contain line ends. */
function cellsAt(text: string, begin: number, delimiter: string): QuotedRow | RowFault {
  const pattern = patternOf(delimiter);
  const [cells, ranges]: [string[], Range[]] = [[], []];
  for (let start = begin; ; start += 1) {
    pattern.lastIndex = start;
    const [whole = '', before = '', value] = pattern.exec(text) ?? [];
    const end = start + whole.length;
    if (value === undefined && whole[before.length] === '"') {
      const remedy = 'Close the value with a double quote, and write each double quote inside it twice.';
      return faultAt(
        start + before.length,
        'the double quote that opens this value is not closed',
        remedy,
        'quotes',
      );
    }
    cells.push(trimPlain(value?.replaceAll('""', '"') ?? whole));
    ranges.push({ start, end });
    start = end;
    if (end >= text.length || text[end] === '\n') return { end, cells, ranges };
    if (text[end] === delimiter) continue;
    const remedy = 'Write each double quote inside a quoted value twice.';
    return faultAt(end, 'text follows the double quote that closes a value', remedy, 'quotes');
  }
}
