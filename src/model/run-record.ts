/** What a run did, change by change, as its journal records it. */
import type { Change } from './change.ts';
import type { Effect, Fate } from './run.ts';
import type { PastRun } from './run-history.ts';

export interface RecordedChange {
  readonly change: Change;
  readonly fate: Fate;
  /** The service showed it as carried out when the run began. */
  readonly earlier?: true;
  /** The record; missing of a create whose record is not known. */
  readonly id?: string;
  /** Why it failed, in words. */
  readonly message?: string;
}

export interface RunRecord {
  readonly past: PastRun;
  /** In the order of the plan. */
  readonly changes: readonly RecordedChange[];
  readonly sideEffects: readonly Effect[];
}
