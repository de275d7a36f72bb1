/**
 * Reads bulk files: one record per line. Each line becomes a row of cells, which follow the same rules as YAML
 * values.
 */
import { extname } from 'node:path';
import { trimPlain } from '../../util/look-alikes.ts';
import { memoize } from '../../util/memoize.ts';
import { redacted } from '../../util/redact.ts';
import type { Mapping } from '../read/source.ts';
import { createSource, MAX_EXCERPT, type ParsedDocument, type Range, type Source } from '../read/source.ts';
import { Columns, isDomain, type Renames } from './columns.ts';
import { jsonReader } from './json.ts';
import {
  type BulkReader,
  type BulkRow,
  DOMAIN_ALONE,
  endOfLine,
  linesOf,
  mappingOf,
  type TakeKnown,
} from './rows.ts';
import { isTable, tableReader } from './table.ts';

export const BULK_FORMATS = ['text', 'csv', 'tsv', 'json', 'ndjson'] as const;

export type BulkFormat = (typeof BULK_FORMATS)[number];

export interface Bulk extends Omit<BulkReader, 'cellsAt'> {
  /** Paths are `[start of the row]` and `[start of the row, key or column]`. The document itself has no value. */
  readonly document: ParsedDocument;
  rowAt(start: number): Mapping;
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
  // Stored, because one list may have many problems in the same cell.
  const cellsAt = memoize(reader.cellsAt);
  const cellOf = (start: number, key: string): Range | undefined => {
    const { shape, ranges } = cellsAt(start);
    return ranges[shape.keys.indexOf(key)] ?? ranges[shape.names.indexOf(key)];
  };
  return {
    document: {
      source,
      value: undefined,
      locate([first, key]) {
        const start = Number(first ?? 0);
        const cell = key === undefined ? undefined : cellOf(start, String(key));
        // Limits the excerpt, because a whole list may be on one line.
        return cell ?? { start, end: Math.min(endOfLine(source.text, start), start + MAX_EXCERPT) };
      },
      // Hides other lines: the columns do not show which cells of a line are secrets.
      hidden: (line) => format !== 'text' || redacted(source.lineAt(line)) !== source.lineAt(line),
    },
    rowAt(start) {
      const { shape, cells } = cellsAt(start);
      return mappingOf(shape.keys, cells);
    },
    columns,
    ...reader,
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
      rows: (take) => textRows(text, columns.guesses, take),
      cellsAt: () => ({ shape: DOMAIN_ALONE, cells: [], ranges: [] }),
    };
  }
  if (format === 'json' || format === 'ndjson') return jsonReader(text, columns, format);
  return tableReader(text, format, columns);
}

/** Reads plain text: one domain per line, or several if `guesses`. A # after white space starts a comment. */
function* textRows(text: string, guesses: boolean, take?: TakeKnown): Generator<BulkRow> {
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end);
    const cell = trimPlain(line.includes('#') ? line.replace(/(?:^|\s)#.*$/s, '') : line);
    if (cell === '') continue;
    let at = start + line.indexOf(cell);
    for (const domain of guesses ? domainsIn(cell) : [cell]) {
      at = text.indexOf(domain, at);
      const row = { start: at, domain, rest: '' };
      if (!take?.(row)) yield { ...row, shape: DOMAIN_ALONE, cells: [domain] };
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
