/**
 * An hour of the loop: real files, the real client over sockets, the real engine, lock and journal; only the clock
 * is not real. The service drifts, throttles, dies and returns; the files, the key and the lock have their troubles.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type Config, loadConfig } from '../../src/config/load.ts';
import type { WebsitesError } from '../../src/model/errors.ts';
import type { LimiterView, LoopEvent } from '../../src/reconcile/events.ts';
import { createHealth } from '../../src/reconcile/health.ts';
import { createLog } from '../../src/reconcile/log.ts';
import { reconcile } from '../../src/reconcile/loop.ts';
import { createMetrics } from '../../src/reconcile/metrics.ts';
import type { ConnectSettings } from '../../src/sync/connect.ts';
import { makePass } from '../../src/sync/reconcile-pass.ts';
import { connectAndLock } from '../../src/sync/session.ts';
import type { Clock } from '../../src/util/clock.ts';
import { seededRandom } from '../support/acting/faults.ts';
import { type ActingService, act, type Fault, type LoggedRequest } from '../support/acting-service.ts';
import { testFolder } from '../support/cli.ts';
import { createFakeClock } from '../support/clock.ts';
import { NO_FLAGS } from '../support/plans.ts';
import { seriesOf } from './metrics-of.ts';

const MINUTE = 60_000;
const INTERVAL = 20_000;
const KEY = 'do-not-print-this-key';

const site = (number: number): string => `site-${String(number).padStart(2, '0')}.example`;
const SITES = Array.from({ length: 30 }, (_, number) => site(number));
/** Nobody declares them, and nothing may touch them. */
const ORPHANS = ['orphan-a.example', 'orphan-b.example'];

const FILE = `version: 1
defaults: { privacy: private, exclude_bots: true }
websites: [${SITES.join(', ')}]
`;
const MOST_ARE_GONE = `version: 1
prune: true
websites: [${SITES.slice(0, 5).join(', ')}]
`;

