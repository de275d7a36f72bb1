/**
 * What the store asks of its database, in the SQL that SQLite and PostgreSQL have in common. An operation
 * is a generator that yields statements and is handed their rows, so that it is written once: SQLite's
 * driver runs it within one turn of the event loop, PostgreSQL's awaits each statement.
 */
import { FIELD_NAMES, type FieldName } from '../model/field-table.ts';
import type {
  ListedRecord,
  NewKey,
  Store,
  StoredCell,
  StoredKey,
  StoredSettings,
  StoredWebsite,
} from './store.ts';

export type Row = Readonly<Record<string, unknown>>;

/** One statement; each `?` stands for the cell of its place. */
interface Statement {
  readonly sql: string;
  readonly cells: readonly StoredCell[];
}

export type Steps<T> = Generator<Statement, T, readonly Row[]>;

/** A database, as far as it is not the same in both. */
export interface Driver {
  /** Runs one statement that reads. */
  query(sql: string, cells?: readonly StoredCell[]): Promise<readonly Row[]>;
  /** Runs `steps` in one transaction: when they throw, nothing is written. */
  write<T>(steps: Steps<T>): Promise<T>;
  /** What a SELECT ends in to keep others from writing the rows it reads until its transaction ends. */
  readonly forUpdate: string;
}

/** Lets through what a database holds whole: libsql ends the process over a boolean, and cuts a text at a NUL. */
export function bind(cells: readonly StoredCell[]): StoredCell[] {
  for (const cell of cells) {
    const fits =
      cell === null ||
      (typeof cell === 'number' && Number.isFinite(cell)) ||
      (typeof cell === 'string' && !cell.includes('\0'));
    if (!fits) throw new TypeError(`a ${typeof cell} that cannot be stored`);
  }
  return [...cells];
}

/** The part of a store that is the same on every database. */
export function operationsOn({ query, write, forUpdate }: Driver): SharedOperations {
  return {
    addAccount: () => write(addAccount()),
    addKey: (key) => write(addKey(key)),
    findKey: async (digest) => {
      const [row] = await query(`${SELECT_KEYS} WHERE digest = ? AND revoked_at IS NULL`, [digest]);
      return row && toKey(row);
    },
    listKeys: async (account) => {
      const sql = `${SELECT_KEYS} WHERE account_id = ? AND revoked_at IS NULL ORDER BY id`;
      return (await query(sql, [account])).map(toKey);
    },
    revokeKey: (account, id, now) => write(revokeKey(account, id, now)),
    markUsed: (id, day) => write(markUsed(id, day)),
    read: async (account, id) => {
      const [row] = await query(SELECT_ONE, [id, account]);
      return row && toWebsite(row);
    },
    create: (account, domain, settings, now) => write(create(account, domain, settings, now)),
    update: (account, id, decide, now) => write(update(account, id, decide, now, forUpdate)),
    remove: (account, id) => write(remove(account, id)),
    check: async () => void (await query('SELECT id FROM accounts LIMIT 1')),
  };
}

type SharedOperations = Omit<Store, 'id' | 'list' | 'countRequest' | 'close'>;

/** The columns of a record. */
export const COLUMNS: readonly string[] = ['id', 'domain', ...FIELD_NAMES, 'created_at', 'updated_at'];

const SELECT_ONE = `SELECT ${COLUMNS.join(', ')} FROM websites WHERE id = ? AND account_id = ?`;
const INSERT = `INSERT INTO websites (account_id, domain, ${FIELD_NAMES.join(', ')}, created_at, updated_at)
  VALUES (?, ?, ${FIELD_NAMES.map(() => '?').join(', ')}, ?, ?) ON CONFLICT (domain) DO NOTHING RETURNING id`;
const UPDATE = `UPDATE websites SET ${FIELD_NAMES.map((name) => `${name} = ?`).join(', ')}, updated_at = ?
  WHERE id = ?`;
const SELECT_KEYS = 'SELECT id, digest, account_id, name, created_at, last_used, revoked_at FROM keys';

