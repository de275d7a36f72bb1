/** `websites serve` and what belongs to it, as a command line. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { mintKey } from '../../src/server/keys.ts';
import { testFolder } from '../support/cli.ts';
import { startTestService } from '../support/service.ts';
import { call } from './http.ts';
import { websites as run, serve } from './websites.ts';

const PATH = '/api/v1/websites';
const KEY = /^wsk_[\w-]{43}\n$/;

let folder: string;
beforeEach(async () => {
  folder = await testFolder();
});

const websites = (words: string, env: Record<string, string> = {}) => run(folder, words, env);

describe('keys', () => {
  test('create prints the key, and nothing else, on standard output; the key opens the service', async () => {
    const { code, out, err } = await websites('serve keys create ci --db a.db');
    expect([code, out]).toEqual([0, expect.stringMatching(KEY)]);
    expect(err).toBe('Created API key ci (#1). It is not shown again.\n');
    const service = await startTestService({ db: join(folder, 'a.db'), keys: [] });
    expect((await call(service.url, 'GET', PATH, { key: out.trim() })).status).toBe(200);
    await service.close();
  });

  test('create --out writes a file for its owner alone, and no other output holds the key', async () => {
    const { code, out, err } = await websites('serve keys create ci --out ci.key --db a.db');
    expect([code, out]).toEqual([0, '']);
    const key = await readFile(join(folder, 'ci.key'), 'utf8');
    expect(key).toMatch(KEY);
    expect((await stat(join(folder, 'ci.key'))).mode & 0o777).toBe(0o600);
    expect(err).not.toContain(key.trim());
    expect(err).toContain('ci.key');
  });

  test('create overwrites no file, and leaves none behind when the name is taken', async () => {
    await writeFile(join(folder, 'there.key'), 'precious');
    const there = await websites('serve keys create ci --out there.key --db a.db');
    expect([there.code, there.err]).toEqual([1, expect.stringContaining('there.key exists already')]);
    expect(await readFile(join(folder, 'there.key'), 'utf8')).toBe('precious');
    await websites('serve keys create ci --db a.db');
    const taken = await websites('serve keys create ci --out new.key --db a.db');
    expect([taken.code, taken.out, taken.err]).toEqual([
      1,
      '',
      expect.stringContaining('API key ci already exists'),
    ]);
    expect((await readdir(folder)).filter((name) => name.endsWith('.key'))).toEqual(['there.key']);
  });

  test('list shows name, day of creation and of last use, and no key; revoke takes one away', async () => {
    const key = mintKey();
    const now = Date.UTC(2026, 0, 31, 9);
    const service = await startTestService({ db: join(folder, 'a.db'), keys: [key], now: () => now });
    const { out: ci } = await websites('serve keys create ci --db a.db');
    await call(service.url, 'GET', PATH, { key });
    const list = async () => (await websites('serve keys list --db a.db')).out;
    await expect.poll(list).toContain('2026-01-31');
    const today = new Date().toISOString().slice(0, 10);
    expect(await list()).toBe(
      `ID  NAME  CREATED     LAST USED\n1   -     ${today}  2026-01-31\n2   ci    ${today}  never\n`,
    );
    expect(await list()).not.toMatch(/wsk_/);

    // The running service honours it at once.
    const ask = async (presented: string) =>
      (await call(service.url, 'GET', PATH, { key: presented })).status;
    expect(await ask(ci.trim())).toBe(200);
    expect(await websites('serve keys revoke ci --db a.db')).toEqual({
      code: 0,
      out: 'Revoked key ci (#2).\n',
      err: '',
    });
    expect(await ask(ci.trim())).toBe(401);
    expect((await websites('serve keys revoke 1 --db a.db')).err).toMatch(/^No key is left/);
    expect(await ask(key)).toBe(401);
    const again = await websites('serve keys revoke ci --db a.db');
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringMatching(/API key not found: "ci"\.\n {2}help: List them with .*, and the same --db\./),
    ]);
    await service.close();
  });

  test('a name is free again once its key is revoked, which makes a rotation', async () => {
    const first = (await websites('serve keys create ci --db a.db')).out;
    await websites('serve keys revoke ci --db a.db');
    const second = await websites('serve keys create ci --db a.db');
    expect([second.code, second.out === first]).toEqual([0, false]);
  });
});

describe('refused', () => {
  test.each([
    ['serve frob', 'Unknown subcommand of "websites serve": "frob"'],
    ['serve keys', 'Unknown arguments after'],
    ['serve keys frob', 'Unknown arguments after'],
    ['serve keys create', 'Unknown arguments after'],
    ['serve keys create a b', 'Unknown arguments after'],
    ['serve keys list a', 'Unknown arguments after'],
    ['serve keys create 7up', 'cannot be the name of a key'],
    ['serve keys create a/b', 'cannot be the name of a key'],
    [`serve keys create ${'x'.repeat(65)}`, 'cannot be the name of a key'],
    ['serve keys list --db missing.db', 'missing.db: ENOENT'],
    ['serve keys revoke ci --db missing.db', 'missing.db: ENOENT'],
    ['serve backup', 'takes one file'],
    ['serve --out a.key', '--out (WEBSITES_OUT) can only be used with "serve keys create"'],
    ['serve keys list --out a.key', 'can only be used with "serve keys create"'],
    ['serve backup copy.db --out copy.db', 'can only be used with "serve keys create"'],
    ['serve keys list --rate-limit 60', '--rate-limit cannot be used with a subcommand'],
    ['serve keys list --api-key-file a.key', '--api-key-file cannot be used with a subcommand'],
    ['serve backup copy.db --port 8080', '--port cannot be used with a subcommand'],
    ['serve backup a b', 'takes one file'],
    ['serve backup a --db missing.db', 'missing.db: ENOENT'],
    ['serve --max-connections 0', '"0" for --max-connections'],
    ['serve --port 65536', '"65536" for --port'],
    ['serve --rate-limit -1', '--rate-limit'],
    ['serve --log loud', '"loud" for --log'],
    ['serve --db mysql://me:marked@host/name', 'mysql:// is not a supported database'],
    ['serve --db postgres://me:marked@host/name', 'process list'],
    ['serve keys list --db postgres://host/name?password=marked', 'process list'],
    ['serve --db postgresql://me:marked@host:x/name', 'is not valid'],
    ['serve --db postgres:me:marked@host/name', 'is not valid'],
    ['serve --db Postgresql:/me:marked@host/name', 'is not valid'],
    ['serve --db "postgres://me:marked@host/name"', 'is not valid'],
    ['serve --db jdbc:postgresql://me:marked@host/name', 'is not valid'],
  ])('%s', async (words, message) => {
    const { code, out, err } = await websites(words);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
    expect(err).toMatch(/^Error: .*\.\n {2}help: /);
    expect(err).not.toContain('marked');
    expect(await readdir(folder)).not.toContain('missing.db');
  });

  test('but the variables of a running service are not: its surroundings have them', async () => {
    const env = { WEBSITES_RATE_LIMIT: '60', WEBSITES_PORT: '8080' };
    expect(await websites('serve keys create ci', env)).toMatchObject({ code: 0 });
    expect(await websites('serve keys list', env)).toMatchObject({ code: 0 });
  });

  test('but an address with a password is taken from the variable', async () => {
    const env = { WEBSITES_DB: 'postgres://me:marked@127.0.0.1:1/name' };
    const { code, err } = await websites('serve keys list', env);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('Cannot open the database postgres://127.0.0.1:1/name'),
    ]);
    expect(err).not.toContain('marked');
  });

  test.each([
    'postgres://me:p@marked/w:1@127.0.0.1:1/name',
    'postgres://me:12/marked@127.0.0.1:1/name',
    'postgres://me:12?marked@127.0.0.1:1/name',
    'postgres://me:12#marked@127.0.0.1:1/name',
    'postgres://me:p@marked?w=1@127.0.0.1:1/name',
    'host=127.0.0.1 port=1 user=me password=marked',
  ])('unless its login is cut in two, or it is not valid: %s', async (db) => {
    const { code, err } = await websites('serve keys list', { WEBSITES_DB: db });
    expect([code, err]).toEqual([1, expect.stringContaining('is not valid')]);
    expect(err).not.toContain('marked');
  });
});

test('backup copies the database of a running service', async () => {
  const service = await startTestService({ db: join(folder, 'a.db') });
  await call(service.url, 'POST', PATH, { key: service.key, form: { domain: 'kept.example' } });
  expect(await websites('serve backup copy.db --db a.db')).toEqual({
    code: 0,
    out: 'Wrote copy.db: 1 record.\n',
    err: '',
  });
  expect((await websites('serve backup copy.db --db a.db')).err).toContain('copy.db exists already');
  await service.close();
});

test('a service logs, limits, and on SIGTERM answers what is under way and exits with 0', async () => {
  await websites('serve keys create ci --out ci.key');
  const { url, lines, child, exit } = await serve(folder, 'serve --log json --rate-limit 2');
  // The database has a key, so none is made.
  expect(lines[0]).toMatch(/^Serving .*websites\.db at http:\S+ \(key: websites serve keys list\)/);
  expect(lines[1]).toBe(`Docs: ${url}/docs`);
  expect((await readdir(folder)).filter((name) => name.endsWith('.key'))).toEqual(['ci.key']);
  const key = (await readFile(join(folder, 'ci.key'), 'utf8')).trim();
  const form = { domain: 'late.example', privacy: '2', password: 'takes-a-while-to-be-hashed' };
  const late = call(url, 'POST', PATH, { key, form, headers: { 'x-request-id': 'late' } });
  // The request is there before the one that comes after it.
  await call(url, 'GET', PATH, { key });
  child.kill('SIGTERM');
  const { status, headers } = await late;
  expect([status, headers['x-ratelimit-limit']]).toEqual([201, '2']);
  expect(await exit).toEqual([0, null]);
  const entries = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  expect(entries).toHaveLength(2);
  expect(entries).toContainEqual(
    expect.objectContaining({ request: 'late', status: 201, key: 1, path: PATH }),
  );
  expect(lines.join('\n')).not.toContain(key);
});
