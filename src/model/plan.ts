import type { Action, Change } from './change.ts';
import { type Place, type Warning, WebsitesError } from './errors.ts';
import type { FactText, WarningFact } from './facts.ts';
import type { Current, Desired, EarlierFiles, PruneRule, UpdateRule, WwwRule } from './website.ts';

export type Digest = (content: string | Iterable<string>) => string;

export const PLAN_FORMAT = 'websites.plan/1';

export interface PlanOptions {
  readonly prune: PruneRule;
  readonly www?: WwwRule | undefined;
  readonly update: UpdateRule;
  readonly domain: readonly string[];
  readonly exclude: readonly string[];
  /** Names of groups. Missing or empty means all records, also those without a group. */
  readonly group?: readonly string[] | undefined;
  readonly resend_passwords: boolean;
  readonly only?: 'config' | 'drift' | undefined;
  /** `since`: the revision to compare with. `fail_on_drift`: drift blocks the plan. */
  readonly since?: string | undefined;
  readonly fail_on_drift?: boolean | undefined;
  readonly undoes?: string;
  readonly allow: Approvals;
}

export interface PlanContext {
  /** The service by its URL (or `local:ID`), and a fingerprint of the API key. */
  readonly service: {
    readonly base_url: string;
    readonly key_fingerprint: string;
    readonly target?: string | undefined;
  };
  readonly config: {
    /** `bulk` marks files from which other files import records. */
    readonly files: readonly { readonly path: string; readonly digest: string; readonly bulk?: true }[];
    readonly digest: string;
    /** Patterns and directories in which the files were found. A new file that matches belongs to the plan, too. */
    readonly open?: readonly string[] | undefined;
    /** Directory of the files, if it is not the directory of the first file. */
    readonly folder?: string | undefined;
    /** Directory to which these paths are relative, as a path from `folder`. Missing if it is above `folder`. */
    readonly made_in?: string | undefined;
  };
  readonly unmatched: readonly string[];
  readonly now: number;
  readonly maxAgeMs: number;
  readonly requestsPerSecond?: number | undefined;
  readonly earlier?: EarlierFiles | undefined;
  readonly removals?: Removals | undefined;
  readonly madeBy?: MadeBy | undefined;
  readonly digest: Digest;
  readonly factText: FactText;
  /** Missing for a plan that is never applied. */
  readonly seals?: Seals;
}

export interface Orphan {
  readonly domain: string;
  readonly id: string;
  readonly protected: boolean;
}

export interface Plan {
  readonly format: typeof PLAN_FORMAT;
  readonly created_at: string;
  readonly expires_at: string;
  readonly read_at: string;
  readonly made_by?: MadeBy | undefined;
  readonly service: PlanContext['service'];
  readonly config: PlanContext['config'];
  /** True if the list of records, or the look-up of each domain, is known to be complete. */
  readonly complete: boolean;
  readonly options: PlanOptions;
  /** Patterns for the only domains that the files may contain. Missing if all are allowed. */
  readonly scope?: readonly string[] | undefined;
  readonly commits?: Commits | undefined;
  /** Null if the number is unknown, because not all records were read. */
  readonly summary: Readonly<Record<Action, number>> &
    Readonly<Record<'unchanged' | 'orphan' | 'ignored', number | null>>;
  readonly changes: readonly Change[];
  readonly orphans: readonly Orphan[];
  readonly guards: readonly Guard[];
  readonly warnings: readonly Warning[];
  /** The source of the records (the list, or a look-up of some domains), and the number of requests. */
  readonly read: {
    readonly kind: 'list' | 'lookup';
    readonly requests: number;
    readonly domains: number;
  };
  /**
   * `requests`: of the apply with its verification. `seconds`: null if the rate is unknown. `list`: requests to list
   * all records.
   */
  readonly cost: {
    readonly requests: number;
    readonly seconds: number | null;
    readonly list: number | null;
  };
  /** SHA-256 of the canonical JSON of the plan without digest and seal. */
  readonly digest: string;
  /** Seal of the digest. It shows that the writer had the API key. */
  readonly seal?: string | undefined;
}

/** The part of the input that is known before records are read. */
export interface PlanQuestion {
  readonly desired: Desired;
  readonly rules: PlanOptions;
  readonly context: Pick<PlanContext, 'earlier' | 'removals' | 'factText'>;
}

export interface PlanInput extends PlanQuestion {
  readonly current: Current;
  readonly context: PlanContext;
}

export const GUARD_CODES = [
  'empty',
  'deletes',
  'updates',
  'duplicates',
  'protected',
  'incomplete',
  'drift',
] as const;

export type GuardCode = (typeof GUARD_CODES)[number];

export interface Guard {
  readonly code: GuardCode;
  readonly message: string;
  readonly remedy: string;
  readonly approved: boolean;
}

export interface Approvals {
  readonly empty: boolean;
  readonly deletes?: number | undefined;
  readonly updates?: number | undefined;
}

/** Records that earlier commits declared (decision: "Prune deletes only what the files declared"). */

export interface Commits {
  readonly since: string;
  /** Merge base of `since` and HEAD. */
  readonly merge_base: string;
}

/** A domain that was declared present at both commits and that no file declares now. */
export interface Removed {
  /** A tracked file that still contains the domain. */
  readonly named?: Place | undefined;
  /** ID of its record if a run has pruned that since; `gone` if the pruned record certainly no longer exists. */
  readonly pruned?: string | undefined;
}

export const GONE = 'gone';

export interface Removals {
  readonly commits: Commits;
  readonly removed: ReadonlyMap<string, Removed>;
  readonly warnings: readonly WarningFact[];
}

/**
 * A seal shows that a holder of the API key wrote a file for this service. Without the key, somebody who can add
 * files to a checkout cannot make a seal. A seal has no time, so an old sealed file can be restored (decision: "Plans
 * and journals are sealed").
 */

/** Kinds of sealed content. A seal of one kind is not valid for the other. */
type Sealed = 'plan' | 'journal';

export interface Seals {
  of(kind: Sealed, text: string): string;
  /** True if `seal` is the seal of `text`. Takes constant time, so that the time reveals nothing. */
  fits(kind: Sealed, text: string, seal: unknown): boolean;
}

/** Returns the error for content without a valid seal, which anybody may have written. */
export function notSealed(what: string, remedy: string): WebsitesError {
  return new WebsitesError('seal-invalid', `${what} was not written with this API key.`, { remedy });
}

/** The author of a plan or a run, from the environment. It is not verified and not required. */
export interface MadeBy {
  /** Login at GitHub or GitLab; otherwise `user@host`. */
  readonly actor?: string | undefined;
  readonly commit?: string | undefined;
  readonly url?: string | undefined;
}
