import { expect, test } from 'vitest';
import { Secret } from '../../src/model/secret.ts';
import { type Permit, ServiceError } from '../../src/model/service.ts';
import { type Dialect, scripted } from '../support/scripted-service.ts';
import { connect, failureOf } from './support.ts';

test('each client operation sends its method, path, form and headers', async () => {
  const service = await scripted();
  const client = connect(service);
  await client.create('a.example', {
    privacy: 2,
    password: new Secret('s e&c=r'),
    exclude_ips: ['192.0.2.1', '::1'],
  });
  await client.update('1', 'a.example', {
    email: true,
    favorited_at: '2026-01-31T09:00:00Z',
    exclude_ips: [],
  });
  await client.read('1');
  await client.list();
  await client.remove('1', 'a.example');
  const sent = service.requests.map(({ method, path, query, body }) => [
    `${method} ${path.replace('/api/v1', '')}`,
    body || query,
  ]);
  expect(sent).toEqual([
    ['POST /websites', 'domain=a.example&privacy=2&password=s+e%26c%3Dr&exclude_ips=192.0.2.1%0A%3A%3A1'],
    ['PUT /websites/1', 'email=1&exclude_ips=&favorited_at=2026-01-31T09%3A00%3A00'],
    ['GET /websites/1', {}],
    ['GET /websites', { per_page: '100', sort_by: 'id', sort: 'desc' }],
    ['DELETE /websites/1', {}],
  ]);
  for (const { headers, key, method } of service.requests) {
    expect(key).toBe('right');
    expect(headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'cache-control': 'no-cache',
      'user-agent': 'websites-as-code/1.2.3',
    });
    const isForm = method === 'POST' || method === 'PUT';
    expect(headers['content-type']).toBe(isForm ? 'application/x-www-form-urlencoded' : undefined);
  }
});

test('the client escapes an ID in a URL, so that it stays one path segment', async () => {
  const service = await scripted();
  await connect(service).read('a/b?c#d');
  expect(service.requests.map(({ path }) => path)).toEqual(['/api/v1/websites/a%2Fb%3Fc%23d']);
});

test.each<Partial<Dialect>>([
  {},
  { one: '' },
  { one: 'website' },
  { ids: 'string', numbers: 'string', lineEnd: '\r\n', times: 'micro' },
  { numbers: 'boolean', times: 'offset' },
])('the client reads the same values from responses in the form %j', async (dialect) => {
  const service = await scripted({ dialect });
  const client = connect(service);
  const values = {
    privacy: 1,
    email: true,
    exclude_bots: false,
    exclude_params: ['a', 'b'],
    exclude_ips: ['192.0.2.0/24'],
    favorited_at: '2026-01-31T09:00:00Z',
  };
  const website = { id: '1', domain: 'a.example', settings: values, passwordSet: false };
  expect(await client.create('a.example', values)).toEqual(website);
  expect(await client.read('1')).toEqual(website);
  expect((await client.list()).websites).toEqual([website]);
});

test('the client sends a favorite under the name that records show', async () => {
  const service = await scripted({ dialect: { favorite: 'favorite' }, records: ['a.example'] });
  const client = connect(service);
  await client.list();
  expect(client.traits.wireNames.favorited_at).toBe('favorite');
  expect(await client.update('1', 'a.example', { favorited_at: true })).toMatchObject({
    settings: { favorited_at: true },
  });
  expect(service.requests.at(-1)?.body).toBe('favorite=1');
  await client.update('1', 'a.example', { favorited_at: null });
  expect(service.records()[0]?.favorited_at).toBeNull();
});

test('the setting service.favorite overrides the favorite name that records show', async () => {
  const service = await scripted({ records: ['a.example'] });
  const client = connect(service, { favorite: 'favorite' });
  await client.list();
  await client.update('1', 'a.example', { favorited_at: true });
  expect(service.requests.at(-1)?.body).toBe('favorite=1');
});

test.each(['id', 'empty'] as const)('an update succeeds with the response kind "%s"', async (writeAnswer) => {
  const service = await scripted({ dialect: { writeAnswer }, records: ['a.example'] });
  const client = connect(service);
  const bare = { id: '1', domain: 'a.example', settings: {} };
  expect(await client.update('1', 'a.example', { email: true })).toEqual(bare);
  await client.remove('1', 'a.example');
  expect(service.records()).toEqual([]);
  expect(service.requests).toHaveLength(2);
});

