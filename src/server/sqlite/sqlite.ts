/** The store on SQLite. Several processes may have one database open at once. */
import { constants, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebsitesError } from '../../model/errors.ts';
import { openRegular } from '../../util/node/read-file.ts';
import { requestWindows } from '../request-windows.ts';
import { operationsOn, type Steps } from '../statements.ts';
import { BUSY_REMEDY, type Store } from '../store.ts';
import { groupCommit } from './commit.ts';
import { connect, isBusy, type SqliteConnection } from './connection.ts';
import { lister } from './listing.ts';
import { checkSchema, migrate, SCHEMA_VERSION } from './schema.ts';

/**
 * Opens the database at `file`, and makes it where there is none (mode 0600). Throws a WebsitesError
 * (`store-failed`) when that is not possible, or the database is of a newer version or another program.
 * The write of another process is waited for, `busyTimeout` milliseconds at most.
 */
export async function openSqlite(file: string, busyTimeout: number): Promise<Store> {
  const { connection, id } = await openConnection(file, busyTimeout);

  const checkFile = nameKeeper(file);
  let writes = 0;
  const { write, flush } = groupCommit((work) =>
    connection.transaction('write', () => {
      const results = work();
      checkFile();
      return results;
    }),
  );
  // data_version changes with the writes of other connections, and with those alone.
  const version = () => `${writes}/${connection.all('PRAGMA data_version')[0]?.data_version}`;
  const list = lister(connection, version);

  const operations = operationsOn({
    query: async (sql, cells) => connection.all(sql, cells),
    write: (steps) =>
      write(() => {
        writes += 1;
        return carryOut(steps, connection);
      }),
    // A write transaction has the database to itself.
    forUpdate: '',
  });

  return {
    id,
    ...operations,
    async check() {
      checkFile();
      await operations.check();
    },
    list: async (account, listed, stretch) =>
      connection.transaction('read', () => list(account, listed, stretch)),
    // Of this process alone: a limit is there to protect it, and is not worth a write to the disk.
    countRequest: requestWindows(),
    close: async () => {
      flush();
      leaveOneFile(connection);
      connection.close();
    },
  };
}

/**
 * Returns what throws once the file that is open is not the one of its name any more: what is written to one that was
 * removed or replaced is lost with the process.
 */
function nameKeeper(file: string): () => void {
  const opened = statSync(file);
  return () => {
    const named = statSync(file, { throwIfNoEntry: false });
    if (named?.ino === opened.ino && named.dev === opened.dev) return;
    const what = named === undefined ? 'removed' : 'replaced';
    const error = new Error(
      `${file} was ${what} while the service uses it: put it back, or start the service again`,
    );
    throw Object.assign(error, { statusCode: 503 });
  };
}

function carryOut<T>(steps: Steps<T>, connection: SqliteConnection): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next(connection.all(step.value.sql, step.value.cells));
  return step.value;
}

async function openConnection(
  file: string,
  busyTimeout: number,
): Promise<{ connection: SqliteConnection; id: string }> {
  let connection: SqliteConnection | undefined;
  try {
    // SQLite would say no more than that it cannot; and it would let everybody read the file.
    await (await openRegular(file, constants.O_WRONLY | constants.O_CREAT, 0o600)).close();
    connection = connect(file, busyTimeout);
    await prepare(connection, file);
    const { id } = connection.all('SELECT id FROM service')[0] as { id: string };
    return { connection, id };
  } catch (error) {
    connection?.close();
    if (error instanceof WebsitesError) throw error;
    throw new WebsitesError(
      'store-failed',
      `Cannot open the database ${file}: ${(error as Error).message}.`,
      {
        remedy: isBusy(error) ? BUSY_REMEDY : 'Choose a writable file. A missing file is created.',
        cause: error,
      },
    );
  }
}

async function prepare(connection: SqliteConnection, file: string): Promise<void> {
  // Looked at before it is touched: a database that is refused stays as it is.
  const version = connection.transaction('read', () => checkSchema(connection, file));
  await walMode(connection);
  // What was acknowledged survives a power failure too, not the end of the process alone.
  connection.exec('PRAGMA synchronous = FULL');
  // Who has nothing to write need not wait for those who write.
  if (version < SCHEMA_VERSION) connection.transaction('write', () => migrate(connection, file));
}

/**
 * Processes that make one database at the same moment are in each other's way when they turn it to
 * WAL mode: SQLite does not wait there, lest they wait for each other for ever.
 */
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

/** Moves the write-ahead log into the database, so that a copy of that file is whole, if nobody else is using it. */
function leaveOneFile(connection: SqliteConnection): void {
  try {
    connection.all('PRAGMA busy_timeout = 0');
    connection.all('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // As on a full disk: whoever opens the database next finds the log, and nothing is lost.
  }
}
