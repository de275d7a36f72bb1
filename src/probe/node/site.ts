/** The time of one website: it runs while something is done for it, and not while it waits for others. */
import { outOfTime } from './failure.ts';
import type { Turns } from './turns.ts';

export interface Site {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Does a piece of work once it is its turn. */
  spend<T>(work: () => Promise<T>, turn?: Promise<void>): Promise<T>;
  /** In milliseconds. */
  left(): number;
}

export function createSite(timeoutMs: number, turns: Turns): Site {
  const ending = new AbortController();
  let left = timeoutMs;
  return {
    signal: ending.signal,
    left: () => left,
    async spend(work, turn = turns.take()) {
      await turn;
      const started = performance.now();
      const timer = setTimeout(() => ending.abort(outOfTime(timeoutMs)), Math.max(1, left));
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        left -= performance.now() - started;
        turns.free();
      }
    },
  };
}
