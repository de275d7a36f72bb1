/** Lists records page by page, each page at a cost that does not depend on its number. */
import { FIELD_NAMES } from '../model/field-table.ts';
import type { Row, SqliteConnection, StoredCell } from './sqlite.ts';
import type { StoredWebsite } from './store.ts';

/** Which records a list holds, and in which order. */
export interface ListedRecord {
  /** A part of the domain, in lower case. */
  readonly search?: string;
  readonly favorite?: boolean;
  readonly sortBy: 'id' | 'domain';
  readonly descending: boolean;
}

/** A stretch of a list: at most `limit` records from the one at `offset` (from 0) on. */
export interface Stretch {
  readonly offset: number;
  readonly limit: number;
}

export interface ListedPage {
  /** The records of the whole list. */
  readonly total: number;
  readonly websites: readonly StoredWebsite[];
}

/** The columns of a record. */
export const COLUMNS: readonly string[] = ['id', 'domain', ...FIELD_NAMES, 'created_at', 'updated_at'];

/** A row as one text: libsql hands over a hundred rows cell by cell four times as slowly. */
const AS_JSON = `json_object(${COLUMNS.map((name) => `'${name}', ${name}`).join(', ')})`;

/** What reading a list has shown so far: its total, and by offset the sort key of the record before. */
interface ListingProgress {
  readonly total: number;
  readonly before: Map<number, StoredCell>;
}

/** Lists whose progress is kept at a time; they are few, unless somebody searches a lot. */
const MAX_LISTS = 100;

/**
 * Counting and skipping records is what makes late pages slow, so both are remembered for as long
 * as `version` stays the same, which it must while no record is written by anybody. A page is one
 * state of the database: call it inside a transaction.
 */
export function lister(
  connection: SqliteConnection,
  version: () => string,
  toWebsite: (row: Row) => StoredWebsite,
) {
  const lists = new Map<string, ListingProgress>();
  let asOf = '';

  const progressOf = (listed: ListedRecord, condition: string, cells: readonly StoredCell[]) => {
    const now = version();
    if (now !== asOf || lists.size > MAX_LISTS) lists.clear();
    asOf = now;
    const key = JSON.stringify(listed);
    const known = lists.get(key);
    if (known !== undefined) return known;
    const [counted] = connection.all(`SELECT count(*) AS total FROM websites WHERE ${condition}`, cells);
    const progress: ListingProgress = { total: Number(counted?.total), before: new Map() };
    lists.set(key, progress);
    return progress;
  };

  return (listed: ListedRecord, { offset, limit }: Stretch): ListedPage => {
    const { condition, cells } = selection(listed);
    const { total, before } = progressOf(listed, condition, cells);
    if (offset >= total) return { total, websites: [] };
    const { sortBy, descending } = listed;
    const direction = descending ? 'DESC' : 'ASC';
    // Searching goes through the index by domain, which holds all that it looks at; the plus sign
    // keeps SQLite from preferring the order of ids.
    const order = `${listed.search !== undefined && sortBy === 'id' ? '+' : ''}${sortBy} ${direction}`;
    const bookmark = before.get(offset);
    const [start, startCells] =
      bookmark === undefined
        ? ['', [limit, offset]]
        : [`AND ${sortBy} ${descending ? '<' : '>'} ?`, [bookmark, limit, 0]];
    const [row] = connection.all(
      `SELECT json_group_array(${AS_JSON} ORDER BY ${sortBy} ${direction}) AS page
       FROM websites WHERE id IN (
         SELECT id FROM websites WHERE ${condition} ${start} ORDER BY ${order} LIMIT ? OFFSET ?
       )`,
      [...cells, ...startCells],
    );
    const websites = (JSON.parse(String(row?.page)) as Row[]).map(toWebsite);
    const last = websites.at(-1);
    if (last !== undefined) before.set(offset + websites.length, last[sortBy]);
    return { total, websites };
  };
}

/** The condition that a list's records meet. */
function selection({ search, favorite }: ListedRecord) {
  const conditions = ['true'];
  const cells: StoredCell[] = [];
  if (search !== undefined) {
    // Not LIKE: its wildcards and its limit on length would have to be kept out.
    conditions.push('instr(domain, ?) > 0');
    cells.push(search);
  }
  if (favorite !== undefined) conditions.push(`favorited_at IS ${favorite ? 'NOT ' : ''}NULL`);
  return { condition: conditions.join(' AND '), cells };
}
