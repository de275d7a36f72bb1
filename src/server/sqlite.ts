/**
 * libsql keeps the bindings of a statement from `all` to a later `get`. So one function binds, and a statement always
 * runs in the same way.
 */
import type Database from 'libsql';
import { WebsitesError } from '../model/errors.ts';

export type StoredCell = string | number | null;

export type SqlRow = Readonly<Record<string, unknown>>;

export type SqliteConnection = Awaited<ReturnType<typeof openDatabase>>;

/** Throws a WebsitesError (`store-failed`) if libsql's native part, which is a separate package, is missing. */
async function loadLibrary(): Promise<typeof Database> {
  try {
    return (await import('libsql')).default;
  } catch (error) {
    if (!/MODULE_NOT_FOUND$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
    const reason = (error as Error).message.split('\n', 1)[0];
    throw new WebsitesError('store-failed', `The database library is not installed: ${reason}.`, {
      remedy: 'Install websites-as-code again, without --omit=optional. Only the embedded service needs it.',
      cause: error,
    });
  }
}

/**
 * `file` must exist and may be empty. Waits `busyTimeout` milliseconds for a lock, then throws an error for which
 * `isBusy` is true.
 */
export async function openDatabase(file: string, busyTimeout: number) {
  const Library = await loadLibrary();
  const database = new Library(file, { timeout: busyTimeout });
  const statements = new Map<string, Database.Statement>();
  const prepared = (sql: string): Database.Statement => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const asked = <T>(work: () => T): T => {
    // On a closed database, libsql would crash the process.
    if (!database.open) throw new Error('the database is closed');
    try {
      return work();
    } catch (error) {
      throw isBusy(error) ? Object.assign(error, { statusCode: 503 }) : error;
    }
  };
  const exec = (sql: string): void => {
    asked(() => database.exec(sql));
  };
  return {
    exec,
    /** Runs one statement with one cell for each `?`. Returns all rows. */
    all: (sql: string, cells: readonly StoredCell[] = []) =>
      asked(() => prepared(sql).all(bind(cells))) as SqlRow[],
    /** Runs `work` in one transaction. A read transaction sees the same state throughout. */
    transaction: <T>(mode: 'read' | 'write', work: () => T): T => {
      try {
        exec(mode === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN');
        const result = work();
        exec('COMMIT');
        return result;
      } catch (error) {
        // After some errors, such as a full disk, SQLite has rolled back already.
        if (database.open && database.inTransaction) exec('ROLLBACK');
        throw error;
      }
    },
    close: (): void => {
      // Frees the statements: libsql closes the file only when the garbage collector has freed the last statement.
      statements.clear();
      database.close();
    },
  };
}

/** Rejects cells that libsql cannot store: a boolean would crash the process, and a NUL would end the text. */
function bind(cells: readonly StoredCell[]): StoredCell[] {
  for (const cell of cells) {
    const fits =
      cell === null ||
      (typeof cell === 'number' && Number.isFinite(cell)) ||
      (typeof cell === 'string' && !cell.includes('\0'));
    if (!fits) throw new TypeError(`a ${typeof cell} that cannot be stored`);
  }
  return [...cells];
}

/** True if another process has locked the database. */
export function isBusy(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
