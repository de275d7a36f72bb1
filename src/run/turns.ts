/** Limits changes in flight. A change that waits for the disk, or for time to pass, gives its turn away. */

const BEGUN = 4;

/** Begins no item once `halt` is aborted or `work` has rejected; rejects with the first error after all have ended. */
export function createTurns(width: number, halt: AbortSignal) {
  let free = width;
  const fresh: (() => void)[] = [];
  const begun: (() => void)[] = [];

  async function take(queue: (() => void)[]): Promise<void> {
    if (free === 0) return new Promise((resolve) => queue.push(resolve));
    free -= 1;
  }

  function give(): void {
    const next = fresh.shift() ?? begun.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
      const queue = items.values();
      let isBroken = false;
      const worker = async (): Promise<void> => {
        for (const item of queue) {
          await take(fresh);
          try {
            if (halt.aborted || isBroken) return;
            await work(item);
          } catch (error) {
            isBroken = true;
            throw error;
          } finally {
            give();
          }
        }
      };
      const workers = Array.from({ length: Math.min(items.length, BEGUN * width) }, worker);
      const broken = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
      if (broken?.status === 'rejected') throw broken.reason;
    },
    /** Waits without a turn, then takes one again. */
    async without<T>(wait: Promise<T>): Promise<T> {
      give();
      return wait.finally(() => take(begun));
    },
  };
}
