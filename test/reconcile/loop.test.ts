import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { WebsitesError } from '../../src/model/errors.ts';
import type { LoopEvent, PassReport } from '../../src/reconcile/events.ts';
import { type LoopOptions, reconcile } from '../../src/reconcile/loop.ts';
import { createFakeClock } from '../support/clock.ts';

const SECOND = 1000;
const DONE: PassReport = { outcome: 'converged' };

/** Runs the loop through `passes`, then drains it; `random` is always a half. */
async function run(
  passes: readonly (() => PassReport | Promise<PassReport>)[],
  more: Partial<LoopOptions> = {},
) {
  const clock = createFakeClock();
  const end = new AbortController();
  const events: LoopEvent[] = [];
  let count = 0;
  const last = await reconcile({
    intervalMs: 60 * SECOND,
    jitter: 0.1,
    once: false,
    clock,
    random: () => 0.5,
    async pass() {
      const pass = passes[count];
      count += 1;
      if (count >= passes.length) end.abort();
      return pass === undefined ? DONE : pass();
    },
    tell: (event) => events.push(event),
    signal: end.signal,
    ...more,
  });
  const ended = events.flatMap((event) => (event.type === 'pass_ended' ? [event] : []));
  return { last, events, ended, pauses: ended.map(({ pauseMs }) => pauseMs) };
}

const failing = (code: ConstructorParameters<typeof WebsitesError>[0]) => (): never => {
  throw new WebsitesError(code, 'It did not work.');
};

describe('the loop', () => {
  test('makes a pass at once, and the next after the interval', async () => {
    const { pauses, ended } = await run([() => DONE, () => DONE, () => DONE]);
    expect(pauses).toEqual([60 * SECOND, 60 * SECOND, undefined]);
    expect(ended.map(({ pass }) => pass)).toEqual([1, 2, 3]);
  });

  test('moves each pause within the jitter', async () => {
    const randoms = [0, 0.999_999, 0.25];
    const { pauses } = await run(
      Array(4).fill(() => DONE),
      { random: () => randoms.shift() ?? 0 },
    );
    expect(pauses.map((pause) => pause && Math.round(pause / SECOND))).toEqual([54, 66, 57, undefined]);
  });

  test('backs off while passes fail, up to a bound, and is regular again after a success', async () => {
    const fails = Array.from({ length: 6 }, () => failing('service-unreachable'));
    const { pauses, ended } = await run([...fails, () => DONE, ...fails.slice(0, 1), () => DONE]);
    expect(pauses.map((pause) => pause && pause / SECOND)).toEqual([5, 10, 20, 40, 60, 60, 60, 5, undefined]);
    expect(ended.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5, 6, 0, 1, 0]);
  });

  test.each([
    ['guard-refused', 'refused'],
    ['config-invalid', 'failed'],
    ['key-refused', 'failed'],
    ['pull-failed', 'failed'],
    ['service-failed', 'failed'],
  ] as const)('goes on after %s', async (code, outcome) => {
    const { ended } = await run([failing(code), () => DONE]);
    expect(ended.map(({ report }) => report.outcome)).toEqual([outcome, 'converged']);
  });

  test('goes on after an error that nobody foresaw', async () => {
    const { ended } = await run([
      () => {
        throw new TypeError('x is not a function');
      },
      () => DONE,
    ]);
    expect(ended.map(({ report }) => report.outcome)).toEqual(['failed', 'converged']);
  });

  test('skips a pass while another holds the lock: no failure, no success', async () => {
    const { ended, pauses } = await run([
      failing('lock-held'),
      failing('service-failed'),
      failing('lock-held'),
      failing('service-failed'),
      () => DONE,
    ]);
    expect(ended.map(({ failures }) => failures)).toEqual([0, 1, 1, 2, 0]);
    expect(pauses.slice(0, 4)).toEqual([60 * SECOND, 5 * SECOND, 60 * SECOND, 10 * SECOND]);
  });

  test('ends on a command line that is wrong', async () => {
    await expect(run([failing('usage')])).rejects.toMatchObject({ code: 'usage' });
  });

  test('goes on where what a later pass reads does not go with the command line', async () => {
    const { ended } = await run([() => DONE, failing('usage'), failing('usage'), () => DONE]);
    expect(ended.map(({ report }) => report.outcome)).toEqual(['converged', 'failed', 'failed', 'converged']);
    expect(ended.map(({ failures }) => failures)).toEqual([0, 1, 2, 0]);
  });

  test('makes one pass with once, and returns what it came to', async () => {
    const { last, ended } = await run([() => ({ outcome: 'drift' }), () => DONE], { once: true });
    expect(last).toEqual({ outcome: 'drift' });
    expect(ended).toHaveLength(1);
  });

  test('drains: the pass under way is told and finished, none follows', async () => {
    const end = new AbortController();
    const told: boolean[] = [];
    const { last, events } = await run([], {
      signal: end.signal,
      async pass(signal) {
        end.abort();
        told.push(signal.aborted);
        return { outcome: 'interrupted' };
      },
    });
    expect(told).toEqual([true]);
    expect(last).toEqual({ outcome: 'interrupted' });
    expect(events.map(({ type }) => type)).toEqual(['pass_started', 'draining', 'pass_ended']);
  });

  test('drains out of a pause at once', async () => {
    const clock = createFakeClock();
    const end = new AbortController();
    const begun = clock.now();
    void clock.sleep(10 * SECOND).then(() => end.abort());
    await reconcile({
      intervalMs: 60 * SECOND,
      jitter: 0,
      once: false,
      clock,
      random: () => 0.5,
      pass: async () => DONE,
      tell: () => undefined,
      signal: end.signal,
    });
    expect(clock.now() - begun).toBe(10 * SECOND);
  });

  test('keeps nothing of a pass once it is over', async () => {
    const end = new AbortController();
    let passes = 0;
    const before = bytesHeld();
    await run([], {
      signal: end.signal,
      async pass(signal) {
        passes += 1;
        if (passes === 2000) end.abort();
        const ballast = new Uint8Array(100_000);
        signal.addEventListener('abort', () => ballast.fill(1));
        return DONE;
      },
      tell: () => undefined,
    });
    expect(passes).toBe(2000);
    // All that the passes made is four times as much.
    expect(bytesHeld() - before).toBeLessThan(50_000_000);
  });
});

/** What this process holds in buffers, those of other tests included. */
function bytesHeld(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // Buffers are given back beside the program; the next collection waits for that.
  collect();
  return process.memoryUsage().arrayBuffers;
}
