/** Appending lines to a file so that many writers share one write and one sync of the disk. */
import type { FileHandle } from 'node:fs/promises';

export interface Appender {
  /**
   * Resolves when the line is written; with `sync`, at once and when the disk says so, else with what comes
   * within a moment. After a failure nothing more is written, and all that is asked for rejects: what follows
   * a line that is cut is never read.
   */
  append(line: string, sync: boolean): Promise<void>;
  /** To be called last; once more does nothing. */
  close(): Promise<void>;
}

/** Lines that go to the disk together. */
interface Batch {
  text: string;
  sync: boolean;
  /** Has it written as soon as the batch before is. */
  start(): void;
  readonly written: Promise<void>;
}

/** How long lines that need no sync wait for others, in milliseconds. */
const PATIENCE = 50;

export function createAppender(file: FileHandle): Appender {
  let next: Batch | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** What comes while one batch is on its way to the disk shares the next. */
  function openBatch(): Batch {
    let start = (): void => undefined;
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const timer = setTimeout(start, PATIENCE);
    const written = Promise.all([started, last]).then(async () => {
      clearTimeout(timer);
      next = undefined;
      await file.appendFile(batch.text);
      if (batch.sync) await file.datasync();
    });
    const batch: Batch = { text: '', sync: false, start, written };
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
      if (sync) next.start();
      return next.written;
    },
    async close() {
      next?.start();
      await last.catch(() => undefined);
      await file.close();
    },
  };
}
