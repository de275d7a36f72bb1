/** Probing of websites on this machine: each verdict, by real sockets and a real DNS server. */
import { createServer } from 'node:net';
import * as zlib from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../../src/model/probe-report.ts';
import { isGlobalUnicast } from '../../../src/probe/addresses.ts';
import { listen } from '../../support/listen.ts';
import { startProxy } from '../../support/proxy.ts';
import { type Handler, redirectTo, type Sites, startSites } from '../../support/sites.ts';

const verdicts = (found: Record<string, Finding>): Record<string, string> =>
  Object.fromEntries(Object.entries(found).map(([domain, { verdict }]) => [domain, verdict]));

const answer =
  (status: number, body = '', headers = {}): Handler =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);

/** A port that nobody listens at. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((done) => server.close(done));
  return port;
}

test('a website is asked by https, or else by http', async () => {
  const sites = await startSites({ 'plain.example': answer(204) });
  const found = await sites.probe(['service.test', 'plain.example']);
  expect(found['service.test']).toEqual({
    verdict: 'ok',
    url: 'https://service.test/',
    address: '127.0.0.1',
    status: 200,
    location: null,
    reason: '',
  });
  expect(found['plain.example']).toMatchObject({ verdict: 'ok', url: 'http://plain.example/', status: 204 });
  expect(sites.requests).toEqual(['https://service.test/', 'http://plain.example/']);
});

test('a request names the tool, and holds no cookie and no key', async () => {
  const sites = await startSites({
    'service.test': (_request, response) =>
      response.writeHead(302, { location: 'https://me:secret@www.service.test/', 'set-cookie': 'a=b' }).end(),
  });
  await sites.probe(['service.test'], { environment: { WEBSITES_API_KEY: 'a-key' } });
  expect(sites.requests).toHaveLength(2);
  for (const headers of sites.headers) {
    expect(headers['user-agent']).toMatch(/^websites-as-code\//);
    expect(Object.keys(headers).filter((name) => /cookie|auth|key/.test(name))).toEqual([]);
  }
});

test('responses are told apart by their status', async () => {
  const statuses = [200, 204, 304, 400, 404, 500, 503];
  const handlers = Object.fromEntries(statuses.map((status) => [`s${status}.example`, answer(status)]));
  const sites = await startSites(handlers);
  const found = await sites.probe(Object.keys(handlers));
  expect(
    Object.values(found)
      .filter(({ verdict }) => verdict === 'ok')
      .map(({ status }) => status)
      .sort(),
  ).toEqual([200, 204, 304]);
  expect(found['s404.example']).toMatchObject({ verdict: 'error', status: 404, reason: 'HTTP 404' });
});

test('a certificate that is not accepted is an error, and http is not tried', async () => {
  const sites = await startSites({});
  const { ca: _, ...none } = { ca: '' };
  const found = await sites.probe(['service.test'], { ...none, ca: undefined as never });
  expect(found['service.test']).toMatchObject({ verdict: 'error', status: null });
  expect(found['service.test']?.reason).toMatch(/certificate/);
  expect(sites.requests).toEqual([]);
});

describe('DNS', () => {
  test('tells what does not exist from what cannot be told', async () => {
    const sites = await startSites(
      {},
      {
        'gone.example': 'NXDOMAIN',
        'empty.example': [],
        'broken.example': 'SERVFAIL',
        'mute.example': 'silence',
      },
    );
    const names = ['gone.example', 'empty.example', 'broken.example', 'mute.example'];
    expect(verdicts(await sites.probe(names, { timeoutMs: 400 }))).toEqual({
      'gone.example': 'no-dns',
      'empty.example': 'no-dns',
      'broken.example': 'no-answer',
      'mute.example': 'no-answer',
    });
    expect(sites.requests).toEqual([]);
  });

  test('an address that is not public is not connected to, be it the only one or one of several', async () => {
    const sites = await startSites(
      {},
      {
        'meta.example': ['169.254.169.254'],
        'mapped.example': ['::ffff:127.0.0.1'],
        'local.example': ['127.0.0.1', '::1'],
        'some.example': ['169.254.169.254', '127.0.0.1'],
      },
    );
    const names = ['meta.example', 'mapped.example', 'local.example'];
    const found = await sites.probe(names, { mayConnect: isGlobalUnicast });
    expect(verdicts(found)).toEqual({
      'meta.example': 'blocked',
      'mapped.example': 'blocked',
      'local.example': 'blocked',
    });
    expect(sites.requests).toEqual([]);
    expect(await sites.probe(['some.example'])).toMatchObject({
      'some.example': { verdict: 'ok', address: '127.0.0.1' },
    });
  });

  test('a second look-up that answers otherwise is checked again', async () => {
    const sites = await startSites(
      { 'turns.example': redirectTo('/again') },
      { 'turns.example': (count) => (count === 0 ? ['127.0.0.1'] : ['127.0.0.2']) },
    );
    const { 'turns.example': found } = await sites.probe(['turns.example']);
    expect(found).toMatchObject({ verdict: 'blocked', reason: '127.0.0.2 is not a public address' });
    expect(sites.requests).toEqual(['http://turns.example/']);
    expect(sites.dns.asked.filter((question) => question === 'turns.example A')).toHaveLength(2);
  });
});

describe('redirects', () => {
  test('are followed within the registrable domain, and named beyond it', async () => {
    const sites = await startSites({
      'service.test': redirectTo('https://www.service.test/de/'),
      'away.example': redirectTo('https://parking.test/?domain=away.example'),
      'meta.example': redirectTo('http://169.254.169.254/latest/meta-data'),
    });
    const found = await sites.probe(['service.test', 'away.example', 'meta.example']);
    expect(found['service.test']).toMatchObject({ verdict: 'ok', url: 'https://www.service.test/de/' });
    expect(found['away.example']).toMatchObject({
      verdict: 'redirects',
      status: 302,
      location: 'https://parking.test/?domain=away.example',
    });
    expect(found['meta.example']).toMatchObject({ verdict: 'blocked' });
    expect(sites.requests.filter((url) => url.includes('parking'))).toEqual([]);
  });

  test('that go round in a circle end after five', async () => {
    const sites = await startSites({ 'loop.example': redirectTo('/') });
    const { 'loop.example': found } = await sites.probe(['loop.example']);
    expect(found).toMatchObject({ verdict: 'error', reason: 'more than 5 redirects' });
    expect(sites.requests).toHaveLength(6);
  });
});

describe('a text to look for', () => {
  const page = '<html><script src="https://a.test/analytics.js"></script></html>';
  const packed = (coding: string, body: Buffer): Handler =>
    answer(200, body as never, { 'content-encoding': coding });

  test('is found however the page is compressed, within 256 KiB of it', async () => {
    const sites = await startSites({
      'plain.example': answer(200, page),
      'gzip.example': packed('gzip', zlib.gzipSync(page)),
      'deflate.example': packed('deflate', zlib.deflateSync(page)),
      'br.example': packed('BR', zlib.brotliCompressSync(page)),
      'none.example': answer(200, '<html></html>'),
      'late.example': answer(200, ' '.repeat(256 * 1024) + page),
      'unknown.example': packed('zstd-2', Buffer.from(page)),
      'damaged.example': packed('gzip', Buffer.from('no gzip')),
      'missing.example': answer(404, page),
    });
    const names = ['plain', 'gzip', 'deflate', 'br', 'none', 'late', 'unknown', 'damaged', 'missing'];
    const found = await sites.probe(
      names.map((name) => `${name}.example`),
      { lookFor: 'analytics.js' },
    );
    expect(verdicts(found)).toEqual({
      'plain.example': 'ok',
      'gzip.example': 'ok',
      'deflate.example': 'ok',
      'br.example': 'ok',
      'none.example': 'no-code',
      'late.example': 'no-code',
      // It is searched as it is.
      'unknown.example': 'ok',
      'damaged.example': 'no-code',
      'missing.example': 'error',
    });
  });
});

test('what hostile websites do costs their own verdict and nothing else', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024));
  let sent = 0;
  const endless: Handler = (_request, response) => {
    const piece = Buffer.alloc(16 * 1024);
    const write = (): void => {
      while (!response.destroyed && response.write(piece)) sent += piece.length;
    };
    response.on('drain', write);
    write();
  };
  const sites = await startSites({
    'endless.example': endless,
    'loop.example': redirectTo('/'),
    'bomb.example': answer(200, bomb as never, { 'content-encoding': 'gzip' }),
    'slow.example': (_request, response) => void response.writeHead(200).write('<html>'),
    'silent.example': () => undefined,
    'cut.example': (request) => request.socket.destroy(),
    'headers.example': answer(200, '', { 'x-much': 'x'.repeat(100 * 1024) }),
    'garbage.example': (request) => request.socket.end('SSH-2.0-OpenSSH\r\n'),
    'good.example': answer(200, 'the text'),
  });
  const before = process.memoryUsage.rss();
  const found = await sites.probe(
    ['endless', 'loop', 'bomb', 'slow', 'silent', 'cut', 'headers', 'garbage', 'good'].map(
      (name) => `${name}.example`,
    ),
    { lookFor: 'the text', timeoutMs: 1500, concurrency: 4 },
  );
  expect(verdicts(found)).toEqual({
    'endless.example': 'no-code',
    'loop.example': 'error',
    'bomb.example': 'no-code',
    'slow.example': 'no-answer',
    'silent.example': 'no-answer',
    'cut.example': 'no-answer',
    'headers.example': 'no-answer',
    'garbage.example': 'no-answer',
    'good.example': 'ok',
  });
  // What a socket buffers, beside the 256 KiB that are read.
  expect(sent).toBeLessThan(16 * 1024 * 1024);
  expect(process.memoryUsage.rss() - before).toBeLessThan(128 * 1024 * 1024);
});

describe('connections', () => {
  test('that are refused on both ports', async () => {
    const sites = await startSites({});
    const ports = { https: await closedPort(), http: await closedPort() };
    expect(verdicts(await sites.probe(['a.example'], { ports }))).toEqual({ 'a.example': 'refused' });
  });

  test('go to http at once where the address has just refused https', async () => {
    const https = await closedPort();
    const later = createServer((socket) => socket.destroy());
    const connected: unknown[] = [];
    later.on('connection', (socket) => connected.push(socket));
    const sites = await startSites({
      'a.example': (_request, response) => {
        later.listen(https, '127.0.0.1', () => response.end());
        onTestFinished(() => void later.close());
      },
    });
    const found = await sites.probe(['a.example', 'b.example'], {
      concurrency: 1,
      ports: { ...sites.ports, https },
    });
    expect(verdicts(found)).toEqual({ 'a.example': 'ok', 'b.example': 'ok' });
    expect(connected).toEqual([]);
  });

  test('are no more than four to one address, and others do not wait for it', async () => {
    const held: (() => void)[] = [];
    const hold: Handler = (_request, response) => void held.push(() => response.end('late'));
    const slow = Array.from({ length: 10 }, (_, index) => `slow${index}.example`);
    const sites = await startSites(Object.fromEntries(slow.map((name) => [name, hold])), {
      'other.example': ['127.0.0.3'],
    });
    const found: string[] = [];
    const probing = sites.probe([...slow, 'other.example'], {
      concurrency: 5,
      // Nothing of it answers: what matters is that it ends while the others wait.
      mayConnect(address) {
        if (address !== '127.0.0.1') found.push(address);
        return address === '127.0.0.1';
      },
    });
    await expect.poll(() => held.length).toBe(4);
    await expect.poll(() => found).toEqual(['127.0.0.3']);
    expect(held).toHaveLength(4);
    const freeing = setInterval(() => held.shift()?.(), 1);
    onTestFinished(() => clearInterval(freeing));
    expect(Object.values(await probing).filter(({ verdict }) => verdict === 'ok')).toHaveLength(10);
    expect(sites.mostAtOnce()).toBe(4);
  });

  test('through a proxy lead to the address that was checked, by CONNECT', async () => {
    const sites = await startSites({}, { 'inner.example': ['169.254.169.254'] });
    const proxy = await startProxy(sites.ports.https);
    const environment = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
    const found = await sites.probe(['service.test', 'inner.example'], { environment });
    expect(verdicts(found)).toEqual({ 'service.test': 'ok', 'inner.example': 'blocked' });
    expect(proxy.seen.map(({ line }) => line)).toEqual([`CONNECT 127.0.0.1:${sites.ports.https}`]);
  });

  test.each([
    [403, 'blocked'],
    [502, 'no-answer'],
  ])('that a proxy answers with %i are %s', async (status, verdict) => {
    const sites = await startSites({});
    const proxy = await startProxy(sites.ports.https, status);
    const environment = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
    expect(verdicts(await sites.probe(['service.test'], { environment }))).toEqual({
      'service.test': verdict,
    });
    expect(sites.requests).toEqual([]);
  });

  test('need a proxy that is one', async () => {
    const sites = await startSites({});
    const environment = { HTTPS_PROXY: 'socks5://127.0.0.1:1' };
    await expect(sites.probe(['service.test'], { environment })).rejects.toMatchObject({ code: 'usage' });
  });
});

test('many websites are probed in bounded time', { timeout: 60_000 }, async () => {
  const sites: Sites = await startSites({}, {});
  const names = Array.from({ length: 400 }, (_, index) => `n${index}.example`);
  const started = process.cpuUsage();
  const found = await sites.probe(names, {
    concurrency: 64,
    ports: { ...sites.ports, https: await closedPort() },
  });
  expect(Object.values(found).filter(({ verdict }) => verdict === 'ok')).toHaveLength(400);
  const { user, system } = process.cpuUsage(started);
  // Of this process, the servers included; half a second alone.
  expect((user + system) / 1e6).toBeLessThan(10);
});
