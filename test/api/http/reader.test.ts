import { request } from 'node:http';
import { Duplex } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TooLarge } from '../../../src/api/http/body.ts';
import { MalformedAnswer } from '../../../src/api/http/head.ts';
import { createReader } from '../../../src/api/http/reader.ts';
import { codePoint } from '../../support/code-point.ts';

/** What came of an answer that arrived in `parts`, after which the connection ended. */
type Outcome = { status: number; headers: Record<string, string>; body: string } | 'failure';

function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function readByUs(parts: readonly Buffer[]): Outcome {
  const reader = createReader();
  try {
    const isWhole = parts.some((part) => reader.take(part)) || reader.end();
    if (!isWhole) return 'failure';
  } catch (error) {
    if (error instanceof MalformedAnswer) return 'failure';
    throw error;
  }
  const { status, headers, body } = reader.answer();
  return { status, headers: { ...headers } as Record<string, string>, body };
}

/** What Node's own client makes of the same. */
function readByNode(parts: readonly Buffer[]): Promise<Outcome> {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  return new Promise((resolve) => {
    const outgoing = request({ createConnection: () => socket }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', () => resolve('failure'));
      incoming.on('end', () => {
        const { statusCode: status = 0, headers } = incoming;
        resolve({
          status,
          headers: headers as Record<string, string>,
          body: Buffer.concat(chunks)
            .toString()
            .replace(/^\ufeff/, ''),
        });
      });
    });
    outgoing.on('upgrade', () => resolve('failure'));
    outgoing.on('error', () => resolve('failure'));
    outgoing.end();
    for (const part of parts) socket.push(part);
    socket.push(null);
  });
}

const value = fc.stringMatching(/^[!-~\u00a1-\u00ff]([ -~\u00a1-\u00ff]{0,20}[!-~\u00a1-\u00ff])?$/);
const name = fc.constantFrom('x-a', 'X-B', 'retry-after', 'Location', 'content-type', 'ratelimit', 'date');
const header = fc
  .tuple(name, fc.constantFrom('', ' ', ' \t'), value, fc.constantFrom('', ' '))
  .map(([name, before, value, after]) => `${name}:${before}${value}${after}\r\n`);
const text = fc
  .string({ unit: codePoint, maxLength: 60 })
  .map((content) => Buffer.from(content).toString('latin1'));

const chunks = fc
  .tuple(
    fc.array(fc.tuple(text.filter(Boolean), fc.constantFrom('', ';a', ';a=b', ';a="b c"')), {
      maxLength: 4,
    }),
    fc.constantFrom('0\r\n\r\n', '000\r\n\r\n', '0\r\nX-Trailer: 1\r\n\r\n'),
  )
  .map(([parts, last]) => [
    ...parts.map(([part, extension]) => `${part.length.toString(16)}${extension}\r\n${part}\r\n`),
    last,
  ])
  .map((parts) => parts.join(''));

/** Headers of the body's length, with the body. */
const framed = fc.oneof(
  text.map((body) => `Content-Length: ${body.length}\r\n\r\n${body}`),
  chunks.map((body) => `Transfer-Encoding: chunked\r\n\r\n${body}`),
  text.map((body) => `\r\n${body}`),
);

