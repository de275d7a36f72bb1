import { execFileSync } from 'node:child_process';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { beforeEach, expect, test } from 'vitest';
import { ensureKeyFile, mintKey } from '../../src/server/key.ts';
import { startLocal } from '../../src/server/server.ts';
import { readNamed } from '../../src/util/node/read-file.ts';
import { testFolder } from '../support/cli.ts';
import { call, PATH } from './http.ts';

let root: string;
let folder: string;

beforeEach(async () => {
  root = await testFolder();
  folder = join(root, 'project', '.websites');
});

test('the embedded service creates its directory, key and database, and reuses them', async () => {
  const first = await startLocal(folder);
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(first.identity).toMatch(/^local:[0-9a-f-]{36}$/);
  const form = { domain: 'kept.example' };
  expect((await call(first.url, 'POST', PATH, { key: first.key, form })).status).toBe(201);
  await first.close();
  expect((await stat(join(folder, 'local.key'))).mode & 0o777).toBe(0o600);

  const second = await startLocal(folder);
  expect([second.key, second.identity]).toEqual([first.key, first.identity]);
  expect((await call(second.url, 'GET', PATH, { key: second.key })).body.data).toMatchObject([form]);
  await second.close();
});

test('many simultaneous starts of the embedded service create one database and one key', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => startLocal(folder)));
  expect(new Set(all.map(({ key }) => key)).size).toBe(1);
  expect(new Set(all.map(({ identity }) => identity)).size).toBe(1);
  expect(new Set(all.map(({ url }) => url)).size).toBe(6);
  const answers = await Promise.all(
    all.map(({ url, key }, index) =>
      call(url, 'POST', PATH, { key, form: { domain: `from-${index}.example` } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(all.map(() => 201));
  for (const { url, key } of all) {
    expect((await call(url, 'GET', PATH, { key })).body.meta.total).toBe(6);
  }
  await Promise.all(all.map(({ close }) => close()));
});

test('the embedded service returns the reason of a failure in its response', async () => {
  const { url, key, close } = await startLocal(folder);
  const database = new Database(join(folder, 'local.db'));
  database.exec('DROP TABLE websites');
  database.close();
  const { status, body } = await call(url, 'GET', PATH, { key });
  expect([status, body.message]).toEqual([500, 'Server Error: no such table: websites']);
  await close();
});

test('two directories have separate embedded services', async () => {
  const [a, b] = [await startLocal(folder), await startLocal(join(root, 'other'))];
  expect(a.identity).not.toBe(b.identity);
  expect((await call(a.url, 'GET', PATH, { key: b.key })).status).toBe(401);
  await Promise.all([a.close(), b.close()]);
});

test.each(['', ' ', '\n', '\r\n'])(
  'an API key is read from a key file, or a pipe, that ends in %j',
  async (end) => {
    const file = join(root, 'api.key');
    const pipe = join(root, 'pipe');
    const key = mintKey();
    await writeFile(file, `${key}${end}`);
    expect(await ensureKeyFile(file)).toBe(key);
    expect(await readFile(file, 'utf8')).toBe(`${key}${end}`);
    execFileSync('mkfifo', [pipe]);
    const [read] = await Promise.all([
      ensureKeyFile(pipe, undefined, readNamed),
      writeFile(pipe, `${key}${end}`),
    ]);
    expect(read).toBe(key);
  },
);

test.each([['short\n'], ['two words, and long enough'], ['\n']])('%j cannot be an API key', async (text) => {
  const file = join(root, 'api.key');
  await writeFile(file, text);
  await expect(ensureKeyFile(file)).rejects.toMatchObject({
    code: 'file-failed',
    message: `${file} contains no valid API key.`,
    remedy: expect.any(String),
  });
});

test('a key file with the API key in quotes is an error that mentions the quotes', async () => {
  const file = join(root, 'api.key');
  await writeFile(file, `"${mintKey()}"\n`);
  await expect(ensureKeyFile(file)).rejects.toMatchObject({
    code: 'usage',
    message: `The API key in ${file} is in quotes.`,
  });
});

test('a key file that cannot be created or read is an error with the reason', async () => {
  await writeFile(join(root, 'file'), '');
  await expect(ensureKeyFile(join(root, 'file', 'api.key'))).rejects.toMatchObject({
    code: 'file-failed',
    message: expect.stringContaining('api.key: '),
  });
  await expect(ensureKeyFile(root)).rejects.toMatchObject({
    code: 'file-failed',
    remedy: 'Make the file readable and its directory writable, or choose another file.',
  });
  await chmod(root, 0o700);
});
