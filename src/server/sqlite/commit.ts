/** Writes that arrive together share one transaction, and so one flush to the disk. */

interface Write {
  readonly work: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface GroupCommit {
  /**
   * Runs `work` in the next transaction and resolves to its result once that is committed. An
   * expected outcome is a result: work that throws undoes the writes that came with it.
   */
  write<T>(work: () => T): Promise<T>;
  /** Commits what waits, at once. */
  flush(): void;
}

export function groupCommit(transaction: (work: () => unknown[]) => unknown[]): GroupCommit {
  let waiting: Write[] = [];
  const flush = (): void => {
    const writes = waiting;
    waiting = [];
    if (writes.length === 0) return;
    try {
      const results = transaction(() => writes.map((write) => write.work()));
      writes.forEach((write, index) => {
        write.resolve(results[index]);
      });
    } catch (error) {
      for (const write of writes) write.reject(error);
    }
  };
  return {
    flush,
    write: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      }),
  };
}
