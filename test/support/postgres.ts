/**
 * A PostgreSQL server of Debian's packages (apt-get install postgresql) in a temporary folder, reached
 * through a socket in it. PostgreSQL refuses to run as root, so there it runs as the user of the package.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const VERSIONS = '/usr/lib/postgresql';
const PASSWORD = 'p@ss/wörd:1';

const run = promisify(execFile);

export interface PostgresServer {
  /** Where its socket is. */
  readonly folder: string;
  /** The address of a new, empty schema; with a password. */
  freshUrl(): Promise<string>;
  start(): Promise<void>;
  /** Ends it without farewell, as a crash would. */
  kill(): Promise<void>;
  /** Ends it and removes the folder. */
  close(): Promise<void>;
}

/** The folder of its programs; `undefined` where it is not installed. */
export const POSTGRES_PROGRAMS: string | undefined = (existsSync(VERSIONS) ? readdirSync(VERSIONS) : [])
  .map((version) => join(VERSIONS, version, 'bin'))
  .filter((folder) => existsSync(join(folder, 'initdb')))
  .at(-1);

export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'websites-postgres-'));
  const asRoot = process.getuid?.() === 0;
  if (asRoot) await chown(folder, idOf('-u'), idOf('-g'));
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, PASSWORD);
  const program = async (name: string, ...args: string[]): Promise<void> => {
    const path = join(POSTGRES_PROGRAMS ?? '', name);
    const [command = '', ...words] = asRoot ? ['runuser', '-u', 'postgres', '--', path] : [path];
    await run(command, [...words, ...args], { cwd: folder });
  };
  const data = join(folder, 'data');
  const control = (...args: string[]) => program('pg_ctl', '-D', data, '-w', ...args);
  const settings = [`unix_socket_directories=${folder}`, "listen_addresses=''", 'fsync=off'];
  const start = () =>
    control('-l', join(folder, 'log'), '-o', settings.map((one) => `-c ${one}`).join(' '), 'start');
  const url = (schema: string): string => {
    const parameters = new URLSearchParams({ host: folder, options: `-c search_path=${schema}` });
    return `postgres://tester:${encodeURIComponent(PASSWORD)}@/postgres?${parameters}`;
  };

  await program(
    'initdb',
    ...['-D', data, '-U', 'tester', '-A', 'scram-sha-256', '--pwfile', passwordFile],
    ...['--no-sync', '-E', 'UTF8', '--locale=C.UTF-8'],
  );
  await start();
  let schemas = 0;
  return {
    folder,
    start,
    kill: () => control('-m', 'immediate', 'stop'),
    freshUrl: async () => {
      schemas += 1;
      const fresh = url(`schema_${schemas}`);
      await onPostgres(fresh, [`CREATE SCHEMA schema_${schemas}`]);
      return fresh;
    },
    close: async () => {
      await control('-m', 'immediate', 'stop').catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs statements past the service; returns the rows of the last. */
export async function onPostgres(url: string, statements: readonly string[]): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: object[] = [];
    for (const sql of statements) ({ rows } = await client.query<object>(sql));
    return rows;
  } finally {
    await client.end();
  }
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'postgres']));
}
