/** Progress where nobody looks on: now and then a line. */
import { progressLine } from '../../report/progress.ts';
import type { Facts, Surface, Ticker } from './surface.ts';

const EVERY_MS = 10_000;

/** A line every 10 seconds from the first touch on, while something is under way. */
export function createLines(facts: Facts, every: Ticker, write: (text: string) => void): Surface {
  let stop: (() => void) | undefined;
  const tell = (): void => {
    const now = facts();
    if (now !== undefined) write(progressLine(now));
  };
  return {
    touch() {
      stop ??= every(EVERY_MS, tell);
    },
    aside: (other) => other(),
    close() {
      stop?.();
      stop = undefined;
    },
  };
}
