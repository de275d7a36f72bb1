/**
 * Planning: desired and current records in, a plan out. A pure function of values: the clock, the
 * digest and everything that was read come in as arguments.
 */

import { canonicalJson, type Digest } from './canonical.ts';
import type { Action, Change } from './change.ts';
import { changeOf, countByAction, deleteOf, inOrder, isPrune } from './changes.ts';
import { createComparison, lacksPassword } from './compare.ts';
import { contradictions } from './contradictions.ts';
import { compareDomains, domainKey, matcher, withTwins, wwwTwin } from './domain.ts';
import { WebsitesError } from './errors.ts';
import { type Approvals, type Guard, tripGuards } from './guards.ts';
import { formatInstant } from './instant.ts';
import { type Match, matchWebsites, type Pair } from './match.ts';
import { originTeller } from './origin.ts';
import type { Problem } from './problem.ts';
import { inShard, type Shard } from './shard.ts';
import { warningsOf } from './warnings.ts';
import type { Current, Desired, UpdateRule, Website, WwwRule } from './website.ts';
import { LARGEST_PAGE } from './wire.ts';

export const PLAN_FORMAT = 'websites.plan/1';

/** What was asked for, beside the files. */
export interface PlanOptions {
  readonly prune: boolean;
  readonly www?: WwwRule;
  readonly update: UpdateRule;
  /** Patterns of domains; none means all. */
  readonly target: readonly string[];
  readonly exclude: readonly string[];
  /** Only the domains of this shard; guards count within it. */
  readonly shard?: Shard;
  readonly deletes_first: boolean;
  readonly resend_passwords: boolean;
  /** Only the changes of this origin; needs an earlier revision. */
  readonly only?: 'config' | 'drift';
  /** The revision that changes are compared with, and whether drift is refused. */
  readonly since?: string;
  readonly fail_on_drift?: boolean;
  readonly allow: Approvals;
}

/** What a plan is bound to. */
export interface PlanContext {
  /** The service by address (or `local:ID`), and a fingerprint of the key that was used. */
  readonly service: {
    readonly base_url: string;
    readonly key_fingerprint: string;
    /** The name of the target, where the files declare targets. */
    readonly target?: string;
  };
  readonly config: {
    /** `bulk` marks what other files take records from. */
    readonly files: readonly { readonly path: string; readonly digest: string; readonly bulk?: true }[];
    readonly digest: string;
  };
  /** File patterns that matched nothing. */
  readonly unmatched: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How long the plan may be applied, in milliseconds. */
  readonly maxAgeMs: number;
  /** Requests a second that the service was seen to allow, if known. */
  readonly requestsPerSecond?: number;
  /** What the files said at an earlier revision, to tell whose each change is. */
  readonly earlier?: Desired;
  /** Domains whose declared password is known to be another than the one that was sent last. */
  readonly changedSecrets?: ReadonlySet<string>;
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
  /** When the reading of the current records began. */
  readonly read_at: string;
  readonly service: PlanContext['service'];
  readonly config: PlanContext['config'];
  /** Whether the list of current records is proven complete. */
  readonly complete: boolean;
  readonly options: PlanOptions;
  readonly summary: Readonly<Record<Action | 'unchanged' | 'orphan' | 'ignored', number>>;
  /** In the order in which they are applied. */
  readonly changes: readonly Change[];
  readonly orphans: readonly Orphan[];
  readonly guards: readonly Guard[];
  readonly warnings: readonly string[];
  /** What applying costs: requests, the proof included, and seconds where the rate is known. */
  readonly cost: { readonly requests: number; readonly seconds: number | null };
  /** SHA-256 over the canonical JSON of all the rest. */
  readonly digest: string;
}

/** Plans and seals. Throws as planContent does. */
export function makePlan(
  desired: Desired,
  current: Current,
  options: PlanOptions,
  context: PlanContext,
  digest: Digest,
): Plan {
  return sealPlan(planContent(desired, current, options, context), current, options, context, digest);
}

/**
 * Plans. Throws a WebsitesError `plan-impossible` with every record that cannot be planned at all: a
 * create that lacks its password, a domain of which it is not known whether it exists, a contradiction.
 */
