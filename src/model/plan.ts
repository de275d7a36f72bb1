import type { Action, Change } from './change.ts';
import { type Place, type Warning, WebsitesError } from './errors.ts';
import type { Current, Desired, EarlierFiles, PruneRule, UpdateRule, WwwRule } from './website.ts';

export type Digest = (content: string | Iterable<string>) => string;

export const PLAN_FORMAT = 'websites.plan/1';

export interface PlanOptions {
  readonly prune: PruneRule;
  readonly www?: WwwRule | undefined;
  readonly update: UpdateRule;
  readonly domain: readonly string[];
  readonly exclude: readonly string[];
  /** Names of groups; missing or empty means all records, also those without a group. */
  readonly group?: readonly string[] | undefined;
  readonly resend_passwords: boolean;
  readonly only?: 'config' | 'drift' | undefined;
  /** The revision that changes are compared with; and if drift is refused. */
  readonly since?: string | undefined;
  readonly fail_on_drift?: boolean | undefined;
  readonly undoes?: string;
  readonly allow: Approvals;
}

export interface PlanContext {
  /** The service by address (or `local:ID`), and a fingerprint of its API key. */
  readonly service: {
    readonly base_url: string;
    readonly key_fingerprint: string;
    readonly target?: string;
  };
  readonly config: {
    /** `bulk` marks files that other files take records from. */
    readonly files: readonly { readonly path: string; readonly digest: string; readonly bulk?: true }[];
    readonly digest: string;
    /** Patterns and folders that files came from: new files among them belong to the plan too. */
    readonly open?: readonly string[];
    /** The folder of the files, if it is not the one of the first file. */
    readonly folder?: string;
    /** The folder that these paths are relative to, as a path from `folder`; missing if it is above it. */
    readonly made_in?: string;
  };
  readonly unmatched: readonly string[];
  readonly now: number;
  readonly maxAgeMs: number;
  readonly requestsPerSecond?: number | undefined;
  readonly earlier?: EarlierFiles | undefined;
  readonly removals?: Removals | undefined;
  readonly madeBy?: MadeBy | undefined;
  readonly digest: Digest;
  /** Missing for a plan that nobody applies. */
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
  /** True if the list of current records, or the look-up of each domain, is known to be complete. */
  readonly complete: boolean;
  readonly options: PlanOptions;
  /** Patterns of the only domains that the files may contain; missing without a limit. */
  readonly scope?: readonly string[] | undefined;
  readonly commits?: Commits | undefined;
  /** Null if records that would count were not read. */
  readonly summary: Readonly<Record<Action, number>> &
    Readonly<Record<'unchanged' | 'orphan' | 'ignored', number | null>>;
  readonly changes: readonly Change[];
  readonly orphans: readonly Orphan[];
  readonly guards: readonly Guard[];
  readonly warnings: readonly Warning[];
  /** The way that current records were read, all or some domains, and their number. */
  readonly read: {
    readonly kind: 'list' | 'lookup';
    readonly requests: number;
    readonly domains: number;
  };
  /** Requests to apply, with verification; seconds if the rate is known; requests of a list of all records. */
  readonly cost: {
    readonly requests: number;
    readonly seconds: number | null;
    readonly list: number | null;
  };
  /** SHA-256 over the canonical JSON of everything but the digest and the seal. */
  readonly digest: string;
  /** Seals the digest: its writer has the API key. */
  readonly seal?: string | undefined;
}

/** The part of the input that is known before the service is read. */
export interface PlanQuestion {
  readonly desired: Desired;
  readonly rules: PlanOptions;
  readonly context: Pick<PlanContext, 'earlier' | 'removals'>;
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
  /** The merge base of `since` and HEAD. */
  readonly merge_base: string;
}

/** A domain that was declared present at both commits and that no file lists now. */
export interface Removed {
  /** A tracked file that still names it. */
  readonly named?: Place;
  /** The ID of its record that was deleted since; `gone` if no record of then is left. */
  readonly pruned?: string;
}

export const GONE = 'gone';

export interface Removals {
  readonly commits: Commits;
  readonly removed: ReadonlyMap<string, Removed>;
  readonly warnings: readonly string[];
}

/**
 * Seals show that the holder of the API key wrote something for this service. Somebody who can add files to a
 * checkout, without the key, cannot make one. A seal does not show its age: an old sealed file can be
 * restored (decision: "Plans and journals are sealed").
 */

/** Kinds of sealed content; the seal of one kind fits no other. */
type Sealed = 'plan' | 'journal';

export interface Seals {
  of(kind: Sealed, text: string): string;
  /** True if `seal`, as it was read, is that of `text`. Takes constant time. */
  fits(kind: Sealed, text: string, seal: unknown): boolean;
}

/** The error for content without a fitting seal, which anybody may have written. */
export function notSealed(what: string, remedy: string): WebsitesError {
  return new WebsitesError('seal-invalid', `${what} was not written with this API key.`, { remedy });
}

/** The author of a plan or a run, as far as the environment shows: never verified and never required. */
export interface MadeBy {
  /** A login of GitHub or GitLab; otherwise `user@host`. */
  readonly actor?: string | undefined;
  readonly commit?: string | undefined;
  readonly url?: string | undefined;
}
