/** What a plan is: what was asked for, what it is bound to, and what would change. */
import type { Action, Change } from './change.ts';
import type { Approvals, Guard } from './guard.ts';
import type { MadeBy } from './made-by.ts';
import type { Commits, Removals } from './removals.ts';
import type { Seals } from './seal.ts';
import type { Warning } from './warning.ts';
import type { Current, Desired, EarlierFiles, PruneRule, UpdateRule, WwwRule } from './website.ts';

export type Digest = (content: string | Iterable<string>) => string;

export const PLAN_FORMAT = 'websites.plan/1';

export interface PlanOptions {
  readonly prune: PruneRule;
  readonly www?: WwwRule;
  readonly update: UpdateRule;
  readonly domain: readonly string[];
  readonly exclude: readonly string[];
  /** Names of groups; missing or none means all, those of no group too. */
  readonly group?: readonly string[];
  readonly resend_passwords: boolean;
  /** Only the changes of this origin; needs an earlier revision. */
  readonly only?: 'config' | 'drift';
  /** The revision that changes are compared with, and whether drift is refused. */
  readonly since?: string;
  readonly fail_on_drift?: boolean;
  readonly undoes?: string;
  readonly allow: Approvals;
}

export interface PlanContext {
  /** The service by address (or `local:ID`), and a fingerprint of the key that was used. */
  readonly service: {
    readonly base_url: string;
    readonly key_fingerprint: string;
    readonly target?: string;
  };
  readonly config: {
    /** `bulk` marks what other files take records from. */
    readonly files: readonly { readonly path: string; readonly digest: string; readonly bulk?: true }[];
    readonly digest: string;
    /** Patterns and folders, if files came from any: files that are new among them are files of the plan, too. */
    readonly open?: readonly string[];
    /** The folder of the files, where that is not the one of the first file. */
    readonly folder?: string;
    /** The folder that these paths count from, seen from that one; where it is not above it. */
    readonly made_in?: string;
  };
  readonly unmatched: readonly string[];
  readonly now: number;
  readonly maxAgeMs: number;
  readonly requestsPerSecond?: number | undefined;
  readonly earlier?: EarlierFiles | undefined;
  /** What earlier commits of the files declared; without it `prune: removed` deletes nothing. */
  readonly removals?: Removals | undefined;
  readonly madeBy?: MadeBy | undefined;
  readonly digest: Digest;
  /** What it is sealed with; a plan that nobody is to apply needs no seal. */
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
  readonly made_by?: MadeBy;
  readonly service: PlanContext['service'];
  readonly config: PlanContext['config'];
  /** Whether the list of current records, or the look-up of each domain, is known to be complete. */
  readonly complete: boolean;
  readonly options: PlanOptions;
  /** Patterns of the only domains that the files are about, where they say so. */
  readonly scope?: readonly string[];
  /** The commits that `prune: removed` went by. */
  readonly commits?: Commits;
  /** Null where records were not read that would count. */
  readonly summary: Readonly<Record<Action, number>> &
    Readonly<Record<'unchanged' | 'orphan' | 'ignored', number | null>>;
  readonly changes: readonly Change[];
  readonly orphans: readonly Orphan[];
  readonly guards: readonly Guard[];
  readonly warnings: readonly Warning[];
  /** How the current records were read: all of them, or those of some domains; and how many these are. */
  readonly read: {
    readonly kind: 'list' | 'lookup';
    readonly requests: number;
    readonly domains: number;
  };
  /**
   * What applying costs: requests, the verification included, and seconds where the rate is known; beside it the requests
   * that a list of all records takes, where that is known.
   */
  readonly cost: {
    readonly requests: number;
    readonly seconds: number | null;
    readonly list: number | null;
  };
  /** SHA-256 over the canonical JSON of all the rest, save the seal. */
  readonly digest: string;
  /** Over the digest: whoever wrote it has the API key. */
  readonly seal?: string;
}

/** What is known before the service is read. */
export interface PlanQuestion {
  readonly desired: Desired;
  readonly rules: PlanOptions;
  readonly context: Pick<PlanContext, 'earlier' | 'removals'>;
}

/** All that a plan is made of, read before. */
export interface PlanInput extends PlanQuestion {
  readonly current: Current;
  readonly context: PlanContext;
}
