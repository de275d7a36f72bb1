/** Decides whether and when a request is sent again (decision: "A create is never sent twice blindly"). */
import type { RequestOutcome } from '../model/service.ts';
import type { Attempt, Setback } from './judge.ts';

export const startProgress = () => ({
  attempts: 1,
  redirects: 0,
  /** Waits that the service asked for. They do not count as attempts. */
  throttles: 0,
  /** Milliseconds of waits that the service asked for, and milliseconds of requests and the client's own pauses. */
  askedMs: 0,
  spentMs: 0,
  sentAt: undefined as number | undefined,
  outcome: 'refused' as RequestOutcome,
});

export type RequestProgress = ReturnType<typeof startProgress>;

export interface RetryLimits {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Limit in milliseconds for one operation with its retries. Waits that the service asks for do not count. */
  readonly timeoutMs: number;
  /** Limit in milliseconds for the sum of the waits of one operation that the service asks for. */
  readonly maxWaitMs: number;
}

const MAX_ATTEMPTS = 5;
const MAX_THROTTLES = 10;

/**
 * Returns the milliseconds until the next attempt, which it counts, or the setback that ends the operation.
 * - No address, no connection: again. Nothing was carried out.
 * - A certificate, a response that is too large: stop. A retry would fail in the same way.
 * - 429, also cut off, and 503 with Retry-After: wait (RFC 6585, section 4; RFC 9110, section 10.2.3). After a 503
 *   that is no JSON, which a proxy may have sent, a create stops.
 * - 408, 5xx, a cut or non-JSON response: a create stops, others again (RFC 9110, section 9.2.2; the decision above).
 * - Other 3xx and 4xx: stop. A retry would fail in the same way.
 * Again: 5 attempts, after 0.3 s at most, doubling up to 10 s. Wait: as long as asked, at most 10 times and
 * `maxWaitMs` in sum. If asked for less than a second, at least a random pause of up to 1 s that doubles up to 60 s.
 */
export function nextStep(
  { call: { operation }, progress }: Pick<Attempt, 'call' | 'progress'>,
  setback: Setback,
  { random, timeoutMs, maxWaitMs }: RetryLimits,
): number | Setback {
  const { again, throttledMs, outcome } = setback;
  progress.outcome = graver(progress.outcome, outcome);
  if (throttledMs !== undefined && (operation !== 'create' || outcome === 'refused')) {
    const pauseMs = throttledMs < 1000 ? random() * Math.min(60_000, 1000 * 2 ** progress.throttles) : 0;
    const ms = Math.max(throttledMs, pauseMs);
    progress.askedMs += ms;
    progress.throttles += 1;
    if (progress.askedMs > maxWaitMs) return askingTooMuch(setback, progress.askedMs);
    return progress.throttles > MAX_THROTTLES ? setback : ms;
  }
  const isAgain = again === 'any' || (again === 'safe' && operation !== 'create');
  const ms = random() * Math.min(10_000, 300 * 2 ** (progress.attempts - 1));
  progress.spentMs += ms;
  if (!isAgain || progress.attempts >= MAX_ATTEMPTS || progress.spentMs >= timeoutMs) return setback;
  progress.attempts += 1;
  return ms;
}

function askingTooMuch(setback: Setback, askedMs: number): Setback {
  const seconds = Math.ceil(askedMs / 1000);
  return {
    ...{ ...setback, asksTooMuch: true },
    what: `${setback.what}, and asks to wait ${seconds} s in all`,
    remedy: `Run again later, or wait longer: WEBSITES_MAX_WAIT=${seconds}s.`,
  };
}

const GRAVITY: readonly RequestOutcome[] = ['refused', 'ended', 'unknown'];

export function graver(a: RequestOutcome, b: RequestOutcome): RequestOutcome {
  return GRAVITY.indexOf(a) > GRAVITY.indexOf(b) ? a : b;
}
