/** Time as a value that is handed in, so that tests own it. */

export interface Clock {
  /** The time of day, in milliseconds since 1970. It may be set, forward and back. */
  now(): number;
  /** Milliseconds since some moment, by which waits are measured: nobody sets it. */
  monotonic(): number;
  /** Resolves after `milliseconds`, at once when `signal` is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The largest delay of a timer, in milliseconds; Node takes a larger one for 1. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
