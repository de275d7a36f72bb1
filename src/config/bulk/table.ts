/** CSV and TSV: rows of cells under the names of the first line. */
import type { Range } from '../read/source.ts';
import { type Columns, isDomain, NAMELESS, twoAlike } from './columns.ts';
import { type Cells, cellRanges, readRecords } from './csv.ts';
import { type BulkRow, DOMAIN_ALONE, faultAt, firstOf, type Reader, type RowFault, SAMPLES } from './rows.ts';

/** With `sep=;` spreadsheets tell each other what stands between cells; that is found out here anyway. */
const SEPARATOR_LINE = /^sep=.(?=\r?\n)/i;

export function tableReader(whole: string, format: 'csv' | 'tsv', columns: Columns): Reader {
  const text = withoutSeparator(whole);
  const delimiter = format === 'tsv' ? '\t' : delimiterOf(text, columns);
  const records = (): Generator<Cells | RowFault, void> => readRecords(text, delimiter);
  const placeOf = (start: number, index: number): Range => {
    const ranges = cellRanges(text, start, delimiter);
    return ranges[index] ?? (ranges.at(-1) as Range);
  };
  const head = readHead(records().next().value ?? undefined, columns, placeOf, samplesOf(text, delimiter));
  return {
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
  return headsOf(withoutSeparator(whole), columns).some(({ rank }) => rank !== Number.POSITIVE_INFINITY);
}

/**
 * Spreadsheets write semicolons in countries whose numbers have commas. A name may hold a comma as well, so the one
 * that leaves the best name for the domains comes before one that merely stands in the first line.
 */
function delimiterOf(text: string, columns: Columns): string {
  const [first, ...others] = headsOf(text, columns);
  return (
    others.reduce((best, head) => (best && best.rank <= head.rank ? best : head), first)?.delimiter ?? ','
  );
}

/** The delimiters that divide the first line, and how well it then names the domains. */
function headsOf(text: string, columns: Columns): { readonly delimiter: string; readonly rank: number }[] {
  const first = /\S.*/.exec(text)?.[0] ?? '';
  return [',', ';', '\t'].flatMap((delimiter) => {
    const head = first.includes(delimiter) ? readRecords(text, delimiter).next().value : undefined;
    if (head === undefined || 'fault' in head || head.cells.length === 1) return [];
    const rank = columns.rankOfDomains(head.cells, samplesOf(text, delimiter));
    return [{ delimiter, rank: rank ?? Number.POSITIVE_INFINITY }];
  });
}

/** What the first rows have in a column; read when that is asked for. */
function samplesOf(text: string, delimiter: string): (index: number) => readonly string[] {
  let rows: readonly (readonly string[])[] | undefined;
  return (index) => {
    rows ??= [...firstOf(readRecords(text, delimiter), SAMPLES + 1)]
      .slice(1)
      .flatMap((record) => ('fault' in record ? [] : [record.cells]));
    return rows.flatMap((cells) => cells[index] ?? []);
  };
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
  if (columns.rankOfDomains(first.cells, valuesOf) === undefined) {
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
