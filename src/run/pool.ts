/** Working through many things at once, some of which have to wait in between. */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../util/clock.ts';

export interface ScheduleOptions {
  /** How many are worked on at once. */
  readonly width: number;
  /** How many may be put aside before nothing more is begun. */
  readonly mostAside: number;
  readonly clock: Clock;
  /** Aborted: nothing is begun any more, and what was put aside is taken up at once. */
  readonly halt: AbortSignal;
}

/**
 * Works on each item in order. `work` returns the time, by the monotonic clock, at which it is to be
 * called again with the same item, which is put aside until then, or `undefined` when the item is done with.
 * What is due comes before what has not been begun. Rejects with the first error of `work`, which is not
 * called any more then, once all that is under way has ended.
 */
export async function workThrough<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<number | undefined>,
  { width, mostAside, clock, halt }: ScheduleOptions,
): Promise<void> {
  const fresh = items[Symbol.iterator]();
  const aside = new Map<T, number>();
  const failed = new AbortController();
  const wake = AbortSignal.any([halt, failed.signal]);
  // Every worker may wait for it.
  setMaxListeners(width + 1, wake);

  function takeDue(): T | undefined {
    for (const [item, until] of aside) {
      if (!halt.aborted && until > clock.monotonic()) continue;
      aside.delete(item);
      return item;
    }
    return undefined;
  }

  function take(): T | undefined {
    const due = takeDue();
    if (due !== undefined || halt.aborted || aside.size >= mostAside) return due;
    const next = fresh.next();
    return next.done ? undefined : next.value;
  }

  async function worker(): Promise<void> {
    while (!failed.signal.aborted) {
      const item = take();
      if (item !== undefined) {
        const until = await work(item);
        if (until !== undefined) aside.set(item, until);
      } else if (aside.size > 0) {
        await clock.sleep(Math.max(0, Math.min(...aside.values()) - clock.monotonic()), wake);
      } else return;
    }
  }

  const workers = Array.from({ length: width }, () =>
    worker().catch((error: unknown) => {
      failed.abort(error);
    }),
  );
  await Promise.all(workers);
  failed.signal.throwIfAborted();
}
