/** Appending lines to a file so that many writers share one write and one sync of the disk. */
import type { FileHandle } from 'node:fs/promises';

export interface Appender {
  /**
   * Resolves when the line is written; with `sync`, when the disk says so. After a failure nothing more is
   * written, and all that is asked for rejects: what follows a line that is cut is never read.
   */
  append(line: string, sync: boolean): Promise<void>;
  /** To be called last; once more does nothing. */
  close(): Promise<void>;
}

/** Lines that go to the disk together. */
interface Batch {
  text: string;
  sync: boolean;
  readonly written: Promise<void>;
}

export function createAppender(file: FileHandle): Appender {
  let next: Batch | undefined;
  let last: Promise<void> = Promise.resolve();

  /** What comes while one batch is on its way to the disk shares the next. */
  function openBatch(): Batch {
    const written = last.then(async () => {
      next = undefined;
      await file.appendFile(batch.text);
      if (batch.sync) await file.datasync();
    });
    const batch: Batch = { text: '', sync: false, written };
    last = written;
    // Whoever waits for the batch hears of its failure, and so does everybody after.
    written.catch(() => undefined);
    return batch;
  }

  return {
    append(line, sync) {
      next ??= openBatch();
      next.text += `${line}\n`;
      next.sync ||= sync;
      return next.written;
    },
    async close() {
      await last.catch(() => undefined);
      await file.close();
    },
  };
}
