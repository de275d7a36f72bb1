import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { NoAnswer } from '../../../src/client/http/network-errors.ts';
import type { Answer } from '../../../src/client/http/transport.ts';
import { listen } from '../../support/listen.ts';
import { openTransport } from '../support.ts';

/** The result of a request to a server that sends `text`, in Latin-1, in parts of `size` bytes. */
async function ask(text: string, size = text.length): Promise<Answer | NoAnswer> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', async () => {
      for (let from = 0; from < text.length && !socket.destroyed; from += size) {
        socket.write(text.slice(from, from + size), 'latin1');
        if (size < text.length) await new Promise((resolve) => setImmediate(resolve));
      }
      socket.end();
    });
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const to = { origin, path: '/' };
  return openTransport().send({ method: 'POST', to, headers: [], body: 'a=1', timeoutMs: 30_000 });
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n`;
const CLOSING = `${OK}Connection: close\r\n`;

test.each([
  ['with a length', `${OK}Content-Length: 2\r\n\r\n{}`],
  [
    'after interim responses',
    `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n${OK}Content-Length: 2\r\n\r\n{}`,
  ],
  ['with a byte order mark', `${OK}Content-Length: 5\r\n\r\n\xef\xbb\xbf{}`],
])('a response %s is read, in chunks of any size', async (_how, text) => {
  for (const size of [text.length, 1, 7]) {
    expect(await ask(text, size)).toMatchObject({ kind: 'answer', status: 200, body: '{}', isUtf8: true });
  }
});

test('response headers have lower-case names, and repeated ones are joined', async () => {
  const headers = [
    'X-One: a',
    'RateLimit: "a";r=1',
    'ratelimit: "b";r=2',
    'Retry-After: 1',
    'Retry-After: 2',
    'Location: /a',
    'Location: /b',
    'X-Latin: \xfc',
    '__proto__: x',
  ];
  const { headers: read } = (await ask(`HTTP/1.1 204 No\r\n${headers.join('\r\n')}\r\n\r\n`)) as Answer;
  expect(Object.entries(read)).toEqual([
    ['x-one', 'a'],
    ['ratelimit', '"a";r=1, "b";r=2'],
    ['retry-after', '1'],
    ['location', '/a'],
    ['x-latin', '\xfc'],
    ['__proto__', 'x'],
  ]);
});

test.each([
  ['has invalid bytes', `${OK}Content-Length: 2\r\n\r\n\xfc}`],
  [
    'is compressed on the way',
    `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n4\r\n\x1f\x8b\x08\x00\r\n0\r\n\r\n`,
  ],
])('a response that %s is reported as not UTF-8', async (_what, text) => {
  expect(await ask(text)).toMatchObject({ kind: 'answer', isUtf8: false });
});

test.each([
  ['another protocol', '220 mail.example ESMTP\r\n'],
  ['two lengths', `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}`],
  ['an endless head', `${OK}X: ${'x'.repeat(80 * 1024)}`],
])('a response that is not HTTP counts as sent and broken: %s', async (_what, text) => {
  expect(await ask(text)).toMatchObject({
    kind: 'broken',
    sent: true,
    reason: expect.stringMatching(/^the response is not HTTP: ./),
  });
});

test.each([
  ['before its length', `${OK}Content-Length: 3\r\n\r\n{}`],
  ['before its last chunk', `${CHUNKED}\r\n2\r\n{}\r\n`],
  [
    'before its last chunk, on a connection that closes',
    `${CLOSING}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`,
  ],
])('a response that ends %s is reported as cut off, with its status', async (_where, text) => {
  const reason = 'the response was cut off';
  expect(await ask(text)).toMatchObject({ kind: 'broken', sent: true, status: 200, reason });
});

test.each([
  ['before a response', ''],
  ['inside the status line', 'HTTP/1.1 2'],
  ['inside the headers', `${OK}X-A: b`],
])('a connection that breaks %s is reported as broken', async (_where, text) => {
  const reason = 'the connection broke';
  expect(await ask(text)).toEqual({ kind: 'broken', sent: true, reason });
});

const text = JSON.stringify({ data: ['x'.repeat(5000), 'é'] });
const CODED: readonly [coding: string, bytes: Buffer][] = [
  ['gzip', gzipSync(text)],
  ['x-gzip', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['br', brotliCompressSync(text)],
  ['identity', Buffer.from(text)],
];
const coded = (status: string, coding: string, bytes: Buffer): string =>
  `HTTP/1.1 ${status}\r\nContent-Encoding: ${coding}\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes.toString('latin1')}`;

test.each(CODED)('a response with the encoding %s is read', async (coding, bytes) => {
  expect(await ask(coded('200 OK', coding, bytes))).toMatchObject({
    kind: 'answer',
    body: text,
    isUtf8: true,
  });
});

test.each([
  ['in an unknown encoding', coded('200 OK', 'zstd', Buffer.from('x')), 'broken', 'zstd'],
  ['that is cut off', coded('200 OK', 'gzip', gzipSync(text).subarray(0, 20)), 'broken', 'gzip'],
  [
    'that expands to more than 8 MiB',
    coded('200 OK', 'gzip', gzipSync(Buffer.alloc(32 * 1024 ** 2))),
    'too-large',
    'larger than 8 MiB',
  ],
])('a compressed response %s is an error with its reason', async (_how, answer, kind, reason) => {
  expect(await ask(answer)).toMatchObject({
    kind,
    sent: true,
    reason: expect.stringContaining(reason),
    status: 200,
  });
});

test('only the first 64 KiB of a compressed error response are read', async () => {
  const bytes = gzipSync('why '.repeat(50_000));
  const reply = await ask(coded('500 No', 'gzip', bytes));
  expect(reply).toMatchObject({ kind: 'answer', status: 500, body: 'why '.repeat(16_384) });
});

test('only the first 64 KiB of an error response are read', async () => {
  const reply = await ask(`HTTP/1.1 422 No\r\n\r\n${'why '.repeat(100_000)}`);
  expect(reply).toMatchObject({ kind: 'answer', status: 422, body: 'why '.repeat(16_384) });
});
