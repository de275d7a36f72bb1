/** The two kinds of databases that the service runs on, for tests that hold for both. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { onPostgres, POSTGRES_PROGRAMS, type PostgresServer, startPostgres } from './postgres.ts';
import { temporaryFolder } from './service.ts';

export interface DatabaseKind {
  readonly name: string;
  readonly installed: boolean;
  /** Whether the instances on one database count the requests of a key together. */
  readonly sharesWindows: boolean;
  setUp(): Promise<void>;
  tearDown(): Promise<void>;
  /** A database of its own, without tables, as `db` names it. */
  fresh(): Promise<string>;
  /** The server, where there is one and it is set up. */
  server?(): PostgresServer;
  /** Runs statements past the service. */
  execute(db: string, ...statements: string[]): Promise<void>;
}

function sqlite(): DatabaseKind {
  let folder = '';
  return {
    name: 'SQLite',
    installed: true,
    sharesWindows: false,
    setUp: async () => {
      folder = await temporaryFolder();
    },
    tearDown: () => rm(folder, { recursive: true, force: true }),
    fresh: async () => join(folder, `${randomUUID()}.db`),
    execute: async (db, ...statements) => {
      const database = new Database(db, { timeout: 5000 });
      for (const statement of statements) database.exec(statement);
      database.close();
    },
  };
}

function postgres(): DatabaseKind {
  let server: PostgresServer | undefined;
  const started = (): PostgresServer => {
    if (server === undefined) throw new Error('the server is not started');
    return server;
  };
  return {
    name:
      POSTGRES_PROGRAMS === undefined ? 'PostgreSQL (apt-get install postgresql to run these)' : 'PostgreSQL',
    installed: POSTGRES_PROGRAMS !== undefined,
    sharesWindows: true,
    setUp: async () => {
      server = await startPostgres();
    },
    tearDown: () => started().close(),
    server: started,
    fresh: () => started().freshUrl(),
    execute: async (db, ...statements) => void (await onPostgres(db, statements)),
  };
}

export const DATABASES: readonly DatabaseKind[] = [sqlite(), postgres()];
