/** The schema of an SQLite database, version by version. */
import { randomUUID } from 'node:crypto';
import { WebsitesError } from '../../model/errors.ts';
import { DEFAULT_ACCOUNT } from '../store.ts';
import type { SqliteConnection } from './connection.ts';

/** Marks a database as one of this service (SQLite's header, bytes 68 to 71): "webs". */
const APPLICATION_ID = 0x77656273;

/**
 * Each step takes the database from the version that is its index to the next. A step that was
 * released is never edited: a change is a new step.
 */
const STEPS: readonly (() => string)[] = [
  () => `
    PRAGMA application_id = ${APPLICATION_ID};

    CREATE TABLE service (id TEXT NOT NULL);
    INSERT INTO service VALUES ('${randomUUID()}');

    CREATE TABLE accounts (id INTEGER PRIMARY KEY AUTOINCREMENT);
    INSERT INTO accounts VALUES (${DEFAULT_ACCOUNT});

    CREATE TABLE keys (
      digest TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES accounts (id)
    ) WITHOUT ROWID;

    CREATE TABLE websites (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id INTEGER NOT NULL REFERENCES accounts (id),
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
    -- In the order of ids, in the order of domains (and for searches), and the favorites alone.
    CREATE INDEX websites_by_id ON websites (account_id);
    CREATE INDEX websites_by_domain ON websites (account_id, domain);
    CREATE INDEX websites_favorite ON websites (account_id) WHERE favorited_at IS NOT NULL;`,

  // Keys have a name and a history; a revoked one is kept, so that it stays out.
  () => `
    ALTER TABLE keys RENAME TO keys_1;
    CREATE TABLE keys (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      digest TEXT NOT NULL UNIQUE,
      account_id INTEGER NOT NULL REFERENCES accounts (id),
      name TEXT,
      created_at TEXT,
      last_used TEXT,
      revoked_at TEXT
    );
    INSERT INTO keys (digest, account_id) SELECT digest, account_id FROM keys_1;
    DROP TABLE keys_1;
    CREATE UNIQUE INDEX keys_by_name ON keys (account_id, name) WHERE revoked_at IS NULL;`,
];

export const SCHEMA_VERSION = STEPS.length;

/** Brings the database to this version's schema; call it inside a write transaction. Throws as `checkSchema`. */
export function migrate(connection: SqliteConnection, file: string): void {
  const version = checkSchema(connection, file);
  for (const step of STEPS.slice(version)) connection.exec(step());
  if (version < SCHEMA_VERSION) connection.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
}

/**
 * Returns the version of the database's schema, 0 when it is empty. Throws a WebsitesError
 * (`store-failed`) for a database that a newer version made, or that another program did.
 */
export function checkSchema(connection: SqliteConnection, file: string): number {
  const pragma = (name: string) => connection.all(`PRAGMA ${name}`)[0]?.[name];
  const empty = connection.all('SELECT name FROM sqlite_schema LIMIT 1').length === 0;
  if (!empty && pragma('application_id') !== APPLICATION_ID) {
    throw new WebsitesError('store-failed', `${file} is a database of another program.`, {
      remedy: 'Choose another file. A missing file is created.',
    });
  }
  const version = Number(pragma('user_version'));
  if (version > SCHEMA_VERSION) {
    throw new WebsitesError(
      'store-failed',
      `${file} was made by a newer version: its schema is ${version}, this version knows ${SCHEMA_VERSION}.`,
      { remedy: 'Use the newer version of websites, or another database file.' },
    );
  }
  return version;
}
