import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { Transport, TransportOptions } from '../../../src/client/http/transport.ts';
import { listen } from '../../support/listen.ts';
import { CERTIFICATE, type Fault, type ScriptedService, scripted } from '../../support/scripted-service.ts';
import { openTransport } from '../support.ts';

const open = (options: Partial<TransportOptions> = {}) => openTransport({ connections: 2, ...options });

function get(
  transport: Transport,
  service: Pick<ScriptedService, 'url'>,
  timeoutMs = 5000,
  onSent?: () => void,
) {
  const headers = ['authorization', 'Bearer scripted-key', 'accept', 'application/json'];
  const to = { origin: new URL(service.url).origin, path: '/api/v1/websites' };
  return transport.send({ method: 'GET', to, headers, body: undefined, timeoutMs, onSent });
}

/** A server that sends `bytes` on every connection; `end` closes it after that. */
async function sayer(bytes: string, end: boolean): Promise<{ readonly url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => (end ? socket.end(bytes) : socket.write(bytes)));
  });
  return { url: `http://127.0.0.1:${await listen(server)}` };
}

test.each(['http', 'https'])('connections over %s are reused, and limited in number', async (scheme) => {
  const service = await scripted();
  const transport = open({ ca: CERTIFICATE });
  const url = `${scheme}://service.test:${service.port}`;
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 6 }, () => get(transport, { url })));
  }
  expect(service.requests).toHaveLength(18);
  expect(service.connections().peak).toBe(2);
});

