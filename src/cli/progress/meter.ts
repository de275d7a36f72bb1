/** How far the work has come: adds up what readings, events and requests tell. */
import type { Action } from '../../model/change.ts';
import type { RunEvent } from '../../model/run.ts';
import type { LimiterState, ReadProgress } from '../../model/service.ts';
import type { ProgressFacts } from '../../report/progress.ts';

export interface Meter {
  read(progress: ReadProgress): void;
  /** `actions` are those of the plan, in its order. */
  plan(actions: readonly Action[]): void;
  event(event: RunEvent): void;
  /** Asked for the state of the limiter from now on. */
  follow(limiter: () => LimiterState): void;
  /** What is under way; `undefined` where nothing is. */
  facts(): ProgressFacts | undefined;
}

/** One kind of work; it may be left and taken up again. */
interface Stretch {
  readonly kind: ProgressFacts['kind'];
  done: number;
  failed: number;
  total?: number | undefined;
  /** Time that it took before it was last taken up, in milliseconds. */
  spent: number;
  /** When it was taken up, in milliseconds since some moment. */
  since: number;
}

/** No rate is told before this, in seconds: it would be chance. */
const SETTLED = 0.5;

/** The changes of a run, by their kind. */
function createStretches(now: () => number) {
  let kinds = new Map<Action, Stretch>();
  let current: Stretch | undefined;

  function leave(): void {
    if (current !== undefined) current.spent += now() - current.since;
    current = undefined;
  }

  function stretchOf(kind: Action): Stretch {
    const stretch = kinds.get(kind) ?? { kind, done: 0, failed: 0, spent: 0, since: 0 };
    kinds.set(kind, stretch);
    return stretch;
  }

  return {
    /** `left`: what is left of the plan, where that is not all of it. */
    begin(planned: readonly Action[], left: Readonly<Record<Action, number>> | undefined): void {
      kinds = new Map();
      for (const kind of planned) {
        const stretch = stretchOf(kind);
        stretch.total = left === undefined ? (stretch.total ?? 0) + 1 : left[kind];
      }
    },
    take(kind: Action): Stretch {
      if (current?.kind === kind) return current;
      leave();
      current = stretchOf(kind);
      current.since = now();
      return current;
    },
    leave,
    current: () => current,
  };
}

/** `now` tells the time in milliseconds since some moment. */
export function createMeter(now: () => number): Meter {
  const stretches = createStretches(now);
  let planned: readonly Action[] = [];
  let reading: Stretch | undefined;
  let limiter: (() => LimiterState) | undefined;
  let widest = 0;
  return {
    read({ what, done, total, ended }) {
      const before = reading?.kind === what && reading.done <= done ? reading : undefined;
      const since = before?.since ?? now();
      reading = ended ? undefined : { kind: what, done, failed: 0, total, spent: 0, since };
    },
    plan(actions) {
      planned = actions;
    },
    event(event) {
      if (event.type === 'run_started') stretches.begin(planned, event.left);
      else if (event.type === 'change_started') stretches.take(event.action);
      else if (event.type === 'change_done') stretches.take(event.action).done += 1;
      else if (event.type === 'change_failed') stretches.take(event.action).failed += 1;
      else if (event.type === 'verify_started' || event.type === 'run_ended') stretches.leave();
    },
    follow(state) {
      limiter = state;
      widest = 0;
    },
    facts() {
      const stretch = reading ?? stretches.current();
      const state = limiter?.();
      if (state !== undefined) widest = Math.max(widest, state.width);
      return stretch && factsOf(stretch, now(), state, widest);
    },
  };
}

function factsOf(
  stretch: Stretch,
  now: number,
  state: LimiterState | undefined,
  widest: number,
): ProgressFacts {
  const { kind, done, failed, spent, since } = stretch;
  const ended = done + failed;
  const total = stretch.total === undefined ? undefined : Math.max(stretch.total, ended);
  const seconds = (spent + now - since) / 1000;
  const rate = seconds >= SETTLED && ended > 0 ? ended / seconds : undefined;
  // A page holds many records; everything else is one request each.
  const most = kind === 'list' ? undefined : state?.requestsPerSecond;
  const heldFor = state?.heldForMs ? state.heldForMs / 1000 : undefined;
  const isSlowed = heldFor === undefined && state !== undefined && state.width < widest;
  return {
    kind,
    done,
    failed,
    total,
    rate,
    left: total === undefined ? undefined : leftOf(total - ended, rate, most, heldFor),
    heldFor,
    slowedTo: isSlowed ? state.width : undefined,
  };
}

/** Seconds until `open` are done, at the rate so far or at what the service allows, whichever is less. */
function leftOf(open: number, rate: number | undefined, most: number | undefined, heldFor = 0) {
  if (rate === undefined && most === undefined) return undefined;
  return Math.max(
    heldFor,
    open / Math.min(rate ?? Number.POSITIVE_INFINITY, most ?? Number.POSITIVE_INFINITY),
  );
}
