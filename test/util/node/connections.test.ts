import { once } from 'node:events';
import { createServer, get, IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { boundConnections, type ConnectionLimits } from '../../../src/util/node/connections.ts';
import { listen } from '../../support/listen.ts';

/** A server that answers `/` at once and leaves other requests to the test. */
async function serve(limits: Partial<ConnectionLimits> = {}) {
  const waiting: ServerResponse[] = [];
  const ended: string[] = [];
  let handled = 0;
  let made = 0;
  class Counted extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      made += 1;
    }
  }
  const server = createServer({ IncomingMessage: Counted }, (request, response) => {
    handled += 1;
    if (request.url === '/') response.end('here');
    else waiting.push(response);
  });
  boundConnections(server, { connections: 8, pipelined: 3, ...limits }, (_, reason) => ended.push(reason));
  const port = await listen(server);
  const dial = async (from = '127.0.0.1', text = ''): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    return socket;
  };
  const ask = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent: false }, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      );
    });
  return { waiting, ended, dial, ask, handled: () => handled, made: () => made };
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

test.each([
  ['are idle', ''],
  ['are half sent', 'GET / HTTP/1.1\r\nHos'],
  ['wait for a body', 'POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na'],
  ['have had their answer', request('/')],
])('connections that %s give their places up, the silent ones first', async (_, text) => {
  const { dial, ask, ended } = await serve();
  const held: Socket[] = [];
  for (let count = 0; count < 4; count += 1) {
    held.push((await dial('127.0.0.1', text)).resume());
    await delay(10);
  }
  expect(await ask()).toBe(200);
  await expect.poll(() => held.map(({ closed }) => closed)).toEqual([true, false, false, false]);
  expect(ended).toEqual([]);
});

test('a connection whose request is worked on is kept, and the newcomer turned away', async () => {
  const { dial, ask, ended, waiting } = await serve();
  const held = [];
  for (let count = 0; count < 4; count += 1) held.push(await dial('127.0.0.1', request('/slow')));
  await expect.poll(() => waiting.length).toBe(4);
  await expect(ask()).rejects.toThrow();
  expect(ended).toEqual(['not taken: 4 connections are open']);
  for (const response of waiting) response.end('done');
  for (const socket of held) expect(String(await once(socket, 'data'))).toContain('done');
  expect(await ask()).toBe(200);
});

test.runIf(process.platform === 'linux')('one address leaves half of the places to others', async () => {
  const { dial, ask } = await serve();
  const [near, far] = [await dial(), await dial('127.0.0.2')];
  for (let count = 0; count < 9; count += 1) await dial('127.0.0.2');
  await expect.poll(() => far.closed).toBe(true);
  expect(near.closed).toBe(false);
  for (const last of [3, 4, 5]) for (let count = 0; count < 4; count += 1) await dial(`127.0.0.${last}`);
  expect(await ask()).toBe(200);
});

test('a connection with more requests than may wait is ended, and the rest of them not even made', async () => {
  const { dial, ended, handled, made } = await serve();
  const socket = await dial('127.0.0.1', request('/slow').repeat(100));
  await once(socket, 'close');
  expect(ended).toEqual(['ended: 3 requests are not answered']);
  expect(handled()).toBe(3);
  expect(made()).toBeLessThanOrEqual(5);
});

test('so many requests after each other, or at once, are answered', async () => {
  const { dial, handled } = await serve();
  const socket = await dial('127.0.0.1', request('/').repeat(3));
  for (let count = 0; count < 5; count += 1) {
    await once(socket, 'data');
    socket.write(request('/'));
  }
  await expect.poll(handled).toBe(8);
  expect(socket.closed).toBe(false);
});
