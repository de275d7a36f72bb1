/** The time as an argument, so that tests can control it. */

export interface Clock {
  /** Milliseconds since 1970. The clock may be set forward and back. */
  now(): number;
  /** Milliseconds of a monotonic clock, for measuring waits. */
  monotonic(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Maximum delay in milliseconds. Node treats a larger one as 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
