/** Where progress is shown. */
import type { ProgressFacts } from '../../report/progress.ts';

export interface Surface {
  /** Something has changed. */
  touch(): void;
  /** Writes what is no progress. */
  aside(write: () => void): void;
  /** Leaves nothing behind. */
  close(): void;
}

/** Calls `tick` every so many milliseconds, until what it returns is called. */
export type Ticker = (milliseconds: number, tick: () => void) => () => void;

/** What is under way; `undefined` where nothing is. */
export type Facts = () => ProgressFacts | undefined;
