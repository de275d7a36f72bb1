/** Whether the loop is alive, and whether it does what it is for. */
import type { Clock } from '../util/clock.ts';
import { isSuccess, type LimiterView, type LoopEvent } from './events.ts';

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
  /**
   * The loop is not about to end, and a pass succeeded within three intervals or is making progress, however long it takes.
   * After a pass that did not succeed, progress alone is not enough (decision: "Readiness follows progress").
   */
  ready(): Verdict;
}

const INTERVALS = 3;

export function createHealth({ clock, intervalMs, patienceMs }: HealthOptions): Health {
  let heardAt = clock.monotonic();
  let dueBy = heardAt + patienceMs;
  let succeededAt: number | undefined;
  let isDraining = false;
  let isInPass = false;
  let lastFailed = false;
  /** Of the present pass. */
  let limiter: (() => LimiterView) | undefined;

  const since = (time: number): string => `${Math.round((clock.monotonic() - time) / 1000)} s ago`;

  return {
    tell(event) {
      heardAt = clock.monotonic();
      dueBy = heardAt + patienceMs;
      if (event.type === 'connected') limiter = event.limiter;
      if (event.type === 'draining') isDraining = true;
      if (event.type === 'pass_started') isInPass = true;
      if (event.type !== 'pass_ended') return;
      limiter = undefined;
      dueBy += event.pauseMs ?? 0;
      isInPass = false;
      lastFailed = !isSuccess(event.report);
      if (!lastFailed) succeededAt = heardAt;
    },
    alive,
    ready() {
      if (isDraining) return { ok: false, reason: 'draining' };
      if (isInPass && !lastFailed && alive().ok) return { ok: true, reason: 'a pass is making progress' };
      if (succeededAt === undefined) return { ok: false, reason: 'no pass has succeeded yet' };
      const ok = clock.monotonic() - succeededAt <= INTERVALS * intervalMs;
      return { ok, reason: `last success ${since(succeededAt)}` };
    },
  };

  function alive(): Verdict {
    const now = clock.monotonic();
    const heldForMs = limiter?.().heldForMs ?? 0;
    // Nothing needs to be heard while the service has asked to wait, and for the patience after that.
    if (heldForMs > 0) dueBy = Math.max(dueBy, now + heldForMs + patienceMs);
    return { ok: now <= dueBy, reason: `last sign of life ${since(heardAt)}` };
  }
}
