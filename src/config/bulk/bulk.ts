/**
 * Reads bulk files: one record per line. Each line becomes a row of cells, which follow the same rules as YAML
 * values.
 */
import { extname } from 'node:path';
import { trimPlain } from '../../util/look-alikes.ts';
import { createMemory } from '../../util/memoize.ts';
import { redacted } from '../../util/redact.ts';
import type { Mapping } from '../read/source.ts';
import { createSource, MAX_EXCERPT, type ParsedDocument, type Range, type Source } from '../read/source.ts';
import { Columns, isDomain, type Renames, type Shape } from './columns.ts';
import { jsonReader } from './json.ts';
import {
  type BulkReader,
  type BulkRow,
  DOMAIN_ALONE,
  endOfLine,
  faultAt,
  firstItems,
  linesOf,
  MAX_SAMPLES,
  mappingOf,
  type RowFault,
} from './rows.ts';
import { isTable, tableReader } from './table.ts';

export const BULK_FORMATS = ['text', 'csv', 'tsv', 'json', 'ndjson'] as const;

export type BulkFormat = (typeof BULK_FORMATS)[number];

export interface Bulk extends Pick<BulkReader, 'list' | 'headerAt'> {
  /** Paths are `[start of the row]` and `[start of the row, key]`. The document itself has no value. */
  readonly document: ParsedDocument;
  rows(): Iterable<BulkRow | RowFault>;
  rowAt(start: number): Mapping | undefined;
  keysOf(row: Pick<BulkRow, 'start' | 'names'>): Shape['keys'];
  readonly columns: Columns;
}

