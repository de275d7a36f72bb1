import type { RunEvent } from '../../model/run.ts';
import type { LimiterState, OnRead, RequestFacts } from '../../model/service.ts';
import { type ProgressFacts, progressBar, progressLine, requestLine } from '../../report/events.ts';
import { type Io, withOwn } from '../io/io.ts';
import { createMeter } from './meter.ts';

export interface ProgressWays {
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** True if standard output shows events. On a terminal, they replace all other progress. */
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

const [LINE_MS, BAR_MS] = [10_000, 100];

/** Adds a progress display that does not disturb other output: a bar on a terminal, lines elsewhere. */
export function withProgress(io: Io): Io & { readonly progress: Progress } {
  const meter = createMeter();
  let ways: ProgressWays = { quiet: false, verbose: false, streams: false };
  let hasBar = false;
  let bar: Awaited<ReturnType<typeof createBar>> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reported = 0;

  // A bar that is not drawn ignores `stop`.
  const erase = (): void => bar?.stop();
  const aside = (write: (text: string) => void) => (text: string) => {
    erase();
    write(text);
  };
  const err = aside(io.err);

  function show(): void {
    const now = meter.facts();
    if (now === undefined) erase();
    else if (bar === undefined) io.err(progressLine(now));
    else if (!bar.isActive) bar.start(1, 0);
  }

  /** True for every failure, and for other events up to a limit. */
  function isWorthALine(event: RunEvent): boolean {
    if (event.type === 'change_started') return false;
    if (event.type === 'change_failed' || event.type === 'stopping') return true;
    if (ways.quiet) return false;
    if (event.type !== 'change_done') return true;
    if (hasBar || ways.streams) return false;
    reported += 1;
    if (reported === MAX_REPORTED + 1) err(NO_MORE);
    return reported <= MAX_REPORTED;
  }

  const progress: Progress = {
    watch: {
      onRead: meter.read,
      onRequest(request) {
        if (ways.verbose) err(requestLine(request));
      },
      onLimiter: meter.follow,
    },
    async begin(wanted) {
      ways = wanted;
      const { barColumns: columns } = io;
      hasBar = columns !== undefined && !ways.verbose && !ways.quiet;
      if (ways.quiet || (hasBar && ways.streams && io.outIsTerminal)) return;
      if (hasBar) bar = await createBar(meter.facts, io.err, () => (io.barColumns ?? columns ?? 0) - 1);
      timer = setInterval(show, hasBar ? BAR_MS : LINE_MS).unref();
      // Makes the cursor visible again if a second Ctrl-C ends the process.
      process.once('exit', erase);
    },
    event(event) {
      meter.event(event);
      return isWorthALine(event);
    },
    end() {
      clearInterval(timer);
      erase();
      process.off('exit', erase);
    },
  };
  return withOwn(io, { out: aside(io.out), err, progress });
}

async function createBar(facts: () => ProgressFacts | undefined, write: Io['err'], columns: () => number) {
  const { SingleBar } = (await import('cli-progress')).default;
  return new SingleBar({
    stream: { isTTY: true, write } as unknown as NodeJS.WritableStream,
    format() {
      const now = facts();
      // Leaves the last column free, because some terminals wrap after it.
      return now === undefined ? '' : progressBar(now, columns());
    },
    clearOnComplete: true,
    hideCursor: true,
    linewrap: true,
  });
}
