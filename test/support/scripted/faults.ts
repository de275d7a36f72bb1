import type { RateHeaders } from './dialect.ts';
import type { LoggedRequest } from './log.ts';

/** The write is carried out before or after the fault. */
export type When = 'before' | 'after';

export type Fault =
  /** Delays the answer, with another fault or none. */
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
  /** Resets the connection at once, and carries the write out later. */
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'hang'; readonly when: When }
  /** The rest carry the write out and spoil the answer: cut in the middle, without an end, empty, an HTML page. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'endless' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'page' };

export type FaultPlan = (request: LoggedRequest) => Fault | undefined;

/** Counts requests from 0. */
export function faultAt(at: number, fault: Fault): FaultPlan {
  let count = 0;
  return () => (count++ === at ? fault : undefined);
}

/** Gives each request a chance of `rate` for one of `faults`, repeatable by `seed`. */
export function seededFaults(seed: number, rate: number, faults: readonly Fault[]): FaultPlan {
  const random = seededRandom(seed);
  return () => (random() < rate ? faults[Math.floor(random() * faults.length)] : undefined);
}

/** Returns numbers from 0 to below 1, always the same for one seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
