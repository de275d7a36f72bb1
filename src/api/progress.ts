/** How far one operation has come. */
import type { Outcome } from '../model/service.ts';

export interface Progress {
  /** Requests that count as attempts; the present one included. */
  attempts: number;
  /** Times that the service asked to wait; these are no attempts. */
  throttles: number;
  /** How long it asked to wait in sum, and was waited for, in milliseconds. */
  askedMs: number;
  /** Time that requests and our own pauses took, in milliseconds. */
  spentMs: number;
  /** When the last request was sent, by the monotonic clock. */
  sentAt: number | undefined;
  /** The gravest outcome of the requests so far. */
  outcome: Outcome;
}

export function startProgress(): Progress {
  return { attempts: 1, throttles: 0, askedMs: 0, spentMs: 0, sentAt: undefined, outcome: 'refused' };
}
