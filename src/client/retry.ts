/** The one retry policy (decision: "A create is never sent twice blindly"). Pure: chance is an argument. */
import type { RequestOutcome } from '../model/service.ts';
import type { Setback } from './judge.ts';
import type { Operation } from './statuses.ts';

export interface RequestProgress {
  attempts: number;
  /** Waits that the service asked for; these are no attempts. */
  throttles: number;
  /** Milliseconds that it asked for in sum, and that were waited. */
  askedMs: number;
  /** Milliseconds that requests and our own pauses took. */
  spentMs: number;
  sentAt: number | undefined;
  outcome: RequestOutcome;
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
 * Decides how an operation continues. `random` is at least 0 and below 1.
 * - No address, no connection: again. Nothing was carried out.
 * - A certificate, a response that is too large: stop. A retry would fail in the same way.
 * - 429, also cut off, and 503 with Retry-After: wait (RFC 6585, section 4; RFC 9110, section 10.2.3).
 * - 425: again (RFC 8470, section 5.2).
 * - 408, 5xx, a cut or non-JSON response: a create stops, others again (RFC 9110, section 9.2.2; the decision above).
 * - 409 or 423 to a delete: again, twice (RFC 9110, section 15.5.10; RFC 4918, section 11.3).
 * - 501, 505, 507, other 3xx and 4xx: stop. A retry would fail in the same way.
 * Again: 5 attempts, after 0.3 s at most, doubling up to 10 s. Wait: 10 times, up to `maxWaitMs` in sum, as long as
 * asked. For less than a second, it is at least a pause of up to 1 s that doubles up to 60 s.
 */
export function decide(
  operation: Operation,
  { again, throttledMs }: Pick<Setback, 'again' | 'throttledMs'>,
  { attempts, throttles, askedMs }: Pick<RequestProgress, 'attempts' | 'throttles' | 'askedMs'>,
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

export function graver(a: RequestOutcome, b: RequestOutcome): RequestOutcome {
  if (a === 'unknown' || b === 'unknown') return 'unknown';
  return a === 'ended' || b === 'ended' ? 'ended' : 'refused';
}
