import { expect, it } from 'vitest';
import { createLimiter, type Limiter } from '../../src/client/pace.ts';
import type { Pace } from '../../src/model/service.ts';
import { createFakeClock } from '../support/clock.ts';

const GOOD: Pace = { throttled: false };

/** Sends a request as soon as the limiter lets it. */
async function run(limiter: Limiter, send: () => Promise<Pace>, signal?: AbortSignal): Promise<Pace> {
  const ticket = await limiter.enter(signal);
  let pace: Pace | undefined;
  try {
    pace = await send();
    return pace;
  } finally {
    limiter.leave(ticket, pace);
  }
}

type Clock = ReturnType<typeof createFakeClock>;

/** Headers besides Retry-After, which all but `silent` send. */
type Telling = 'remaining' | 'reset' | 'nothing' | 'silent';

/** A service with `size` requests per fixed window, and the headers that it names. */
function windowed(clock: Clock, size: number, windowMs: number, tells: Telling) {
  let window = Number.NaN;
  let count = 0;
  const seen = { sent: 0, throttled: 0, mostAtOnce: 0 };
  let active = 0;
  const answer = (): Pace => {
    const now = clock.monotonic();
    const current = Math.floor(now / windowMs);
    if (current !== window) count = 0;
    window = current;
    count += 1;
    const resetMs = (current + 1) * windowMs - now;
    const told =
      tells === 'nothing' || tells === 'silent' ? {} : { limit: size, remaining: Math.max(0, size - count) };
    if (count <= size) return { throttled: false, ...told, ...(tells === 'reset' ? { resetMs } : {}) };
    seen.throttled += 1;
    if (tells === 'silent') return { throttled: true };
    return { throttled: true, waitMs: Math.ceil(resetMs / 1000) * 1000, ...told };
  };
  return {
    seen,
    async send(latencyMs: number): Promise<Pace> {
      seen.sent += 1;
      active += 1;
      seen.mostAtOnce = Math.max(seen.mostAtOnce, active);
      await clock.sleep(latencyMs / 2);
      const reply = answer();
      await clock.sleep(latencyMs / 2);
      active -= 1;
      return reply;
    },
  };
}

/** Sends `total` requests, each until it is accepted, as a client does. */
async function drive(clock: Clock, service: ReturnType<typeof windowed>, total: number) {
  const limiter = createLimiter(10, clock);
  let left = total;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      for (;;) {
        const reply = await run(limiter, () => service.send(20));
        if (!reply.throttled) break;
        await clock.sleep(reply.waitMs ?? 100);
      }
    }
  };
  const startedAt = clock.monotonic();
  await Promise.all(Array.from({ length: 10 }, worker));
  return { limiter, seconds: (clock.monotonic() - startedAt) / 1000 };
}

/** Start times of `count` simultaneous requests of 10 ms; `answer` gets their numbers, from 1. */
async function startsOf(count: number, answer: (number: number) => Pace): Promise<number[]> {
  const clock = createFakeClock();
  const limiter = createLimiter(8, clock);
  const startedAt = clock.monotonic();
  const starts: number[] = [];
  const send = async (): Promise<Pace> => {
    const number = starts.push(clock.monotonic() - startedAt);
    await clock.sleep(10);
    return answer(number);
  };
  await Promise.all(Array.from({ length: count }, () => run(limiter, send)));
  return starts;
}

it.each([
  ['remaining' as const, 1.03],
  ['reset' as const, 1.01],
  ['nothing' as const, 1.2],
  ['silent' as const, 1.2],
])('1,000 requests at 60 per second take less than 35 seconds (header: %s)', async (tells, most) => {
  const clock = createFakeClock();
  const service = windowed(clock, 60, 1000, tells);
  const { seconds } = await drive(clock, service, 1000);
  expect(service.seen.sent / 1000).toBeLessThanOrEqual(most);
  // 17 windows are the minimum; each Retry-After of whole seconds costs the rest of a window.
  expect(seconds).toBeLessThan(tells === 'reset' ? 18 : 35);
});

it('300 requests at 60 per minute get at most five responses 429', async () => {
  const clock = createFakeClock();
  const service = windowed(clock, 60, 60_000, 'remaining');
  const { limiter } = await drive(clock, service, 300);
  expect(service.seen.throttled).toBeLessThanOrEqual(5);
  expect(limiter.state().requests).toBe(service.seen.sent);
  expect(limiter.state().requestsPerSecond).toBeCloseTo(1, 0);
});

