import { createServer, type LookupFunction, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from '../../support/listen.ts';
import { openTransport } from '../support.ts';

const ANSWER = 'HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}';
const CONNECTIONS = 3;

const chance = (share: number): boolean => Math.random() < share;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A server that ends connections at any time. It counts each request, and the most connections at once. */
async function moody() {
  const came = new Map<string, number>();
  let atWork = 0;
  let most = 0;
  async function serve(socket: Socket): Promise<void> {
    atWork += 1;
    most = Math.max(most, atWork);
    await pause(Math.random() * 4);
    atWork -= 1;
    if (chance(0.1)) return void socket.destroy();
    if (chance(0.1)) return void socket.end(ANSWER.slice(0, Math.random() * ANSWER.length));
    socket.write(ANSWER);
    if (chance(0.1)) return void socket.end();
    if (chance(0.1)) socket.resetAndDestroy();
  }
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (chance(0.1)) return void socket.destroy();
    socket.on('data', (bytes) => {
      for (const [, id = ''] of String(bytes).matchAll(/^POST \/(\d+) /gm))
        came.set(id, (came.get(id) ?? 0) + 1);
      void serve(socket);
    });
  });
  return { port: await listen(server), came, most: () => most };
}

const lookup: LookupFunction = (_host, _options, done) => {
  const gone = Object.assign(new Error(), { code: 'ENOTFOUND' });
  setTimeout(() => {
    if (chance(0.2)) done(gone, '');
    else done(null, [{ address: '127.0.0.1', family: 4 }]);
  }, Math.random() * 4);
};

test('requests reported as unsent never arrive, none arrives twice, and connections stay limited', async () => {
  const server = await moody();
  const transport = openTransport({ connections: CONNECTIONS, lookup });
  const origin = `http://moody.test:${server.port}`;
  const unsent: string[] = [];
  const told = new Map<string, number>();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < 1000) {
      const id = String(next++);
      let isSent = false;
      const onSent = (): void => {
        isSent = true;
      };
      const to = { origin, path: `/${id}` };
      const request = { method: 'POST', to, headers: [], body: 'a=1', timeoutMs: 30_000, onSent } as const;
      const reply = await transport.send(request);
      const how = reply.kind === 'answer' ? 'answer' : `${reply.kind}, ${reply.sent ? 'sent' : 'unsent'}`;
      told.set(how, (told.get(how) ?? 0) + 1);
      expect(reply.kind === 'answer' || reply.sent).toBe(isSent);
      if (!isSent) unsent.push(id);
    }
  };
  await Promise.all(Array.from({ length: 4 * CONNECTIONS }, work));
  expect([...told.keys()].sort()).toEqual(['answer', 'broken, sent', 'connect, unsent']);
  expect(unsent.filter((id) => server.came.has(id))).toEqual([]);
  expect([...server.came].filter(([, times]) => times > 1)).toEqual([]);
  expect(server.most()).toBeLessThanOrEqual(CONNECTIONS);
});
