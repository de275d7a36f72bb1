import type { Action, Change } from './change.ts';
import type { ErrorCode, Place } from './errors.ts';
import type { FieldName, Settings } from './field-table.ts';
import type { Value } from './field-types.ts';

/** A setting of one record with two values; for a password, if one was set. */
export interface Effect {
  readonly domain: string;
  readonly id: string;
  readonly field: FieldName;
  readonly before: Value;
  readonly after: Value;
}

export const RUN_ID = /^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{6}$/;

export const CHANGE_OUTCOMES = ['done', 'failed', 'unknown', 'not_attempted'] as const;
export type ChangeOutcome = (typeof CHANGE_OUTCOMES)[number];

export interface Subject {
  readonly action: Action;
  readonly domain: string;
  readonly id?: string;
  readonly source?: Place | undefined;
}

export interface Shows {
  readonly settings: Settings;
  readonly passwordSet?: boolean | undefined;
}

/** The last reading of an updated record before the run is verified. */
export interface LastShown extends Shows {
  /** It showed the update; otherwise the reading is from right before the request. */
  readonly isAfter: boolean;
  readonly declared: readonly FieldName[];
}

export interface Done {
  readonly change: Change;
  readonly id: string;
  readonly last?: LastShown;
  /** For a create: the rest of its record at the end of the run, as far as it is known. */
  readonly left?: Shows | undefined;
}

export interface Failure extends Subject {
  /** `failed`: it was not applied. `unknown`: nobody knows, so this run never sends it again. */
  readonly outcome: 'failed' | 'unknown';
  readonly code: ErrorCode;
  readonly status?: number;
  readonly message: string;
  readonly remedy?: string;
  readonly attempts: number;
}

export interface NotAttempted extends Subject {
  /** Others have changed its record since the plan was made. */
  readonly stale?: true;
}

export interface Residual {
  readonly action: Action;
  readonly domain: string;
  /** Missing if the whole record exists or is gone. */
  readonly field?: FieldName;
  readonly wanted?: Value;
  readonly shown?: Value;
  readonly message: string;
}

export const RESULT_FORMAT = 'websites.result/1';

export interface Result {
  readonly format: typeof RESULT_FORMAT;
  /** The ID of the run; null if there was nothing to do. */
  readonly run: string | null;
  readonly undoes?: string;
  /** Flags that keep a next command on the same files, state and service; missing without any. */
  readonly scope?: string;
  /** Flags that keep a next plan from changing more than this one; missing without any. */
  readonly selection?: string;
  readonly summary: {
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    /** Null if only some records were looked up. */
    readonly unchanged: number | null;
    readonly failed: number;
    readonly not_attempted: number;
  };
  readonly failures: readonly Failure[];
  readonly not_attempted: readonly NotAttempted[];
  readonly stopped: string | null;
  readonly interrupted: boolean;
  /** Every applied change shows its `after`; null if nobody checked. */
  readonly converged: boolean | null;
  readonly residual: readonly Residual[];
  /** Side effects on settings outside the run's changes; each member is missing if it is empty. */
  readonly restored?: readonly Effect[];
  readonly side_effects?: readonly Effect[];
  readonly changed_meanwhile?: readonly Effect[];
  /** Settings that no reading after the run showed, with the number of records. */
  readonly unverified?: readonly { readonly field: FieldName; readonly records: number }[];
  /** Remarks in words: adopted records, domains that the service wrote differently. */
  readonly notes: readonly string[];
  readonly requests: number;
  readonly seconds: number;
}

export type RunEvent =
  | {
      readonly type: 'run_started';
      readonly run: string;
      readonly changes: number;
      /** The changes of the plan that are left, if an earlier run or somebody else did a part of it. */
      readonly left?: Readonly<Record<Action, number>>;
    }
  | ({ readonly type: 'change_started' } & Subject)
  | ({ readonly type: 'change_done'; readonly note?: string } & Subject)
  | ({ readonly type: 'change_failed' } & Failure)
  | { readonly type: 'earlier_run'; readonly message: string }
  | { readonly type: 'stopping'; readonly reason: string }
  | { readonly type: 'canary_started'; readonly changes: number }
  | { readonly type: 'canary_verified'; readonly done: number; readonly failed: number }
  | { readonly type: 'verify_started' }
  | { readonly type: 'verify_waiting'; readonly open: number; readonly milliseconds: number }
  | { readonly type: 'run_ended'; readonly result: Result };
