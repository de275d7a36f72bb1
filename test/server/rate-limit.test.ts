import { afterEach, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { type Call, call, PATH } from './http.ts';

const START = Date.UTC(2026, 0, 31, 9, 0, 0, 300);

let service: TestService;
let clock = START;
afterEach(() => service.close());

async function start(rateLimit?: number): Promise<void> {
  clock = START;
  service = await startTestService({ now: () => clock, ...(rateLimit === undefined ? {} : { rateLimit }) });
}

/** Returns the status and the headers about the limit: limit, remaining, retry-after, reset. */
async function ask(key: string, method = 'GET', path = PATH, form?: Call['form']) {
  const { status, headers } = await call(service.url, method, path, {
    key,
    ...(form === undefined ? {} : { form }),
  });
  return [
    status,
    ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after', 'x-ratelimit-reset'].map(
      (name) => headers[name],
    ),
  ];
}

test('each response to a request with the API key counts toward the rate limit', async () => {
  await start(6);
  const { key } = service;
  const counted = (status: number, left: string) => [status, '6', left, undefined, undefined];
  expect(await ask(key)).toEqual(counted(200, '5'));
  expect(await ask(key, 'GET', `${PATH}/9`)).toEqual(counted(404, '4'));
  expect(await ask(key, 'POST', PATH, { domain: '' })).toEqual(counted(422, '3'));
  expect(await ask(key, 'POST', PATH, 'x'.repeat(2_000_000))).toEqual(counted(413, '2'));
  expect(await ask(key, 'POST', PATH, { domain: 'a.example' })).toEqual(counted(201, '1'));
  expect(await ask(key, 'HEAD')).toEqual(counted(200, '0'));
});

test('the service answers 429 over the rate limit until a minute after the first request', async () => {
  await start(2);
  const { key } = service;
  await ask(key);
  clock += 10_000;
  await ask(key);
  const end = String((START - 300) / 1000 + 61);
  expect(await ask(key, 'POST', PATH, { domain: 'b.example' })).toEqual([429, '2', '0', '50', end]);
  clock += 49_999;
  expect(await ask(key)).toEqual([429, '2', '0', '1', end]);
  expect((await call(service.url, 'GET', PATH, { key })).body).toEqual({ message: 'Too Many Attempts.' });
  clock += 1;
  expect(await ask(key)).toEqual([200, '2', '1', undefined, undefined]);
  expect(await service.records()).toEqual([]);
});

test('requests without the API key do not count toward the rate limit', async () => {
  await start(1);
  for (const path of [PATH, '/healthz', '/none']) {
    const answers = [await ask('unknown', 'GET', path), await ask('unknown', 'GET', path)];
    for (const [status, ...headers] of answers) {
      expect(status).not.toBe(429);
      expect(headers).toEqual([undefined, undefined, undefined, undefined]);
    }
  }
  expect((await ask(service.key))[0]).toBe(200);
});

test.each([undefined, 0])('without a rate limit (%s), no response header names one', async (rateLimit) => {
  await start(rateLimit);
  expect(await ask(service.key)).toEqual([200, undefined, undefined, undefined, undefined]);
});
