/** Opens the store that a `--db` names; the code of the other database is not loaded. */
import { WebsitesError } from '../model/errors.ts';
import { openRegular } from '../util/node/read-file.ts';
import { isDatabaseUrl, shownDatabase } from './database-url.ts';
import { BUSY_REMEDY, type Store } from './store.ts';

/** How long the write of another process is waited for, in milliseconds. */
export const BUSY_TIMEOUT = 5000;

/**
 * Opens the database that `db` names, a file or the address of a PostgreSQL database, and makes or
 * migrates its tables. Throws a WebsitesError: `store-failed`, or `usage` for an address that is none.
 */
export async function openStore(db: string, busyTimeout: number = BUSY_TIMEOUT): Promise<Store> {
  if (isDatabaseUrl(db)) {
    const { openPostgres } = await import('./postgres/postgres.ts');
    return openPostgres(db, busyTimeout);
  }
  const { openSqlite } = await import('./sqlite/sqlite.ts');
  return openSqlite(db, busyTimeout);
}

/**
 * Throws a WebsitesError (`store-failed`) where `db` names a file that is not there: what works on a
 * database that is meant to have something in it does not make an empty one.
 */
export async function mustExist(db: string): Promise<void> {
  if (isDatabaseUrl(db)) return;
  try {
    await (await openRegular(db)).close();
  } catch (error) {
    throw new WebsitesError('store-failed', `Cannot open the database ${db}: ${(error as Error).message}.`, {
      remedy: 'Name the database of your service with --db.',
      cause: error,
    });
  }
}

/** Opens what `db` names for as long as `use` takes. Throws as `openStore` and `databaseFailed`. */
export async function withStore<T>(db: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(db);
  try {
    return await use(store);
  } catch (error) {
    return databaseFailed(db)(error);
  } finally {
    await store.close();
  }
}

/**
 * Throws a WebsitesError (`store-failed`) for what an open database failed of, as one that is damaged, or on a full
 * disk; a TypeError as it is, which is a bug of ours.
 */
export function databaseFailed(db: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof WebsitesError || error instanceof TypeError) throw error;
    const message = `The database ${shownDatabase(db)} fails: ${(error as Error).message}.`;
    throw new WebsitesError('store-failed', message, {
      remedy:
        (error as { statusCode?: unknown }).statusCode === 503
          ? BUSY_REMEDY
          : 'Free disk space, make it writable, or restore a backup if it is damaged.',
      cause: error,
    });
  };
}
