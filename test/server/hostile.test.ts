import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { call, converse, PATH } from './http.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ limits: { request: 300 } });
});
afterAll(async () => {
  // Checks that the service still runs, and that nothing was written.
  const { status, body } = await call(service.url, 'GET', PATH, { key: service.key });
  expect([status, body.data]).toEqual([200, []]);
  await service.close();
});

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

const head = (...lines: string[]): string =>
  `${[...lines, 'Host: localhost', `Authorization: Bearer ${service.key}`].join('\r\n')}\r\n`;
const POST_FORM = [`POST ${PATH} HTTP/1.1`, 'Content-Type: application/x-www-form-urlencoded'];

test.each([['of a stated size'], ['in chunks']])('the service answers 413 to a huge body %s', async (way) => {
  const body = Buffer.alloc(8 * 1024 * 1024, 'a');
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${service.url}${PATH}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.key}`,
        'content-type': 'application/x-www-form-urlencoded',
        ...(way === 'in chunks' ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }),
      },
    });
    sent.on('response', (response) => resolve(response.statusCode));
    sent.on('error', reject);
    sent.end(body);
  });
  expect(status).toBe(413);
});

test('the service reads a body of just under 1 MiB', async () => {
  const form = `domain=&exclude_params=${'a'.repeat(1_000_000)}`;
  expect((await call(service.url, 'POST', PATH, { key: service.key, form })).status).toBe(422);
});

test.each([
  ['a key with a line feed', () => `${head(`GET ${PATH} HTTP/1.1`).replace('wsk_', 'wsk_\n')}\r\n`, [400]],
  [
    'a key with a folded line',
    () => `${head(`GET ${PATH} HTTP/1.1`).replace('wsk_', 'wsk_\r\n ')}\r\n`,
    [400, 401],
  ],
  ['a key with a NUL', () => `${head(`GET ${PATH} HTTP/1.1`).replace('wsk_', 'wsk_\0')}\r\n`, [400]],
  ['another protocol', () => '\x16\x03\x01\x00\xa5\x01\x00\x00', [400]],
  ['two lengths', () => `${head(...POST_FORM, 'Content-Length: 1', 'Content-Length: 2')}\r\na`, [400]],
  [
    'a length and chunks',
    () => `${head(...POST_FORM, 'Content-Length: 5', 'Transfer-Encoding: chunked')}\r\n0\r\n\r\n`,
    [400],
  ],
  ['a negative length', () => `${head(...POST_FORM, 'Content-Length: -5')}\r\na`, [400]],
  // The first releases of Node 20.19 accept it.
  ['an address that is not ASCII', () => `${head(`GET ${PATH}?search=ü HTTP/1.1`)}\r\n`, [200, 400]],
  ['a huge address', () => `${head(`GET ${PATH}?search=${'a'.repeat(20_000)} HTTP/1.1`)}\r\n`, [431]],
])('the service survives a malformed request: %s', async (_case, bytes, statuses) => {
  const answer = await converse(service.url, bytes());
  expect(statuses).toContain(statusOf(answer));
  expect(answer).not.toContain(service.key.slice(8));
});

test('the service reads a request body in chunks of one byte', async () => {
  const form = 'domain=&exclude_params=aaaaaaaa';
  const chunks = [...form].map((letter) => `1\r\n${letter}\r\n`).join('');
  const bytes = `${head(...POST_FORM, 'Transfer-Encoding: chunked', 'Connection: close')}\r\n${chunks}0\r\n\r\n`;
  expect(statusOf(await converse(service.url, bytes))).toBe(422);
});

test('the service writes nothing if a connection is cut during a body', async () => {
  const sent = request(`${service.url}${PATH}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.key}`,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': 100,
    },
  });
  const cut = new Promise((resolve) => sent.on('error', resolve));
  sent.write('domain=cut.example', () => sent.destroy());
  await cut;
  expect(await service.records()).toEqual([]);
});

test('the service stores SQL in a value as text', async () => {
  const sql = "x'); DROP TABLE websites; --";
  const options = { key: service.key, form: { domain: 'sql.example', exclude_params: sql, password: sql } };
  const { status, body } = await call(service.url, 'POST', PATH, options);
  expect([status, body.data.exclude_params]).toEqual([201, sql]);
  const search = new URLSearchParams({ search: "' OR '1'='1" });
  expect((await call(service.url, 'GET', `${PATH}?${search}`, { key: service.key })).body.data).toEqual([]);
  await call(service.url, 'DELETE', `${PATH}/${body.data.id}`, { key: service.key });
});
