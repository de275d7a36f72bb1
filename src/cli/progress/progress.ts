import type { RunEvent } from '../../model/run.ts';
import type { LimiterState, OnRead, RequestFacts } from '../../model/service.ts';
import { progressBar, progressLine, requestLine } from '../../report/events.ts';
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
  begin(ways: ProgressWays): void;
  event(event: RunEvent): boolean;
  end(): void;
}

/** Maximum number of changes that get a line of their own if lines stay on the screen. */
const MAX_REPORTED = 100;
const NO_MORE = 'From here on, only failures and notes of the run are shown.\n';

const [LINE_MS, BAR_MS] = [10_000, 100];
const ERASE = '\x1b[2K\x1b[1G';

/** Adds a progress display that does not disturb other output: a bar on a terminal, lines elsewhere. */
export function withProgress(io: Io): Io & { readonly progress: Progress } {
  const meter = createMeter();
  let ways: ProgressWays = { quiet: false, verbose: false, streams: false };
  let hasBar = false;
  let isDrawn = false;
  let timer: NodeJS.Timeout | undefined;
  let reported = 0;

  function erase(): void {
    if (isDrawn) io.err(ERASE);
    isDrawn = false;
  }
  const aside = (write: (text: string) => void) => (text: string) => {
    erase();
    write(text);
  };
  const err = aside(io.err);

  function show(): void {
    const now = meter.facts();
    erase();
    if (now === undefined) return;
    // Leaves the last column free, because some terminals wrap after it.
    io.err(hasBar ? progressBar(now, (io.barColumns ?? 0) - 1) : progressLine(now));
    isDrawn = hasBar;
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
    begin(wanted) {
      ways = wanted;
      hasBar = io.barColumns !== undefined && !ways.verbose && !ways.quiet;
      if (ways.quiet || (hasBar && ways.streams && io.outIsTerminal)) return;
      timer = setInterval(show, hasBar ? BAR_MS : LINE_MS).unref();
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