test('an hour in which everything goes wrong once', async () => {
  const random = seededRandom(20_260_131);
  const root = await testFolder({ 'websites.yaml': FILE });
  const service = await act({
    key: KEY,
    records: [...SITES.slice(0, 10).map((domain) => ({ domain, privacy: 1 })), ...ORPHANS],
  });
  // Time passes between passes, and where all of a pass waits for it to pass.
  let limiter: (() => LimiterView) | undefined;
  let isAtWork = false;
  let waits = 0;
  let isSceneOn = false;
  const clock = createFakeClock(
    undefined,
    () => isSceneOn || (isAtWork && (waits === 0 || (limiter?.().active ?? 0) > 0)),
  );
  const passClock: Clock = {
    ...clock,
    async sleep(milliseconds, signal) {
      waits += 1;
      await clock.sleep(milliseconds, signal);
      waits -= 1;
    },
  };
  const begun = clock.now();
  const minutes = (): number => (clock.now() - begun) / MINUTE;
  const wrong: string[] = [];
  service.faults = (request) => {
    wrong.push(...wrongs(request, service));
    return faultOf(request, minutes(), random);
  };

  const log: string[] = [];
  const health = createHealth({ clock, intervalMs: INTERVAL, patienceMs: 30 * MINUTE });
  const metrics = createMetrics({ version: '1.2.3', now: clock.now });
  const lines = createLog({ format: 'json', now: clock.now, write: (line) => log.push(line) });
  const tell = (event: LoopEvent): void => {
    if (event.type === 'connected') limiter = event.limiter;
    for (const listener of [health, metrics, lines]) listener.tell(event);
  };

  let key = KEY;
  const io = { cwd: root, env: {}, stdin: process.stdin };
  const settings = {
    load: () => loadConfig({ ...io, patterns: [] }),
    options: ({ prune = false }: Pick<Config, 'prune'>) => ({
      ...NO_FLAGS,
      prune,
      www: 'same' as const,
    }),
    connect: () => ({
      pins: { base_url: service.url },
      root,
      key: async () => key,
      env: {},
      clock: passClock,
      parallelism: 4,
    }),
    dryRun: false,
    apply: {},
    tell,
  };
  const end = new AbortController();
  const loop = reconcile({
    intervalMs: INTERVAL,
    jitter: 0.1,
    once: false,
    clock,
    random,
    async pass(signal) {
      isAtWork = true;
      return makePass(settings, signal).finally(() => {
        isAtWork = false;
      });
    },
    tell,
    signal: end.signal,
  });

  /** Each scene begins at its minute, and takes no time. */
  const at = async <T>(minute: number, scene: () => T | Promise<T>): Promise<T> => {
    await clock.sleep(begun + minute * MINUTE - clock.now());
    isSceneOn = true;
    const seen = await scene();
    isSceneOn = false;
    return seen;
  };
  const look = async () => ({
    series: seriesOf(await metrics.text()),
    ready: health.ready(),
    alive: health.alive(),
  });
  const file = (text: string) => writeFile(join(root, 'websites.yaml'), text);

  const settled = await at(4, look);
  await at(5, () => drift(service, [1, 2], [3]));
  const drifted = await at(6, look);
  // From minute 10 to 15 it takes 2 requests in half a minute.
  await at(11, () => drift(service, [4, 5], [6, 7]));
  const throttled = await at(16, look);
  await at(20, async () => {
    await service.shut();
    drift(service, [8, 9, 10], [11]);
  });
  const dead = await at(29, look);
  const heapBefore = await at(29.5, heapUsed);
  await at(30, () => service.reopen());
  const returned = await at(32, look);
  await at(34, () => file(`${FILE}nonsense: [`));
  const invalid = await at(36, look);
  await at(36, () => file(FILE));
  await at(38, () => {
    key = 'a-key-that-was-revoked';
  });
  const keyless = await at(40, look);
  await at(40, () => {
    key = KEY;
  });
  await at(42, () => file(MOST_ARE_GONE));
  const refused = await at(44, look);
  await at(44, () => file(FILE));
  const release = await at(46, () => holdLock(settings.connect()));
  const locked = await at(48, look);
  await at(48, release);
  // From minute 49 to 57 every tenth request meets with a fault, while others go on changing things.
  for (let minute = 49; minute < 57; minute += 1) {
    await at(minute, () => drift(service, [minute % 30], [(minute * 7) % 30]));
  }
  const last = await at(60, look);
  const heapAfter = heapUsed();
  end.abort();
  await loop;

  expect(wrong).toEqual([]);
  expect(service.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
  expect(declaredNow(service)).toEqual(SITES.map((domain) => [domain, 1]));
  expect(service.records().filter(({ domain }) => ORPHANS.includes(domain))).toHaveLength(2);

  expect(settled.series.get('websites_changes_total{action="create",outcome="done"}')).toBe(20);
  expect(settled.series.get('websites_passes_total{outcome="converged"}')).toBeGreaterThan(10);
  expect(settled.series.get('websites_orphans')).toBe(2);
  expect(settled).toMatchObject({ ready: { ok: true }, alive: { ok: true } });

  expect(drifted.series.get('websites_changes_total{action="create",outcome="done"}')).toBe(22);
  expect(drifted.series.get('websites_changes_total{action="update",outcome="done"}')).toBe(1);

  expect(throttled.series.get('websites_throttled_seconds_total')).toBeGreaterThan(60);
  expect(throttled.series.get('websites_throttled_seconds_total')).toBeLessThan(6 * 60);
  expect(sum(throttled.series, 'websites_requests_total', 'code="429"')).toBeGreaterThan(2);
  expect(throttled.series.get('websites_changes_total{action="create",outcome="done"}')).toBe(24);

  expect(dead).toMatchObject({ ready: { ok: false }, alive: { ok: true } });
  expect(sum(dead.series, 'websites_requests_total', 'code="none"')).toBeGreaterThan(2);
  expect(dead.series.get('websites_pass_errors_total{code="service-unreachable"}')).toBeGreaterThan(0);
  expect(dead.series.get('websites_backoff_seconds')).toBeGreaterThan(0);
  expect(dead.series.get('websites_backoff_seconds')).toBeLessThanOrEqual((2 * INTERVAL) / 1000);

  expect(returned).toMatchObject({ ready: { ok: true } });
  expect(returned.series.get('websites_backoff_seconds')).toBe(0);
  expect(returned.series.get('websites_changes_total{action="create",outcome="done"}')).toBe(27);

  expect(invalid.series.get('websites_pass_errors_total{code="config-invalid"}')).toBeGreaterThan(1);
  expect(keyless.series.get('websites_pass_errors_total{code="key-refused"}')).toBeGreaterThan(1);
  expect(refused.series.get('websites_passes_total{outcome="refused"}')).toBeGreaterThan(1);
  expect(refused.series.get('websites_drift{action="delete"}')).toBe(27);
  expect(locked.series.get('websites_passes_total{outcome="locked"}')).toBeGreaterThan(1);
  expect(locked.series.get('websites_pass_errors_total{code="lock-held"}')).toBeGreaterThan(1);

  expect(last).toMatchObject({ ready: { ok: true }, alive: { ok: true } });
  expect(last.series.get('websites_drift{action="create"}')).toBe(0);
  expect(last.series.get('websites_last_success_timestamp_seconds')).toBeGreaterThan(
    (begun + 59 * MINUTE) / 1000,
  );
  expect(last.series.get('websites_passes_total{outcome="converged"}')).toBeGreaterThan(75);
  expect(health.ready()).toEqual({ ok: false, reason: 'draining' });

  expect((heapAfter - heapBefore) / 2 ** 20).toBeLessThan(16);
  expect(log.join('')).not.toContain(KEY);
  expect(log.length).toBeLessThan(1000);
});

/** Another process at work on this service, until the function that comes back is called. */
async function holdLock(settings: ConnectSettings): Promise<() => Promise<void>> {
  for (;;) {
    try {
      return (await connectAndLock(settings)).close;
    } catch (error) {
      // The loop is in the middle of a pass.
      if ((error as WebsitesError).code !== 'lock-held') throw error;
      await sleep(20);
    }
  }
}

/** What others do: `gone` are deleted, `edited` are made public, as a new record of the same domain. */
function drift(service: ActingService, gone: readonly number[], edited: readonly number[]): void {
  for (const record of service.records()) {
    if ([...gone, ...edited].some((number) => record.domain === site(number))) service.remove(record.id);
  }
  for (const number of edited) if (!gone.includes(number)) service.insert(site(number), { privacy: 0 });
}

/** A write that nothing declared asks for, as it arrives. */
function wrongs({ method, path, body }: LoggedRequest, service: ActingService): string[] {
  if (method === 'GET') return [];
  const form = new URLSearchParams(body);
  const id = Number(path.split('/').at(-1));
  const domain =
    method === 'POST' ? form.get('domain') : service.records().find((record) => record.id === id)?.domain;
  const isWanted = method !== 'DELETE' && SITES.includes(domain ?? '') && form.get('privacy') === '1';
  const isTwice = method === 'POST' && service.records().some((record) => record.domain === domain);
  return isWanted && !isTwice ? [] : [`${method} ${path} ${body}`];
}

const window = { number: -1, count: 0 };

function faultOf({ method }: LoggedRequest, minute: number, random: () => number): Fault | undefined {
  if (minute >= 10 && minute < 15) {
    const number = Math.floor(minute * 2);
    window.count = number === window.number ? window.count + 1 : 1;
    window.number = number;
    const seconds = Math.ceil(((number + 1) / 2 - minute) * 60);
    if (window.count > 2) return { kind: 'throttle', seconds, headers: 'laravel' };
  }
  if (minute < 49 || minute >= 57 || random() > 0.1) return undefined;
  const faults: readonly Fault[] = [
    { kind: 'status', status: 500, when: 'before' },
    { kind: 'status', status: 502, when: method === 'POST' ? 'before' : 'after' },
    { kind: 'reset', when: 'after' },
    { kind: 'cut' },
    { kind: 'page' },
  ];
  return faults[Math.floor(random() * faults.length)];
}

function declaredNow(service: ActingService): readonly [string, number][] {
  const declared = service.records().filter(({ domain }) => SITES.includes(domain));
  return declared.map(({ domain, privacy }): [string, number] => [domain, privacy]).sort();
}

function sum(series: ReadonlyMap<string, number>, name: string, label: string): number {
  return [...series].reduce(
    (total, [key, value]) => (key.startsWith(`${name}{`) && key.includes(label) ? total + value : total),
    0,
  );
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
