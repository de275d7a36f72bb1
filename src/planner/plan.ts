/**
 * Planning: desired and current records in, a plan out. A pure function of values: the clock, the
 * digest and everything that was read come in as arguments.
 */
import { type Change, sendsSecret } from '../model/change.ts';
import { LARGEST_PAGE } from '../model/contract.ts';
import { formatInstant } from '../model/instant.ts';
import { PLAN_FORMAT, type Plan, type PlanContext, type PlanOptions } from '../model/plan.ts';
import { isSecretRef } from '../model/secret.ts';
import type { Warning } from '../model/warning.ts';
import type { Current, Desired, EarlierFiles, UpdateRule } from '../model/website.ts';
import { type Arranged, arrange, protectedAbsent } from './arrange.ts';
import { originTeller } from './attribution.ts';
import { applyRequestsOf, changeOf, countByAction, deleteOf, inOrder, isPrune } from './changes.ts';
import { type Compare, createComparison } from './diff.ts';
import { type Population, tripGuards } from './guards.ts';
import type { Match, Pair } from './match.ts';
import { planDigest } from './plan-file/write.ts';
import { keptWarnings } from './removed.ts';
import { idlePatterns } from './selection.ts';
import { warningsOf } from './warnings.ts';

/** Plans and seals. Throws as planContent does. */
export function makePlan(
  desired: Desired,
  current: Current,
  options: PlanOptions,
  context: PlanContext,
): Plan {
  return sealPlan(planContent(desired, current, options, context), current, options, context);
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
  const arranged = arrange(desired, current, options, context);
  const { match, pairs, kept, pruned } = arranged;
  const compare = createComparison(options.resend_passwords);
  const all = inOrder([
    ...changesOf(arranged, compare),
    ...pruned.map((website) => deleteOf(website, 'prune')),
  ]).map(withEarlier(desired, context.earlier, match.www, options.resend_passwords));
  const changes = all.filter(isOfOrigin(options.only));
  const guards = tripGuards({
    changes,
    match,
    populations: populationsOf(desired, current, match),
    protectedDeletes: protectedAbsent(arranged),
    wantsAny: desired.websites.some(({ state }) => state === 'present'),
    unmatched: context.unmatched,
    prune: options.prune === true || (options.prune === 'removed' && isAnyRemoved(context)),
    complete: current.complete,
    failOnDrift: options.fail_on_drift ?? false,
    allow: options.allow,
  });
  const warnings = [
    ...idlePatterns(options, desired, current, match.www, context.earlier),
    ...warningsOf(desired, current, match, changes),
    ...notCompared(pairs, changes),
    ...keptWarnings(options, context.removals, kept, match.www),
    ...leftOut(all.length - changes.length, options.only),
  ];
  const counts = {
    unchanged: pairs.length - all.filter((change) => !isPrune(change)).length,
    orphan: kept.length,
    ignored: match.ignored,
  };
  const commits = options.prune === 'removed' ? context.removals?.commits : undefined;
  return {
    changes,
    guards,
    warnings,
    counts: current.lookedUp === undefined ? counts : NOT_COUNTED,
    orphans: kept,
    listed: match.listed,
    ...(desired.scope && { scope: desired.scope }),
    ...(commits && { commits }),
  };
}

function isAnyRemoved({ removals }: PlanContext): boolean {
  return removals !== undefined && removals.removed.size > 0;
}

const NOT_COUNTED = { unchanged: null, orphan: null, ignored: null };

/** What shares of changes are counted against. Of records that were not read, some may be no matter of the files. */
function populationsOf(
  { websites, ignore, scope }: Desired,
  { lookedUp }: Current,
  { population }: Match,
): readonly Population[] {
  if (lookedUp === undefined) return [{ size: population, what: 'records' }];
  const { total } = lookedUp;
  const present = websites.filter(({ state }) => state === 'present').length;
  const isAllOurs = ignore.length === 0 && scope === undefined;
  return [
    ...(isAllOurs && total !== undefined ? [{ size: total, what: 'records' } as const] : []),
    { size: present, what: 'declared websites' },
  ];
}

function* changesOf({ pairs }: Arranged, compare: Compare): Generator<Change> {
  for (const pair of pairs) {
    const change = changeOf(pair, compare);
    if (change !== undefined) yield change;
  }
}

