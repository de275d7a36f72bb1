/**
 * Reads CSV and TSV (RFC 4180, with any delimiter). Like in spreadsheets, a quote inside an unquoted value, such as
 * `12" screen`, is a normal character.
 */
import { trimPlain } from '../../util/look-alikes.ts';
import type { Range } from '../read/source.ts';
import { type Columns, isDomain } from './columns.ts';
import {
  type BulkReader,
  type BulkRow,
  DOMAIN_ALONE,
  endOfLine,
  faultAt,
  firstItems,
  MAX_SAMPLES,
  type RowFault,
  skip,
} from './rows.ts';

/** Maximum number of title rows above the header, in a table of another program. */
const MAX_ABOVE = 10;

const DELIMITERS = { csv: [',', ';', '\t'], tsv: ['\t'] } as const;

export function tableReader(text: string, format: 'csv' | 'tsv', columns: Columns): BulkReader {
  const layout = layoutOf(text, format, columns);
  const { delimiter = DELIMITERS[format][0], above = 0, first } = layout ?? {};
  const header = layout === undefined ? whyNoHeader(text, delimiter) : readHeader(layout, columns);
  const names = header === undefined || 'fault' in header ? DOMAIN_ALONE : header.names;
  return {
    header,
    ...(above > 0 && { headerAt: first?.start }),
    rows: () => readRows(text, delimiter, names, header === undefined ? first?.start : first?.end),
    cellsAt(start) {
      const cells = cellsAt(text, start, delimiter);
      return { names, ranges: 'fault' in cells ? [] : cells };
    },
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
  /** Rank of the name of the domain column; missing without such a name. */
  readonly rank: number | undefined;
  readonly isSure: boolean;
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
    const valuesOf = (index: number): readonly string[] =>
      samples.flatMap((sample) => ('fault' in sample ? [] : (sample.cells[index] ?? [])));
    const { rank, isSure = false } = columns.domainsIn(first.cells, valuesOf) ?? {};
    // If this delimiter does not split the row, it may be a broken row of another delimiter.
    const isFirst = above === 0 && (first.cells.length > 1 || isUsual);
    const isHeader = isFirst || (isSure && !first.cells.some(isDomain));
    return isHeader ? [{ delimiter, first, above, rank, isSure }] : [];
  });
}

/** Returns the reason that no header was found: the first row is broken or missing. */
function whyNoHeader(text: string, delimiter: string): RowFault {
  const [first] = readRows(text, delimiter);
  const isFault = first !== undefined && 'fault' in first;
  return isFault ? first : faultAt(0, 'the file is empty: it has no header line', undefined, 'layout');
}

/** Returns the header. Returns `undefined` if the first row is already a record of a list of domains. */
function readHeader(
  { first: { start, cells }, rank }: Layout,
  columns: Columns,
): BulkRow | RowFault | undefined {
  if (cells.length === 1 && isDomain(cells[0])) return undefined;
  if (rank !== undefined) return { start, names: cells, cells };
  // The row may be a record, so its values are not reported as column names: one may be a password.
  const { message, remedy } = columns.noDomains;
  return faultAt(start, message, remedy, 'layout');
}

interface SourceRow extends Range, BulkRow {
  readonly cells: readonly string[];
}

/** Reads all rows that have a value. */
function* readRows(
  text: string,
  delimiter: string,
  names = DOMAIN_ALONE,
  begin = 0,
): Generator<SourceRow | RowFault, void> {
  for (let [start, end] = [begin, begin]; start < text.length; start = end + 1) {
    end = endOfLine(text, start);
    const line = text.slice(start, end);
    let cells: readonly string[] = line.split(delimiter);
    if (line.includes('"')) {
      const quoted = cellsAt(text, start, delimiter);
      if ('fault' in quoted) return yield quoted;
      end = quoted.at(-1)?.end ?? end;
      cells = quoted.map(({ value }) => value);
    } else if (/\s/.test(line)) cells = cells.map(trimPlain);
    if (cells.some((cell) => cell !== '')) yield { start, end, names, cells };
  }
}

interface Cell extends Range {
  readonly value: string;
}

/** Returns the cells of the row at `begin`. A quoted cell may contain line ends. */
function cellsAt(text: string, begin: number, delimiter: string): readonly Cell[] | RowFault {
  const [plain, blanks] = [new RegExp(`[^\\n${delimiter}]*`, 'y'), delimiter === '\t' ? / */y : /[ \t]*/y];
  const cells: Cell[] = [];
  for (let at = begin; ; at += 1) {
    const start = at;
    const open = skip(text, at, blanks);
    if (text[open] === '"') {
      const close = closingQuote(text, open);
      if (close === -1) {
        const remedy = 'Close the value with a double quote, and write each double quote inside it twice.';
        return faultAt(open, 'the double quote that opens this value is not closed', remedy, 'quotes');
      }
      at = skip(text, close + 1, blanks);
      const value = text.slice(open + 1, close).replaceAll('""', '"');
      cells.push({ start, end: at, value: trimPlain(value) });
    } else {
      at = skip(text, at, plain);
      cells.push({ start, end: at, value: trimPlain(text.slice(start, at)) });
    }
    if (at >= text.length || text[at] === '\n') return cells;
    if (text[at] === delimiter) continue;
    const remedy = 'Write each double quote inside a quoted value twice.';
    return faultAt(at, 'text follows the double quote that closes a value', remedy, 'quotes');
  }
}

/** Returns the offset of the closing quote for the quote at `open`, or -1. */
function closingQuote(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}
