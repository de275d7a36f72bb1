import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebsitesError } from '../../src/model/errors.ts';
import { addKey, authenticator, mintKey } from '../../src/server/keys.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call } from './http.ts';

const PATH = '/api/v1/websites';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('each key sees and touches the records of its account alone', async () => {
  const other = await service.addAccountKey();
  const create = (key: string, domain: string) =>
    call(service.url, 'POST', PATH, { key, form: { domain, favorite: '1' } });
  const { id } = (await create(service.key, 'mine.example')).body.data;
  await create(other, 'theirs.example');

  for (const query of ['', '?search=mine', '?favorite=1', '?sort_by=domain']) {
    const { body } = await call(service.url, 'GET', `${PATH}${query}`, { key: other });
    expect(body.data.map((record: { domain: string }) => record.domain)).not.toContain('mine.example');
    expect(body.meta.total).toBe(query === '?search=mine' ? 0 : 1);
  }
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const form = method.startsWith('P') ? { form: { privacy: '0' } } : {};
    const answer = await call(service.url, method, `${PATH}/${id}`, { key: other, ...form });
    expect([answer.status, answer.body.message]).toEqual([404, 'Resource not found.']);
  }
  expect((await create(other, 'mine.example')).body.message).toEqual({
    domain: ['This domain is already being used.'],
  });
  expect(await service.records()).toMatchObject([
    { id, account_id: 1, domain: 'mine.example', privacy: 1 },
    { account_id: 2, domain: 'theirs.example' },
  ]);
});

test('a new key joins the account, so that a key can be rotated', async () => {
  const next = mintKey();
  await addKey(service.store, next);
  await addKey(service.store, next);
  for (const key of [service.key, next]) {
    expect((await call(service.url, 'GET', `${PATH}?search=mine`, { key })).body.meta.total).toBe(1);
  }
});

test('a key that has an account stays there', async () => {
  const other = await service.addAccountKey();
  const authenticate = authenticator(service.store);
  const known = await authenticate(other, '2026-01-31T09:00:00Z');
  expect(known?.account).toBeGreaterThan(1);
  await addKey(service.store, other);
  expect(await authenticate(other, '2026-01-31T09:00:00Z')).toMatchObject({ account: known?.account });
});

test('minted keys differ, and are long and printable', () => {
  const keys = new Set(Array.from({ length: 100 }, mintKey));
  expect(keys.size).toBe(100);
  for (const key of keys) expect(key).toMatch(/^wsk_[\w-]{43}$/);
});

test.each([
  '',
  'short',
  'with a space in it',
  'with-a-newline\nin-it',
  'ünprintable-in-headers',
  'x'.repeat(513),
])('%j cannot be a key', async (key) => {
  const refusal = await addKey(service.store, key).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(WebsitesError);
  expect(refusal).toMatchObject({ code: 'usage', remedy: expect.any(String) });
});

test('neither keys nor passwords lie in the files of the database', async () => {
  const password = 'marked-password-7f3a';
  const form = { domain: 'secret.example', privacy: '2', password };
  expect((await call(service.url, 'POST', PATH, { key: service.key, form })).status).toBe(201);
  for (const suffix of ['', '-wal']) {
    const bytes = await readFile(`${service.db}${suffix}`);
    expect(bytes.includes(password)).toBe(false);
    expect(bytes.includes(service.key)).toBe(false);
  }
});
