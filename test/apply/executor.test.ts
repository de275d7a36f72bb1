import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../src/apply/circuit-breaker.ts';
import { createExecutor } from '../../src/apply/executor.ts';
import { workThrough } from '../../src/apply/worker-pool.ts';
import type { Journal } from '../../src/journal/writer.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import { NOTHING_KNOWN } from '../../src/update/knowledge.ts';
import { NO_JOURNAL } from '../support/applying.ts';
import { createFakeClock } from '../support/clock.ts';
import { createFakeService } from '../support/fake-service.ts';
import { domainOf, planFor, times, wanted } from '../support/plans.ts';

describe('the journal of a run', () => {
  async function run(
    begin: (index: number) => Promise<void>,
    { width = 1, count = 100, signal = new AbortController().signal, doubtful = [] as number[] } = {},
  ) {
    const clock = createFakeClock();
    const startedAt = clock.monotonic();
    const service = createFakeService({ clock, latencyMs: 10 });
    const written: string[] = [];
    /** How much was written when each was sent. */
    const sentAfter: number[] = [];
    service.script = () => {
      sentAfter.push(written.length);
      return undefined;
    };
    const journal: Journal = {
      ...NO_JOURNAL,
      async begin(items) {
        for (const { index } of items) await begin(index);
        for (const { index } of items) written.push(`begin ${index}`);
      },
      end: (index, _, fate) => void written.push(`${fate} ${index}`),
    };
    const plan = planFor({ desired: { websites: times(count, (index) => wanted(domainOf(index))) } });
    const options = {
      service,
      clock,
      random: () => 0.5,
      secrets: new Map(),
      requestTimeoutMs: 30_000,
      timeoutMs: 120_000,
      parallelism: width,
      journal,
      knowledge: NOTHING_KNOWN,
      breaker: createBreaker({}),
      emit: () => undefined,
      signal,
    };
    const earlier = { settled: new Map(), doubtful: new Set(doubtful), stale: new Map(), shown: new Map() };
    const executor = createExecutor(plan, options, {
      ...earlier,
      vanished: [],
      readAt: clock.now(),
    });
    await executor.run(executor.tasks);
    const tookMs = clock.monotonic() - startedAt;
    return { execution: executor.sum(), service, written, sentAfter, tookMs };
  }

  /** A disk that is slower than the service. */
  const slow = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** How many changes were written down, and not sent, whenever one was sent. */
  const aheadOf = ({ written, sentAfter }: Awaited<ReturnType<typeof run>>): number[] =>
    sentAfter.map(
      (count, index) =>
        written.slice(0, count).filter((entry) => entry.startsWith('begin')).length - (index + 1),
    );

  it('holds each change before it is sent, some more for each worker, and each when it has ended', async () => {
    const ran = await run(async () => undefined, { width: 2 });
    const { written, sentAfter } = ran;
    for (const index of times(100, (number) => number)) {
      expect(written.slice(0, sentAfter[index])).toContain(`begin ${index}`);
      expect(written.slice(sentAfter[index])).toContain(`done ${index}`);
    }
    expect(Math.max(...aheadOf(ran))).toBeLessThanOrEqual(1 + 2 * 4);
  });

  it('holds ever more of them, up to a limit, where requests wait for the disk', async () => {
    const ran = await run(slow, { count: 2000 });
    for (const [index, count] of ran.sentAfter.entries()) {
      expect(ran.written.slice(0, count)).toContain(`begin ${index}`);
    }
    const ahead = aheadOf(ran);
    expect(Math.max(...ahead.slice(0, 4))).toBeLessThanOrEqual(4);
    expect(Math.max(...ahead)).toBeGreaterThan(128);
    expect(Math.max(...ahead)).toBeLessThanOrEqual(256);
  });

  it('has creates that a killed run may have sent wait for that once, many as they are', async () => {
    const { execution, service, tookMs } = await run(async () => undefined, {
      doubtful: times(50, (index) => index),
    });
    expect(execution.done).toHaveLength(100);
    expect(service.calls.filter(({ operation }) => operation === 'create')).toHaveLength(100);
    expect(tookMs).toBeGreaterThanOrEqual(30_000);
    expect(tookMs).toBeLessThan(40_000);
  });

  it('that cannot be written any more stops the run before the next request', async () => {
    const full = new WebsitesError('file-failed', 'The journal cannot be written: no space left.');
    const { execution, service } = await run(async (index) => {
      if (index >= 50) throw full;
    });
    const sent = service.calls.map(({ subject }) => subject);
    expect(sent).toEqual(times(sent.length, domainOf));
    expect(sent.length).toBeGreaterThan(40);
    expect(sent.length).toBeLessThanOrEqual(50);
    expect(execution).toMatchObject({ stop: { cause: 'journal' }, stopped: full.message });
    expect(execution.notAttempted).toHaveLength(100 - sent.length);
  });

  it('lets nothing out that a stop overtook while it was written down', async () => {
    const stop = new AbortController();
    const { written, service } = await run(async () => stop.abort(), { width: 2, signal: stop.signal });
    expect(service.calls).toEqual([]);
    const taken = written.filter((entry) => entry.startsWith('not_attempted'));
    expect(taken).toEqual(times(9, (index) => `not_attempted ${index}`));
  });
});

