/**
 * Bulk files: a record a line, for lists that no person writes by hand. A file becomes rows of cells under
 * keys of a record; what those mean is decided elsewhere, by the rules that hold for YAML.
 */
import { extname } from 'node:path';
import { trimPlain } from '../../util/look-alikes.ts';
import { mayHoldLogin, withoutQueries } from '../../util/redact.ts';
import type { Finding, ParsedDocument } from '../read/source.ts';
import { createSource, MAX_EXCERPT, type Range, type Source } from '../read/source.ts';
import { Columns, isDomain, type Renames, unknownColumn } from './columns.ts';
import { jsonReader } from './json.ts';
import { type BulkRow, DOMAIN_ALONE, linesOf, type Reader, type RowFault } from './rows.ts';
import { isTable, tableReader } from './table.ts';

export const BULK_FORMATS = ['text', 'csv', 'tsv', 'json', 'ndjson'] as const;

export type BulkFormat = (typeof BULK_FORMATS)[number];

export interface Bulk {
  /** Its paths are `[start of the row]` and `[start of the row, key]`; it has no value. */
  readonly document: ParsedDocument;
  rows(): Iterable<BulkRow | RowFault>;
  /** What was found of the columns; whole once the rows are read. */
  readonly columns: Pick<Columns, 'unknown' | 'settings' | 'taken' | 'misnamed' | 'renamed' | 'namesOf'>;
  readonly unknownColumn: (name: string) => Finding;
  readonly list: string | undefined;
  /** Where the header of a table is that has a title above it. */
  readonly headerAt: number | undefined;
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

/**
 * Opens a text. `renames` says which columns mean which key, beside those that are known; `guesses`, that it is somebody
 * else's, in which a table, or JSON, may be called text.
 */
export function openBulk(raw: Source, called: BulkFormat, renames: Renames, guesses = false): Bulk {
  const source = withLineFeeds(raw);
  const { text } = source;
  const columns = new Columns(renames, guesses);
  const format = guesses && called === 'text' ? formatIn(text, columns) : called;
  const reader = rememberLast(createReader(text, format, columns));
  return {
    document: {
      source,
      value: undefined,
      locate([first, key]) {
        const start = Number(first ?? 0);
        const cell = key === undefined ? undefined : reader.locate(start, String(key));
        return cell ?? { start, end: endOfShown(text, start) };
      },
      // Which of the other cells are secrets is not always told by their columns.
      hidden: (line) => (format === 'text' && isHarmless(source.lineAt(line)) ? undefined : 1),
    },
    rows: reader.rows,
    columns,
    unknownColumn,
    list: reader.list,
    headerAt: reader.headerAt,
  };
}

/** What a text is that no name says to be more than a list of domains. */
function formatIn(text: string, columns: Columns): BulkFormat {
  if (/^\s*(?:\{|\[\s*["{\]])/.test(text)) return 'json';
  return !/^\s*#/.test(text) && isTable(text, columns) ? 'csv' : 'text';
}

/** Looks for the same cell as the last time not again: of one list there may be much to tell. */
function rememberLast({ locate, ...reader }: Reader): Reader {
  let last: { readonly start: number; readonly key: string; readonly cell: Range | undefined } | undefined;
  return {
    ...reader,
    locate(start, key) {
      if (last?.start !== start || last.key !== key) last = { start, key, cell: locate(start, key) };
      return last.cell;
    },
  };
}

function isHarmless(line: string): boolean {
  return !mayHoldLogin(line) && withoutQueries(line) === line;
}

function createReader(text: string, format: BulkFormat, columns: Columns): Reader {
  if (format === 'text') return textReader(text, columns.guesses);
  if (format === 'json' || format === 'ndjson') return jsonReader(text, columns, format);
  return tableReader(text, format, columns);
}

function withLineFeeds(source: Source): Source {
  return source.text.includes('\r') ? createSource(source.name, source.text.replace(/\r\n?/g, '\n')) : source;
}

/** Where a row ends, or what is shown of it: a whole list may stand on one line, and rows are many. */
function endOfShown(text: string, start: number): number {
  const shown = text.slice(start, start + MAX_EXCERPT);
  const end = shown.indexOf('\n');
  return start + (end === -1 ? shown.length : end);
}

/** Plain text: a domain a line, or several if the list is somebody else's; # at a line's start or after white space begins a comment. */
function textReader(text: string, guesses: boolean): Reader {
  return {
    rows: () => textRows(text, guesses),
    locate: () => undefined,
  };
}

function* textRows(text: string, guesses: boolean): Generator<BulkRow> {
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end);
    const cell = trimPlain(line.includes('#') ? line.replace(/(?:^|\s)#.*$/s, '') : line);
    if (cell === '') continue;
    let at = start + line.indexOf(cell);
    for (const domain of guesses ? domainsIn(cell) : [cell]) {
      at = text.indexOf(domain, at);
      yield { start: at, keys: DOMAIN_ALONE, cells: [domain] };
    }
  }
}

/** A bullet, a number, or what stands before the domains in the configuration of nginx. */
const LEAD = /^(?:[-*+•·]|\d+[.)]|server_name)\s+/;
const QUOTES = /^["'`]+|["'`]+$/g;

/** The domains of a line, if it is nothing but such; otherwise the line, for what is wrong with it to be told. */
function domainsIn(cell: string): readonly string[] {
  if (isDomain(cell)) return [cell];
  const pieces = cell.replace(LEAD, '').split(/[\s,;]+/);
  const domains = pieces.map((piece) => piece.replace(QUOTES, '')).filter(Boolean);
  return domains.length > 0 && domains.every(isDomain) ? domains : [cell];
}
