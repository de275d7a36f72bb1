import type { OnRead, ReadProgress } from '../model/service.ts';
import { inParallel } from '../util/parallel.ts';

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
