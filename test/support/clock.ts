/** A clock that stands still while anything is done, and jumps to the next alarm when all wait. */
import { setImmediate } from 'node:timers';
import type { Clock } from '../../src/core/service.ts';

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

/** While `isBusy`, as with requests on real sockets, it stands still too. */
export function createFakeClock(
  start = Date.UTC(2026, 10, 20, 9, 30),
  isBusy: () => boolean = () => false,
): Clock {
  let now = start;
  let alarms: Alarm[] = [];
  let isTicking = false;

  function tick(): void {
    isTicking = false;
    if (alarms.length === 0) return;
    if (isBusy()) {
      schedule();
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
    now: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const ring = (): void => {
          alarms = alarms.filter((alarm) => alarm.ring !== ring);
          signal?.removeEventListener('abort', ring);
          resolve();
        };
        signal?.addEventListener('abort', ring, { once: true });
        alarms.push({ at: now + milliseconds, ring });
        schedule();
      }),
  };
}