/** A server that sends one of `sayings` for each request, in turn, and counts connections. */
async function teller(...sayings: string[]) {
  let connections = 0;
  let latest: Socket | undefined;
  const server = createServer((socket) => {
    connections += 1;
    latest = socket;
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.write(sayings.shift() ?? ''));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  /** Sends on the latest connection, and waits for the arrival. */
  async function say(text: string): Promise<void> {
    latest?.write(text);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { url, connections: () => connections, isOpen: () => latest?.destroyed === false, say };
}

const answerOf = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test('a connection with two responses to one request is not reused', async () => {
  const server = await teller(answerOf('1') + answerOf('stray'), answerOf('2'));
  const transport = open();
  expect(await get(transport, server)).toMatchObject({ body: '1' });
  expect(await get(transport, server)).toMatchObject({ body: '2' });
  expect(server.connections()).toBe(2);
});

test('a connection with an unexpected response is not reused', async () => {
  const server = await teller(answerOf('1'), answerOf('2'));
  const transport = open();
  expect(await get(transport, server)).toMatchObject({ body: '1' });
  await server.say(answerOf('stray'));
  expect(await get(transport, server)).toMatchObject({ body: '2' });
  expect(server.connections()).toBe(2);
});

test('an idle connection is closed within 10 seconds, even if Keep-Alive allows more', async () => {
  const last = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nKeep-Alive: timeout=60\r\n\r\n1';
  const servers = await Promise.all([teller(answerOf('1')), teller(last)]);
  const transport = open();
  for (const server of servers) await get(transport, server);
  const since = performance.now();
  await expect.poll(() => servers.map(({ isOpen }) => isOpen()), { timeout: 10_000 }).toEqual([false, false]);
  expect(performance.now() - since).toBeGreaterThan(3000);
});

test('a request waits for a free connection, and is not sent after its time limit', async () => {
  let fault: Fault | undefined = { kind: 'hang', when: 'before' };
  const service = await scripted({ faults: () => fault });
  const transport = open({ connections: 1 });
  const sent: string[] = [];
  const first = get(transport, service, 600, () => sent.push('first'));
  const second = await get(transport, service, 200, () => sent.push('second'));
  expect(second).toEqual({ kind: 'timeout', sent: false, reason: 'no response arrived within 200 ms' });
  expect(await first).toMatchObject({ kind: 'timeout', sent: true });
  fault = undefined;
  expect(await get(transport, service, 5000, () => sent.push('third'))).toMatchObject({ status: 200 });
  expect([sent, service.requests.length]).toEqual([['first', 'third'], 2]);
});

const last = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 1\r\n\r\n1';

test('a connection is not reused shortly before the service closes it', async () => {
  const server = await teller(last, answerOf('2'));
  const transport = open({ connections: 1 });
  expect(await get(transport, server)).toMatchObject({ body: '1' });
  await new Promise((resolve) => setTimeout(resolve, 950));
  expect(await get(transport, server)).toMatchObject({ body: '2' });
  expect(server.connections()).toBe(2);
});

test('a connection that opens too late for one request serves the next', async () => {
  const server = await teller(answerOf('1'));
  let connect = (): void => {};
  const slow = open({
    lookup: (_host, _options, done) => {
      connect = () => done(null, [{ address: '127.0.0.1', family: 4 }]);
    },
  });
  const url = server.url.replace('127.0.0.1', 'slow.test');
  expect(await get(slow, { url }, 100)).toMatchObject({ kind: 'timeout', sent: false });
  connect();
  await expect.poll(() => server.connections()).toBe(1);
  expect(await get(slow, { url })).toMatchObject({ body: '1' });
  expect(server.connections()).toBe(1);
});

test('closing the transport breaks a request in flight, and closes its connection', async () => {
  const service = await scripted({ faults: () => ({ kind: 'hang', when: 'before' }) });
  const transport = open({ connections: 1 });
  const reply = get(transport, service);
  await expect.poll(() => service.requests.length).toBe(1);
  transport.close();
  expect(await reply).toMatchObject({ kind: 'broken', sent: true });
  expect(await get(transport, service)).toMatchObject({ kind: 'connect', sent: false });
});

test('a request right before the transport is closed is not sent', async () => {
  const service = await scripted();
  const transport = open();
  const reply = get(transport, service);
  transport.close();
  expect(await reply).toMatchObject({ kind: 'connect', sent: false, reason: 'the client was closed' });
  expect(service.requests).toEqual([]);
});

test.each<[string, readonly string[], string]>([
  ['a header', ['x', 'y\r\nHost: other.example'], '/'],
  ['a path', [], '/a HTTP/1.1\r\n\r\nDELETE /b'],
])('a request with a line break in %s is not sent', async (_what, headers, path) => {
  const service = await scripted();
  const to = { origin: new URL(service.url).origin, path };
  const sent = async () => open().send({ method: 'GET', to, headers, body: undefined, timeoutMs: 1000 });
  await expect(sent()).rejects.toMatchObject({ code: 'UND_ERR_INVALID_ARG' });
  expect(service.requests).toEqual([]);
});

test('a connection that does not open in time is reported as a timeout', async () => {
  const transport = open({ lookup: () => {}, connectTimeoutMs: 300 });
  const failure = await get(transport, { url: 'http://silent.test' });
  expect(failure).toEqual({ kind: 'timeout', sent: false, reason: 'not connected within 300 ms' });
});

test('a request to a service with an untrusted certificate is not sent', async () => {
  const service = await scripted();
  const failure = await get(open(), { url: `https://service.test:${service.port}` });
  expect(failure).toMatchObject({ kind: 'tls', sent: false });
  expect(service.requests).toEqual([]);
});

test('a request to a service with a certificate for another host is not sent', async () => {
  const service = await scripted();
  const failure = await get(open({ ca: CERTIFICATE }), { url: `https://other.test:${service.port}` });
  expect(failure).toMatchObject({ kind: 'tls', sent: false });
  expect(service.requests).toEqual([]);
});

test('an https request to a port without TLS is an error that names TLS', async () => {
  const server = await sayer('HTTP/1.1 400 Bad Request\r\n\r\n', true);
  const failure = await get(open(), { url: server.url.replace('http:', 'https:') });
  expect(failure).toEqual({
    kind: 'tls',
    sent: false,
    reason: 'the server does not use TLS (ERR_SSL_WRONG_VERSION_NUMBER)',
  });
});

test('a response over the size limit is reported as too large', async () => {
  const server = await sayer(`HTTP/1.1 200 OK\r\n\r\n${' '.repeat(17 * 1024 ** 2)}`, true);
  const reply = await get(open(), server, 100_000);
  expect(reply).toMatchObject({ kind: 'too-large', sent: true, status: 200 });
});
