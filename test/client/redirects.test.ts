/** Two hosts of one service, and the hosts that get the key (decision: "The API key goes to one place"). */
import { expect, test } from 'vitest';
import {
  CERTIFICATE,
  type Dialect,
  lookup,
  type ScriptedService,
  scripted,
} from '../support/scripted-service.ts';
import { connect, failureOf } from './support.ts';

type Redirect = NonNullable<Dialect['redirect']>;

/** Redirects requests for `from` to `to`, on the same port. */
function from(origin: string, to: string, status: number): (port: () => number) => Redirect {
  return (port) => (request) => {
    const [scheme, host] = origin.split('://');
    if (request.scheme !== scheme || request.host !== `${host}:${port()}`) return undefined;
    return { status, location: `${to}:${port()}${request.target}` };
  };
}

async function redirecting(rule: (port: () => number) => Redirect): Promise<ScriptedService> {
  const service: ScriptedService = await scripted({
    records: ['a.example', 'b.example'],
    dialect: { redirect: (request) => rule(() => service.port)(request) },
  });
  return service;
}

function connectAs(service: ScriptedService, origin: string) {
  return connect({ ...service, url: `${origin}:${service.port}` }, { connect: { lookup, ca: CERTIFICATE } });
}

const PLAIN = 'http://service.test';
const WWW = 'http://www.service.test';
const SECURE = 'https://service.test';

const ways: [string, string][] = [
  [PLAIN, WWW],
  [WWW, PLAIN],
  [PLAIN, SECURE],
  [PLAIN, 'https://www.service.test'],
];
const statuses = [301, 302, 303, 307, 308];

test.each(ways.flatMap(([a, b]) => statuses.map((status) => [a, b, status] as const)))(
  'redirects %s → %s (%i) keep method, body and key',
  async (a, b, status) => {
    const service = await redirecting(from(a, b, status));
    const client = connectAs(service, a);
    if (status !== 303) await client.create('c.example', { email: true });
    else await client.list();
    await client.update('1', 'a.example', { email: true });
    await client.remove('2', 'b.example');
    expect(service.records()).toMatchObject([
      { domain: 'a.example', email: 1 },
      ...(status === 303 ? [] : [{ domain: 'c.example', email: 1 }]),
    ]);
    expect(client.seen.redirects).toEqual([
      { status, from: `${a}:${service.port}`, to: `${b}:${service.port}` },
    ]);
    // Later requests go to the new host directly.
    expect(service.requests).toHaveLength(4);
    expect(client.seen.baseUrl).toBe(`${b}:${service.port}`);
  },
);

test('several redirects in a row are followed', async () => {
  const service = await redirecting((port) => (request) => {
    const to =
      request.scheme === 'http'
        ? request.host.startsWith('www.')
          ? 'https://www.service.test'
          : WWW
        : undefined;
    return to === undefined ? undefined : { status: 301, location: `${to}:${port()}${request.target}` };
  });
  const client = connectAs(service, PLAIN);
  expect(await client.list()).toMatchObject({ complete: true });
  expect(client.seen.redirects).toHaveLength(2);
});

test('a redirect loop ends after four requests', async () => {
  const service = await redirecting((port) => (request) => ({
    status: 302,
    location: `${request.host.startsWith('www.') ? PLAIN : WWW}:${port()}${request.target}`,
  }));
  const error = await failureOf(connectAs(service, PLAIN).list());
  expect(error).toMatchObject({ code: 'redirect-refused' });
  expect(service.requests).toHaveLength(4);
});

test.each([
  ['another host', (port: number) => `http://other.test:${port}/api/v1/websites`],
  ['another port', (port: number) => `http://service.test:${port}/api/v1/websites`],
  ['another path', () => '/api/v2/websites?per_page=100&sort_by=id&sort=desc'],
  ['its path without the query', () => '/api/v1/websites'],
  ['a longer query', () => '/api/v1/websites?per_page=100&sort_by=id&sort=desc&key=1'],
  ['an invalid URL', () => 'http://['],
])('a redirect to %s is an error, and the API key is not sent there', async (_what, location) => {
  const other = await scripted();
  const service = await redirecting(
    () => (request) =>
      request.method === 'GET' ? { status: 302, location: location(other.port) } : undefined,
  );
  const error = await failureOf(connectAs(service, PLAIN).list());
  expect(error).toMatchObject({ code: 'redirect-refused', outcome: 'refused', exit: 1 });
  expect(error.message).toContain('the API key was not sent there');
  expect(other.requests).toEqual([]);
  expect(service.requests).toHaveLength(1);
});

test('a redirect of a write to another path leaves the outcome unknown', async () => {
  const service = await redirecting(() => () => ({ status: 302, location: '/somewhere' }));
  const client = connectAs(service, PLAIN);
  expect(await failureOf(client.create('c.example', {}))).toMatchObject({
    code: 'redirect-refused',
    outcome: 'ended',
  });
  expect(await failureOf(client.update('1', 'a.example', {}))).toMatchObject({ outcome: 'ended' });
});

test('a write is not sent again after a 303 to its own URL', async () => {
  const service = await redirecting(() => ({ target, method }) => {
    return method === 'GET' ? undefined : { status: 303, location: target };
  });
  const client = connectAs(service, PLAIN);
  for (const write of [client.update('1', 'a.example', { email: true }), client.remove('2', 'b.example')]) {
    expect(await failureOf(write)).toMatchObject({ status: 303, outcome: 'unknown', attempts: 1 });
  }
  expect(service.requests.map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
});

test('a redirect to a login page means that the key was rejected', async () => {
  const service = await scripted({ dialect: { unauthorised: 'login' } });
  const client = connect({ ...service, key: 'another' });
  for (const operation of [client.list(), client.create('a.example', {}), client.remove('1', 'a.example')]) {
    const error = await failureOf(operation);
    expect(error).toMatchObject({ code: 'key-refused', exit: 3, outcome: 'refused', blame: 'service' });
    expect(error.message).toContain('/login');
  }
  expect(service.requests.map(({ path }) => path)).toEqual([
    '/api/v1/websites',
    '/api/v1/websites',
    '/api/v1/websites/1',
  ]);
});
