/** CSV and TSV: rows of cells under the names of the first line. */
import { normaliseDomain } from '../../model/domain.ts';
import type { Range } from '../read/source.ts';
import { type Columns, NAMELESS, twoAlike } from './columns.ts';
import { type Cells, cellRange, readRecords } from './csv.ts';
import { type BulkRow, DOMAIN_ALONE, faultAt, type Reader, type RowFault } from './rows.ts';

/** With `sep=;` spreadsheets tell each other what stands between cells; that is found out here anyway. */
const SEPARATOR_LINE = /^sep=.(?=\r?\n)/i;

export function tableReader(whole: string, format: 'csv' | 'tsv', columns: Columns): Reader {
  // A blank line, so that all others keep their places.
  const text = whole.replace(SEPARATOR_LINE, (line) => ' '.repeat(line.length));
  const delimiter = format === 'tsv' ? '\t' : delimiterOf(text, columns);
  const records = (): Generator<Cells | RowFault, void> => readRecords(text, delimiter);
  const placeOf = (start: number, index: number): Range => cellRange(text, start, index, delimiter);
  const head = readHead(records().next().value ?? undefined, columns, placeOf);
  return {
    rows: () => tableRows(records(), head),
    locate(start, key) {
      const index = 'keys' in head ? head.keys.indexOf(key) : -1;
      return index === -1 ? undefined : placeOf(start, index);
    },
  };
}

/**
 * Spreadsheets write semicolons in countries whose numbers have commas. A name may hold a comma as well, so one
 * that leaves a column of domains comes before one that merely stands in the first line.
 */
function delimiterOf(text: string, columns: Columns): string {
  const first = /\S.*/.exec(text)?.[0] ?? '';
  const found = [',', ';', '\t'].flatMap((delimiter) => {
    const head = first.includes(delimiter) ? readRecords(text, delimiter).next().value : undefined;
    return head === undefined || 'fault' in head || head.cells.length === 1 ? [] : [{ delimiter, head }];
  });
  return (found.find(({ head }) => columns.nameDomains(head.cells)) ?? found[0])?.delimiter ?? ',';
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
): TableHead {
  if (first === undefined) {
    return faultAt(0, 'the file is empty: it has no header line', undefined, 'format');
  }
  if ('fault' in first) return first;
  const [only = '', ...others] = first.cells;
  if (others.length === 0 && isName(only)) return { keys: DOMAIN_ALONE, unnamed: [], isRow: true };
  // It may be a row, whose values are not to be told of as columns: one may be a password.
  if (!columns.nameDomains(first.cells)) {
    const { message, remedy } = columns.noDomains(first.cells);
    return faultAt(first.start, message, remedy, 'columns');
  }
  const keys = columns.keysOf(first.cells, (index) => placeOf(first.start, index));
  const alike = twoAlike(keys);
  if (alike !== undefined) return faultAt(first.start, alike, undefined, 'columns');
  const unnamed = first.cells.flatMap((name, index) => (name === '' ? [index] : []));
  return { keys, unnamed, isRow: false };
}

function isName(text: string): boolean {
  const normalised = normaliseDomain(text);
  return 'kind' in normalised && normalised.kind === 'name';
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
