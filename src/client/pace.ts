/**
 * The one limiter of a run, for reads and writes. It limits the requests in flight, in order of arrival. It waits as
 * long as a response asks, and does not exceed the rest of the rate window. Each burst of 429s halves the width once;
 * the width grows back slowly.
 */
import type { LimiterState, Pace } from '../model/service.ts';
import type { Clock } from '../util/clock.ts';

export type Limiter = Omit<ReturnType<typeof createLimiter>, 'state'>;

/** Shortest and longest wait, if the service names no time or a shorter one. Waits double while 429s continue. */
const MIN_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
/** Added to the width after each round of successful responses. A small step causes fewer 429s. */
const GROWTH = 1 / 4;
/** A longer reset time is not plausible and is ignored. */
const MAX_WINDOW_MS = 3_600_000;
/** Default window of a rate limit that names none (Laravel's `throttle`). */
const USUAL_WINDOW_MS = 60_000;

export function createLimiter(parallelism: number, clock: Clock) {
  let width = parallelism;
  let active = 0;
  let requests = 0;
  /** End of the wait by the monotonic clock; 0 if nothing waits. */
  let heldUntil = 0;
  /** The last request before the width was halved. A 429 to it or an earlier request does not halve the width again. */
  let halvedAt = 0;
  /** Last wait that the client chose itself; 0 once the service accepts requests again. */
  let pauseMs = 0;
  /** Requests left in the rate window, from the response to the newest request. */
  let left = Number.POSITIVE_INFINITY;
  let newest = 0;
  let limit: number | undefined;
  let windowMs: number | undefined;
  let last: Promise<void> = Promise.resolve();
  let wake = (): void => undefined;

  const heldForMs = (): number => Math.max(0, heldUntil - clock.monotonic());

  function hold(milliseconds: number): void {
    if (milliseconds > heldForMs()) heldUntil = clock.monotonic() + milliseconds;
  }

  function isHeld(): boolean {
    if (heldUntil === 0 || heldForMs() > 0) return heldUntil !== 0;
    heldUntil = 0;
    left = Number.POSITIVE_INFINITY;
    newest = requests;
    return false;
  }

  function learn(number: number, pace: Pace): void {
    learnWindow(pace);
    if (pace.throttled) {
      slowDown(number, pace.waitMs ?? 0);
      return;
    }
    width = Math.min(parallelism, width + GROWTH / width);
    if (number > halvedAt) pauseMs = 0;
    // Some services send 0 although they have no limit.
    if (pace.remaining === undefined || pace.limit === 0 || number <= newest) return;
    newest = number;
    left = pace.remaining;
    const { resetMs = 0 } = pace;
    if (left === 0 && resetMs <= MAX_WINDOW_MS) hold(resetMs);
  }

  function learnWindow(pace: Pace): void {
    const { resetMs = pace.throttled && pace.limit !== undefined ? pace.waitMs : undefined } = pace;
    limit = pace.limit || limit;
    if (resetMs && resetMs <= MAX_WINDOW_MS) windowMs = Math.max(windowMs ?? 0, resetMs);
  }

  function slowDown(number: number, waitMs: number): void {
    hold(waitMs);
    if (number <= halvedAt) return;
    halvedAt = requests;
    if (pauseMs === 0) width = Math.max(1, width / 2);
    if (waitMs >= MIN_WAIT_MS) return;
    pauseMs = pauseMs === 0 ? MIN_WAIT_MS : Math.min(MAX_WAIT_MS, pauseMs * 2);
    hold(pauseMs);
  }

  function hasRoom(): boolean {
    return active < Math.max(1, pauseMs > 0 ? 1 : Math.min(Math.floor(width), left));
  }

  async function waitForRoom(signal: AbortSignal | undefined, wasAborted: boolean): Promise<void> {
    for (;;) {
      // The clock is read once: if the wait ended between two readings, nothing would wake this request.
      const isWaiting = isHeld();
      if (signal?.aborted && (isWaiting || !wasAborted)) throw signal.reason;
      if (isWaiting) await clock.sleep(heldForMs(), signal);
      else if (hasRoom()) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    /**
     * Waits for a turn, and returns the number of the request, from 1. Rejects with the signal's reason if it is
     * aborted meanwhile.
     */
    async enter(signal?: AbortSignal): Promise<number> {
      const wasAborted = signal?.aborted ?? false;
      const turn = last;
      let done = (): void => undefined;
      last = new Promise((resolve) => (done = resolve));
      try {
        await turn;
        await waitForRoom(signal, wasAborted);
        active += 1;
        requests += 1;
        return requests;
      } finally {
        done();
      }
    },
    /** Ends the request with that number. `pace` is missing if there was no response. */
    leave(number: number, pace?: Pace): void {
      if (pace !== undefined) learn(number, pace);
      active -= 1;
      wake();
    },
    state: (): LimiterState => ({
      width: Math.floor(width),
      heldForMs: heldForMs(),
      requests,
      requestsPerSecond: limit && (limit * 1000) / (windowMs ?? USUAL_WINDOW_MS),
    }),
  };
}
