/** The one retry policy (decision: "A create is never sent twice blindly"). Pure: chance comes in as an argument. */
import type { Outcome } from '../model/service.ts';
import type { Failure } from './http/network-errors.ts';
import { meaningOf, type Operation } from './statuses.ts';

/** How far one operation has come. */
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

/** A request that did not bring what was asked for. */
export interface Setback {
  /** Of the answer, also of one that was cut off. */
  readonly status?: number | undefined;
  /** There was no whole answer. */
  readonly failure?: Failure;
  /** The status is good, and the body cannot be read. */
  readonly isGarbled?: true;
  /** The wait that the service asked for, in milliseconds. */
  readonly waitMs?: number | undefined;
}

export type Decision =
  /** The service asked for the wait: it counts neither as an attempt nor towards the time limit. */
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'retry'; readonly ms: number }
  /** `askedMs`: the service asked for waits that are too long in sum. */
  | { readonly kind: 'stop'; readonly askedMs?: number };

export const MAX_ATTEMPTS = 5;
const MAX_DELETES = 3;
const MAX_THROTTLES = 10;
const STOP: Decision = { kind: 'stop' };

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
  setback: Setback,
  { attempts, throttles, askedMs }: Pick<Progress, 'attempts' | 'throttles' | 'askedMs'>,
  random: number,
  maxWaitMs: number,
): Decision {
  if (isThrottled(setback)) {
    const { waitMs = 0 } = setback;
    const ms = waitMs >= 1000 ? waitMs : Math.max(waitMs, random * Math.min(60_000, 1000 * 2 ** throttles));
    if (askedMs + ms > maxWaitMs) return { kind: 'stop', askedMs: askedMs + ms };
    return throttles >= MAX_THROTTLES ? STOP : { kind: 'wait', ms };
  }
  if (attempts >= maxAttempts(operation, setback)) return STOP;
  return { kind: 'retry', ms: random * Math.min(10_000, 300 * 2 ** (attempts - 1)) };
}

function maxAttempts(operation: Operation, { status = 0, failure, isGarbled }: Setback): number {
  const isCreate = operation === 'create';
  if (failure?.kind === 'tls' || failure?.kind === 'too-large') return 1;
  if (failure?.sent === false) return MAX_ATTEMPTS;
  if (failure !== undefined || isGarbled) return isCreate ? 1 : MAX_ATTEMPTS;
  const { again } = meaningOf(operation, status, true, true);
  if (again === 'delete') return operation === 'delete' ? MAX_DELETES : 1;
  return again === 'any' || (again === 'safe' && !isCreate) ? MAX_ATTEMPTS : 1;
}

function isThrottled({ status, failure, isGarbled, waitMs }: Setback): boolean {
  if (isGarbled || (failure !== undefined && failure.kind !== 'broken')) return false;
  return status === 429 || (status === 503 && failure === undefined && waitMs !== undefined);
}

/** If a request that met with `setback` was carried out. Once an answer has begun its status says so, unless it is late. */
export function outcomeOf(setback: Setback): Outcome {
  const { status, failure } = setback;
  if (failure?.sent === false || isThrottled(setback)) return 'refused';
  // 202: taken on, and not done yet (RFC 9110, section 15.3.3). A redirect does not say how the request was dealt with.
  if (status === undefined || failure?.kind === 'timeout' || status === 202) return 'unknown';
  if (status === 500 || status < 300) return 'ended';
  return status === 408 || status < 400 || status > 500 ? 'unknown' : 'refused';
}

/** The graver of two outcomes of requests for one thing. */
export function graver(a: Outcome, b: Outcome): Outcome {
  if (a === 'unknown' || b === 'unknown') return 'unknown';
  return a === 'ended' || b === 'ended' ? 'ended' : 'refused';
}
