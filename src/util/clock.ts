/** Time as an argument, so that tests control it. */

export interface Clock {
  /** The time of day, in milliseconds since 1970. It may be set, forward and back. */
  now(): number;
  /** Milliseconds since some moment, to measure waits: nobody sets it. */
  monotonic(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Node takes a larger delay for 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
