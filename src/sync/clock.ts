/** The real clock. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../core/service.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    delay(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
};
