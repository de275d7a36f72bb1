import { watch } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backUp } from '../../src/server/backup.ts';
import { readRecords, startTestService, type TestService, temporaryFolder } from '../support/service.ts';
import { call } from './http.ts';

const PATH = '/api/v1/websites';

let folder: string;
let service: TestService;

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startTestService();
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

function create(domain: string) {
  return call(service.url, 'POST', PATH, { key: service.key, form: { domain } });
}

test('copies a database that is written to: all that was acknowledged before, and a service of its own', async () => {
  const before = await Promise.all(
    Array.from({ length: 20 }, (_, index) => create(`before-${index}.example`)),
  );
  expect(before.every(({ status }) => status === 201)).toBe(true);
  const copy = join(folder, "it's a copy.db");
  let writing = true;
  const writer = (async () => {
    for (let index = 0; writing; index += 1) await create(`during-${index}.example`);
  })();
  const records = await backUp(service.db, copy);
  writing = false;
  await writer;

  const domains = readRecords(copy).map(({ domain }) => domain);
  expect(domains).toHaveLength(records);
  for (let index = 0; index < 20; index += 1) expect(domains).toContain(`before-${index}.example`);
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).filter((name) => name.includes('copy'))).toEqual(["it's a copy.db"]);

  const restored = await startTestService({ db: copy, keys: [] });
  const { body } = await call(restored.url, 'GET', PATH, { key: service.key });
  expect([body.meta.total, restored.store.id]).toEqual([records, service.store.id]);
  await restored.close();
});

test('has its name once it is whole: a process that is killed leaves no part of a copy there', async () => {
  const copy = join(folder, 'whole.db');
  const events: string[] = [];
  const watcher = watch(folder, (event, name) => events.push(`${event} ${name}`));
  await backUp(service.db, copy);
  await expect.poll(() => events).toContain('rename whole.db');
  watcher.close();
  expect(events).not.toContain('change whole.db');
});

test('never overwrites', async () => {
  const file = join(folder, 'precious');
  await writeFile(file, 'precious');
  for (const to of [file, service.db]) {
    await expect(backUp(service.db, to)).rejects.toMatchObject({
      code: 'file-failed',
      message: `${to} exists already.`,
    });
  }
  expect(await readFile(file, 'utf8')).toBe('precious');
});

test.each([
  ['a database that is not there', 'missing.db', 'to.db', 'store-failed'],
  ['a file that is no database', 'text', 'to.db', 'store-failed'],
  ['a folder that is not there', undefined, 'missing/to.db', 'file-failed'],
  ['the address of a server', 'postgres://user:marked@host/name', 'to.db', 'usage'],
])('%s is refused, and nothing is left behind', async (_case, db, to, code) => {
  await writeFile(join(folder, 'text'), 'This is no database. '.repeat(100));
  const from = db === undefined ? service.db : db.includes(':') ? db : join(folder, db);
  const refusal = await backUp(from, join(folder, to)).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code, remedy: expect.any(String) });
  expect(String(refusal)).not.toContain('marked');
  await expect(stat(join(folder, to))).rejects.toThrow('ENOENT');
  await expect(stat(join(folder, 'missing.db'))).rejects.toThrow('ENOENT');
});
