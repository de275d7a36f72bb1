/** Progress on a terminal: one line that is drawn again. */
import { type ProgressFacts, progressBar } from '../../report/progress.ts';
import type { Facts, Surface } from './surface.ts';

export interface Terminal {
  write(text: string): void;
  /** As it is now: windows are resized. */
  readonly columns: number;
}

/**
 * Draws while something is under way. Whatever else is written takes the bar away first, and puts it back. The
 * library is loaded at the first touch.
 */
export function createBar(facts: Facts, terminal: Terminal): Surface {
  let bar: Drawing | undefined;
  let isLoading = false;
  let isClosed = false;

  function touch(): void {
    if (bar !== undefined) (facts() === undefined ? bar.hide : bar.show)();
    else if (!isLoading) void load();
  }

  async function load(): Promise<void> {
    isLoading = true;
    const loaded = await loadDrawing(facts, terminal);
    if (isClosed) return;
    bar = loaded;
    // Whoever is in a hurry ends the process: the cursor is to be seen again.
    process.on('exit', bar.hide);
    touch();
  }

  return {
    touch,
    aside(write) {
      bar?.hide();
      write();
      touch();
    },
    close() {
      isClosed = true;
      if (bar === undefined) return;
      bar.hide();
      process.off('exit', bar.hide);
    },
  };
}

interface Drawing {
  show(): void;
  hide(): void;
}

async function loadDrawing(facts: Facts, terminal: Terminal): Promise<Drawing> {
  const { Format, SingleBar } = (await import('cli-progress')).default;
  const bar = new SingleBar({
    stream: streamOf(terminal),
    format: (options, { maxWidth }) => {
      const now = facts();
      if (now === undefined) return '';
      const drawn = (barsize: number): string => Format.BarFormat(shareOf(now), { ...options, barsize });
      // The last column is left free: some terminals go on to the next line with it.
      return progressBar(now, maxWidth - 1, drawn);
    },
    clearOnComplete: true,
    hideCursor: true,
    linewrap: true,
  });
  let isShown = false;
  return {
    show() {
      if (!isShown) bar.start(1, 0);
      isShown = true;
    },
    hide() {
      if (isShown) bar.stop();
      isShown = false;
    },
  };
}

function shareOf({ done, failed, total }: ProgressFacts): number {
  return total === undefined || total === 0 ? 0 : Math.min(1, (done + failed) / total);
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