test.each([404, 410])('status %i means that a record is missing and a delete is done', async (status) => {
  const service = await scripted({ faults: () => ({ kind: 'status', status, when: 'before' }) });
  const client = connect(service);
  expect(await client.read('9')).toBeUndefined();
  expect(await client.update('9', 'a.example', { email: true })).toBe('vanished');
  await client.remove('9', 'a.example');
});

test('a response with another ID than the requested one is an error', async () => {
  const body = JSON.stringify({ data: { id: 3, domain: 'c.example' } });
  const service = await scripted({ faults: () => ({ kind: 'status', status: 200, when: 'before', body }) });
  const client = connect(service);
  expect(await client.read('3')).toMatchObject({ domain: 'c.example' });
  expect(await failureOf(client.read('1'))).toMatchObject({
    code: 'answer-invalid',
    message: expect.stringMatching(/ answered 200 with an unexpected value at id: expected 1\.$/),
  });
});

test('the client remembers which fields lists and records show', async () => {
  const service = await scripted({
    dialect: { hiddenInList: ['exclude_ips', 'email'] },
    records: ['a.example'],
  });
  const client = connect(service);
  await client.list();
  expect([...client.traits.listed]).toEqual(['privacy', 'exclude_bots', 'exclude_params', 'favorited_at']);
  await client.update('1', 'a.example', { email: true });
  expect([...client.traits.read]).toEqual([]);
  await client.read('1');
  expect(client.traits.read.has('email')).toBe(true);
});

test.each(['geheim\n', 'ge heim', 'gehe\u0000im', 'geheimß', 'geheim€'])(
  'the API key %j is a usage error that does not repeat the key',
  async (key) => {
    const service = await scripted();
    const make = (): unknown => connect({ ...service, key });
    expect(make).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(make).not.toThrow(/geh?e/);
  },
);

test('an interrupt ends requests that wait for a rate limit', async () => {
  const service = await scripted({ records: ['a.example'] });
  const stop = new AbortController();
  service.faults = () => {
    stop.abort();
    return { kind: 'throttle', seconds: 60, headers: 'laravel' };
  };
  const client = connect(service, { signal: stop.signal });
  expect(await failureOf(client.read('1'))).toMatchObject({
    code: 'interrupted',
    outcome: 'refused',
    sentAt: expect.any(Number),
  });
  expect(await failureOf(client.create('b.example', {}))).toMatchObject({
    code: 'interrupted',
    outcome: 'refused',
  });
  expect(service.requests).toHaveLength(1);
});

test('an interrupt ends the retries of a request even if no rate limit applies', async () => {
  const service = await scripted({ records: ['a.example'] });
  const stop = new AbortController();
  service.faults = () => {
    stop.abort();
    return { kind: 'status', status: 500, when: 'after' };
  };
  const client = connect(service, {
    signal: stop.signal,
    limiter: { enter: async () => 1, leave: () => undefined },
  });
  expect(await failureOf(client.update('1', 'a.example', { email: true }))).toMatchObject({
    code: 'interrupted',
    outcome: 'ended',
  });
  expect(service.requests).toHaveLength(1);
});

test('a write is not retried if the run lock was lost meanwhile', async () => {
  const service = await scripted({ records: ['a.example'] });
  const lost = new ServiceError('lock-lost', 'The lock was lost.', {
    outcome: 'refused',
    blame: 'service',
    attempts: 0,
  });
  const once = (): Permit => {
    let asked = 0;
    return () => (asked++ === 0 ? undefined : Promise.reject(lost));
  };
  const client = connect(service);
  service.faults = () => ({ kind: 'throttle', seconds: 60, headers: 'laravel' });
  expect(await failureOf(client.create('b.example', {}, once()))).toMatchObject({
    code: 'lock-lost',
    message: 'The lock was lost.',
    outcome: 'refused',
  });
  service.faults = () => ({ kind: 'status', status: 500, when: 'after' });
  expect(await failureOf(client.update('1', 'a.example', { email: true }, once()))).toMatchObject({
    code: 'lock-lost',
    outcome: 'ended',
  });
  expect(await failureOf(client.remove('1', 'a.example', once()))).toMatchObject({ code: 'lock-lost' });
  expect(service.requests).toHaveLength(3);
});
