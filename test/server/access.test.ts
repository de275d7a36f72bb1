import { connect } from 'node:net';
import Database from 'libsql';
import { afterEach, expect, test } from 'vitest';
import { type LogEntry, logLines } from '../../src/server/log.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call, converse, PATH } from './http.ts';

const MADE = /^[0-9a-f-]{36}$/;

let service: TestService;
let entries: LogEntry[] = [];
afterEach(() => service.close());

async function start(options: Parameters<typeof startTestService>[0] = {}): Promise<void> {
  entries = [];
  service = await startTestService({ log: (entry) => entries.push(entry), ...options });
}

/** Returns the log entries when there are `count` of them. */
async function entered(count: number): Promise<readonly LogEntry[]> {
  while (entries.length < count) await new Promise(setImmediate);
  return entries;
}

function head(...lines: string[]): string {
  return [...lines, `Authorization: Bearer ${service.key}`, 'Connection: close', '', ''].join('\r\n');
}

test.each(['a', 'req-1.2:3', 'Root=1-67891233-abcdef012345678912345678', 'x'.repeat(128)])(
  'the service keeps the request ID %s',
  async (id) => {
    await start();
    const { headers } = await call(service.url, 'GET', PATH, {
      key: service.key,
      headers: { 'x-request-id': id },
    });
    expect(headers['x-request-id']).toBe(id);
    expect(await entered(1)).toMatchObject([{ request: id }]);
  },
);

test.each(['', 'two words', 'a"b', 'ä', 'x'.repeat(129), 'a,b'])(
  'the service replaces the request ID %j with a new one',
  async (id) => {
    await start();
    const { headers } = await call(service.url, 'GET', PATH, { headers: { 'x-request-id': id } });
    expect(headers['x-request-id']).toMatch(MADE);
    expect((await entered(1))[0]?.request).toBe(headers['x-request-id']);
  },
);

test('every response of the service has a request ID', async () => {
  await start({ rateLimit: 3 });
  const ask = async (method: string, path: string, options: Parameters<typeof call>[3] = {}) => {
    const { status, headers } = await call(service.url, method, path, options);
    expect(headers['x-request-id'], `${method} ${path}`).toMatch(MADE);
    return status;
  };
  const { key } = service;
  const statuses = [
    await ask('GET', '/healthz'),
    await ask('GET', '/openapi.json'),
    await ask('GET', '/none'),
    await ask('PUT', PATH),
    await ask('GET', PATH),
    await ask('GET', PATH, { key }),
    await ask('GET', `${PATH}/1`, { key }),
    await ask('POST', PATH, { key, form: 'x'.repeat(2_000_000) }),
    await ask('GET', PATH, { key }),
    await ask('GET', '/%E0%A4%A'),
  ];
  expect(statuses).toEqual([200, 200, 404, 405, 401, 200, 404, 413, 429, 400]);
  expect((await entered(statuses.length)).map(({ status }) => status)).toEqual(statuses);
});

