/** Time as an argument, so that tests control it. */

export interface Clock {
  /** The time of day, in milliseconds since 1970. It may be set, forward and back. */
  now(): number;
  /** Milliseconds of a monotonic clock, to measure waits. */
  monotonic(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Node treats a larger delay as 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
