import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, MAX_TIMER_MS } from '../clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.floor(performance.now()),
  async sleep(milliseconds, signal) {
    const options = signal === undefined ? {} : { signal };
    // Newer releases of Node warn about a negative delay. A longer wait than a timer can take ends early.
    const most = Math.min(Math.max(0, milliseconds), MAX_TIMER_MS);
    await delay(most, undefined, options).catch(() => undefined);
  },
};
