/** Bulk files: one record per line, read into rows of cells, which get their meaning by the rules for YAML. */
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
  /** Paths are `[start of the row]` and `[start of the row, key]`; it has no value. */
  readonly document: ParsedDocument;
  rows(): Iterable<BulkRow | RowFault>;
  readonly columns: Pick<Columns, 'unknown' | 'settings' | 'taken' | 'misnamed' | 'renamed' | 'namesOf'>;
  readonly unknownColumn: (name: string) => Finding;
  readonly list: string | undefined;
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

/** `renames` adds names of columns; `guesses`: the file is not ours, so a table or JSON may be called text. */
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
      // Columns alone do not show which of the other cells are secrets.
      hidden: (line) => (format === 'text' && isHarmless(source.lineAt(line)) ? undefined : 1),
    },
    rows: reader.rows,
    columns,
    unknownColumn,
    list: reader.list,
    headerAt: reader.headerAt,
  };
}

/** The format of a text whose name promises only a list of domains. */
function formatIn(text: string, columns: Columns): BulkFormat {
  if (/^\s*(?:\{|\[\s*["{\]])/.test(text)) return 'json';
  return !/^\s*#/.test(text) && isTable(text, columns) ? 'csv' : 'text';
}

/** Keeps the last cell found: one list may have many findings about it. */
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

/** Limits an excerpt of a row: a whole list may be on one line. */
function endOfShown(text: string, start: number): number {
  const shown = text.slice(start, start + MAX_EXCERPT);
  const end = shown.indexOf('\n');
  return start + (end === -1 ? shown.length : end);
}

/** Plain text: one domain per line, or several if `guesses`; # at the start or after white space begins a comment. */
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

const LEAD = /^(?:[-*+•·]|\d+[.)]|server_name)\s+/;
const QUOTES = /^["'`]+|["'`]+$/g;

function domainsIn(cell: string): readonly string[] {
  if (isDomain(cell)) return [cell];
  const pieces = cell.replace(LEAD, '').split(/[\s,;]+/);
  const domains = pieces.map((piece) => piece.replace(QUOTES, '')).filter(Boolean);
  return domains.length > 0 && domains.every(isDomain) ? domains : [cell];
}
