/** Writing changes down ahead of their turn, so that no request waits for the disk. */
import type { IndexedChange } from '../journal/writer.ts';
import type { RunRecorder } from './run-recorder.ts';

export interface Ahead {
  /**
   * To be called for each item in order: resolves once it is written down, with false where it is not to be
   * sent; and has those written down that come next.
   */
  turn(item: IndexedChange): boolean | Promise<boolean>;
  /** Takes back what was written down and did not have its turn. */
  end(): Promise<void>;
}

/** So many are written down ahead at the most, where the disk is slower than the service. */
const WIDEST = 256;

/**
 * Keeps up to `least` of `items` written down beyond those that had their turn, and at least half as many, so
 * that many share one sync of the disk; twice as many whenever one had to wait for the disk all the same.
 */
export function writeAhead(items: readonly IndexedChange[], least: number, recorder: RunRecorder): Ahead {
  /** One for each item; those that are written down together share it. */
  const written: Promise<boolean>[] = [];
  /** Items that had their turn, and that are on the disk. */
  let taken = 0;
  let onDisk = 0;
  let width = least;

  function write(next: readonly IndexedChange[]): void {
    if (next.length === 0) return;
    const isWritten = recorder.begin(next);
    for (const _ of next) written.push(isWritten);
    isWritten.then(
      (is) => {
        if (is) onDisk += next.length;
      },
      () => undefined,
    );
  }

  function isToBeSent(item: IndexedChange): boolean {
    if (recorder.halt.aborted) recorder.end(item, { fate: 'withdrawn' });
    return !recorder.halt.aborted;
  }

  async function onceWritten(item: IndexedChange, isWritten: Promise<boolean> | undefined): Promise<boolean> {
    return (await isWritten) === true && isToBeSent(item);
  }

  return {
    turn(item) {
      const index = taken;
      taken += 1;
      // The first of all have nothing to be told by.
      const isLate = onDisk > 0 && index >= onDisk;
      if (isLate) width = Math.max(least, Math.min(WIDEST, 2 * width));
      if (written.length < taken + width / 2) write(items.slice(written.length, taken + width));
      return index < onDisk ? isToBeSent(item) : onceWritten(item, written[index]);
    },
    async end() {
      const left = items.slice(taken, written.length);
      await Promise.all(left.map((item, index) => onceWritten(item, written[taken + index])));
    },
  };
}
