import { type ProgressFacts, progressBar, progressLine } from '../../report/events.ts';

export interface Surface {
  touch(): void;
  aside(write: () => void): void;
  close(): void;
}

export type GetFacts = () => ProgressFacts | undefined;

export type Ticker = (milliseconds: number, tick: () => void) => () => void;

const EVERY_MS = 10_000;

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
  readonly columns: number;
}

/** Draws while work is in progress. Other output clears the bar first. The library is loaded on first use. */
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
    // A second Ctrl-C ends the process: the cursor has to come back.
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
      // The last column stays free: some terminals wrap after it.
      return progressBar(now, maxWidth - 1, drawn);
    },
    clearOnComplete: true,
    hideCursor: true,
    linewrap: true,
  });
}

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