export function planContent(
  desired: Desired,
  current: Current,
  options: PlanOptions,
  context: PlanContext,
): PlanContent {
  const own = shareOf(desired, options.shard);
  const arranged = arrange(own, current, options);
  const { match, pairs, kept, pruned } = arranged;
  const compare = createComparison(
    ({ domain }) => options.resend_passwords || (context.changedSecrets?.has(domain) ?? false),
  );
  const all = inOrder(
    [
      ...pairs
        .map((pair) => (mayBeAnother(pair, match) ? undefined : changeOf(pair, compare)))
        .filter((change) => change !== undefined),
      ...pruned.map((website) => deleteOf(website, 'prune')),
    ],
    options.deletes_first,
  ).map(withOrigin(desired, context.earlier));
  const changes = all.filter(isOfOrigin(options.only));
  const twins = twinsOf(arranged, changes);
  const guards = tripGuards({
    changes,
    match,
    twins: twins.changed,
    protectedAbsent: protectedAbsent(arranged),
    wanted: desired.websites.filter((website) => website.state === 'present').length,
    unmatched: context.unmatched,
    prune: options.prune,
    complete: current.complete,
    failOnDrift: options.fail_on_drift ?? false,
    allow: options.allow,
  });
  const warnings = [
    ...warningsOf(own, current, match, twins.unchanged, changes),
    ...leftOut(all.length - changes.length, options.only),
  ];
  const counts = {
    unchanged: pairs.length - all.filter((change) => !isPrune(change)).length,
    orphan: kept.length,
    ignored: match.ignored,
  };
  return { changes, guards, warnings, counts, orphans: kept, listed: match.listed };
}

/** What was planned, before it is bound and dated. */
export interface PlanContent extends Pick<Plan, 'changes' | 'guards' | 'warnings' | 'orphans'> {
  readonly counts: Pick<Plan['summary'], 'unchanged' | 'orphan' | 'ignored'>;
  /** Current records that a listing brings. */
  readonly listed: number;
}

/** Binds a plan to its service, files and time, and gives it its digest. */
export function sealPlan(
  { changes, guards, warnings, orphans, counts, listed }: PlanContent,
  current: Current,
  options: PlanOptions,
  context: PlanContext,
  digest: Digest,
): Plan {
  const rest = {
    format: PLAN_FORMAT,
    created_at: formatInstant(context.now),
    expires_at: formatInstant(context.now + context.maxAgeMs),
    read_at: formatInstant(current.readAt),
    service: context.service,
    config: context.config,
    complete: current.complete,
    options,
    summary: { ...countByAction(changes), ...counts },
    changes,
    orphans,
    guards,
    warnings,
    cost: costOf(changes.length, listed, context.requestsPerSecond),
  } as const;
  return { ...rest, digest: planDigest(rest, digest) };
}

function withOrigin(desired: Desired, earlier: Desired | undefined): (change: Change) => Change {
  if (earlier === undefined) return (change) => change;
  const tell = originTeller(desired, earlier);
  return (change) => ({ ...change, origin: tell(change) });
}

function isOfOrigin(only: PlanOptions['only']): (change: Change) => boolean {
  return ({ origin }) => only === undefined || origin === undefined || origin === only || origin === 'both';
}

function leftOut(count: number, only: PlanOptions['only']): readonly string[] {
  if (count === 0 || only === undefined) return [];
  return [`${count === 1 ? 'One change is' : `${count} changes are`} left out (--only ${only}).`];
}

/** What of the files a shard has; a record that cannot be planned stands in the way of its own shard alone. */
function shareOf(desired: Desired, shard: Shard | undefined): Desired {
  if (shard === undefined) return desired;
  const isOurs = inShard(shard);
  return { ...desired, websites: desired.websites.filter(({ domain }) => isOurs(domain)) };
}

/** Both sides laid out for planning, narrowed to the selection. */
interface Arranged {
  readonly match: Match;
  readonly pairs: readonly Pair[];
  /** Orphans that stay, and those that prune takes. */
  readonly kept: readonly Orphan[];
  readonly pruned: readonly Website[];
  readonly isProtected: (domain: string) => boolean;
}

function arrange(desired: Desired, current: Current, options: PlanOptions): Arranged {
  const match = matchWebsites(desired, current, options.www, inShard(options.shard));
  const isSelected = selection(options);
  const pairs = match.pairs.filter((pair) => isSelected(pair.desired.domain));
  const missing = pairs.filter(({ website }) => website === undefined);
  const existing = new Set(
    missing.length === 0 ? [] : current.websites.map(({ domain }) => domainKey(domain)),
  );
  const problems = [
    ...contradictions(desired, match),
    ...missing.flatMap((pair) => problemOf(pair, match, existing, current)),
  ];
  if (problems.length > 0) throw impossible(problems);
  const isProtected = protection(desired, match.www);
  const orphans = match.orphans.filter((website) => isSelected(domainKey(website.domain)));
  const isPruned = (website: Website): boolean =>
    options.prune && current.complete && !isProtected(domainKey(website.domain));
  return {
    match,
    pairs,
    kept: orphans
      .filter((website) => !isPruned(website))
      .map(({ domain, id }) => ({
        domain: domainKey(domain),
        id,
        protected: isProtected(domainKey(domain)),
      })),
    pruned: orphans.filter(isPruned),
    isProtected,
  };
}

