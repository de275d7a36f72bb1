/** Where progress is shown: a line on a terminal that is drawn again, or a line of a log now and then. */
import { type ProgressFacts, progressBar, progressLine } from '../../report/events.ts';

export interface Surface {
  touch(): void;
  /** Writes what is no progress. */
  aside(write: () => void): void;
  close(): void;
}

export type GetFacts = () => ProgressFacts | undefined;

/** Calls `tick` every so many milliseconds, until what it returns is called. */
export type Ticker = (milliseconds: number, tick: () => void) => () => void;

const EVERY_MS = 10_000;

/** A line every 10 seconds from the first touch on, while something is in progress. */
export function createLines(facts: GetFacts, every: Ticker, write: (text: string) => void): Surface {
  let stop: (() => void) | undefined;
  const tick = (): void => {
    const now = facts();
    if (now !== undefined) write(progressLine(now));
  };
  return {
    touch() {
      stop ??= every(EVERY_MS, tick);
    },
    aside: (other) => other(),
    close() {
      stop?.();
      stop = undefined;
    },
  };
}

export interface Terminal {
  write(text: string): void;
  /** As it is now: windows are resized. */
  readonly columns: number;
}

/**
 * Draws while something is in progress. Whatever else is written takes the bar away first, and puts it back. The library is
 * loaded at the first touch.
 */
export function createBar(facts: GetFacts, terminal: Terminal): Surface {
  let bar: Awaited<ReturnType<typeof loadBar>> | undefined;
  let isLoading = false;
  let isShown = false;
  let isClosed = false;

  function show(isWanted: boolean): void {
    if (isWanted !== isShown) isWanted ? bar?.start(1, 0) : bar?.stop();
    isShown = isWanted;
  }
  const hide = (): void => show(false);

  function touch(): void {
    if (bar !== undefined) show(facts() !== undefined);
    else if (!isLoading) void load();
  }

  async function load(): Promise<void> {
    isLoading = true;
    const loaded = await loadBar(facts, terminal);
    if (isClosed) return;
    bar = loaded;
    // Whoever is in a hurry ends the process: the cursor has to come back.
    process.on('exit', hide);
    touch();
  }

  return {
    touch,
    aside(write) {
      hide();
      write();
      touch();
    },
    close() {
      isClosed = true;
      hide();
      process.off('exit', hide);
    },
  };
}

async function loadBar(facts: GetFacts, terminal: Terminal) {
  const { Format, SingleBar } = (await import('cli-progress')).default;
  return new SingleBar({
    stream: streamOf(terminal),
    format: (options, { maxWidth }) => {
      const now = facts();
      if (now === undefined) return '';
      const { done, failed, total } = now;
      const share = total ? Math.min(1, (done + failed) / total) : 0;
      const drawn = (barsize: number): string => Format.BarFormat(share, { ...options, barsize });
      // The last column is left free: some terminals go on to the next line with it.
      return progressBar(now, maxWidth - 1, drawn);
    },
    clearOnComplete: true,
    hideCursor: true,
    linewrap: true,
  });
}

/** As much of a stream as the bar makes use of. */
function streamOf(terminal: Terminal): NodeJS.WritableStream {
  return {
    isTTY: true,
    get columns() {
      return terminal.columns;
    },
    write(text: string) {
      terminal.write(text);
      return true;
    },
  } as unknown as NodeJS.WritableStream;
}