export function toWebsite(row: Row): StoredWebsite {
  const settings = {} as Record<FieldName, StoredCell>;
  for (const name of FIELD_NAMES) settings[name] = row[name] as StoredCell;
  return {
    id: row.id as number,
    domain: row.domain as string,
    settings,
    createdAt: row.created_at as string,
    updatedAt: row.updated_at as string,
  };
}

function toKey(row: Row): StoredKey {
  return {
    id: row.id as number,
    digest: row.digest as string,
    account: row.account_id as number,
    name: row.name as string | null,
    createdAt: row.created_at as string | null,
    lastUsed: row.last_used as string | null,
  };
}

/** The condition that a list's records meet; `contains` finds a text in the domain. */
export function selection(
  account: number,
  { search, favorite }: ListedRecord,
  contains: string,
): { condition: string; cells: readonly StoredCell[] } {
  const conditions = ['account_id = ?'];
  const cells: StoredCell[] = [account];
  if (search !== undefined) {
    // Not LIKE: its wildcards and its limit on length would have to be kept out.
    conditions.push(`${contains}(domain, ?) > 0`);
    cells.push(search);
  }
  if (favorite !== undefined) conditions.push(`favorited_at IS ${favorite ? 'NOT ' : ''}NULL`);
  return { condition: conditions.join(' AND '), cells };
}

function* addAccount(): Steps<number> {
  const [row] = yield { sql: 'INSERT INTO accounts DEFAULT VALUES RETURNING id', cells: [] };
  return row?.id as number;
}

function* addKey({ digest, account, name, createdAt }: NewKey): Steps<StoredKey | 'revoked' | 'name-taken'> {
  yield {
    sql: 'INSERT INTO keys (digest, account_id, name, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    cells: [digest, account, name, createdAt],
  };
  const [row] = yield { sql: `${SELECT_KEYS} WHERE digest = ?`, cells: [digest] };
  if (row === undefined) return 'name-taken';
  return row.revoked_at === null ? toKey(row) : 'revoked';
}

function* revokeKey(account: number, id: number, now: string): Steps<boolean> {
  const rows = yield {
    sql: 'UPDATE keys SET revoked_at = ? WHERE account_id = ? AND id = ? AND revoked_at IS NULL RETURNING id',
    cells: [now, account, id],
  };
  return rows.length > 0;
}

function* markUsed(id: number, day: string): Steps<void> {
  const sql = 'UPDATE keys SET last_used = ? WHERE id = ? AND (last_used IS NULL OR last_used < ?)';
  yield { sql, cells: [day, id, day] };
}

function* create(
  account: number,
  domain: string,
  settings: StoredSettings,
  now: string,
): Steps<StoredWebsite | 'taken'> {
  const cells = [account, domain, ...FIELD_NAMES.map((name) => settings[name]), now, now];
  const [row] = yield { sql: INSERT, cells };
  return row === undefined
    ? 'taken'
    : { id: row.id as number, domain, settings, createdAt: now, updatedAt: now };
}

function* update<Refused>(
  account: number,
  id: number,
  decide: (current: StoredSettings) => { settings: StoredSettings } | { refused: Refused },
  now: string,
  forUpdate: string,
): Steps<StoredWebsite | { refused: Refused } | undefined> {
  const [row] = yield { sql: SELECT_ONE + forUpdate, cells: [id, account] };
  if (row === undefined) return undefined;
  const current = toWebsite(row);
  const decision = decide(current.settings);
  if ('refused' in decision) return decision;
  const { settings } = decision;
  yield { sql: UPDATE, cells: [...FIELD_NAMES.map((name) => settings[name]), now, id] };
  return { ...current, settings, updatedAt: now };
}

function* remove(account: number, id: number): Steps<boolean> {
  const sql = 'DELETE FROM websites WHERE id = ? AND account_id = ? RETURNING id';
  return (yield { sql, cells: [id, account] }).length > 0;
}
