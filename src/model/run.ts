/** What a run says while it goes on (events), and what it leaves (the result). */
import type { Action, Change } from './change.ts';
import type { ErrorCode, Place } from './errors.ts';
import type { FieldName, Settings } from './field-table.ts';
import type { Value } from './field-types.ts';

/** A setting of one record with two values; of a password, whether one was set. */
export interface Effect {
  readonly domain: string;
  readonly id: string;
  readonly field: FieldName;
  readonly before: Value;
  readonly after: Value;
}

export const RUN_ID = /^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{6}$/;

export const FATES = ['done', 'failed', 'unknown', 'not_attempted'] as const;
export type Fate = (typeof FATES)[number];

export interface Subject {
  readonly action: Action;
  readonly domain: string;
  readonly id?: string;
  readonly source?: Place;
}

export interface Shows {
  readonly settings: Settings;
  /** Missing where the service does not show whether one is set. */
  readonly passwordSet?: boolean | undefined;
}

/** What the record of an update showed last, before the run is verified. */
export interface LastShown extends Shows {
  /** It showed the update; otherwise this is from right before it was sent. */
  readonly isAfter: boolean;
  readonly declared: readonly FieldName[];
}

export interface Done {
  readonly change: Change;
  readonly id: string;
  readonly last?: LastShown;
  /** Of a create: what its record showed at the end of the run, beyond what was sent; as far as that is known. */
  readonly left?: Shows | undefined;
}

export interface Failure extends Subject {
  /** `failed`: it was not carried out. `unknown`: it cannot be told; it is never sent again by this run. */
  readonly fate: 'failed' | 'unknown';
  readonly code: ErrorCode;
  readonly status?: number;
  /** The service's own words, or what happened on the way. */
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
  /** Missing where the record itself is (still, or not) there. */
  readonly field?: FieldName;
  readonly wanted?: Value;
  readonly shown?: Value;
  readonly message: string;
}

export const RESULT_FORMAT = 'websites.result/1';

export interface Result {
  readonly format: typeof RESULT_FORMAT;
  /** The run's id in the journal; null when there was nothing to do. */
  readonly run: string | null;
  readonly undoes?: string;
  /** The flags that make a next command be about the same: files, state, service, target; missing without any. */
  readonly scope?: string;
  /** The flags that make a next plan change no more than this one might; missing without any. */
  readonly selection?: string;
  readonly summary: {
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    /** Null where only some records were looked up. */
    readonly unchanged: number | null;
    readonly failed: number;
    readonly not_attempted: number;
  };
  readonly failures: readonly Failure[];
  readonly not_attempted: readonly NotAttempted[];
  readonly stopped: string | null;
  readonly interrupted: boolean;
  /** Every change that was carried out shows its `after`; null when that was not looked at. */
  readonly converged: boolean | null;
  readonly residual: readonly Residual[];
  /** What became of settings that the run was not to change; each is missing where there is none. */
  readonly restored?: readonly Effect[];
  readonly side_effects?: readonly Effect[];
  readonly changed_meanwhile?: readonly Effect[];
  /** Settings that no reading after the run showed, with the number of records. */
  readonly unverified?: readonly { readonly field: FieldName; readonly records: number }[];
  /** Things worth knowing, in words: adopted records, domains that the service wrote otherwise. */
  readonly notes: readonly string[];
  readonly requests: number;
  readonly seconds: number;
}

export type RunEvent =
  | {
      readonly type: 'run_started';
      readonly run: string;
      readonly changes: number;
      /** How many of each kind, where an earlier run, or somebody else, has left a part of the plan. */
      readonly left?: Readonly<Record<Action, number>>;
    }
  | ({ readonly type: 'change_started' } & Subject)
  | ({ readonly type: 'change_done'; readonly note?: string } & Subject)
  | ({ readonly type: 'change_failed' } & Failure)
  /** What was found of earlier runs, in words. */
  | { readonly type: 'earlier_run'; readonly message: string }
  | { readonly type: 'stopping'; readonly reason: string }
  | { readonly type: 'canary_started'; readonly changes: number }
  /** What the canary carried out shows on the service. */
  | { readonly type: 'canary_verified'; readonly done: number; readonly failed: number }
  | { readonly type: 'verify_started' }
  | { readonly type: 'verify_waiting'; readonly open: number; readonly milliseconds: number }
  | { readonly type: 'run_ended'; readonly result: Result };
