/** What holds of the store on SQLite alone. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addKey, mintKey } from '../../src/server/keys.ts';
import { startService } from '../../src/server/server.ts';
import { DEFAULTS } from '../../src/server/settings.ts';
import { openSqlite } from '../../src/server/sqlite/sqlite.ts';
import type { Store } from '../../src/server/store.ts';
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

describe('opening', () => {
  test('makes the file for its owner alone', async () => {
    const file = newFile();
    await (await openSqlite(file, BUSY)).close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('refuses a database of a newer version, and leaves it as it is', async () => {
    const file = newFile();
    await (await openSqlite(file, BUSY)).close();
    sql(file, 'PRAGMA user_version = 999', 'PRAGMA wal_checkpoint(TRUNCATE)');
    const before = await readFile(file);
    await expect(openSqlite(file, BUSY)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('newer version'),
      remedy: expect.any(String),
    });
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  test('refuses a database of another program, and leaves it as it is', async () => {
    const file = newFile();
    sql(file, 'CREATE TABLE notes (text TEXT)', 'PRAGMA user_version = 1');
    const before = await readFile(file);
    await expect(openSqlite(file, BUSY)).rejects.toMatchObject({
      code: 'store-failed',
      message: `${file} is a database of another program.`,
    });
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  test('says why it cannot', async () => {
    const text = newFile();
    await writeFile(text, 'This is no database. '.repeat(100));
    const cases = [
      [text, 'not a database'],
      [folder, 'EISDIR'],
      [join(folder, 'missing', 'websites.db'), 'ENOENT'],
    ] as const;
    for (const [file, reason] of cases) {
      await expect(openSqlite(file, BUSY)).rejects.toMatchObject({
        code: 'store-failed',
        message: expect.stringMatching(new RegExp(`${file}: .*${reason}`)),
        remedy: expect.any(String),
      });
    }
  });
});

test.for(['service', 'keys'])(
  'a database that fails of its table %s is an error with a remedy',
  async (table) => {
    const file = newFile();
    await (await openSqlite(file, BUSY)).close();
    // As where its bytes are damaged.
    sql(file, `DROP TABLE ${table}`);
    for (const words of ['serve keys list', 'serve']) {
      const { code, err } = await websites(folder, `${words} --db ${file}`);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(`${file}.*: no such table: ${table}\\.\n  help: `),
      ]);
    }
  },
);

describe('while another program keeps on writing', () => {
  const key = mintKey();
  const start = (db: string, keys: string[]) => startService({ db, port: 0, keys, limits: { busy: 50 } });
  let file: string;
  let other: Database.Database;
  beforeEach(async () => {
    file = newFile();
    await (await start(file, [key])).close();
    other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
  });
  afterEach(() => void other.close());

  test('a service starts that has nothing to write', async () => {
    const service = await start(file, [key]);
    expect((await service.store.listKeys(1)).length).toBe(1);
    await service.close();
  });

  test.each([
    ['a key', () => {}],
    ['a schema', () => other.exec('ROLLBACK; PRAGMA user_version = 1; BEGIN IMMEDIATE')],
  ])('one that has %s to write says what is to be done', async (_what, change) => {
    change();
    await expect(start(file, [mintKey()])).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('database is locked'),
      remedy: 'Something else keeps it busy: end that, or try again.',
    });
  });
});

describe('a database of version 1', () => {
  const key = mintKey();
  const VERSION_1 = `
    PRAGMA application_id = ${0x77656273};
    PRAGMA user_version = 1;
    CREATE TABLE service (id TEXT NOT NULL);
    INSERT INTO service VALUES ('0b5e7f0a-1111-4222-8333-944445555666');
    CREATE TABLE accounts (id INTEGER PRIMARY KEY AUTOINCREMENT);
    INSERT INTO accounts VALUES (1), (2);
    CREATE TABLE keys (
      digest TEXT PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts (id)
    ) WITHOUT ROWID;
    INSERT INTO keys VALUES ('digest-a', 2), ('digest-b', 1);
    CREATE TABLE websites (
      id INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL REFERENCES accounts (id),
      domain TEXT NOT NULL UNIQUE, privacy INTEGER NOT NULL, password TEXT, email INTEGER NOT NULL,
      exclude_bots INTEGER NOT NULL, exclude_params TEXT, exclude_ips TEXT, favorited_at TEXT,
      created_at TEXT NOT NULL, updated_at TEXT NOT NULL
    );
    CREATE INDEX websites_by_id ON websites (account_id);
    CREATE INDEX websites_by_domain ON websites (account_id, domain);
    CREATE INDEX websites_favorite ON websites (account_id) WHERE favorited_at IS NOT NULL;
    INSERT INTO websites VALUES
      (7, 1, 'kept.example', 2, 'scrypt$x', 1, 0, 'a', '192.0.2.1', '${NOW}', '${NOW}', '${NOW}');
    DELETE FROM websites WHERE id = 8;`;

  test('is brought up to date: keys, records and identity stay, and old keys can be revoked', async () => {
    const file = newFile();
    sql(file, VERSION_1);
    const store = await openSqlite(file, BUSY);
    expect(store.id).toBe('0b5e7f0a-1111-4222-8333-944445555666');
    expect(await store.findKey('digest-a')).toMatchObject({ account: 2, name: null, createdAt: null });
    const [old] = await store.listKeys(1);
    expect(old).toMatchObject({ digest: 'digest-b', name: null, createdAt: null, lastUsed: null });
    expect(await store.read(1, 7)).toMatchObject({
      domain: 'kept.example',
      settings: { privacy: 2, password: 'scrypt$x', exclude_ips: '192.0.2.1' },
    });
    expect(await store.create(1, 'new.example', DEFAULTS, NOW)).toMatchObject({ id: 8 });
    await addKey(store, key);
    expect(await store.revokeKey(1, old?.id ?? 0, NOW)).toBe(true);
    await store.close();
    const again = await openSqlite(file, BUSY);
    expect(await again.listKeys(1)).toHaveLength(1);
    await again.close();
  });

  test('is brought up to date once by many that open it at once', async () => {
    const file = newFile();
    sql(file, VERSION_1);
    const stores = await Promise.all(Array.from({ length: 5 }, () => openSqlite(file, BUSY)));
    expect(await stores[4]?.listKeys(1)).toHaveLength(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('stays as it is when that fails', async () => {
    const file = newFile();
    // The index that the step makes last has a name that is taken.
    sql(file, VERSION_1, 'CREATE INDEX keys_by_name ON websites (domain)', 'PRAGMA wal_checkpoint(TRUNCATE)');
    await expect(openSqlite(file, BUSY)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('keys_by_name'),
    });
    const database = new Database(file);
    expect(database.prepare('PRAGMA user_version').all()).toEqual([{ user_version: 1 }]);
    expect(database.prepare('SELECT digest FROM keys ORDER BY digest').all()).toHaveLength(2);
    database.close();
  });
});

describe('writing', () => {
  let store: Store;
  const file = () => join(folder, 'writing.db');
  beforeAll(async () => {
    store = await openSqlite(file(), BUSY);
  });
  afterAll(() => store.close());

  test('keeps every other process out between what an update has read and what it writes', async () => {
    const website = await store.create(1, 'counted.example', DEFAULTS, NOW);
    const id = website === 'taken' ? 0 : website.id;
    const other = new Database(file(), { timeout: 0 });
    const updated = await store.update(
      1,
      id,
      (current) => {
        expect(() => other.exec('UPDATE websites SET email = 1')).toThrow('locked');
        return { settings: { ...current, privacy: 0 } };
      },
      NOW,
    );
    other.close();
    expect(updated).toMatchObject({ id, settings: { ...DEFAULTS, privacy: 0 } });
    expect(readRecords(file())[0]).toMatchObject({ privacy: 0, email: 0 });
  });

  test('a write that fails takes nothing half-written with it, and later ones succeed', async () => {
    const bug = () => {
      throw new Error('a bug');
    };
    const outcomes = await Promise.allSettled([
      store.create(1, 'together.example', DEFAULTS, NOW),
      store.update(1, 1, bug, NOW),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(readRecords(file()).map(({ domain }) => domain)).not.toContain('together.example');
    expect(await store.create(1, 'together.example', DEFAULTS, NOW)).toMatchObject({
      domain: 'together.example',
    });
  });

  test.each([
    ['a boolean', true],
    ['nothing', undefined],
    ['a text with a NUL', 'a\0b'],
    ['no number', Number.NaN],
    ['an object', {}],
  ])('%s is not bound', async (_case, value) => {
    const settings = { ...DEFAULTS, exclude_params: value as string };
    await expect(store.create(1, 'bound.example', settings, NOW)).rejects.toThrow(TypeError);
  });
});