/** What was planned, before it is bound and dated. */
export interface PlanContent
  extends Pick<Plan, 'changes' | 'guards' | 'warnings' | 'orphans' | 'scope' | 'commits'> {
  readonly counts: Pick<Plan['summary'], 'unchanged' | 'orphan' | 'ignored'>;
  /** Current records that a listing brings. */
  readonly listed: number;
}

/** Binds a plan to its service, files and time, and gives it its digest and its seal. */
export function sealPlan(
  { changes, guards, warnings, orphans, counts, listed, scope, commits }: PlanContent,
  current: Current,
  options: PlanOptions,
  context: PlanContext,
): Plan {
  const rest = {
    format: PLAN_FORMAT,
    created_at: formatInstant(context.now),
    expires_at: formatInstant(context.now + context.maxAgeMs),
    read_at: formatInstant(current.readAt),
    ...(context.madeBy === undefined ? {} : { made_by: context.madeBy }),
    service: context.service,
    config: context.config,
    complete: current.complete,
    options,
    ...(scope && { scope }),
    ...(commits && { commits }),
    summary: { ...countByAction(changes), ...counts },
    changes,
    orphans,
    guards,
    warnings,
    read: {
      kind: current.lookedUp === undefined ? 'list' : 'lookup',
      requests: current.requests ?? 0,
      domains: current.lookedUp?.domains.size ?? listed,
    },
    cost: costOf(changes, current, listed, context.requestsPerSecond, options.update),
  } as const;
  const digest = planDigest(rest, context.digest);
  return { ...rest, digest, ...(context.seals && { seal: context.seals.of('plan', digest) }) };
}

/** Adds what the earlier revision of the files tells. */
function withEarlier(
  desired: Desired,
  earlier: EarlierFiles | undefined,
  www: Match['www'],
  resend: boolean,
): (change: Change) => Change {
  if (earlier === undefined) return (change) => change;
  const tell = originTeller(desired, earlier, www, resend);
  const groups = new Map(
    earlier.websites.flatMap(({ domain, group }) => (group === undefined ? [] : [[domain, group] as const])),
  );
  return (change) => {
    const group = change.group ?? (isPrune(change) ? groups.get(change.domain) : undefined);
    return { ...change, origin: tell(change), ...(group === undefined ? {} : { group }) };
  };
}

function isOfOrigin(only: PlanOptions['only']): (change: Change) => boolean {
  return ({ origin }) => only === undefined || origin === undefined || origin === only || origin === 'both';
}

function notCompared(pairs: readonly Pair[], changes: readonly Change[]): readonly Warning[] {
  const sent = new Set(changes.filter(sendsSecret).map(({ domain }) => domain));
  const { length } = pairs.filter(
    ({ desired: { domain, settings }, website }) =>
      website !== undefined && isSecretRef(settings.password) && !sent.has(domain),
  );
  if (length === 0) return [];
  const passwords = length === 1 ? 'one declared password' : `${length} declared passwords`;
  return [
    {
      code: 'password-not-compared',
      message: `The service never returns passwords, so ${passwords} could not be compared. To send a changed password, run "websites apply --resend-passwords --domain DOMAIN".`,
    },
  ];
}

function leftOut(count: number, only: PlanOptions['only']): readonly Warning[] {
  if (count === 0 || only === undefined) return [];
  const skipped = count === 1 ? 'one change' : `${count} changes`;
  return [{ code: 'changes-skipped', message: `Skipped ${skipped} (--only ${only}).` }];
}

/** The writes with what is read before them, and what verifies them; nothing where there is nothing to do. */
function costOf(
  changes: readonly Change[],
  { lookedUp }: Current,
  listed: number,
  rate: number | undefined,
  rule: UpdateRule,
): Plan['cost'] {
  const { create, delete: deletes } = countByAction(changes);
  const pages = Math.max(1, Math.ceil((listed + create - deletes) / LARGEST_PAGE));
  const list = lookedUp === undefined ? pages : (lookedUp.pages ?? null);
  const requests = applyRequestsOf(changes, rule, list);
  return { requests, seconds: rate === undefined ? null : Math.ceil(requests / rate), list };
}
