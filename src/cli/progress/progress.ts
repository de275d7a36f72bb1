import type { RunEvent } from '../../model/run.ts';
import type { LimiterState, OnRead, RequestFacts } from '../../model/service.ts';
import { type ProgressFacts, progressBar, progressLine, requestLine } from '../../report/events.ts';
import { type Io, withOwn } from '../io/io.ts';
import { createMeter } from './meter.ts';

export interface ProgressWays {
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** True if standard output shows events. If that is visible, no other progress is shown. */
  readonly streams: boolean;
}

export interface Progress {
  readonly watch: {
    readonly onRead: OnRead;
    readonly onRequest: (request: RequestFacts) => void;
    readonly onLimiter: (state: () => LimiterState) => void;
  };
  begin(ways: ProgressWays): Promise<void>;
  event(event: RunEvent): boolean;
  end(): void;
}

/** Maximum number of changes that get a line of their own if lines stay on the screen. */
const MAX_REPORTED = 100;
const NO_MORE = 'From here on, only failures and notes of the run are shown.\n';

const EVERY_MS = 10_000;

/** Adds a progress display that does not disturb other output. */
export function withProgress(io: Io): Io & { readonly progress: Progress } {
  const meter = createMeter();
  let ways: ProgressWays = { quiet: false, verbose: false, streams: false };
  let bar: Awaited<ReturnType<typeof createBar>> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reported = 0;

  const aside = (write: (text: string) => void) => (text: string) => {
    bar?.hide();
    write(text);
    bar?.update();
  };
  const err = aside(io.err);

  function writeLine(): void {
    const now = meter.facts();
    if (now !== undefined) io.err(progressLine(now));
  }

  /** True for every failure, and for other events up to a limit. */
  function isWorthALine(event: RunEvent): boolean {
    if (event.type === 'change_started') return false;
    if (event.type === 'change_failed' || event.type === 'stopping') return true;
    if (ways.quiet) return false;
    if (event.type !== 'change_done') return true;
    if (bar !== undefined || ways.streams) return false;
    reported += 1;
    if (reported === MAX_REPORTED + 1) err(NO_MORE);
    return reported <= MAX_REPORTED;
  }

  const progress: Progress = {
    watch: {
      onRead(reading) {
        meter.read(reading);
        bar?.update();
      },
      onRequest(request) {
        if (ways.verbose) err(requestLine(request));
      },
      onLimiter: meter.follow,
    },
    async begin(wanted) {
      ways = wanted;
      const { barColumns: columns } = io;
      if (ways.quiet) return;
      if (columns === undefined || ways.verbose) timer = setInterval(writeLine, EVERY_MS).unref();
      else if (!ways.streams || !io.outIsTerminal)
        bar = await createBar(meter.facts, io.err, () => io.barColumns ?? columns);
    },
    event(event) {
      meter.event(event);
      bar?.update();
      return isWorthALine(event);
    },
    end() {
      clearInterval(timer);
      bar?.close();
      bar = undefined;
    },
  };
  return withOwn(io, { out: aside(io.out), err, progress });
}

/** Draws a bar from the first `update` with facts until an `update` without facts, or until `hide`. */
async function createBar(facts: () => ProgressFacts | undefined, write: Io['err'], columns: () => number) {
  const { SingleBar } = (await import('cli-progress')).default;
  const bar = new SingleBar({
    stream: { isTTY: true, write } as unknown as NodeJS.WritableStream,
    format: () => {
      const now = facts();
      // Leaves the last column free, because some terminals wrap after it.
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
  // Makes the cursor visible again if a second Ctrl-C ends the process.
  process.on('exit', hide);
  return {
    hide,
    update: () => show(facts() !== undefined),
    close() {
      hide();
      process.off('exit', hide);
    },
  };
}
