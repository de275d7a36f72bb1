/** What a run did, change by change, as its journal records it. */
import type { Change } from './change.ts';
import type { FieldName } from './field-table.ts';
import type { Effect, Fate } from './run.ts';
import type { PastRun } from './run-history.ts';

export interface RecordedChange {
  readonly change: Change;
  readonly fate: Fate;
  /** A run that this one continued had carried it out. */
  readonly earlier?: true;
  /** The record; missing of a create whose record is not known. */
  readonly id?: string;
  /** Why it failed, in words. */
  readonly message?: string;
}

/** Settings that an update of the run may have reset, and that nobody is known to have restored. */
export interface OwedRestore {
  readonly domain: string;
  readonly id: string;
  readonly fields: readonly FieldName[];
}

export interface RunRecord {
  readonly past: PastRun;
  /** In the order of the plan. */
  readonly changes: readonly RecordedChange[];
  readonly sideEffects: readonly Effect[];
  readonly owed: readonly OwedRestore[];
}