const EXTENSIONS: ReadonlyMap<string, BulkFormat> = new Map([
  ['.txt', 'text'],
  ['.list', 'text'],
  ['.csv', 'csv'],
  ['.tsv', 'tsv'],
  ['.tab', 'tsv'],
  ['.json', 'json'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
]);

export const KNOWN_EXTENSIONS = [...EXTENSIONS.keys()].join(', ');

export function formatOf(path: string): BulkFormat | undefined {
  return EXTENSIONS.get(extname(path).toLowerCase());
}

/** `renames` adds column names. `guesses`: the file is from another program, so a text file may be a table or JSON. */
export function openBulk(raw: Source, called: BulkFormat, renames: Renames, guesses = false): Bulk {
  const { name, text } = raw;
  const source = text.includes('\r') ? createSource(name, text.replace(/\r\n?/g, '\n')) : raw;
  const columns = new Columns(renames, guesses);
  const format = guesses && called === 'text' ? formatIn(source.text, columns) : called;
  const reader = createReader(source.text, format, columns);
  const shapeOf = createShapes(reader, columns);
  const keysOf: Bulk['keysOf'] = (row) => shapeOf(row).keys;
  let byStart: ReadonlyMap<number, BulkRow | RowFault> | undefined;
  /** The last cell found, because one list may have many problems in the same cell. */
  let last: { readonly start: number; readonly key: string; readonly cell: Range | undefined } | undefined;
  const locate = (start: number, key: string): Range | undefined => {
    if (last?.start !== start || last.key !== key) {
      const { names, ranges } = reader.cellsAt(start);
      last = { start, key, cell: ranges[keysOf({ start, names }).indexOf(key)] };
    }
    return last.cell;
  };
  return {
    document: {
      source,
      value: undefined,
      locate([first, key]) {
        const start = Number(first ?? 0);
        const cell = key === undefined ? undefined : locate(start, String(key));
        // Limits the excerpt, because a whole list may be on one line.
        return cell ?? { start, end: Math.min(endOfLine(source.text, start), start + MAX_EXCERPT) };
      },
      // Hides other lines: the columns do not show which cells of a line are secrets.
      hidden: (line) => format !== 'text' || redacted(source.lineAt(line)) !== source.lineAt(line),
    },
    rows: () => rowsOf(reader, shapeOf),
    rowAt(start) {
      byStart ??= new Map(Array.from(rowsOf(reader, shapeOf), (row) => [row.start, row]));
      const row = byStart.get(start);
      return row === undefined || 'fault' in row ? undefined : mappingOf(keysOf(row), row.cells);
    },
    keysOf,
    columns,
    list: reader.list,
    headerAt: reader.headerAt,
  };
}

/** Finds the format of a file whose extension means only "text". */
function formatIn(text: string, columns: Columns): BulkFormat {
  if (/^\s*(?:\{|\[\s*["{\]])/.test(text)) return 'json';
  return !/^\s*#/.test(text) && isTable(text, columns) ? 'csv' : 'text';
}

function createReader(text: string, format: BulkFormat, columns: Columns): BulkReader {
  if (format === 'text') {
    return {
      rows: () => textRows(text, columns.guesses),
      cellsAt: () => ({ names: DOMAIN_ALONE, ranges: [] }),
    };
  }
  if (format === 'json' || format === 'ndjson') return jsonReader(text, columns, format);
  return tableReader(text, format, columns);
}

type ShapeOf = (row: Pick<BulkRow, 'start' | 'names'>) => Shape;

const MAX_SHAPES = 1000;
const ALONE: Shape = { keys: ['domain'], isNamed: true, twice: undefined };

/** Finds the meaning of columns once for all rows with the same names. */
function createShapes(reader: BulkReader, columns: Columns): ShapeOf {
  const shapes = new Map([[DOMAIN_ALONE, ALONE]]);
  /** Remembers shapes by their column names. */
  const alike = createMemory<Shape>(MAX_SHAPES);
  let samples: readonly BulkRow[] | undefined;
  const make: ShapeOf = ({ start, names }) => {
    const valuesOf = (index: number): readonly unknown[] => {
      samples ??= [...firstItems(reader.rows(), MAX_SAMPLES)].flatMap((row) => {
        return 'fault' in row || row.names === DOMAIN_ALONE ? [] : row;
      });
      return samples.map(
        (row) => row.cells[row.names === names ? index : row.names.indexOf(names[index] ?? '')],
      );
    };
    const at = reader.header?.start ?? start;
    const placeOf = (index: number): Range => {
      const cells = reader.cellsAt(at);
      return cells.ranges[cells.names.indexOf(names[index] ?? '')] ?? { start: at, end: at };
    };
    const shape = columns.shapeOf(names, valuesOf, placeOf);
    alike.keep(names, shape);
    return shape;
  };
  return (row) => {
    const known = shapes.get(row.names);
    if (known !== undefined) return known;
    const shape = alike.get(row.names) ?? make(row);
    if (shapes.size < MAX_SHAPES) shapes.set(row.names, shape);
    return shape;
  };
}

function* rowsOf(reader: BulkReader, shapeOf: ShapeOf): Generator<BulkRow | RowFault> {
  const { header } = reader;
  if (header !== undefined) {
    const fault = 'fault' in header ? header : faultOf(header, shapeOf(header), 'layout');
    if (fault !== undefined) return yield fault;
  }
  for (const row of reader.rows()) {
    yield 'fault' in row ? row : (faultOf(row, shapeOf(row), false) ?? row);
  }
}

function faultOf(
  { start, names, cells }: BulkRow,
  { twice, isNamed }: Shape,
  fatal: RowFault['fatal'],
): RowFault | undefined {
  if (twice !== undefined) return faultAt(start, `two columns are named ${twice}`, undefined, fatal);
  if (isNamed && cells.length <= names.length) return undefined;
  const isStray = cells.some((cell, index) => (names[index] ?? '') === '' && (cell ?? '') !== '');
  return isStray ? faultAt(start, 'a value is in a column without a name', STRAY) : undefined;
}

const STRAY =
  'Name the column, remove the value, or put a value that contains the delimiter in double quotes.';

/** Reads plain text: one domain per line, or several if `guesses`. A # after white space starts a comment. */
function* textRows(text: string, guesses: boolean): Generator<BulkRow> {
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end);
    const cell = trimPlain(line.includes('#') ? line.replace(/(?:^|\s)#.*$/s, '') : line);
    if (cell === '') continue;
    let at = start + line.indexOf(cell);
    for (const domain of guesses ? domainsIn(cell) : [cell]) {
      at = text.indexOf(domain, at);
      yield { start: at, names: DOMAIN_ALONE, cells: [domain] };
    }
  }
}

const LEAD = /^(?:[-*+•·]|\d+[.)]|server_name)\s+/;
const QUOTES = /^["'`]+|["'`]+$/g;

function domainsIn(cell: string): readonly string[] {
  if (isDomain(cell)) return [cell];
  const pieces = cell.replace(LEAD, '').split(/[\s,;]+/);
  const domains = pieces.map((piece) => piece.replace(QUOTES, '')).filter(Boolean);
  return domains.length > 0 && domains.every(isDomain) ? domains : [cell];
}
