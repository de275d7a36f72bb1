/** Appending lines to a file so that many writers share one write and one sync of the disk. */
import type { FileHandle } from 'node:fs/promises';

export interface Appender {
  /**
   * Resolves when the line is written; with `sync`, when the disk says so. After a failure nothing more is written, and all
   * that is asked for rejects: what follows a line that is cut is never read.
   */
  append(line: string, sync: boolean): Promise<void>;
  /** To be called last; once more does nothing. */
  close(): Promise<void>;
}

export function createAppender(file: FileHandle): Appender {
  let text = '';
  let isSynced = false;
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  /** Writes what has come while the lines before were on their way to the disk. */
  async function flush(): Promise<void> {
    const [lines, sync] = [text, isSynced];
    [text, isSynced, next] = ['', false, undefined];
    await file.appendFile(lines);
    if (sync) await file.datasync();
  }

  return {
    append(line, sync) {
      text += `${line}\n`;
      isSynced ||= sync;
      if (next === undefined) {
        next = last.then(flush);
        last = next;
        // Whoever waits hears of a failure, and so does everybody after.
        next.catch(() => undefined);
      }
      return next;
    },
    async close() {
      await last.catch(() => undefined);
      await file.close();
    },
  };
}
