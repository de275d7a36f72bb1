/**
 * What is known of the service's present window of requests, from what answers say and, where they say
 * nothing, from how many requests the last window let through.
 */
import type { Pace, Ticket } from '../../model/service.ts';

/** In all of it, `requests` is the number of requests sent so far. */
export interface Window {
  /** Requests that may be under way at once; a spent window is asked about by one at a time. */
  width(requests: number): number;
  /** Whether the next request would be sent to see whether anything is left. */
  isProbing(requests: number): boolean;
  /** Takes in an answer; returns how long nothing may be sent, where it says that nothing is left. */
  learn(pace: Pace, ticket: Ticket): number | undefined;
  /** A request was one too many. */
  close(): void;
  /** A new window begins. */
  renew(requests: number): void;
  /** The requests a second that a window comes to, where the service names a limit. */
  rate(): number | undefined;
}

/** No window is longer than this, in milliseconds: such a reset is a misunderstanding. */
const LONGEST = 3_600_000;
/** The length of a window that is not told, in milliseconds: the usual one (Laravel's `throttle`). */
const USUAL = 60_000;

export function createWindow(): Window {
  let limit: number | undefined;
  let lengthMs: number | undefined;
  /** The number of the last request that there is room for, and of the one whose answer said so. */
  let last = Number.POSITIVE_INFINITY;
  let newest = 0;
  /** Requests sent before the window began, good answers in it, and how many the one before let through. */
  let begun = 0;
  let good = 0;
  let allowance = Number.POSITIVE_INFINITY;
  /** Requests that may be under way at once beyond the allowance: one at first, then by one a round more. */
  let feeler = 1;

  const isBeyond = (requests: number): boolean => requests - begun >= allowance;

  function learnRate(pace: Pace): void {
    limit = pace.limit || limit;
    const ends = pace.resetMs ?? (pace.throttled && pace.limit !== undefined ? pace.waitMs : undefined);
    if (ends !== undefined && ends > 0 && ends <= LONGEST) lengthMs = Math.max(lengthMs ?? 0, ends);
  }

  return {
    width(requests) {
      if (requests >= last) return 1;
      return isBeyond(requests) ? Math.floor(feeler) : Number.POSITIVE_INFINITY;
    },
    isProbing: (requests) => requests >= last || isBeyond(requests),
    learn(pace, { number, answeredBefore, isProbe }) {
      learnRate(pace);
      if (pace.throttled || number <= begun) return undefined;
      good += 1;
      if (isProbe) feeler += 1 / feeler;
      const { remaining, resetMs } = pace;
      // Some say 0 where there is no limit: of that, nothing is left either.
      if (remaining === undefined || pace.limit === 0 || number < newest) return undefined;
      newest = number;
      // All that was sent since, and what was under way then, may have been counted after it.
      last = remaining + answeredBefore + 1;
      return remaining === 0 && resetMs !== undefined && resetMs <= LONGEST ? resetMs : undefined;
    },
    close() {
      if (good > 0) allowance = good;
    },
    renew(requests) {
      last = Number.POSITIVE_INFINITY;
      begun = requests;
      good = 0;
      feeler = 1;
    },
    rate: () => (limit === undefined ? undefined : (limit * 1000) / (lengthMs ?? USUAL)),
  };
}
