import { createServer, type Socket } from 'node:net';
import * as tls from 'node:tls';
import { expect, test } from 'vitest';
import type { Transport, TransportOptions } from '../../../src/client/http/transport.ts';
import { listen } from '../../support/listen.ts';
import { KEY } from '../../support/scripted/certificate.ts';
import { CERTIFICATE } from '../../support/scripted-service.ts';
import { openTransport } from '../support.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';

function get(transport: Transport, origin: string, timeoutMs = 5000) {
  const headers = ['authorization', 'Bearer scripted-key'];
  return transport.send({ method: 'GET', to: { origin, path: '/' }, headers, body: undefined, timeoutMs });
}

/** A server that calls `onSocket` for each connection, and keeps the open ones. */
async function meet(onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    onSocket(socket);
  });
  return { port: await listen(server), sockets };
}

test.each<[string, (port: number) => Partial<TransportOptions>]>([
  ['to a service', () => ({})],
  ['through a proxy', (port) => ({ environment: { HTTPS_PROXY: `http://127.0.0.1:${port}` } })],
])('a connection attempt %s ends when the transport is closed', async (_where, options) => {
  const silent = await meet((socket) => socket.resume());
  const transport = openTransport(options(silent.port));
  const reply = await get(transport, `https://service.test:${silent.port}`, 200);
  expect(reply).toMatchObject({ kind: 'timeout', sent: false });
  await expect.poll(() => silent.sockets.size).toBe(1);
  transport.close();
  await expect.poll(() => silent.sockets.size).toBe(0);
});

test.each<[string, (socket: Socket) => void]>([
  ['at once', (socket) => socket.end()],
  ['during the handshake', (socket) => socket.once('data', () => socket.end())],
])('a connection that ends %s makes room for another', async (_when, onSocket) => {
  const { port } = await meet(onSocket);
  const transport = openTransport({ ca: CERTIFICATE });
  for (let round = 0; round < 3; round += 1) {
    expect(await get(transport, `https://service.test:${port}`)).toMatchObject({
      kind: 'connect',
      sent: false,
      reason: 'the connection broke (ECONNRESET)',
    });
  }
});

test('a tunnel that ends as it opens makes room for another connection', async () => {
  const proxy = await meet((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n')));
  const transport = openTransport({ environment: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` } });
  for (let round = 0; round < 20; round += 1) {
    expect(await get(transport, 'https://service.test')).toMatchObject({
      kind: 'connect',
      sent: false,
      reason: expect.not.stringContaining('no response'),
    });
  }
});

test('a timeout of a proxy tunnel names the proxy', async () => {
  const { port } = await meet(() => undefined);
  const environment = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
  const transport = openTransport({ environment, connectTimeoutMs: 20 });
  expect(await get(transport, 'https://service.test')).toMatchObject({
    sent: false,
    reason: `the proxy 127.0.0.1:${port} failed: not connected within 20 ms`,
  });
});

// Services that share an address need the server name.
test('a TLS connection requests the name of the service and HTTP/1.1', async () => {
  const asked: unknown[] = [];
  const options = { key: KEY, cert: CERTIFICATE, ALPNProtocols: ['http/1.1'] };
  const server = tls.createServer(options, (socket) => {
    asked.push([socket.servername, socket.alpnProtocol]);
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.end(ANSWER));
  });
  const reply = await get(openTransport({ ca: CERTIFICATE }), `https://service.test:${await listen(server)}`);
  expect([reply.kind, asked]).toEqual(['answer', [['service.test', 'http/1.1']]]);
});

test('a service without a common cipher is reported as a handshake failure', async () => {
  const options = { cert: CERTIFICATE, key: KEY, maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' } as const;
  const port = await listen(tls.createServer(options));
  expect(await get(openTransport(), `https://service.test:${port}`)).toEqual({
    kind: 'tls',
    sent: false,
    reason: expect.stringMatching(/^[\w /]*handshake failure \(ERR_SSL_\w+\)$/),
  });
});
