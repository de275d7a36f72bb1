import type { RunEvent } from '../../model/run.ts';
import type { LimiterState, OnRead, RequestFacts } from '../../model/service.ts';
import { requestLine } from '../../report/events.ts';
import { type Io, withOwn } from '../io/io.ts';
import { createMeter } from './meter.ts';
import { createBar, createLines, type Surface } from './surfaces.ts';

export interface ProgressWays {
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Standard output is a stream of events: if visible, it is enough progress. */
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

/** The number of changes reported one by one if each line stays. */
const MAX_REPORTED = 100;
const NO_MORE = 'From here on, only failures and notes of the run are shown.\n';

const NOTHING: Surface = { touch: () => undefined, aside: (write) => write(), close: () => undefined };

/** `io` with a progress that does not disturb other output. */
export function withProgress(io: Io): Io & { readonly progress: Progress } {
  const meter = createMeter();
  let surface = NOTHING;
  let ways: ProgressWays = { quiet: false, verbose: false, streams: false };
  let isDrawn = false;
  let reported = 0;

  const out = (text: string): void => surface.aside(() => io.out(text));
  const err = (text: string): void => surface.aside(() => io.err(text));

  async function open({ quiet, verbose, streams }: ProgressWays): Promise<Surface> {
    if (quiet) return NOTHING;
    const { barColumns } = io;
    if (barColumns === undefined || verbose) return createLines(meter.facts, io.err);
    if (streams && io.outIsTerminal) return NOTHING;
    isDrawn = true;
    return createBar(meter.facts, io.err, () => io.barColumns ?? barColumns);
  }

  /** True for every failure, and for other events within limits. */
  function isWorthALine(event: RunEvent): boolean {
    if (event.type === 'change_started') return false;
    if (event.type === 'change_failed' || event.type === 'stopping') return true;
    if (ways.quiet) return false;
    if (event.type !== 'change_done') return true;
    if (isDrawn || ways.streams) return false;
    reported += 1;
    if (reported === MAX_REPORTED + 1) err(NO_MORE);
    return reported <= MAX_REPORTED;
  }

  const progress: Progress = {
    watch: {
      onRead(reading) {
        meter.read(reading);
        surface.touch();
      },
      onRequest(request) {
        if (ways.verbose) err(requestLine(request));
      },
      onLimiter: meter.follow,
    },
    async begin(wanted) {
      ways = wanted;
      surface = await open(wanted);
    },
    event(event) {
      meter.event(event);
      surface.touch();
      return isWorthALine(event);
    },
    end() {
      surface.close();
      surface = NOTHING;
    },
  };
  return withOwn(io, { out, err, progress });
}
