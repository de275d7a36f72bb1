/** Lists records page by page, each page at a cost that does not depend on where it lies. */
import { COLUMNS, type Row, selection, toWebsite } from '../statements.ts';
import type { ListedPage, ListedRecord, StoredCell, Stretch } from '../store.ts';
import type { SqliteConnection } from './connection.ts';

/** A row as one text: libsql hands over a hundred rows cell by cell four times as slowly. */
const AS_JSON = `json_object(${COLUMNS.map((name) => `'${name}', ${name}`).join(', ')})`;

/** What reading a list has shown so far: its total, and by offset the sort key of the record before. */
interface ListingProgress {
  readonly total: number;
  readonly before: Map<number, StoredCell>;
}

/** Lists whose progress is kept at a time; they are few, unless somebody searches a lot. */
const MOST_LISTS = 100;

/**
 * Counting and skipping records is what makes late pages slow, so both are remembered for as long
 * as `version` stays the same, which it must while no record is written by anybody. A page is one
 * state of the database: call it inside a transaction.
 */
export function lister(connection: SqliteConnection, version: () => string) {
  const lists = new Map<string, ListingProgress>();
  let asOf = '';

  const progressOf = (
    account: number,
    listed: ListedRecord,
    condition: string,
    cells: readonly StoredCell[],
  ) => {
    const now = version();
    if (now !== asOf || lists.size > MOST_LISTS) lists.clear();
    asOf = now;
    const key = JSON.stringify([account, listed]);
    const known = lists.get(key);
    if (known !== undefined) return known;
    const [counted] = connection.all(`SELECT count(*) AS total FROM websites WHERE ${condition}`, cells);
    const progress: ListingProgress = { total: Number(counted?.total), before: new Map() };
    lists.set(key, progress);
    return progress;
  };

  return (account: number, listed: ListedRecord, { offset, limit }: Stretch): ListedPage => {
    const { condition, cells } = selection(account, listed, 'instr');
    const { total, before } = progressOf(account, listed, condition, cells);
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
