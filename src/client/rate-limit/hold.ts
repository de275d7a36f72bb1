/** When nothing may start: until a time that the service named, or by waits of our own where it names none. */
import type { Clock } from '../../util/clock.ts';

/**
 * The wait after a throttled answer that names none, or a shorter one, in milliseconds; doubles while they go
 * on, up to the longest.
 */
export const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;

export interface Hold {
  /** Nothing starts for so long from now, or for longer where that was said before. */
  extend(milliseconds: number | undefined): void;
  /** Whether one that was noticed is over; not told twice. */
  endedNow(): boolean;
  isHeld(): boolean;
  /** What is left of the present one, in milliseconds. */
  leftMs(): number;
  /** How long it was held so far. */
  pastMs(): number;
}

export function createHold(clock: Pick<Clock, 'monotonic'>): Hold {
  let until = 0;
  let totalMs = 0;
  const leftMs = (): number => Math.max(0, until - clock.monotonic());
  return {
    extend(milliseconds) {
      if (milliseconds === undefined) return;
      const end = clock.monotonic() + milliseconds;
      totalMs += Math.max(0, end - Math.max(until, clock.monotonic()));
      until = Math.max(until, end);
    },
    endedNow() {
      if (until === 0 || clock.monotonic() < until) return false;
      until = 0;
      return true;
    },
    isHeld: () => until !== 0 && clock.monotonic() < until,
    leftMs,
    pastMs: () => totalMs - leftMs(),
  };
}

/** Waits for a service that does not say until when it is shut. */
export interface Shutter {
  isShut(): boolean;
  /**
   * How long to wait where the service does not say, or says too little: at the end of a window, at first nearly
   * as long as last time.
   */
  nextWait(atWindowEnd: boolean): number;
  open(): void;
}

export function createShutter(clock: Pick<Clock, 'monotonic'>): Shutter {
  let wait = FIRST_WAIT;
  /** Since when the service is shut, and how long it was so the last time. */
  let since: number | undefined;
  let lastMs: number | undefined;
  return {
    isShut: () => since !== undefined,
    nextWait(atWindowEnd) {
      if (since === undefined) {
        since = clock.monotonic();
        wait = FIRST_WAIT;
        if (atWindowEnd && lastMs !== undefined) {
          wait = lastMs / 8;
          return lastMs - wait;
        }
      }
      const next = wait;
      wait = Math.min(LONGEST_WAIT, wait * 2);
      return next;
    },
    open() {
      if (since !== undefined) lastMs = clock.monotonic() - since;
      since = undefined;
    },
  };
}
