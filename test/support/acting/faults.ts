/** What can go wrong with one request. */

import type { RateHeaders } from './dialect.ts';
import type { LoggedRequest } from './log.ts';

/** Whether the write has taken place when the fault strikes. */
export type When = 'before' | 'after';

export type Fault =
  /** Answers so much later, with another fault or as it should. */
  | { readonly kind: 'delay'; readonly ms: number; readonly next?: Fault }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly when: When;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Asks to slow down, in one of the header families; nothing is carried out. */
  | {
      readonly kind: 'throttle';
      readonly seconds: number;
      readonly headers: RateHeaders;
      readonly status?: 503;
    }
  | { readonly kind: 'reset'; readonly when: When }
  /** Resets the connection at once, and carries the write out so much later. */
  | { readonly kind: 'late'; readonly ms: number }
  /** Never answers. */
  | { readonly kind: 'hang'; readonly when: When }
  /** The rest carry the write out and spoil the answer: cut in the middle, without an end, empty, an HTML page. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'endless' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'page' };

/** Chooses the fault of each request, if any. */
export type FaultPlan = (request: LoggedRequest) => Fault | undefined;

/** Strikes the request that comes as number `at`, from 0. */
export function faultAt(at: number, fault: Fault): FaultPlan {
  let count = 0;
  return () => (count++ === at ? fault : undefined);
}

/** Strikes each request with a chance of `rate`, with one of `faults`; the same for the same `seed`. */
export function seededFaults(seed: number, rate: number, faults: readonly Fault[]): FaultPlan {
  const random = seededRandom(seed);
  return () => (random() < rate ? faults[Math.floor(random() * faults.length)] : undefined);
}

/** Numbers from 0 up to, not including, 1; the same row for the same seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
