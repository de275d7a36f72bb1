/** CSV and TSV: rows of cells under the names of the first line. */
import type { Range } from '../read/source.ts';
import { type Columns, isDomain, NAMELESS, twoAlike } from './columns.ts';
import { type Cells, cellRanges, readRecords } from './csv.ts';
import { type BulkRow, DOMAIN_ALONE, faultAt, firstOf, type Reader, type RowFault, SAMPLES } from './rows.ts';

/** With `sep=;` spreadsheets tell each other what stands between cells; that is found out here anyway. */
const SEPARATOR_LINE = /^sep=.(?=\r?\n)/i;

/** So many records above the header may be a title, in a table that is somebody else's. */
const MOST_ABOVE = 10;

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

/** With a blank line, so that all others keep their places. */
function withoutSeparator(whole: string): string {
  return whole.replace(SEPARATOR_LINE, (line) => ' '.repeat(line.length));
}

/** Whether a text that is called a list of domains is a table: "Unicode text" of a spreadsheet, or what a pipe gives. */
export function isTable(whole: string, columns: Columns): boolean {
  const layout = layoutOf(withoutSeparator(whole), [',', ';', '\t'], columns);
  return layout?.rank !== undefined && layout.width > 1;
}

interface Layout {
  readonly delimiter: string;
  /** Records above the header. */
  readonly above: number;
  /** Cells of the header. */
  readonly width: number;
  /** How well it names the domains; `undefined` where it does not. */
  readonly rank: number | undefined;
}

/**
 * Where the header is, and what stands between its cells. Spreadsheets write semicolons in countries whose numbers have
 * commas. A name may hold a comma as well, so the delimiter that leaves the best name for the domains comes before one
 * that merely stands in the line.
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

/** The first line as a header, if it has several cells, and those further down that are surely one. */
function layoutsBy(delimiter: string, text: string, columns: Columns) {
  const most = columns.guesses ? MOST_ABOVE : 0;
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

/** What records have in a column. */
function valuesIn(records: readonly (Cells | RowFault)[]): (index: number) => readonly string[] {
  return (index) => records.flatMap((record) => ('fault' in record ? [] : (record.cells[index] ?? [])));
}

function* after<T>(count: number, items: Iterable<T>): Generator<T> {
  let left = count;
  for (const item of items) if (left-- <= 0) yield item;
}

/** The first line; `isRow`: it names nothing and is a record itself, of a list of domains and no more. */
type TableHead =
  | {
      readonly keys: BulkRow['keys'];
      /** The columns without a name. */
      readonly unnamed: readonly number[];
      readonly isRow: boolean;
    }
  | RowFault;

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
  if (others.length === 0 && isDomain(only)) return { keys: DOMAIN_ALONE, unnamed: [], isRow: true };
  // It may be a row, whose values are not to be told of as columns: one may be a password.
  if (columns.domainsIn(first.cells, valuesOf) === undefined) {
    const { message, remedy } = columns.noDomains(first.cells);
    return faultAt(first.start, message, remedy, 'columns');
  }
  const keys = columns.keysOf(first.cells, (index) => placeOf(first.start, index), valuesOf);
  const alike = twoAlike(keys);
  if (alike !== undefined) return faultAt(first.start, alike, undefined, 'columns');
  const unnamed = first.cells.flatMap((name, index) => (name === '' ? [index] : []));
  return { keys, unnamed, isRow: false };
}

function* tableRows(records: Iterable<Cells | RowFault>, head: TableHead): Generator<BulkRow | RowFault> {
  if ('fault' in head) {
    yield head;
    return;
  }
  const { keys, unnamed, isRow } = head;
  let isHeader = !isRow;
  for (const record of records) {
    if ('fault' in record) yield record;
    else if (isHeader) isHeader = false;
    else if (hasMore(record.cells, keys.length)) yield tooMany(record, keys.length);
    else if (unnamed.some((index) => (record.cells[index] ?? '') !== '')) {
      yield { start: record.start, fault: NAMELESS, fatal: false };
    } else if (record.cells.some((cell) => cell !== ''))
      yield { start: record.start, keys, cells: record.cells };
  }
}

function hasMore(cells: readonly string[], count: number): boolean {
  for (let index = count; index < cells.length; index++) if (cells[index] !== '') return true;
  return false;
}

/** Most likely a value holds a delimiter, and what follows it stands under the wrong names. */
function tooMany({ start, cells }: Cells, count: number): RowFault {
  const message = `this line has ${cells.length} cells, and the first line names ${count}`;
  return faultAt(start, message, 'Put a value that holds the delimiter in double quotes.');
}