/** The same, not as it should be. */
const misframed = fc.oneof(
  text.map((body) => `Content-Length: ${body.length + 3}\r\n\r\n${body}`),
  text.map((body) => `Content-Length: ${body.length}\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
  text.map((body) => `Content-Length: 0x${body.length}\r\n\r\n${body}`),
  text.map((body) => `Content-Length: -1\r\n\r\n${body}`),
  chunks.map((body) => `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${body}`),
  chunks.map((body) => `Transfer-Encoding: chunked\r\n\r\n${body.replace(/^[0-9a-f]+/, 'x')}`),
  chunks.map((body) => `Transfer-Encoding: chunked\r\n\r\n1${body}`),
  chunks.map((body) => `Transfer-Encoding: chunked\r\n\r\n${body.slice(0, -2)}`),
  text.map((body) => `no header\r\n\r\n${body}`),
  text.map((body) => `X-A: a\u0000b\r\n\r\n${body}`),
);

const answer = fc
  .record({
    interim: fc.constantFrom(
      '',
      '',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n',
    ),
    line: fc.constantFrom(
      'HTTP/1.1 200 OK',
      'HTTP/1.1 201 ',
      'HTTP/1.1 404 Not Found',
      'HTTP/1.1 422',
      'HTTP/1.0 503 \u00fc',
    ),
    headers: fc.array(header, { maxLength: 6 }),
    rest: fc.oneof({ weight: 4, arbitrary: framed }, { weight: 1, arbitrary: misframed }),
  })
  .map(({ interim, line, headers, rest }) => `${interim}${line}\r\n${headers.join('')}${rest}`);

/** Cut where the numbers say, as a connection may cut it. */
function split(text: string, places: readonly number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...cuts]
    .map((from, index) => bytes(text.slice(from, cuts[index])))
    .filter((part) => part.length > 0);
}

describe('an answer is read as Node reads it', () => {
  test('in whatever parts it comes, and whatever is wrong with it', async () => {
    let whole = 0;
    await fc.assert(
      fc.asyncProperty(answer, fc.array(fc.nat(), { maxLength: 5 }), async (text, places) => {
        const parts = split(text, places);
        const outcome = readByUs(parts);
        expect(outcome).toEqual(await readByNode(parts));
        if (outcome !== 'failure') whole += 1;
      }),
      { numRuns: 1000 },
    );
    // Two that fail are easily alike.
    expect(whole).toBeGreaterThan(500);
  });

  test('where the connection ends too early', async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.nat(), fc.array(fc.nat(), { maxLength: 3 }), async (text, end, places) => {
        const parts = split(text.slice(0, end % text.length), places);
        expect(readByUs(parts)).toEqual(await readByNode(parts));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a connection is kept', () => {
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n';

  test.each<[string, string, number]>([
    ['as a rule', `${ok}\r\n{}`, 4000],
    ['after chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', 4000],
    ['no longer than the service says', `${ok}Keep-Alive: timeout=2, max=9\r\n\r\n{}`, 1600],
    ['no longer than is wise, whatever it says', `${ok}Keep-Alive: timeout=60\r\n\r\n{}`, 4000],
    ['not where it says so', `${ok}Connection: Close\r\n\r\n{}`, 0],
    ['not where it leaves no time', `${ok}Keep-Alive: timeout=0\r\n\r\n{}`, 0],
    ['not by an old server', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}', 0],
    [
      'by an old server that says so',
      'HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: x, Keep-Alive\r\n\r\n{}',
      4000,
    ],
    ['not where more came than was asked for', `${ok}\r\n{}${ok}\r\n{}`, 0],
    [
      'nor where it came after the last chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n',
      0,
    ],
  ])('%s', (_when, text, ms) => {
    const reader = createReader();
    expect(reader.take(bytes(text))).toBe(true);
    expect(reader.answer().body).toBe('{}');
    expect(reader.keptMs()).toBe(ms);
  });
});

describe('what is no answer', () => {
  test.each([
    ['another protocol, before its line ends', '220 mail.example'],
    ['lines that end otherwise', 'HTTP/1.1 200 OK\nContent-Length: 2\n\n{}'],
    ['a switch to another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['HTTP/2 that nobody agreed on', 'HTTP/2.0 200 OK\r\n\r\n'],
    // The first releases of Node 20.19 take these two.
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: b\r\n\r\n'],
    ['a name of two words', 'HTTP/1.1 200 OK\r\nX A: b\r\n\r\n'],
    ['a coding that nobody asked for', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
    ['a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(64 * 1024)}`],
    [
      'a size of a chunk without end',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(16 * 1024)}`,
    ],
  ])('%s', (_what, text) => {
    expect(() => createReader().take(bytes(text))).toThrow(MalformedAnswer);
  });

  test.each([
    ['a length', 'Content-Length: 67108865\r\n\r\n'],
    ['a chunk', `Transfer-Encoding: chunked\r\n\r\n4000001\r\n${' '.repeat(0x4000001)}`],
    ['the end of the connection', `\r\n${' '.repeat(0x4000001)}`],
  ])('one larger than is taken, by %s', (_how, rest) => {
    expect(() => createReader().take(bytes(`HTTP/1.1 200 OK\r\n${rest}`))).toThrow(TooLarge);
  });
});

test.each(['204 No Content', '304 Not Modified'])(
  '%s ends with its head, whatever it says of a length',
  (status) => {
    for (const length of ['', 'Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n']) {
      const reader = createReader();
      expect(reader.take(bytes(`HTTP/1.1 ${status}\r\n${length}\r\n`))).toBe(true);
      expect(reader.answer().body).toBe('');
    }
  },
);

test('a head may go on in lines that begin with white space', () => {
  const reader = createReader();
  reader.take(bytes('HTTP/1.1 204 No Content\r\nX-A: one\r\n  two\r\n\tthree\r\nX-B: four\r\n\r\n'));
  expect(reader.answer().headers).toEqual({ 'x-a': 'one two three', 'x-b': 'four' });
});

test('a head of white space is read at once', () => {
  const reader = createReader();
  const heads = `HTTP/1.1 100 Continue\r\nX-A: b${' '.repeat(60_000)}c\r\n \r\n \td\r\n\r\n`.repeat(10);
  reader.take(bytes(`${heads}HTTP/1.1 204 No Content\r\nX-A: b \t\r\n \r\n \td\r\n\r\n`));
  expect(reader.answer().headers['x-a']).toBe('b  d');
});
