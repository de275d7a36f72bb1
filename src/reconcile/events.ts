/** What the loop says of itself: health, metrics and log are made from nothing else. */

import type { Plan } from '../model/plan.ts';
import type { Result, RunEvent } from '../model/run.ts';
import type { LimiterState } from '../model/service.ts';

/**
 * What a pass came to. `converged`: the service matches the configuration. `drift`: it is not, and it was only looked.
 * `incomplete`: changes failed, or do not show. `refused`: by a guard. `failed`: files, key, service or Git.
 * `locked`: another process is at work on this service. `interrupted`: it was to end.
 */
export const OUTCOMES = [
  'converged',
  'drift',
  'incomplete',
  'refused',
  'failed',
  'locked',
  'interrupted',
] as const;

export type PassOutcome = (typeof OUTCOMES)[number];

export interface PassReport {
  readonly outcome: PassOutcome;
  /** What the plan found; missing where there was none. */
  readonly found?: Plan['summary'];
  /** What became of the plan; missing where nothing was applied. */
  readonly result?: Result;
  /** Why the pass did not come to its end, or the guards that refused. */
  readonly error?: unknown;
}

/** What the loop reads of the limiter that the present pass goes through. */
export type LimiterView = Pick<
  LimiterState,
  'width' | 'active' | 'heldForMs' | 'heldMs' | 'requestsPerSecond'
>;

export type LoopEvent =
  | { readonly type: 'pass_started'; readonly pass: number }
  /** Something worth knowing, in words; told once while it goes on. */
  | { readonly type: 'note'; readonly level: 'info' | 'warn'; readonly text: string }
  | { readonly type: 'pulled'; readonly commit: string }
  | { readonly type: 'connected'; readonly limiter: () => LimiterView }
  /** One request has ended; `status` is missing where no answer arrived. */
  | {
      readonly type: 'request';
      readonly method: string;
      readonly status?: number | undefined;
    }
  | { readonly type: 'planned'; readonly plan: Pick<Plan, 'summary' | 'changes' | 'service' | 'config'> }
  | RunEvent
  | {
      readonly type: 'pass_ended';
      readonly pass: number;
      readonly report: PassReport;
      readonly seconds: number;
      /** Passes in a row that did not succeed; 0 where this one did. */
      readonly failures: number;
      /** Until the next one; missing where there is none. */
      readonly pauseMs?: number;
    }
  | { readonly type: 'draining' };

export type Tell = (event: LoopEvent) => void;

/** What looked, and where it was asked to, acted, without anything left undone. */
export function isSuccess({ outcome }: PassReport): boolean {
  return outcome === 'converged' || outcome === 'drift';
}
