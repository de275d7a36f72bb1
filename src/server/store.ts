/** Stores records in an SQLite file, which several processes may have open at once. */
import { randomUUID } from 'node:crypto';
import { constants, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf, WebsitesError } from '../model/errors.ts';
import { FIELD_NAMES, type FieldName } from '../model/field-table.ts';
import { openRegular } from '../util/node/read-file.ts';
import type { ListQuery } from './schema.ts';
import { isBusy, openDatabase, type SqliteConnection, type StoredCell } from './sqlite.ts';

/** The password is hashed, times are ISO 8601 in UTC, and lists are as they were sent. */
export type StoredSettings = Readonly<Record<FieldName, StoredCell>>;

/** A row as it is stored. */
export interface StoredWebsite extends StoredSettings {
  readonly id: number;
  readonly domain: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Maximum wait in milliseconds for a write of another process. */
export const MAX_BUSY_MS = 5000;

export type ListedPage = { readonly total: number; readonly websites: readonly StoredWebsite[] };

const COLUMNS: readonly string[] = ['id', 'domain', ...FIELD_NAMES, 'created_at', 'updated_at'];
/** Returns a row as one text, because libsql returns single cells four times as slowly. */
const AS_JSON = `json_object(${COLUMNS.map((name) => `'${name}', ${name}`).join(', ')})`;

const SELECT_ONE = 'SELECT * FROM websites WHERE id = ?';
const INSERT = `INSERT INTO websites (domain, ${FIELD_NAMES.join(', ')}, created_at, updated_at)
  VALUES (?, ${FIELD_NAMES.map(() => '?').join(', ')}, ?, ?) ON CONFLICT (domain) DO NOTHING RETURNING id`;
const UPDATE = `UPDATE websites SET ${FIELD_NAMES.map((name) => `${name} = ?`).join(', ')}, updated_at = ?
  WHERE id = ?`;

export type Store = Awaited<ReturnType<typeof openStore>>;

/**
 * Opens the database at `file`, and creates a missing one with mode 0600. Throws a WebsitesError (`store-failed`) if
 * that fails, or for a database of a newer version or another program. Waits up to `busyTimeout` milliseconds for a
 * write of another process. A write that resolved survives a crash. An operation that rejects with a `statusCode` of
 * 503 was not carried out, and may succeed later.
 */
export async function openStore(file: string, busyTimeout: number = MAX_BUSY_MS) {
  const { connection, id } = await openConnection(file, busyTimeout);
  const checkFile = nameKeeper(file);
  const { write, flush } = groupCommit((work) =>
    connection.transaction('write', () => {
      checkFile();
      return work();
    }),
  );
  const one = (sql: string, cells: readonly StoredCell[]) =>
    connection.all(sql, cells)[0] as StoredWebsite | undefined;
  const cellsOf = (settings: StoredSettings): StoredCell[] => FIELD_NAMES.map((name) => settings[name]);

  return {
    /** Identifies this service. A random ID, made with the database and never changed. */
    id,
    list: async (query: ListQuery): Promise<ListedPage> =>
      connection.transaction('read', () => listPage(connection, query)),
    read: async (id: number) => one(SELECT_ONE, [id]),
    /** Resolves to 'taken' if the domain already has a record. */
    create: (domain: string, settings: StoredSettings, now: string): Promise<StoredWebsite | 'taken'> =>
      write(() => {
        const made = one(INSERT, [domain, ...cellsOf(settings), now, now]);
        return made ? { ...settings, id: made.id, domain, created_at: now, updated_at: now } : 'taken';
      }),
    /**
     * Replaces the settings by the result of `decide`; no other write happens in between. If the result is
     * undefined, nothing is written.
     */
    update: (
      id: number,
      decide: (current: StoredSettings) => StoredSettings | undefined,
      now: string,
    ): Promise<StoredWebsite | 'missing' | 'refused'> =>
      write(() => {
        const current = one(SELECT_ONE, [id]);
        if (current === undefined) return 'missing';
        const settings = decide(current);
        if (settings === undefined) return 'refused';
        connection.all(UPDATE, [...cellsOf(settings), now, id]);
        return { ...current, ...settings, updated_at: now };
      }),
    remove: (id: number): Promise<boolean> =>
      write(() => one('DELETE FROM websites WHERE id = ? RETURNING id', [id]) !== undefined),
    check: async (): Promise<void> => {
      checkFile();
      connection.all('SELECT id FROM service');
    },
    /** Finishes waiting operations, and closes the database. */
    close: async (): Promise<void> => {
      flush();
      leaveOneFile(connection);
      connection.close();
    },
  };
}

/** Must run in an open transaction. */
function listPage(connection: SqliteConnection, query: ListQuery): ListedPage {
  const { search, favorite, sort_by, sort, per_page, page } = query;
  const conditions: string[] = [];
  // `instr`, because LIKE has wildcards and a length limit.
  if (search !== undefined) conditions.push('instr(domain, ?) > 0');
  if (favorite !== undefined) conditions.push(`favorited_at IS ${favorite === 1 ? 'NOT ' : ''}NULL`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const cells = search === undefined ? [] : [search];
  const total = Number(connection.all(`SELECT count(*) AS total FROM websites ${where}`, cells)[0]?.total);
  const order = `${sort_by} ${sort}`;
  // The plus sign makes SQLite search in the index by domain, which contains all columns, instead of in the order of
  // IDs.
  const searched = search === undefined ? order : `+${order}`;
  const [row] = connection.all(
    `SELECT json_group_array(${AS_JSON} ORDER BY ${order}) AS page FROM websites
     WHERE id IN (SELECT id FROM websites ${where} ORDER BY ${searched} LIMIT ? OFFSET ?)`,
    [...cells, per_page, (page - 1) * per_page],
  );
  return { total, websites: JSON.parse(String(row?.page)) };
}

type QueuedWrite = readonly [
  work: () => unknown,
  resolve: (result: never) => void,
  reject: (error: unknown) => void,
];

/** Writes that arrive together share one transaction and one flush to disk. If one throws, all of them are undone. */
function groupCommit(transaction: (work: () => unknown[]) => unknown[]) {
  let waiting: QueuedWrite[] = [];
  const flush = (): void => {
    const writes = waiting;
    waiting = [];
    if (writes.length === 0) return;
    try {
      const results = transaction(() => writes.map(([work]) => work()));
      for (const [index, [, resolve]] of writes.entries()) resolve(results[index] as never);
    } catch (error) {
      for (const [, , reject] of writes) reject(error);
    }
  };
  const write = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push([work, resolve, reject]);
    });
  return { write, flush };
}