it.each(['reset', 'nothing', 'silent'] as const)(
  '300 requests at 60 per minute take less than 6 minutes (headers: %s)',
  async (tells) => {
    const clock = createFakeClock();
    const { seconds } = await drive(clock, windowed(clock, 60, 60_000, tells), 300);
    expect(seconds).toBeLessThan(6 * 60);
  },
);

it('concurrency returns to its maximum after throttling ends', async () => {
  const clock = createFakeClock();
  const limiter = createLimiter(10, clock);
  const answers: Pace[] = [GOOD, GOOD, { throttled: true, waitMs: 1000 }];
  const send = async (): Promise<Pace> => {
    await clock.sleep(10);
    return answers.shift() ?? GOOD;
  };
  const startedAt = clock.monotonic();
  await Promise.all(Array.from({ length: 400 }, () => run(limiter, send)));
  expect(limiter.state().width).toBe(10);
  // A wait of one second, growth from five at a time (some 150 responses), then ten at a time.
  expect(clock.monotonic() - startedAt).toBeLessThan(1000 + 30 * 10 + 400);
});

it('a rate limit without a window is assumed to be per minute', async () => {
  const limiter = createLimiter(10, createFakeClock());
  expect(limiter.state().requestsPerSecond).toBeUndefined();
  await run(limiter, async () => ({ throttled: false, limit: 120, remaining: 119 }));
  expect(limiter.state().requestsPerSecond).toBe(2);
});

it('after a 429 without Retry-After, one request at a time is sent', async () => {
  const starts = await startsOf(15, (number) => ({ throttled: number <= 10 }));
  // Eight requests in flight, two more that are throttled, one that is accepted; then four, half of eight.
  expect(starts).toEqual([...Array(8).fill(0), 510, 1520, 3530, ...Array(4).fill(3540)]);
});

it('after a 429 with Retry-After, concurrency is halved and then grows slowly', async () => {
  const starts = await startsOf(80, (number) => (number <= 8 ? { throttled: true, waitMs: 500 } : GOOD));
  const rounds = Array.from(new Set(starts), (at) => starts.filter((start) => start === at).length);
  expect(rounds.slice(0, 3)).toEqual([8, 4, 4]);
  const widths = rounds.slice(1, -1);
  expect(widths).toEqual(widths.toSorted((one, other) => one - other));
  expect(widths.at(-1)).toBeGreaterThanOrEqual(6);
});

it('a late response to an earlier request does not end a throttling pause', async () => {
  const clock = createFakeClock();
  const limiter = createLimiter(2, clock);
  const startedAt = clock.monotonic();
  const starts: number[] = [];
  const send = async (): Promise<Pace> => {
    const number = starts.push(clock.monotonic() - startedAt);
    await clock.sleep(number === 2 ? 20 : 10);
    return { throttled: number === 1 };
  };
  await Promise.all(Array.from({ length: 4 }, () => run(limiter, send)));
  expect(starts).toEqual([0, 0, 510, 520]);
});

it('a burst of throttled responses halves concurrency once', async () => {
  const clock = createFakeClock();
  const limiter = createLimiter(8, clock);
  const send = async (): Promise<Pace> => {
    await clock.sleep(10);
    return { throttled: true };
  };
  await Promise.all(Array.from({ length: 8 }, () => run(limiter, send)));
  expect(limiter.state().width).toBe(4);
});

it.each<[string, Pace]>([
  ['no response has Retry-After', { throttled: true }],
  ['responses ask for no wait', { throttled: true, waitMs: 0 }],
  ['responses ask for a very short wait', { throttled: true, waitMs: 40 }],
])('the wait after a 429 grows each time that %s', async (_what, throttled) => {
  const clock = createFakeClock();
  const limiter = createLimiter(4, clock);
  const starts: number[] = [];
  const answers = [...Array<Pace>(9).fill(throttled), GOOD, throttled, GOOD];
  for (const answer of answers) {
    await run(limiter, async () => {
      starts.push(clock.monotonic());
      return answer;
    });
  }
  const waits = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 0, 500]);
});

