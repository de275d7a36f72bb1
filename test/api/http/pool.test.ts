import { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/api/http/pool.ts';
import type { Answer } from '../../../src/api/http/reader.ts';
import type { Failure } from '../../../src/api/http/reasons.ts';

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');

/** A socket that leads nowhere: what is written is noted, and what arrives is pushed. */
class DeafSocket extends Socket {
  readonly written: string[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written.push(String(chunk));
    done();
  }

  override _read(): void {}
}

/** A pool whose connections are deaf sockets; they open when asked to, in their order. */
function deafPool(size: number) {
  const sockets: DeafSocket[] = [];
  const openings: ((error?: Error) => void)[] = [];
  const pool = createPool(
    {
      connect: (closing) =>
        new Promise((resolve, reject) => {
          openings.push((error) => {
            if (error !== undefined) return reject(error);
            const socket = addAbortSignal(closing, new DeafSocket());
            sockets.push(socket);
            resolve(socket);
          });
        }),
      before: '',
      headers: [],
    },
    size,
  );
  const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    pool,
    sockets,
    attempts: () => openings.length,
    async open(error?: Error) {
      openings.shift()?.(error);
      await settle();
    },
    settle,
  };
}

function send(pool: Pool, text: string): Promise<Answer | Failure> {
  return new Promise((resolve) => pool.send(text, 5000, resolve));
}

test('nothing is written to a connection whose end is known', async () => {
  const { pool, sockets, open } = deafPool(2);
  const first = send(pool, 'one');
  await open();
  sockets[0]?.push(ANSWER);
  expect(await first).toMatchObject({ kind: 'answer', body: '{}' });
  // It has ended, which is told to others a moment later only.
  sockets[0]?.emit('timeout');
  const second = send(pool, 'two');
  await open();
  expect(sockets.map(({ written }) => written)).toEqual([['one'], ['two']]);
  sockets[1]?.push(ANSWER);
  expect(await second).toMatchObject({ kind: 'answer' });
});

test('there are as many attempts at connecting as there are requests to wait for one', async () => {
  const { pool, sockets, attempts, open, settle } = deafPool(3);
  const replies = [1, 2, 3, 4].map((number) => send(pool, String(number)));
  expect(attempts()).toBe(3);
  await open(Object.assign(new Error(), { code: 'ECONNREFUSED' }));
  expect(await replies[0]).toMatchObject({ kind: 'connect', sent: false });
  // In its place one for the fourth.
  expect(attempts()).toBe(3);
  await open();
  await open();
  expect(sockets.map(({ written }) => written)).toEqual([['2'], ['3']]);
  sockets[0]?.push(ANSWER);
  await settle();
  expect(sockets.map(({ written }) => written)).toEqual([['2', '4'], ['3']]);
  // The one that is too many now waits for what comes.
  await open();
  const fifth = send(pool, '5');
  expect(sockets[2]?.written).toEqual(['5']);
  for (const socket of sockets) socket.push(ANSWER);
  expect(await Promise.all([...replies.slice(1), fifth])).toMatchObject(
    Array.from({ length: 4 }, () => ({ kind: 'answer' })),
  );
});

test('a pool that was closed sends nothing any more, and closes what opens late', async () => {
  const { pool, sockets, attempts, open } = deafPool(2);
  const first = send(pool, 'one');
  pool.close();
  expect(await first).toEqual({ kind: 'connect', sent: false, reason: 'the client was closed' });
  await open();
  expect(sockets[0]).toMatchObject({ destroyed: true, written: [] });
  expect(await send(pool, 'two')).toMatchObject({ kind: 'connect', sent: false });
  expect(attempts()).toBe(0);
});
