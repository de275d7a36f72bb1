import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mintKey } from '../../src/server/key.ts';
import { DEFAULTS } from '../../src/server/schema.ts';
import { startService } from '../../src/server/server.ts';
import { openStore, type Store } from '../../src/server/store.ts';
import { readRecords, temporaryFolder } from '../support/service.ts';
import { websites } from './websites.ts';

const NOW = '2026-01-31T09:00:00Z';
const BUSY = 5000;

let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function newFile(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

function sql(file: string, ...statements: string[]): void {
  const database = new Database(file, { timeout: BUSY });
  for (const statement of statements) database.exec(statement);
  database.close();
}

test('only the owner can read a new database of the service', async () => {
  const file = newFile();
  await (await openStore(file)).close();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('opening a database of a newer version is an error, and does not change it', async () => {
  const file = newFile();
  await (await openStore(file)).close();
  sql(file, 'PRAGMA user_version = 999', 'PRAGMA wal_checkpoint(TRUNCATE)');
  const before = await readFile(file);
  await expect(openStore(file)).rejects.toMatchObject({
    code: 'store-failed',
    message: expect.stringContaining('a newer version'),
    remedy: expect.any(String),
  });
  expect((await readFile(file)).equals(before)).toBe(true);
});

test('opening a database of another program is an error, and does not change it', async () => {
  const file = newFile();
  sql(file, 'CREATE TABLE notes (text TEXT)', 'PRAGMA user_version = 1');
  const before = await readFile(file);
  await expect(openStore(file)).rejects.toMatchObject({
    code: 'store-failed',
    message: `${file} is a database of another program.`,
  });
  expect((await readFile(file)).equals(before)).toBe(true);
});

test('the error for a database that cannot be opened names the reason', async () => {
  const text = newFile();
  await writeFile(text, 'This is no database. '.repeat(100));
  const cases = [
    [text, 'not a database'],
    [folder, 'illegal operation on a directory'],
    [join(folder, 'missing', 'websites.db'), 'file not found'],
  ] as const;
  for (const [file, reason] of cases) {
    await expect(openStore(file)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringMatching(new RegExp(`${file}: .*${reason}`)),
      remedy: expect.any(String),
    });
  }
});

test('"websites serve" with a damaged database is an error with a remedy', async () => {
  const file = newFile();
  await (await openStore(file)).close();
  // Simulates damaged bytes.
  sql(file, 'DROP TABLE service');
  const { code, err } = await websites(folder, `serve --port 0 --db ${file}`);
  expect([code, err]).toEqual([1, expect.stringMatching(`${file}.*: no such table: service\\.\n  help: `)]);
});

describe('opening while another program writes', () => {
  const key = mintKey();
  const start = (db: string) => startService({ db, port: 0, key, limits: { busy: 50 } });
  let file: string;
  let other: Database.Database;
  beforeEach(async () => {
    file = newFile();
    await (await start(file)).close();
    other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
  });
  afterEach(() => void other.close());

  test('the service starts on a locked database if it has nothing to write', async () => {
    const service = await start(file);
    await service.store.check();
    await service.close();
  });

  test('the service fails with a remedy if it must write its schema to a locked database', async () => {
    other.exec('ROLLBACK; PRAGMA user_version = 0; BEGIN IMMEDIATE');
    await expect(start(file)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('database is locked'),
      remedy: 'End the program that has locked the database, or try again.',
    });
  });
});

describe('writing', () => {
  let store: Store;
  const file = () => join(folder, 'writing.db');
  beforeAll(async () => {
    store = await openStore(file());
  });
  afterAll(() => store.close());

  test('no process can write between the read and the write of an update', async () => {
    const website = await store.create('counted.example', DEFAULTS, NOW);
    const id = website === 'taken' ? 0 : website.id;
    const other = new Database(file(), { timeout: 0 });
    const updated = await store.update(
      id,
      (current) => {
        expect(() => other.exec('UPDATE websites SET email = 1')).toThrow('locked');
        return { ...current, privacy: 0 };
      },
      NOW,
    );
    other.close();
    expect(updated).toMatchObject({ id, ...DEFAULTS, privacy: 0 });
    expect(readRecords(file())[0]).toMatchObject({ privacy: 0, email: 0 });
  });

  test('a failed write leaves no part of its changes, and later writes succeed', async () => {
    const bug = () => {
      throw new Error('a bug');
    };
    const outcomes = await Promise.allSettled([
      store.create('together.example', DEFAULTS, NOW),
      store.update(1, bug, NOW),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(readRecords(file()).map(({ domain }) => domain)).not.toContain('together.example');
    expect(await store.create('together.example', DEFAULTS, NOW)).toMatchObject({
      domain: 'together.example',
    });
  });

  test.each([
    ['a boolean', true],
    ['undefined', undefined],
    ['a text with a NUL', 'a\0b'],
    ['NaN', Number.NaN],
    ['an object', {}],
  ])('a create with a setting that is %s stores nothing', async (_case, value) => {
    const settings = { ...DEFAULTS, exclude_params: value as string };
    await expect(store.create('bound.example', settings, NOW)).rejects.toThrow(TypeError);
  });
});
