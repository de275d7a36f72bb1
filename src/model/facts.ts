import type { FieldName } from './field-table.ts';
import type { RunFact } from './run.ts';

/** A fact with the code of a warning becomes that warning. A warning with several texts has one code for each. */
export type WarningFact =
  | { readonly code: 'changes-skipped'; readonly count: number; readonly only: string | undefined }
  | { readonly code: 'domain-in-several-records'; readonly domain: string; readonly ids: readonly string[] }
  | { readonly code: 'id-of-several-domains'; readonly shared: string }
  | { readonly code: 'list-unconfirmed'; readonly reason: ListFact | undefined }
  | { readonly code: 'password-not-compared'; readonly count: number }
  | { readonly code: 'pattern-matches-nothing'; readonly flag: string; readonly pattern: string }
  | { readonly code: 'prune-skipped' }
  | { readonly code: 'prune-skipped/service'; readonly commit: string; readonly address: string | undefined }
  | { readonly code: 'prune-skipped/untracked'; readonly files: readonly string[] }
  | { readonly code: 'removed-kept' | 'removed-kept/again'; readonly domains: string }
  | { readonly code: 'setting-never-returned' | 'time-never-returned'; readonly field: FieldName }
  | ({ readonly code: 'value-unreadable' } & UnreadableValue)
  | {
      readonly code: 'change-not-undone' | 'change-not-undone/partly';
      readonly domain: string;
      readonly reason: string;
    };

/** Reason that a list is known to be complete or incomplete. Continues the sentence "it is (not) complete: …". */
export interface ListFact {
  readonly code:
    | 'list-ended'
    | 'list-empty'
    | 'list-short'
    | 'list-again'
    | 'list-changed'
    | 'list-stuck'
    | 'list-refused'
    | 'list-broken'
    | 'list-endless'
    | 'list-counted'
    | 'list-miscounted'
    | 'list-shares-ids'
    | 'list-looked-up';
  /** Number of records that the service counts, and number of records that it lists. */
  readonly total?: number | undefined;
  readonly count?: number;
  readonly shared?: string;
}

export interface UnreadableValue {
  readonly field: string;
  readonly records: readonly string[];
  readonly holds: string;
}

/** Reason that a guard blocks a plan. Its text has a remedy. */
export type GuardFact =
  | { readonly code: 'no-files'; readonly patterns: string }
  | { readonly code: 'no-websites' | 'records-unknown' }
  | {
      readonly code: 'protected-deleted' | 'drifted' | 'drifted-and-changed';
      readonly domains: readonly string[];
    }
  | {
      readonly code: 'many-of-records';
      readonly action: string;
      readonly count: number;
      readonly total: number;
    }
  | {
      readonly code: 'many-of-declared';
      readonly action: string;
      readonly count: number;
      readonly total: number;
    }
  | { readonly code: 'duplicates-changed'; readonly records: readonly string[] };

/** Reason that a record cannot be planned. Its text has a remedy. */
export type ImpossibleFact =
  | {
      readonly code: 'unknown' | 'password-missing' | 'declared-twice' | 'declared-ignored';
      readonly domain: string;
    }
  | {
      readonly code: 'variant-exists' | 'variant-declared' | 'variant-same' | 'variant-ignored';
      readonly domain: string;
      readonly other: string;
    };

/** Reason that a part of a change is not undone, or a note about how it is undone. */
export type UndoFact =
  | { readonly code: 'undo-ignored' | 'undo-unknown' | 'undo-gone' | 'undo-exists' | 'undo-new-id' }
  | { readonly code: 'undo-other' | 'undo-lost'; readonly id: string }
  | { readonly code: 'undo-renamed'; readonly domain: string }
  | { readonly code: 'undo-changed' | 'undo-unseen'; readonly fields: string }
  | { readonly code: 'undo-password' | 'undo-password-private' | 'undo-password-replaced' }
  | { readonly code: 'undo-password-declared' | 'undo-privacy-unknown' };

/** A fact about earlier runs of this service. */
type PastFact =
  | { readonly code: 'run-killed' | 'killed-changed'; readonly run: string }
  | { readonly code: 'requests-in-flight'; readonly seconds: number }
  | { readonly code: 'killed-undo'; readonly run: string; readonly scope: string }
  | {
      readonly code: 'killed-effect';
      readonly field: FieldName;
      readonly domain: string;
      readonly id: string;
      readonly was: string;
      readonly is: string;
    };

export type Fact =
  | RunFact
  | WarningFact
  | ListFact
  | GuardFact
  | ImpossibleFact
  | UndoFact
  | PastFact
  | ({ readonly code: 'unreadable' } & UnreadableValue);

/** Returns the sentence for a fact, or the remedy of a guard. Text and JSON contain the same sentence. */
export type FactText = (fact: Fact, part?: 'remedy') => string;
