import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, MAX_TIMER_MS } from '../clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  async sleep(milliseconds, signal) {
    const options = signal === undefined ? {} : { signal };
    // Newer releases of Node warn about a negative delay.
    let left = Math.max(0, milliseconds);
    do {
      await delay(Math.min(left, MAX_TIMER_MS), undefined, options).catch(() => undefined);
      left -= MAX_TIMER_MS;
    } while (left > 0 && !signal?.aborted);
  },
};