describe('working through many things', () => {
  const never = new AbortController().signal;

  it('takes them in order, so many at once', async () => {
    const clock = createFakeClock();
    const order: number[] = [];
    let [active, most] = [0, 0];
    await workThrough(
      times(20, (index) => index),
      async (item) => {
        order.push(item);
        active += 1;
        most = Math.max(most, active);
        await clock.sleep(10);
        active -= 1;
        return undefined;
      },
      { width: 3, mostAside: 3, clock, halt: never },
    );
    expect(order).toEqual(times(20, (index) => index));
    expect(most).toBe(3);
  });

  it('takes up what was put aside as soon as it is due, before anything new', async () => {
    const clock = createFakeClock();
    const startedAt = clock.monotonic();
    const story: string[] = [];
    await workThrough(
      ['a', 'b', 'c', 'd'],
      async (item) => {
        story.push(`${item} ${clock.monotonic() - startedAt}`);
        await clock.sleep(10);
        return item === 'a' && clock.monotonic() - startedAt < 40 ? startedAt + 25 : undefined;
      },
      { width: 1, mostAside: 5, clock, halt: never },
    );
    expect(story).toEqual(['a 0', 'b 10', 'c 20', 'a 30', 'd 40']);
  });

  it('begins nothing new while too much is aside', async () => {
    const clock = createFakeClock();
    const startedAt = clock.monotonic();
    const story: string[] = [];
    const seen = new Set<string>();
    await workThrough(
      ['a', 'b', 'c'],
      async (item) => {
        story.push(`${item} ${clock.monotonic() - startedAt}`);
        const isFirst = !seen.has(item);
        seen.add(item);
        return isFirst ? clock.monotonic() + 100 : undefined;
      },
      { width: 2, mostAside: 1, clock, halt: never },
    );
    expect(story).toEqual(['a 0', 'b 0', 'a 100', 'b 100', 'c 100', 'c 200']);
  });

  it('once halted begins nothing, and takes up at once what is aside', async () => {
    const clock = createFakeClock();
    const startedAt = clock.monotonic();
    const halt = new AbortController();
    const story: string[] = [];
    void clock.sleep(50).then(() => halt.abort());
    await workThrough(
      ['a', 'b'],
      async (item) => {
        story.push(`${item} ${clock.monotonic() - startedAt}`);
        return halt.signal.aborted ? undefined : startedAt + 60_000;
      },
      { width: 1, mostAside: 1, clock, halt: halt.signal },
    );
    expect(story).toEqual(['a 0', 'a 50']);
  });

  it('rejects with the first error once all that is under way has ended', async () => {
    const clock = createFakeClock();
    const ended: number[] = [];
    const working = workThrough(
      times(10, (index) => index),
      async (item) => {
        await clock.sleep(item === 1 ? 5 : 20);
        if (item === 1) throw new Error('a bug');
        ended.push(item);
        return undefined;
      },
      { width: 3, mostAside: 3, clock, halt: never },
    );
    await expect(working).rejects.toThrow('a bug');
    expect(ended).toEqual([0, 2]);
  });
});

describe('the breaker', () => {
  type Outcome = 'done' | 'record' | 'service';
  const trip = (outcomes: readonly Outcome[], maxFailures?: number): number | undefined => {
    const breaker = createBreaker(maxFailures === undefined ? {} : { maxFailures });
    const at = outcomes.findIndex((outcome) => breaker.count(outcome) !== undefined);
    return at < 0 ? undefined : at + 1;
  };
  const row = (count: number, outcome: Outcome): Outcome[] => times(count, () => outcome);

  it.each<[string, Outcome[], number | undefined, number | undefined]>([
    ['ten failures of the service in a row', row(12, 'service'), undefined, 10],
    ['nine, and then none', [...row(9, 'service'), 'done', ...row(9, 'service')], undefined, undefined],
    ['failures of single records, fewer than fifty', row(49, 'record'), undefined, undefined],
    ['a fifth of fifty', [...row(10, 'record'), ...row(40, 'done')], undefined, 50],
    ['less than a fifth of fifty', [...row(9, 'record'), ...row(41, 'done')], undefined, undefined],
    [
      'single records between failures of the service',
      [...row(9, 'service'), 'record', 'service'],
      undefined,
      11,
    ],
    ['a number of its own', [...row(30, 'service')], 25, 25],
    ['a number of its own that is not reached', [...row(30, 'service')], 31, undefined],
    ['a number of its own, with no failure', row(60, 'done'), 0, undefined],
  ])('%s', (_, outcomes, maxFailures, expected) => {
    expect(trip(outcomes, maxFailures)).toBe(expected);
  });

  it('speaks of one failure and of several', () => {
    expect(createBreaker({ maxFailures: 1 }).count('record')).toMatch(/^one change failed \(WEBSITES_/);
    const breaker = createBreaker({ maxFailures: 2 });
    breaker.count('record');
    expect(breaker.count('record')).toBe('2 changes failed (WEBSITES_MAX_FAILURES)');
  });
});
