/** Writing changes down ahead of their turn, so that no request waits for the disk. */
import { formatInstant } from '../model/instant.ts';
import type { Clock } from '../util/clock.ts';
import type { IndexedChange, RunFile } from './file/write.ts';

export interface Ahead {
  /** To be called for each item in order: resolves once it is on the disk, and has those written that come next. */
  written(item: IndexedChange): Promise<void>;
  /** Takes back what was written and did not have its turn. */
  end(): void;
}

/** Keeps up to `most` of `items` written beyond those that had their turn, and at least half as many. */
export function writeAhead(
  items: readonly IndexedChange[],
  most: number,
  file: RunFile,
  clock: Clock,
): Ahead {
  const written = new Map<number, Promise<void>>();
  let taken = 0;
  return {
    written(item) {
      taken += 1;
      const isDue = written.size < taken + most / 2;
      for (const next of isDue ? items.slice(written.size, taken + most) : []) {
        const writing = file.begin(next, formatInstant(clock.now()));
        // Whoever has its turn hears of a failure.
        writing.catch(() => undefined);
        written.set(next.index, writing);
      }
      return written.get(item.index) ?? file.begin(item, formatInstant(clock.now()));
    },
    end() {
      for (const item of items.slice(taken, written.size)) file.end(item, { fate: 'not_attempted' });
    },
  };
}