/** Which domains are protected: where the www twin may be the same website, under either name. */
function protection(desired: Desired, www: Match['www']): (domain: string) => boolean {
  const own = desired.websites.filter(({ protect }) => protect).map(({ domain }) => domain);
  const patterns = [...desired.protected, ...own];
  return matcher(www === 'distinct' ? patterns : withTwins(patterns));
}

/** Absent records that are protected under the name in the files or under that on the service. */
function protectedAbsent({ pairs, match, isProtected }: Arranged): readonly string[] {
  return pairs
    .filter((pair) => {
      const { desired, website } = pair;
      const { domain, state } = desired;
      if (state !== 'absent' || website === undefined || mayBeAnother(pair, match)) return false;
      return isProtected(domain) || isProtected(domainKey(website.domain));
    })
    .map((pair) => pair.desired.domain)
    .sort(compareDomains);
}

/**
 * An absent record whose www twin alone is there: where nobody settled whether the two are one website, the
 * record is as likely gone already, so its twin is left alone.
 */
function mayBeAnother({ desired, twin }: Pair, { www }: Match): boolean {
  return twin && desired.state === 'absent' && www === 'undecided';
}

/** The digest that a plan must bear. */
export function planDigest(plan: Omit<Plan, 'digest'>, digest: Digest): string {
  const { digest: _, ...rest } = plan as Plan;
  return digest(canonicalJson(rest));
}

/** Which domains `--target`, `--exclude` and `--shard` leave in. */
export function selection(
  options: Pick<PlanOptions, 'target' | 'exclude' | 'shard'>,
): (domain: string) => boolean {
  const isOurs = inShard(options.shard);
  const isTarget = options.target.length === 0 ? () => true : matcher(options.target);
  const isExcluded = matcher(options.exclude);
  return (domain) => isOurs(domain) && isTarget(domain) && !isExcluded(domain);
}

function impossible(problems: readonly Problem[]): WebsitesError {
  const count = problems.length === 1 ? 'One record' : `${problems.length} records`;
  return new WebsitesError('plan-impossible', `${count} cannot be planned.`, { problems });
}

/** What stands in the way of a record that does not exist. */
function problemOf(
  { desired }: Pair,
  { www, declared }: Match,
  existing: ReadonlySet<string>,
  current: Current,
): Problem[] {
  const problem = (message: string, remedy: string): Problem[] => [
    { severity: 'error', message, remedy, place: desired.source },
  ];
  if (!current.complete && !current.provenAbsent.has(desired.domain)) {
    return problem(
      `${desired.domain}: it cannot be told whether the service has it.`,
      'The list is not complete and the search proves nothing; see "websites doctor".',
    );
  }
  if (desired.state === 'absent') return [];
  // A twin that exists, and that neither this record nor its own means, is one that is ignored.
  if (www !== 'distinct' && existing.has(wwwTwin(desired.domain)) && !declared.has(wwwTwin(desired.domain))) {
    return problem(
      `${desired.domain} is declared, and ${wwwTwin(desired.domain)}, which may be the same website, is ignored.`,
      'Leave one of the two out, or set "service.www" to "distinct".',
    );
  }
  if (www === 'same' && declared.has(wwwTwin(desired.domain))) {
    return problem(
      `${desired.domain} and ${wwwTwin(desired.domain)} are one website on this service ("service.www: same").`,
      'Declare one of them.',
    );
  }
  if (lacksPassword(desired)) {
    return problem(
      `${desired.domain} would be created with "privacy: password" and without a password.`,
      'Declare its password, such as { env: NAME }.',
    );
  }
  return [];
}

/** Pairs that only the www twin matches while the rule is undecided: those that change, and the others. */
function twinsOf({ pairs, match }: Arranged, changes: readonly Change[]) {
  const changed = new Set(changes.map((change) => change.domain));
  const twins = (match.www === 'undecided' ? pairs.filter((pair) => pair.twin) : [])
    .map((pair) => pair.desired)
    .sort((a, b) => compareDomains(a.domain, b.domain));
  return {
    changed: twins.filter(({ domain }) => changed.has(domain)).map(({ domain }) => domain),
    unchanged: twins.filter(({ domain }) => !changed.has(domain)),
  };
}

/** One request a change, and one listing for the proof; nothing where there is nothing to do. */
function costOf(changes: number, listed: number, rate: number | undefined): Plan['cost'] {
  const requests = changes === 0 ? 0 : changes + Math.max(1, Math.ceil(listed / LARGEST_PAGE));
  return { requests, seconds: rate === undefined ? null : Math.ceil(requests / rate) };
}
