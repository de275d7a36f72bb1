import { type ProgressFacts, progressBar, progressLine } from '../../report/events.ts';
import type { Io } from '../io/io.ts';

export interface Surface {
  touch(): void;
  aside(write: () => void): void;
  close(): void;
}

type GetFacts = () => ProgressFacts | undefined;

const EVERY_MS = 10_000;

export function createLines(facts: GetFacts, write: Io['err']): Surface {
  const timer = setInterval(() => {
    const now = facts();
    if (now !== undefined) write(progressLine(now));
  }, EVERY_MS).unref();
  return { touch: () => undefined, aside: (other) => other(), close: () => clearInterval(timer) };
}

/** Draws while work is in progress. Other output clears the bar first. */
export async function createBar(facts: GetFacts, write: Io['err'], columns: () => number): Promise<Surface> {
  const { SingleBar } = (await import('cli-progress')).default;
  const bar = new SingleBar({
    stream: { isTTY: true, write } as unknown as NodeJS.WritableStream,
    format: () => {
      const now = facts();
      // The last column stays free: some terminals wrap after it.
      return now === undefined ? '' : progressBar(now, columns() - 1);
    },
    clearOnComplete: true,
    hideCursor: true,
    linewrap: true,
  });
  let isShown = false;
  const show = (isWanted: boolean): void => {
    if (isWanted !== isShown) isWanted ? bar.start(1, 0) : bar.stop();
    isShown = isWanted;
  };
  const hide = (): void => show(false);
  const touch = (): void => show(facts() !== undefined);
  // A second Ctrl-C ends the process: the cursor has to come back.
  process.on('exit', hide);
  return {
    touch,
    aside(other) {
      hide();
      other();
      touch();
    },
    close() {
      hide();
      process.off('exit', hide);
    },
  };
}
