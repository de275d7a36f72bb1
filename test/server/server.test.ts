import { once } from 'node:events';
import { copyFile, readdir, rename } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import Database from 'libsql';
import { afterEach, expect, test } from 'vitest';
import type { LogEntry } from '../../src/server/log.ts';
import { startService } from '../../src/server/server.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call, converse, PATH } from './http.ts';

const open: TestService[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service.close()));
});

async function start(...options: Parameters<typeof startTestService>): Promise<TestService> {
  const service = await startTestService(...options);
  open.push(service);
  return service;
}

/** The head of a create request, without the empty line that ends it. */
function headOf({ key }: TestService, form: string): string {
  const lines = [
    `POST ${PATH} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${form.length}`,
  ];
  return lines.join('\r\n');
}

/** Sends a create without its last byte, and waits until the service has begun to read it. */
async function beginCreate(service: TestService, domain: string) {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const form = `domain=${domain}`;
  socket.write(`${headOf(service, form)}\r\nExpect: 100-continue\r\n\r\n${form.slice(0, -1)}`);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'data');
  return {
    finish: async (): Promise<string> => {
      socket.write(form.slice(-1));
      await once(socket, 'close');
      return answer;
    },
  };
}

test('a closing service finishes requests in flight, then closes their connections', async () => {
  const service = await start();
  const create = await beginCreate(service, 'late.example');
  const closed = service.store;
  const closing = service.close();
  const answer = await create.finish();
  expect(answer).toMatch(/HTTP\/1\.1 201 Created/);
  expect(answer).toMatch(/connection: close/i);
  await closing;
  await expect(closed.read(1)).rejects.toThrow();
});

test('a closing service closes idle connections at once, and accepts no new ones', async () => {
  const service = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const [response] = await once(
    get(`${service.url}${PATH}`, { agent, headers: { authorization: `Bearer ${service.key}` } }),
    'response',
  );
  response.resume();
  await once(response, 'end');
  await service.close();
  await expect(call(service.url, 'GET', PATH, { key: service.key })).rejects.toThrow('ECONNREFUSED');
  agent.destroy();
});

test('a closing service ends connections that have sent nothing', { timeout: 5000, retry: 5 }, async () => {
  const service = await start();
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  // After this answer, everything sent before has arrived.
  await call(service.url, 'GET', '/healthz');
  const ended = once(socket, 'close');
  await service.close();
  await ended;
});

test('a closing service does not wait forever for an incomplete request', async () => {
  const service = await start({ limits: { drain: 100 } });
  await beginCreate(service, 'never.example');
  await service.close();
});

test('a closing service answers 503 for /readyz on an earlier connection', async () => {
  const service = await start();
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n');
  // After this answer, everything sent before has arrived.
  await call(service.url, 'GET', '/healthz');
  const closing = service.close();
  socket.write('\r\n');
  await once(socket, 'close');
  await closing;
  expect(answer).toMatch(/^HTTP\/1\.1 503 .*"status":"closing"/s);
});

test('the service can be closed twice', async () => {
  const service = await start();
  await Promise.all([service.close(), service.close()]);
});

test('starting the service on a port in use creates no database and no key', async () => {
  const service = await start();
  const cwd = await testFolder();
  const ended = await runInProcess(['serve', '--port', new URL(service.url).port], cwd, {});
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('explain address-in-use') });
  expect(await readdir(cwd)).toEqual([]);
});

test('starting the service on a port in use is an error with a remedy', async () => {
  const service = await start();
  const port = Number(new URL(service.url).port);
  await expect(startService({ db: service.db, port, key: service.key })).rejects.toMatchObject({
    code: 'address-in-use',
    message: `Port ${port} of 127.0.0.1 is in use by another program.`,
    remedy: expect.stringContaining('--port'),
  });
  const { status } = await call(service.url, 'GET', PATH, { key: service.key });
  expect(status).toBe(200);
});

test.each([['192.0.2.1'], ['no-such-host.invalid']])('serving on the host %s is an error', async (host) => {
  await expect(start({ host })).rejects.toMatchObject({ code: 'usage', remedy: expect.any(String) });
});

const ipv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

// Fastify alone would listen on two addresses of localhost.
test.each<[string, string]>([
  ['0.0.0.0', '127.0.0.1'],
  ['localhost', '127.0.0.1'],
  ...(ipv6 ? [['::1', '[::1]'] as [string, string]] : []),
])('the service on the host %s can be reached at %s', async (host, hostname) => {
  const service = await start({ host });
  expect(new URL(service.url).hostname).toBe(hostname);
  expect((await call(service.url, 'GET', PATH, { key: service.key })).status).toBe(200);
});

test('the service closes a connection with too many pipelined requests', async () => {
  const entries: LogEntry[] = [];
  const service = await start({ limits: { pipelined: 2 }, log: (entry) => entries.push(entry) });
  const healthz = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
  expect(await converse(service.url, healthz.repeat(3))).toBe('');
  await expect.poll(() => entries.map(({ status }) => status)).toEqual([499, 499, 499]);
  expect((await call(service.url, 'GET', PATH, { key: service.key })).status).toBe(200);
});

test('the service keeps a connection alive and states for how long', async () => {
  const service = await start({ limits: { idle: 9000 } });
  const agent = new Agent({ keepAlive: true });
  const [response] = await once(get(`${service.url}/healthz`, { agent }), 'response');
  response.resume();
  expect([response.headers.connection, response.headers['keep-alive']]).toEqual(['keep-alive', 'timeout=9']);
  agent.destroy();
});

test('the service closes a connection that is idle for too long', async () => {
  const service = await start({ limits: { idle: 50 } });
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
});

test.each([
  ['removed', async (db: string) => rename(db, `${db}.away`)],
  ['replaced', async (db: string) => copyFile(db, `${db}.copy`).then(() => rename(`${db}.copy`, db))],
])('if the database was %s, the service answers 503 to health checks and writes', async (_, act) => {
  const entries: LogEntry[] = [];
  const service = await start({ log: (entry) => entries.push(entry) });
  await act(service.db);
  expect((await call(service.url, 'GET', '/healthz')).status).toBe(503);
  const form = { domain: 'lost.example' };
  expect((await call(service.url, 'POST', PATH, { key: service.key, form })).status).toBe(503);
  expect((await call(service.url, 'GET', PATH, { key: service.key })).body.data).toEqual([]);
  expect(entries.filter(({ level }) => level === 'error')).toHaveLength(2);
});

test('the service can read but not write while another process locks the database', async () => {
  const service = await start({ limits: { busy: 50 } });
  const form = { domain: 'busy.example' };
  const create = () => call(service.url, 'POST', PATH, { key: service.key, form });
  const other = new Database(service.db, { timeout: 1000 });
  other.exec('BEGIN IMMEDIATE');
  const refused = await create();
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
  expect((await call(service.url, 'GET', PATH, { key: service.key })).body.data).toEqual([]);
  other.exec('ROLLBACK');
  other.close();
  expect((await create()).status).toBe(201);
});
