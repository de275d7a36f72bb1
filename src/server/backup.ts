/** A copy of an SQLite database, made while services go on using it. */
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WebsitesError } from '../model/errors.ts';
import { isDatabaseUrl } from './database-url.ts';
import { BUSY_TIMEOUT, mustExist } from './open-store.ts';
import { connect } from './sqlite/connection.ts';
import { checkSchema } from './sqlite/schema.ts';

/**
 * Writes the state that the database has now to the new file `to`, for its owner alone; returns how many
 * records are in it. Throws a WebsitesError: `file-failed` when there is such a file or it cannot be
 * written, `store-failed` when `db` cannot be read, `usage` when it is no file.
 */
export async function backUp(db: string, to: string): Promise<number> {
  if (isDatabaseUrl(db)) {
    throw new WebsitesError('usage', 'This command backs up SQLite only.', {
      remedy: 'Use pg_dump, or the backups of your provider.',
    });
  }
  await mustExist(db);
  if (await lstat(to).catch(() => undefined)) throw existsAlready(to);
  // SQLite takes the beginning of a copy, as a process that is killed leaves it, for an empty database: the name that was
  // asked for is that of a whole one, or of none.
  const draft = `${to}.${process.pid}.tmp`;
  const target = await openNew(draft);
  try {
    const records = copy(db, draft);
    await target.sync();
    await place(draft, to);
    return records;
  } catch (error) {
    // On a full disk SQLite leaves the journal of the copy beside it.
    for (const file of [draft, `${draft}-journal`]) await rm(file, { force: true });
    if (error instanceof WebsitesError) throw error;
    throw new WebsitesError('store-failed', `Cannot copy ${db} to ${to}: ${(error as Error).message}.`, {
      remedy: 'Check that there is room for the copy, and that the file is a database.',
      cause: error,
    });
  } finally {
    await target.close();
  }
}

/** SQLite writes into an empty file that is there already, and then it is for its owner alone. */
async function openNew(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw existsAlready(file, error);
    throw refused(`Cannot write ${file}: ${message}.`, error);
  }
}

function existsAlready(file: string, cause?: unknown): WebsitesError {
  return refused(`${file} exists already.`, cause);
}

function refused(message: string, cause: unknown): WebsitesError {
  return new WebsitesError('file-failed', message, {
    remedy: 'Name a new file in a writable directory with enough space.',
    cause,
  });
}

/** Returns how many records the copy has. */
function copy(db: string, draft: string): number {
  const connection = connect(db, BUSY_TIMEOUT);
  try {
    checkSchema(connection, db);
    connection.exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`);
  } finally {
    connection.close();
  }
  return countRecords(draft);
}

/** Gives the copy its name in one step, and overwrites nothing that has come meanwhile. */
async function place(draft: string, to: string): Promise<void> {
  try {
    await link(draft, to);
    await rm(draft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw existsAlready(to, error);
    // Some volumes know no second names.
    await rename(draft, to);
  }
  await syncFolder(dirname(to));
}

/** Read from the copy: it is one that can be opened. */
function countRecords(file: string): number {
  const connection = connect(file, BUSY_TIMEOUT);
  try {
    return Number(connection.all('SELECT count(*) AS total FROM websites')[0]?.total);
  } finally {
    connection.close();
  }
}

/** Without it a new file's name may be lost with the power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