it.each([
  [3000, 7000],
  [7000, 3000],
])('after Retry-After of %d ms and %d ms, all requests wait for the longer time', async (...waits) => {
  const clock = createFakeClock();
  const limiter = createLimiter(2, clock);
  const startedAt = clock.monotonic();
  await Promise.all(waits.map((waitMs) => run(limiter, async () => ({ throttled: true, waitMs }))));
  expect(limiter.state()).toMatchObject({ heldForMs: 7000 });
  await clock.sleep(3000);
  await run(limiter, async () => GOOD);
  expect(clock.monotonic()).toBe(startedAt + 7000);
  expect(limiter.state()).toMatchObject({ heldForMs: 0 });
  await run(limiter, async () => ({ throttled: true, waitMs: 1000 }));
  await clock.sleep(1000);
  expect(limiter.state()).toMatchObject({ heldForMs: 0 });
});

it('the headers of a late response about an earlier window are ignored', async () => {
  const clock = createFakeClock();
  const limiter = createLimiter(4, clock);
  const startedAt = clock.monotonic();
  const late = run(limiter, async () => {
    await clock.sleep(1500);
    return { throttled: false, remaining: 0, resetMs: 60_000 };
  });
  await run(limiter, async () => ({ throttled: true, waitMs: 1000 }));
  await run(limiter, async () => GOOD);
  await late;
  await run(limiter, async () => GOOD);
  expect(clock.monotonic() - startedAt).toBe(1500);
});

it('a rate limit that resets after 34 years is ignored', async () => {
  const clock = createFakeClock();
  const limiter = createLimiter(2, clock);
  await run(limiter, async () => ({ throttled: false, remaining: 0, resetMs: 2 ** 40 }));
  const startedAt = clock.monotonic();
  await run(limiter, async () => GOOD);
  expect(clock.monotonic()).toBe(startedAt);
});

it('waiting requests are sent in the order of arrival, look-ups and creates alike', async () => {
  const clock = createFakeClock();
  const limiter = createLimiter(1, clock);
  const order: string[] = [];
  const names = ['create 1', 'find 1', 'create 2', 'list', 'find 2'];
  const send = (name: string) => async (): Promise<Pace> => {
    order.push(name);
    await clock.sleep(5);
    return GOOD;
  };
  await Promise.all(names.map((name) => run(limiter, send(name))));
  expect(order).toEqual(names);
});

it('a waiting request ends when its signal is aborted, and is not sent', async () => {
  const clock = createFakeClock();
  const limiter = createLimiter(1, clock);
  const controller = new AbortController();
  await run(limiter, async () => ({ throttled: true, waitMs: 60_000 }));
  const startedAt = clock.monotonic();
  let isSent = false;
  const waiting = run(
    limiter,
    async () => {
      isSent = true;
      return GOOD;
    },
    controller.signal,
  );
  controller.abort(new Error('interrupted'));
  await expect(waiting).rejects.toThrow('interrupted');
  expect({ isSent, waited: clock.monotonic() - startedAt }).toEqual({ isSent: false, waited: 0 });
});

it('a request with an aborted signal is sent if it need not wait, and fails otherwise', async () => {
  const clock = createFakeClock();
  const limiter = createLimiter(1, clock);
  const aborted = AbortSignal.abort(new Error('interrupted'));
  await expect(run(limiter, async () => GOOD, aborted)).resolves.toEqual(GOOD);
  await run(limiter, async () => ({ throttled: true, waitMs: 60_000 }));
  await expect(run(limiter, async () => GOOD, aborted)).rejects.toThrow('interrupted');
});

it('a request that throws lets the next one start', async () => {
  const limiter = createLimiter(1, createFakeClock());
  const failing = run(limiter, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  await expect(run(limiter, async () => GOOD)).resolves.toEqual(GOOD);
});

it.each([40, 41])('a request waits %i ms, even if that ends between clock readings', async (waitMs) => {
  let now = 0;
  const clock = { now: () => now, monotonic: () => (now += 1), sleep: async () => undefined };
  const limiter = createLimiter(1, clock);
  limiter.leave(await limiter.enter(), { throttled: false, limit: 1, remaining: 0, resetMs: waitMs });
  const entered = limiter.enter().then(() => 'entered');
  const late = new Promise((resolve) => setTimeout(resolve, 1000, 'still waiting'));
  expect(await Promise.race([entered, late])).toBe('entered');
});
