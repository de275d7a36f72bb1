/** How far one operation has come. */
import type { Outcome } from '../core/service.ts';
import type { Course } from './failures.ts';
import type { Effort } from './retry.ts';

export interface Progress extends Effort {
  /** Time that requests and our own pauses took, in milliseconds. */
  spentMs: number;
  /** When the last request was sent, by the monotonic clock. */
  sentAt: number | undefined;
  /** The gravest outcome of the requests so far. */
  outcome: Outcome;
}

export function startProgress(): Progress {
  return { attempts: 1, throttles: 0, spentMs: 0, sentAt: undefined, outcome: 'refused' };
}

export function courseOf({ outcome, attempts, sentAt }: Progress): Course {
  return { outcome, attempts, sentAt };
}
