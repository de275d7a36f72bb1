import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { mintKey } from '../../src/server/key.ts';
import { startTestService, testService } from '../support/service.ts';
import { call, PATH } from './http.ts';

test('generated API keys are long, printable and different', () => {
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
])('the service does not start with the API key %j', async (key) => {
  await expect(startTestService({ key })).rejects.toMatchObject({
    code: 'usage',
    remedy: expect.any(String),
  });
});

test('the database files of the service contain neither the API key nor passwords', async () => {
  const service = await testService();
  const password = 'marked-password-7f3a';
  const form = { domain: 'secret.example', privacy: '2', password };
  expect((await call(service.url, 'POST', PATH, { key: service.key, form })).status).toBe(201);
  for (const suffix of ['', '-wal']) {
    const bytes = await readFile(`${service.db}${suffix}`);
    expect(bytes.includes(password)).toBe(false);
    expect(bytes.includes(service.key)).toBe(false);
  }
});
