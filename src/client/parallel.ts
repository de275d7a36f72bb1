import type { OnRead, ReadProgress } from '../model/service.ts';

/** Runs at most `width` tasks at once, in order. Rejects with the first failure, after which no task starts. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed = false;
  const work = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !failed; next = queue.next()) {
      await task(next.value).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: width }, work));
}

export function inSight(width: number, onRead?: OnRead) {
  return async <T>(
    what: ReadProgress['what'],
    items: readonly T[],
    task: (item: T) => Promise<void>,
  ): Promise<void> => {
    const total = items.length;
    let done = 0;
    try {
      await inParallel(items, width, async (item) => {
        await task(item);
        done += 1;
        onRead?.({ what, done, total, ended: false });
      });
    } finally {
      onRead?.({ what, done, total, ended: true });
    }
  };
}
