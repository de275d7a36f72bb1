/** Runs at most `width` tasks at once, in order. Starts no task after the first failure or after `halt` aborts. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  task: (item: T) => Promise<void>,
  halt?: AbortSignal,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed = false;
  const work = async (): Promise<void> => {
    while (!failed && !halt?.aborted) {
      const next = queue.next();
      if (next.done) return;
      await task(next.value).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: width }, work));
}
