import type { Action, Change } from './change.ts';
import type { ErrorCode, Place } from './errors.ts';
import type { FieldName, Settings } from './field-table.ts';
import type { Value } from './field-types.ts';
import type { MadeBy } from './plan.ts';

/** A setting of one record with its values before and after. For a password, these are booleans: if one was set. */
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
  readonly id?: string | undefined;
  readonly source?: Place | undefined;
}

export interface Shows {
  readonly settings: Settings;
  readonly passwordSet?: boolean | undefined;
}

export interface Done {
  readonly change: Change;
  readonly id: string;
  /** For a create: values of the record that the run did not send, as far as they are known. */
  readonly left?: Shows | undefined;
}

export interface Failure extends Subject {
  /** `failed`: not applied. `unknown`: possibly applied, so this run does not send it again. */
  readonly outcome: 'failed' | 'unknown';
  readonly code: ErrorCode;
  readonly status?: number | undefined;
  readonly message: string;
  readonly remedy?: string | undefined;
  readonly attempts: number;
}

export interface NotAttempted extends Subject {
  /** True if the record has changed since the plan was made. */
  readonly stale?: true | undefined;
}

export interface Residual {
  readonly action: Action;
  readonly domain: string;
  /** Missing if the difference is a whole record that exists or is missing. */
  readonly field?: FieldName;
  readonly wanted?: Value;
  readonly shown?: Value | undefined;
  readonly message: string;
}

/** Reason that a run stopped or sends nothing. */
export type Stop =
  | { readonly code: 'interrupted' | 'create-failed' | 'pin-wrong' }
  | { readonly code: 'failed' | 'failed-in-row' | 'stale'; readonly count: number }
  | { readonly code: 'failed-share'; readonly count: number; readonly of: number }
  | { readonly code: 'canary-failed' | 'canary-unlike'; readonly count: number }
  | { readonly code: 'canary-unverified'; readonly reason: string | undefined };

/** Remark about a change. `found`: the record already matched the plan, so nothing was sent. */
export type Note =
  | { readonly code: 'found' | 'adopted' | 'applied' | 'gone' }
  | { readonly code: 'stored-as' | 'stored-as-variant'; readonly domain: string };

/** Reason that a change no longer fits its record. */
export type Stale = { readonly domain: string } & (
  | { readonly code: 'unknown' }
  | { readonly code: 'exists' | 'vanished'; readonly id: string }
  | { readonly code: 'renamed'; readonly id: string; readonly name: string }
  | { readonly code: 'changed'; readonly id: string; readonly differences: readonly Difference[] }
);

/** `before` is missing if the plan could not read it. */
export type Difference = Pick<Effect, 'field' | 'after'> & { readonly before?: Value | undefined };

/** A fact of a run. */
export type RunFact =
  | Stop
  | Note
  | Stale
  | { readonly code: 'noted'; readonly note: string; readonly domains: readonly string[] }
  | { readonly code: 'secret-warning'; readonly warning: string; readonly secrets: readonly string[] }
  | { readonly code: 'unverified'; readonly reason: string }
  | { readonly code: 'pin-saves-requests' }
  | { readonly code: 'still-exists' | 'missing'; readonly domain: string }
  | {
      readonly code: 'repeated';
      readonly name: string;
      readonly ids: readonly string[];
      readonly count: number;
    }
  | { readonly code: 'ignored' | 'not-as-sent'; readonly domain: string; readonly field: FieldName };

export const RESULT_FORMAT = 'websites.result/1';

export interface Result {
  readonly format: typeof RESULT_FORMAT;
  /** ID of the run; null if there was nothing to do. */
  readonly run: string | null;
  readonly undoes?: string | undefined;
  /** Flags with which the next command uses the same files, state and service. Missing if no flags are needed. */
  readonly scope?: string | undefined;
  /** Flags with which the next plan changes no more than this one. Missing if no flags are needed. */
  readonly selection?: string | undefined;
  readonly summary: {
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    /** Null if only some records were read. */
    readonly unchanged: number | null;
    readonly failed: number;
    readonly not_attempted: number;
  };
  readonly failures: readonly Failure[];
  readonly not_attempted: readonly NotAttempted[];
  readonly stopped: string | null;
  readonly interrupted: boolean;
  /** True if every applied change is visible on the service; null if that was not checked. */
  readonly converged: boolean | null;
  readonly residual: readonly Residual[];
  /** Settings that updates reset and this run put back. This list and the next two are missing if empty. */
  readonly restored?: readonly Effect[];
  /** Settings that updates changed and this run did not put back. */
  readonly side_effects?: readonly Effect[];
  /** Settings that others changed during the run. */
  readonly changed_meanwhile?: readonly Effect[];
  /** Settings that no reading after the run showed, with the number of records. */
  readonly unverified?: readonly { readonly field: FieldName; readonly records: number }[];
  /** Remarks in words, for example about adopted records and changed domains. */
  readonly notes: readonly string[];
  readonly requests: number;
  readonly seconds: number;
}

export type RunEvent =
  | {
      readonly type: 'run_started';
      readonly run: string;
      readonly changes: number;
      /** Number of remaining changes, if an earlier run or somebody else has applied a part of the plan. */
      readonly left?: Readonly<Record<Action, number>> | undefined;
    }
  | ({ readonly type: 'change_started' } & Subject)
  | ({ readonly type: 'change_done'; readonly note?: string | undefined } & Subject)
  | ({ readonly type: 'change_failed' } & Failure)
  | { readonly type: 'earlier_run'; readonly message: string }
  | { readonly type: 'stopping'; readonly reason: string }
  | { readonly type: 'canary_started'; readonly changes: number }
  | { readonly type: 'canary_verified'; readonly done: number; readonly failed: number }
  | { readonly type: 'verify_started' }
  | { readonly type: 'verify_waiting'; readonly open: number; readonly milliseconds: number }
  | { readonly type: 'run_ended'; readonly result: Result };

export interface PastRun {
  readonly run: string;
  readonly at: string;
  readonly made_by?: MadeBy | undefined;
  readonly service: { readonly base_url: string };
  readonly planned: Readonly<Record<Action, number>>;
  readonly plan?: string | undefined;
  readonly undoes?: string | undefined;
  /** Missing if the run is in progress, or was killed. */
  readonly closed?: ClosedRun | undefined;
  /** True if the plan was limited to some records or to one origin. */
  readonly selected?: true | undefined;
}

interface ClosedRun extends Pick<Result, 'converged' | 'summary' | 'stopped'> {
  /** True if no change of the plan is left to attempt. */
  readonly finished: boolean;
}

export interface RecordedChange {
  readonly change: Change;
  readonly outcome: ChangeOutcome;
  /** True if the service already showed the change when the run began. */
  readonly earlier?: true | undefined;
  readonly id?: string | undefined;
  readonly message?: string | undefined;
  /** For an update: values of its record right before the request. */
  readonly shown?: Shows | undefined;
  /** For a create: values of its record that were not sent. */
  readonly left?: Shows | undefined;
}

export interface RunRecord {
  readonly past: PastRun;
  readonly changes: readonly RecordedChange[];
  readonly sideEffects: readonly Effect[];
}
