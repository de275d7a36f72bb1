/**
 * 300 hostile connections from two addresses, with one client: none of its requests is lost, and memory stays
 * bounded. `FLOOD_SECONDS=30` makes it longer.
 */
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { startServe } from '../support/serve.ts';
import { call, PATH } from './http.ts';

const SECONDS = Number(process.env.FLOOD_SECONDS ?? 3);
const CONNECTIONS = 300;
const MAX_MIB = 300;
/** Time until a closed connection is opened again. */
const AGAIN_MS = 1000;

const get = (path: string, ...lines: string[]): string =>
  `${[`GET ${path} HTTP/1.1`, 'Host: a', ...lines].join('\r\n')}\r\n\r\n`;

/** Kinds of attacks on a connection, without an API key. */
const WAYS: readonly ((socket: Socket) => void)[] = [
  // Responses that nobody reads: the most per request, and the most that fit.
  (socket) => socket.pause().write(get('/openapi.json').repeat(16)),
  (socket) => socket.pause().write(get('/openapi.json').repeat(1500)),
  // No request, a request without an end, a body that never comes.
  () => undefined,
  (socket) => {
    socket.write(`GET ${PATH} HTTP/1.1\r\n`);
    const trickle = setInterval(() => socket.write('X: y\r\n'), 200);
    socket.once('close', () => clearInterval(trickle));
  },
  (socket) => socket.write(`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\na`),
  // Requests one after the other, as fast as responses come.
  (socket) =>
    socket
      .on('data', () => socket.write(get(PATH, 'Authorization: Bearer no-such-key-at-all')))
      .write(get('/healthz')),
  (socket) => socket.write('no such thing\r\n\r\n'),
];

/** Attacks until `stop` is called. */
function flood(port: number): { stop(): void } {
  const sockets = new Set<Socket>();
  let isOver = false;
  function attack(index: number): void {
    if (isOver) return;
    // On Linux, every address that begins with 127 is this machine.
    const localAddress = process.platform === 'linux' && index % 2 === 0 ? '127.0.0.2' : '127.0.0.1';
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('connect', () => WAYS[index % WAYS.length]?.(socket));
    socket.on('close', () => {
      sockets.delete(socket);
      setTimeout(() => attack(index), AGAIN_MS);
    });
  }
  for (let index = 0; index < CONNECTIONS; index += 1) attack(index);
  return {
    stop() {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('a client can work while others flood the service', { timeout: 60_000 + 2000 * SECONDS }, async () => {
  const serve = await startServe(await testFolder());
  const key = (await readFile(serve.keyFile, 'utf8')).trim();
  const attackers = flood(Number(new URL(serve.url).port));
  let created = 0;
  let slowest = 0;
  try {
    const end = Date.now() + 1000 * SECONDS;
    await delay(500);
    while (Date.now() < end) {
      const since = Date.now();
      const form = { domain: `site-${created}.example` };
      const { status, body } = await call(serve.url, 'POST', PATH, { key, form });
      expect(status).toBe(201);
      created += 1;
      expect((await call(serve.url, 'GET', `${PATH}/${body.data.id}`, { key })).status).toBe(200);
      expect((await call(serve.url, 'GET', '/healthz')).status).toBe(200);
      slowest = Math.max(slowest, Date.now() - since);
    }
  } finally {
    attackers.stop();
  }
  const { body } = await call(serve.url, 'GET', PATH, { key });
  expect(body.meta.total).toBe(created);
  expect(created).toBeGreaterThan(0);
  const peak = process.platform === 'linux' ? serve.peakMib() : 0;
  const seen = { seconds: SECONDS, created, slowest_ms: slowest, peak_mib: Math.round(peak) };
  process.stdout.write(`${JSON.stringify(seen)}\n`);
  expect(peak).toBeLessThan(MAX_MIB);
});
