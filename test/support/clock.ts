/** A clock that stops while anything runs, and jumps to the next alarm when all wait. */
import { setImmediate, setTimeout } from 'node:timers';
import type { Clock } from '../../src/util/clock.ts';

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

export interface FakeClock extends Clock {
  /** Sets the time of day forward or back. */
  set(byMs: number): void;
}

/** Uptime of the machine at the start, in milliseconds. */
const UP_FOR = 86_400_000;

/** Also stops while `isBusy()`, for example while requests are on real sockets. */
export function createFakeClock(
  start = Date.UTC(2026, 10, 20, 9, 30),
  isBusy: () => boolean = () => false,
): FakeClock {
  let now = start;
  let setBy = 0;
  let alarms: Alarm[] = [];
  let isTicking = false;

  function tick(): void {
    isTicking = false;
    if (alarms.length === 0) return;
    if (isBusy()) {
      // Yields to the work that it waits for.
      isTicking = true;
      setTimeout(tick, 1);
      return;
    }
    now = Math.max(now, Math.min(...alarms.map(({ at }) => at)));
    const due = alarms.filter(({ at }) => at <= now);
    alarms = alarms.filter(({ at }) => at > now);
    for (const { ring } of due) ring();
    schedule();
  }

  function schedule(): void {
    if (isTicking || alarms.length === 0) return;
    isTicking = true;
    setImmediate(tick);
  }

  return {
    now: () => now + setBy,
    monotonic: () => now - start + UP_FOR,
    set(byMs) {
      setBy += byMs;
    },
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const ring = (): void => {
          alarms = alarms.filter((alarm) => alarm.ring !== ring);
          signal?.removeEventListener('abort', ring);
          resolve();
        };
        signal?.addEventListener('abort', ring, { once: true });
        // Timers have whole milliseconds.
        alarms.push({ at: now + Math.ceil(milliseconds), ring });
        schedule();
      }),
  };
}
