import type { Action } from '../../model/change.ts';
import type { RunEvent } from '../../model/run.ts';
import type { LimiterState, ReadProgress } from '../../model/service.ts';
import type { ProgressFacts } from '../../report/events.ts';

interface Phase {
  readonly kind: ProgressFacts['kind'];
  done: number;
  failed: number;
  total?: number | undefined;
  spent: number;
  since: number;
}

/** Seconds before a rate is shown: an earlier one would be chance. */
const SETTLED = 0.5;

export function createMeter(now: () => number) {
  let planned: readonly Action[] = [];
  const kinds = new Map<Action, Phase>();
  let current: Phase | undefined;
  let reading: Phase | undefined;
  let limiter: (() => LimiterState) | undefined;
  let widest = 0;

  function phaseOf(kind: Action): Phase {
    const phase = kinds.get(kind) ?? { kind, done: 0, failed: 0, spent: 0, since: 0 };
    kinds.set(kind, phase);
    return phase;
  }

  function begin(left: Readonly<Record<Action, number>> | undefined): void {
    kinds.clear();
    for (const kind of planned) {
      const phase = phaseOf(kind);
      phase.total = left === undefined ? (phase.total ?? 0) + 1 : left[kind];
    }
  }

  function take(kind: Action | undefined): void {
    if (current?.kind === kind) return;
    if (current !== undefined) current.spent += now() - current.since;
    current = kind && phaseOf(kind);
    if (current !== undefined) current.since = now();
  }

  return {
    read({ what, done, total, ended }: ReadProgress): void {
      const before = reading?.kind === what && reading.done <= done ? reading : undefined;
      const since = before?.since ?? now();
      reading = ended ? undefined : { kind: what, done, failed: 0, total, spent: 0, since };
    },
    plan(actions: readonly Action[]): void {
      planned = actions;
    },
    event(event: RunEvent): void {
      if (event.type === 'run_started') begin(event.left);
      else if (event.type === 'verify_started' || event.type === 'run_ended') take(undefined);
      else if ('action' in event) {
        take(event.action);
        if (event.type === 'change_done') phaseOf(event.action).done += 1;
        if (event.type === 'change_failed') phaseOf(event.action).failed += 1;
      }
    },
    follow(state: () => LimiterState): void {
      limiter = state;
      widest = 0;
    },
    facts(): ProgressFacts | undefined {
      const phase = reading ?? current;
      const state = limiter?.();
      if (state !== undefined) widest = Math.max(widest, state.width);
      return phase && factsOf(phase, now(), state, widest);
    },
  };
}

function factsOf(
  { kind, done, failed, spent, since, total: known }: Phase,
  now: number,
  state: LimiterState | undefined,
  widest: number,
): ProgressFacts {
  const ended = done + failed;
  const total = known === undefined ? undefined : Math.max(known, ended);
  const seconds = (spent + now - since) / 1000;
  const rate = seconds >= SETTLED && ended > 0 ? ended / seconds : undefined;
  const heldFor = state?.heldForMs ? state.heldForMs / 1000 : undefined;
  const isSlowed = heldFor === undefined && state !== undefined && state.width < widest;
  // A page has many records; every other request has one.
  const most = kind === 'list' ? undefined : state?.requestsPerSecond;
  const fastest = Math.min(rate ?? Number.POSITIVE_INFINITY, most ?? Number.POSITIVE_INFINITY);
  const isKnown = total !== undefined && Number.isFinite(fastest);
  const left = isKnown ? Math.max(heldFor ?? 0, (total - ended) / fastest) : undefined;
  return { kind, done, failed, total, rate, left, heldFor, slowedTo: isSlowed ? state.width : undefined };
}
