/** Whether the loop is alive, and whether it does what it is for. */
import type { Clock } from '../core/clock.ts';
import { isSuccess, type LoopEvent } from './events.ts';

export interface HealthOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** How long a pass that is at work, or is to begin, may be silent. */
  readonly patienceMs: number;
}

/** `reason` says, in words, why not. */
export interface Verdict {
  readonly ok: boolean;
  readonly reason: string;
}

export interface Health {
  tell(event: LoopEvent): void;
  /** Something was heard within the time in which something had to be. */
  alive(): Verdict;
  /** A pass succeeded within three intervals, and the loop is not about to end. */
  ready(): Verdict;
}

const INTERVALS = 3;

export function createHealth({ clock, intervalMs, patienceMs }: HealthOptions): Health {
  let heardAt = clock.monotonic();
  let dueBy = heardAt + patienceMs;
  let succeededAt: number | undefined;
  let isDraining = false;

  /** How long nothing needs to be heard beside the patience: a pause, or a wait that the service asked for. */
  function silenceAfter(event: LoopEvent): number {
    if (event.type === 'pass_ended') return event.pauseMs ?? 0;
    return event.type === 'request' ? (event.waitMs ?? 0) : 0;
  }

  const since = (time: number): string => `${Math.round((clock.monotonic() - time) / 1000)} s ago`;

  return {
    tell(event) {
      heardAt = clock.monotonic();
      const due = heardAt + silenceAfter(event) + patienceMs;
      // A wait that the service asked one request for holds for the others too.
      dueBy = event.type === 'request' ? Math.max(dueBy, due) : due;
      if (event.type === 'draining') isDraining = true;
      if (event.type === 'pass_ended' && isSuccess(event.report)) succeededAt = heardAt;
    },
    alive: () => ({ ok: clock.monotonic() <= dueBy, reason: `last sign of life ${since(heardAt)}` }),
    ready() {
      if (isDraining) return { ok: false, reason: 'draining' };
      if (succeededAt === undefined) return { ok: false, reason: 'no pass has succeeded yet' };
      const ok = clock.monotonic() - succeededAt <= INTERVALS * intervalMs;
      return { ok, reason: `last success ${since(succeededAt)}` };
    },
  };
}