/** Returns a function that throws once `file` is another file: writes to the removed file would be lost. */
function nameKeeper(file: string): () => void {
  const opened = statSync(file);
  return () => {
    const named = statSync(file, { throwIfNoEntry: false });
    if (named?.ino === opened.ino && named.dev === opened.dev) return;
    const what = named === undefined ? 'removed' : 'replaced';
    const message = `${file} was ${what} while the service uses it: restore the file, or restart the service`;
    throw Object.assign(new Error(message), { statusCode: 503 });
  };
}

/** Marks a database of this service: "webs" in bytes 68 to 71 of the SQLite header. */
const APPLICATION_ID = 0x77656273;

/** Never edit the schema of a released version. For a change, add a new version and a migration. */
const VERSION = 1;
const SCHEMA = `
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${VERSION};

  CREATE TABLE service (id TEXT NOT NULL);
  CREATE TABLE websites (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    domain TEXT NOT NULL UNIQUE,
    privacy INTEGER NOT NULL,
    password TEXT,
    email INTEGER NOT NULL,
    exclude_bots INTEGER NOT NULL,
    exclude_params TEXT,
    exclude_ips TEXT,
    favorited_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  );
  CREATE INDEX websites_favorite ON websites (id) WHERE favorited_at IS NOT NULL;`;

async function openConnection(file: string, busyTimeout: number) {
  let connection: SqliteConnection | undefined;
  try {
    // Created here first: SQLite would report no reason for a failure, and would make the file readable for other
    // users.
    await (await openRegular(file, constants.O_WRONLY | constants.O_CREAT, 0o600)).close();
    connection = await openDatabase(file, busyTimeout);
    await prepare(connection, file);
    return { connection, id: String(connection.all('SELECT id FROM service')[0]?.id) };
  } catch (error) {
    connection?.close();
    if (error instanceof WebsitesError) throw error;
    const remedy = isBusy(error)
      ? 'End the program that has locked the database, or try again.'
      : 'Make the file writable, or restore a backup if the file is damaged.';
    const message = `Cannot open the database ${file}: ${reasonOf(error)}.`;
    throw new WebsitesError('store-failed', message, { remedy, cause: error });
  }
}

async function prepare(connection: SqliteConnection, file: string): Promise<void> {
  // Checked before anything is written, so that a refused database stays unchanged.
  const version = connection.transaction('read', () => schemaVersion(connection, file));
  await walMode(connection);
  // A write that was acknowledged survives a power failure, too.
  connection.exec('PRAGMA synchronous = FULL');
  if (version === VERSION) return;
  connection.transaction('write', () => {
    if (schemaVersion(connection, file) === VERSION) return;
    connection.exec(SCHEMA);
    connection.all('INSERT INTO service VALUES (?)', [randomUUID()]);
  });
}

/** Returns 0 for an empty database. Throws `store-failed` for a database of a newer version or another program. */
function schemaVersion(connection: SqliteConnection, file: string): number {
  const pragma = (name: string) => connection.all(`PRAGMA ${name}`)[0]?.[name];
  const empty = connection.all('SELECT name FROM sqlite_schema LIMIT 1').length === 0;
  if (!empty && pragma('application_id') !== APPLICATION_ID) {
    throw new WebsitesError('store-failed', `${file} is a database of another program.`, {
      remedy: 'Move the file away, or pass another file with --db.',
    });
  }
  const version = Number(pragma('user_version'));
  if (version <= VERSION) return version;
  const message = `${file} was written by a newer version: its schema is ${version}, not ${VERSION}.`;
  throw new WebsitesError('store-failed', message, {
    remedy: 'Upgrade websites, or pass another database file with --db.',
  });
}

/** Retries here, because SQLite does not wait: two processes that switch at once could wait for each other forever. */
async function walMode(connection: SqliteConnection): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      connection.all('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === 100) throw error;
      await sleep(20 + 30 * Math.random());
    }
  }
}

/** Merges the write-ahead log into the database, so that a copy of the database file is complete. */
function leaveOneFile(connection: SqliteConnection): void {
  try {
    connection.all('PRAGMA busy_timeout = 0');
    connection.all('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // If this fails, for example on a full disk, the log stays for the next process and nothing is lost.
  }
}
