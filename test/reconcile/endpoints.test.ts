import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseAddress, startEndpoints } from '../../src/reconcile/endpoints.ts';
import { createHealth } from '../../src/reconcile/health.ts';
import { createMetrics } from '../../src/reconcile/metrics.ts';
import { seriesOf } from './metrics-of.ts';

async function serve() {
  const clock = { now: () => 1_000_000, monotonic: () => 1_000_000, sleep: async () => undefined };
  const health = createHealth({ clock, intervalMs: 1000, patienceMs: 1000 });
  const metrics = createMetrics({ version: '1.2.3', now: clock.now });
  const endpoints = await startEndpoints({ host: '127.0.0.1', port: 0 }, health, metrics);
  onTestFinished(() => endpoints.close());
  return {
    endpoints,
    health,
    metrics,
    get: (path: string, method = 'GET') => fetch(endpoints.url + path, { method }),
  };
}

describe('over HTTP', () => {
  test('health is 200 or 503, and says why', async () => {
    const { get, health } = await serve();
    expect((await get('/healthz')).status).toBe(200);
    const before = await get('/readyz');
    expect([before.status, await before.text()]).toEqual([503, 'not ok: no pass has succeeded yet\n']);
    health.tell({ type: 'pass_ended', pass: 1, report: { outcome: 'converged' }, seconds: 1, failures: 0 });
    const after = await get('/readyz?verbose');
    expect([after.status, await after.text()]).toEqual([200, 'ok: last success 0 s ago\n']);
  });

  test('metrics are text for Prometheus', async () => {
    const { get, metrics } = await serve();
    metrics.tell({ type: 'request', method: 'GET', status: 200 });
    metrics.tell({ type: 'request', method: 'GET' });
    const answer = await get('/metrics');
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const series = seriesOf(await answer.text());
    expect(series.get('websites_requests_total{method="GET",code="200"}')).toBe(1);
    expect(series.get('websites_requests_total{method="GET",code="none"}')).toBe(1);
    expect(series.get('websites_build_info{version="1.2.3"}')).toBe(1);
    expect(series.has('process_resident_memory_bytes')).toBe(true);
  });

  test('time that was throttled is counted once, and never less for a clock that was put back', async () => {
    const { get, metrics } = await serve();
    let heldMs = 0;
    const limiter = () => ({ width: 1, active: 0, heldForMs: 0, heldMs, requestsPerSecond: undefined });
    metrics.tell({ type: 'connected', limiter });
    const seconds: unknown[] = [];
    for (heldMs of [1000, 3000, 2000, 4000]) {
      const series = seriesOf(await (await get('/metrics')).text());
      seconds.push(series.get('websites_throttled_seconds_total'));
    }
    expect(seconds).toEqual([1, 3, 3, 4]);
  });

  test('there is nothing else', async () => {
    const { get } = await serve();
    expect((await get('/')).status).toBe(404);
    expect((await get('/metrics/..%2f')).status).toBe(404);
    const posted = await get('/healthz', 'POST');
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await (await get('/metrics', 'HEAD')).text()).toBe('');
  });

  test('what is no HTTP is turned away', async () => {
    const { endpoints, get } = await serve();
    const socket = connect(Number(new URL(endpoints.url).port), '127.0.0.1');
    socket.write('no such thing\r\n\r\n');
    expect(await text(socket)).toContain('400 Bad Request');
    expect((await get('/healthz')).status).toBe(200);
  });

  test('whoever says nothing gives its place up within seconds', async () => {
    const { endpoints } = await serve();
    const socket = connect(Number(new URL(endpoints.url).port), '127.0.0.1');
    socket.write('GET /hea');
    expect(await Promise.race([text(socket), delay(20_000, 'still there')])).toContain('408 Request Timeout');
  });

  test.each(['', 'GET /healthz HT'])(
    '100 connections that say %j and no more do not keep others out',
    async (said) => {
      const { endpoints, get } = await serve();
      const port = Number(new URL(endpoints.url).port);
      const held = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
      onTestFinished(() => held.forEach((socket) => void socket.destroy()));
      await Promise.all(held.map(async (socket) => once(socket, 'connect').then(() => socket.write(said))));
      expect((await get('/healthz')).status).toBe(200);
    },
  );

  test('metrics that are asked for at once are made once, and no connection asks without end', async () => {
    const { endpoints, metrics, get } = await serve();
    const text = vi.spyOn(metrics, 'text');
    const socket = connect(Number(new URL(endpoints.url).port), '127.0.0.1').on('error', () => undefined);
    socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000));
    await once(socket, 'close');
    expect(text).toHaveBeenCalledTimes(1);
    expect((await get('/metrics')).status).toBe(200);
  });

  test('a port that is taken, and an address of another machine, are errors', async () => {
    const { endpoints, health, metrics } = await serve();
    const port = Number(new URL(endpoints.url).port);
    const again = startEndpoints({ host: '127.0.0.1', port }, health, metrics);
    await expect(again).rejects.toMatchObject({ code: 'address-in-use' });
    const elsewhere = startEndpoints({ host: '192.0.2.1', port: 0 }, health, metrics);
    await expect(elsewhere).rejects.toMatchObject({ code: 'usage' });
  });
});

test.each([
  ['127.0.0.1:9090', { host: '127.0.0.1', port: 9090 }],
  ['localhost:0', { host: 'localhost', port: 0 }],
  ['[::1]:9090', { host: '::1', port: 9090 }],
  [':9090', { port: 9090 }],
  ['9090', undefined],
  ['127.0.0.1:', undefined],
  ['127.0.0.1:99999', undefined],
  ['http://127.0.0.1:9090', undefined],
  ['::1:9090', undefined],
  ['', undefined],
])('the address %j', (text, address) => {
  expect(parseAddress(text)).toEqual(address);
});
