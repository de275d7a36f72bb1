/** The one retry policy (decision: "A create is never sent twice blindly"). Pure: chance comes in as an argument. */
import type { Outcome } from '../model/service.ts';
import type { Setback } from './judge.ts';
import type { Operation } from './statuses.ts';

export interface Progress {
  /** Requests that count as attempts; the present one included. */
  attempts: number;
  /** Times that the service asked to wait; these are no attempts. */
  throttles: number;
  /** How long it asked to wait in sum, and was waited for, in milliseconds. */
  askedMs: number;
  /** Time that requests and our own pauses took, in milliseconds. */
  spentMs: number;
  sentAt: number | undefined;
  /** The gravest outcome of the requests so far. */
  outcome: Outcome;
}

export type Decision =
  /** The service asked for the wait: it counts neither as an attempt nor towards the time limit. */
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'retry'; readonly ms: number }
  /** `askedMs`: the service asked for waits that are too long in sum. */
  | { readonly kind: 'stop'; readonly askedMs?: number };

const MAX_ATTEMPTS = 5;
const MAX_DELETES = 3;
const MAX_THROTTLES = 10;

/**
 * Decides how an operation goes on. `random` is from 0 up to, not including, 1.
 *
 * | met with | a create | others | because |
 * |---|---|---|---|
 * | nothing was sent: no address, no connection | again | again | nothing was carried out |
 * | a certificate, an answer that is too large | stop | stop | the next would meet the same |
 * | 429, also cut off; 503 with Retry-After | wait | wait | RFC 6585, section 4; RFC 9110, section 10.2.3 |
 * | 425 | again | again | RFC 8470, section 5.2 |
 * | 408, 5xx, no whole answer, no JSON | stop | again | RFC 9110, section 9.2.2; the decision above |
 * | 409 or 423 to a delete | | again, twice | RFC 9110, section 15.5.10; RFC 4918, section 11.3 |
 * | 501, 505, 507, other 3xx and 4xx | stop | stop | the next would meet the same |
 *
 * Again: 5 attempts, after 0.3 s at most, doubling up to 10 s. Wait: 10 times, up to `maxWaitMs` in sum, as long as
 * asked; if that is less than a second, not less than a pause of up to 1 s, doubling up to 60 s.
 */
export function decide(
  operation: Operation,
  { again, throttledMs }: Pick<Setback, 'again' | 'throttledMs'>,
  { attempts, throttles, askedMs }: Pick<Progress, 'attempts' | 'throttles' | 'askedMs'>,
  random: number,
  maxWaitMs: number,
): Decision {
  if (throttledMs !== undefined) {
    const pauseMs = throttledMs < 1000 ? random * Math.min(60_000, 1000 * 2 ** throttles) : 0;
    const ms = Math.max(throttledMs, pauseMs);
    if (askedMs + ms > maxWaitMs) return { kind: 'stop', askedMs: askedMs + ms };
    return throttles < MAX_THROTTLES ? { kind: 'wait', ms } : { kind: 'stop' };
  }
  const isAgain = again === 'any' || (again === 'safe' && operation !== 'create');
  const max = again === 'delete' && operation === 'delete' ? MAX_DELETES : isAgain ? MAX_ATTEMPTS : 1;
  if (attempts >= max) return { kind: 'stop' };
  return { kind: 'retry', ms: random * Math.min(10_000, 300 * 2 ** (attempts - 1)) };
}

/** The graver of two outcomes of requests for one thing. */
export function graver(a: Outcome, b: Outcome): Outcome {
  if (a === 'unknown' || b === 'unknown') return 'unknown';
  return a === 'ended' || b === 'ended' ? 'ended' : 'refused';
}