test('the service logs an entry for every response, without key, query and body', async () => {
  await start({ now: () => Date.UTC(2026, 0, 31, 9) });
  const form = { domain: 'marked-domain.example', privacy: '2', password: 'marked-password' };
  await call(service.url, 'POST', PATH, { key: service.key, form });
  await call(service.url, 'GET', `${PATH}?search=marked-search`, { key: service.key });
  await call(service.url, 'GET', '/nowhere?marked', { key: 'marked-key' });
  const common = {
    time: '2026-01-31T09:00:00.000Z',
    level: 'info',
    request: expect.stringMatching(MADE),
    client: '127.0.0.1',
    milliseconds: 0,
  };
  expect(await entered(3)).toEqual([
    { ...common, method: 'POST', path: PATH, status: 201 },
    { ...common, method: 'GET', path: PATH, status: 200 },
    { ...common, method: 'GET', path: '/nowhere', status: 404 },
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/marked|wsk_/);
});

test.each([
  ['a whole address', (key: string) => `http://host/nowhere?${key}`],
  ['a login', (key: string) => `http://user:${key}@host/nowhere`],
  ['a login with every character', (key: string) => `http://user:a/?#${key}@host/nowhere`],
  ['a login without a scheme', (key: string) => `//user:${key}@host/nowhere`],
  ['a login in a path', (key: string) => `/http://user:${key}@host/nowhere`],
  ['a path', (key: string) => `/nowhere/${key}`],
  ['a path, without its first characters', (key: string) => `/nowhere/${key.slice(4)}`],
  ['a fragment', (key: string) => `/nowhere#${key}`],
])('the service does not log an API key that is sent in %s', async (_, address) => {
  await start();
  await converse(
    service.url,
    head(`GET ${address(service.key)} HTTP/1.1`, 'Host: a', `X-Request-Id: ${service.key}`),
  );
  const [entry] = await entered(1);
  expect(JSON.stringify(entry)).not.toContain(service.key.slice(8));
  expect(entry?.request).toMatch(MADE);
});

test('the service logs the reason of a failure that its response does not show', async () => {
  await start();
  const database = new Database(service.db, { timeout: 1000 });
  database.exec('DROP TABLE websites');
  database.close();
  for (const [method, form] of [
    ['GET', undefined],
    ['POST', { domain: 'a.example' }],
  ] as const) {
    const options = { key: service.key, ...(form === undefined ? {} : { form }) };
    const { status, body } = await call(service.url, method, PATH, options);
    expect([status, body]).toEqual([500, { message: 'Server Error' }]);
  }
  expect(await entered(2)).toMatchObject([
    { level: 'error', status: 500, error: expect.stringContaining('no such table') },
    { level: 'error', status: 500, error: expect.stringContaining('no such table') },
  ]);
});

const POST = [`POST ${PATH} HTTP/1.1`, 'Host: a', 'Content-Type: application/x-www-form-urlencoded'];
const [unread, read] = [
  { method: null, path: null, level: 'info' },
  { path: PATH, level: 'info' },
];

test.each([
  ['nonsense', () => 'nonsense\r\n\r\n', { ...unread, status: 400 }],
  ['huge headers', () => head(`GET / HTTP/1.1`, `X: ${'x'.repeat(20_000)}`), { ...unread, status: 431 }],
  ['headers that do not end', () => 'GET / HTTP/1.1\r\n', { ...unread, status: 408 }],
  ['a bad chunk', () => `${head(...POST, 'Transfer-Encoding: chunked')}ZZ\r\n`, { path: PATH, status: 400 }],
  ['a body that does not come', () => `${head(...POST, 'Content-Length: 9')}do`, { ...read, status: 408 }],
  ['no host', () => head(`GET ${PATH} HTTP/1.1`), { path: PATH, status: 400 }],
  ['an invalid URL', () => head('GET /%ff%zz HTTP/1.1', 'Host: a'), { path: '/%ff%zz', status: 400 }],
  [
    'an address with a fragment, which may hold a command of a CI system',
    () => head('GET /none###vso[a]b?key=marked HTTP/1.1', 'Host: a'),
    { path: '/none', status: 404 },
  ],
  ['an expectation', () => head(`GET ${PATH} HTTP/1.1`, 'Host: a', 'Expect: x'), { ...read, status: 200 }],
])('the service logs a request once, with the response ID: %s', async (_case, bytes, expected) => {
  await start({ limits: { request: 200 } });
  const answer = await converse(service.url, bytes());
  const id = /^x-request-id: (.*)\r$/im.exec(answer)?.[1];
  expect(answer).toContain(`HTTP/1.1 ${expected.status} `);
  await service.close();
  expect(entries).toMatchObject([{ ...expected, request: id }]);
});

// A client that disconnects before its request was read leaves no log entry: then the test is repeated.
test('the service logs one entry for a client that disconnects', { timeout: 5000, retry: 5 }, async () => {
  await start();
  const form = 'domain=gone.example&privacy=2&password=takes-a-while-to-be-hashed';
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.end(`${head(...POST, `Content-Length: ${form.length}`)}${form}`, () =>
    setTimeout(() => socket.destroy(), 20),
  );
  expect(await entered(1)).toMatchObject([{ ...read, method: 'POST', status: 499, client: '127.0.0.1' }]);
  await service.close();
  expect(entries).toHaveLength(1);
});

test.each([
  ['nonsense', () => 'nonsense\r\n\r\n'],
  ['half of another request', () => `${head(...POST, 'Transfer-Encoding: chunked')}ZZ\r\n`],
])('the service logs the outcome of a complete request, even if %s follows it', async (_case, next) => {
  await start();
  const form = 'domain=whole.example&privacy=2&password=takes-a-while-to-be-hashed';
  const lines = [...POST, `Authorization: Bearer ${service.key}`, `Content-Length: ${form.length}`];
  const answer = await converse(service.url, `${lines.join('\r\n')}\r\n\r\n${form}${next()}`);
  expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 400']);
  await service.close();
  expect(entries.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  expect(entries.find(({ status }) => status === 201)).toMatchObject({ ...read, method: 'POST' });
});

test('the service carries out a delete with a malformed body', async () => {
  await start();
  await call(service.url, 'POST', PATH, { key: service.key, form: { domain: 'gone.example' } });
  const lines = [`DELETE ${PATH}/1 HTTP/1.1`, 'Host: a', 'Transfer-Encoding: chunked'];
  const answer = await converse(service.url, `${head(...lines).replace('Connection: close\r\n', '')}ZZ\r\n`);
  expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200']);
});

test.each([
  ['is cut', 'Content-Length: 99', true],
  ['is not chunked', 'Transfer-Encoding: chunked', true],
  ['never arrives', 'Content-Length: 99', false],
])('the service logs one entry if it answers before a body that %s', async (_how, header, goesOn) => {
  await start({ limits: { request: 200 } });
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  let answers = '';
  socket.on('data', (chunk) => {
    answers += chunk;
    if (goesOn) socket.end('ZZ\r\n');
  });
  socket.write(`${[...POST, header].join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => socket.on('close', resolve));
  expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 401']);
  await service.close();
  expect(entries).toMatchObject([{ method: 'POST', path: PATH, status: 401 }]);
});

test('the service logs an entry for each of several requests sent at once on one connection', async () => {
  await start();
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  socket.write(one('/healthz') + one('/readyz') + one(PATH));
  socket.resume();
  const paths = (await entered(3)).map(({ path, status }) => [path, status]);
  socket.destroy();
  expect(paths).toEqual([
    ['/healthz', 200],
    ['/readyz', 200],
    [PATH, 401],
  ]);
});

const entry: LogEntry = {
  time: '2026-01-31T09:00:00.000Z',
  level: 'info',
  request: 'r-1',
  client: '192.0.2.1',
  method: 'GET',
  path: PATH,
  status: 200,
  milliseconds: 4,
};
const nothing = { client: null, method: null, path: null, status: 500, milliseconds: null };
const failure: LogEntry = { ...entry, ...nothing, level: 'error', error: 'Error: "a"\n  at b' };

function lines(format: 'text' | 'json' | 'none'): string {
  let written = '';
  const log = logLines(format, (line) => {
    written += line;
  });
  log(entry);
  log(failure);
  return written;
}

test('the service can write its log as text', () => {
  const [first, second, ...more] = lines('text').split('\n');
  expect(first).toBe(`2026-01-31T09:00:00.000Z 192.0.2.1 GET ${PATH} 200 4ms request=r-1`);
  expect(second).toBe('2026-01-31T09:00:00.000Z - - - 500 - request=r-1 error="Error: \\"a\\"\\n  at b"');
  expect(more).toEqual(['']);
});

test('the service can write its log as JSON', () => {
  const parsed = lines('json')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(parsed).toEqual([entry, failure]);
});

test('the service with the log format "none" writes only its failures', () => {
  expect(lines('none')).toBe(`${lines('text').split('\n')[1]}\n`);
});
