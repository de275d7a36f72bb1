/**
 * What to do after a request that did not bring what was asked for, and what is known about whether it
 * was carried out (decision: "A create is never sent twice blindly"). Pure: chance comes in as an argument.
 */
import type { Outcome } from '../model/service.ts';
import type { Failure } from './http/network-errors.ts';
import type { Operation } from './operations.ts';

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

export function startProgress(): Progress {
  return { attempts: 1, throttles: 0, askedMs: 0, spentMs: 0, sentAt: undefined, outcome: 'refused' };
}

/** What a request met with. */
export type Setback =
  | {
      readonly kind: 'status';
      readonly status: number;
      /** The wait that the service asked for, in milliseconds. */
      readonly waitMs?: number | undefined;
    }
  /** A good status whose body cannot be read, or is not what it should be. */
  | { readonly kind: 'garbled'; readonly status: number }
  | { readonly kind: 'failure'; readonly failure: Failure; readonly waitMs?: number | undefined };

export type Decision =
  /** The service asked for the wait: it counts neither as an attempt nor towards the time limit. */
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'retry'; readonly ms: number }
  /** `askedMs`: the service asked for waits that are too long in sum. */
  | { readonly kind: 'stop'; readonly askedMs?: number };

export const MOST_ATTEMPTS = 5;
/** An operation that is throttled more often is given up. */
const MOST_THROTTLES = 10;

const RETRY_BASE_MS = 300;
const RETRY_CAP_MS = 10_000;
const THROTTLE_BASE_MS = 1000;
const THROTTLE_CAP_MS = 60_000;

/** Taken on, and not done yet (RFC 9110, section 15.3.3). */
const ACCEPTED = 202;
const TOO_EARLY = 425;
const STOP: Decision = { kind: 'stop' };

/**
 * Decides how an operation goes on; `random` is from 0 up to, not including, 1. Waits that the service asks for are waited
 * out up to `maxWaitMs` in sum.
 */
export function decide(
  operation: Operation,
  setback: Setback,
  { attempts, throttles, askedMs }: Pick<Progress, 'attempts' | 'throttles' | 'askedMs'>,
  random: number,
  maxWaitMs: number,
): Decision {
  if (isThrottled(setback)) {
    const { waitMs = 0 } = setback.kind === 'garbled' ? {} : setback;
    const ms = throttleWait(waitMs, throttles, random);
    if (askedMs + ms > maxWaitMs) return { kind: 'stop', askedMs: askedMs + ms };
    return throttles >= MOST_THROTTLES ? STOP : { kind: 'wait', ms };
  }
  const mayRepeat = operation === 'create' ? isHarmless(setback) : isPassing(setback);
  if (!mayRepeat || attempts >= MOST_ATTEMPTS) return STOP;
  return { kind: 'retry', ms: backOff(RETRY_BASE_MS, RETRY_CAP_MS, attempts - 1, random) };
}

/** Whether a request that met with `setback` was carried out. */
export function outcomeOf(setback: Setback): Outcome {
  if (setback.kind === 'failure') {
    const { sent, head, kind } = setback.failure;
    if (!sent) return 'refused';
    // Once an answer has begun, its status tells, unless time ran out on it.
    return head === undefined || kind === 'timeout' ? 'unknown' : outcomeOfStatus(head.status);
  }
  return isThrottled(setback) ? 'refused' : outcomeOfStatus(setback.status);
}

/** The graver of two outcomes of requests for one thing. */
export function graver(a: Outcome, b: Outcome): Outcome {
  if (a === 'unknown' || b === 'unknown') return 'unknown';
  return a === 'ended' || b === 'ended' ? 'ended' : 'refused';
}

/** A 429, be its body cut off or not, or a 503 that says when to come back. */
function isThrottled(setback: Setback): boolean {
  if (setback.kind === 'failure')
    return setback.failure.kind === 'broken' && setback.failure.head?.status === 429;
  if (setback.kind === 'garbled') return false;
  return setback.status === 429 || (setback.status === 503 && setback.waitMs !== undefined);
}

function outcomeOfStatus(status: number): Outcome {
  if (status === ACCEPTED) return 'unknown';
  if (status === 500 || status < 300) return 'ended';
  // A redirect that is the answer says that the request was dealt with, and not how.
  return status === 408 || status < 400 || status > 500 ? 'unknown' : 'refused';
}

/** It cannot have been carried out, and may go better next time. */
function isHarmless(setback: Setback): boolean {
  if (setback.kind === 'status') return setback.status === TOO_EARLY;
  return setback.kind === 'failure' && !setback.failure.sent && setback.failure.kind !== 'tls';
}

/** It may go better next time. */
function isPassing(setback: Setback): boolean {
  if (setback.kind === 'garbled') return true;
  if (setback.kind === 'failure')
    return setback.failure.kind !== 'tls' && setback.failure.kind !== 'too-large';
  const { status } = setback;
  return status === 408 || status === TOO_EARLY || status >= 500;
}

/** As long as the service asked for; where that is next to nothing, not less than the pause grows to. */
function throttleWait(askedMs: number, before: number, random: number): number {
  if (askedMs >= THROTTLE_BASE_MS) return askedMs;
  return Math.max(askedMs, backOff(THROTTLE_BASE_MS, THROTTLE_CAP_MS, before, random));
}

/** Exponential with full jitter, in milliseconds. */
function backOff(base: number, cap: number, before: number, random: number): number {
  return random * Math.min(cap, base * 2 ** before);
}
