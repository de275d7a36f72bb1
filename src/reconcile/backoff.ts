/** How long the loop waits between two passes. Pure: chance comes in as an argument from 0 up to 1. */

export interface Rhythm {
  /** From the end of a pass to the beginning of the next. */
  readonly intervalMs: number;
  /** Random variation of the interval, as a share of it: 0.1 is from 90 % to 110 %. */
  readonly jitter: number;
}

/** The bound of the first pause after a failure; it doubles with each further one. */
const FIRST_RETRY_MS = 10_000;

/** Several loops that were started together drift apart. */
export function regularPause({ intervalMs, jitter }: Rhythm, random: number): number {
  return intervalMs * (1 + jitter * (2 * random - 1));
}

/**
 * Exponential back-off with full jitter: anything from nothing to the bound, which ends at twice the interval,
 * so that a service which goes on failing is asked as often as one that works.
 */
export function retryPause({ intervalMs }: Rhythm, failures: number, random: number): number {
  return random * Math.min(2 * intervalMs, FIRST_RETRY_MS * 2 ** (failures - 1));
}
