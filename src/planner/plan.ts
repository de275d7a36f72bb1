import type { Change } from '../model/change.ts';
import { MAX_PAGE_SIZE } from '../model/contract.ts';
import { domainKey } from '../model/domain.ts';
import { type Problem, WebsitesError } from '../model/errors.ts';
import type { ImpossibleFact } from '../model/facts.ts';
import { PRIVACY } from '../model/field-table.ts';
import { formatInstant } from '../model/instant.ts';
import { type Orphan, PLAN_FORMAT, type Plan, type PlanInput, type PlanQuestion } from '../model/plan.ts';
import type { Current, Question, UpdateRule, Website } from '../model/website.ts';
import { withOrigins } from './attribution.ts';
import { changeOf, countByAction, deleteOf, inOrder } from './changes.ts';
import { createComparison } from './diff.ts';
import { tripGuards } from './guards.ts';
import {
  isLookUpEnough,
  isOtherDeclared,
  type Match,
  matchWebsites,
  nameClash,
  type Pair,
  withOtherNames,
} from './match.ts';
import { planDigest } from './plan-file/write.ts';
import { pruning } from './removed.ts';
import { checkSelection, domainsAbout, selection, wantedOf } from './selection.ts';
import { warningOf, warningsOf } from './warnings.ts';

/**
 * Makes a plan in these steps:
 * 1. match the records of both sides, within the selection;
 * 2. throw `plan-impossible` with every record that cannot be planned;
 * 3. compare each pair: a create, an update, or the delete of a record declared absent (changes.ts);
 * 4. add a delete for each orphan that prune deletes (removed.ts), and sort;
 * 5. find the origin of each by the files of an earlier revision (attribution.ts), and keep those of `rules.only`;
 * 6. check guards (guards.ts), warn and count.
 */
export function plan(input: PlanInput): PlanContent {
  const { desired, current, rules, context } = input;
  const arranged = arrange(input);
  const { match, pairs, kept, pruned } = arranged;
  const compare = createComparison(rules.resend_passwords);
  const compared = pairs.flatMap((pair) => changeOf(pair, compare) ?? []);
  const sorted = inOrder([...compared, ...pruned.map((website) => deleteOf(website, 'prune'))]);
  const all = withOrigins(sorted, input, match);
  const { only } = rules;
  const changes = all.filter(({ origin = only }) => !only || origin === only || origin === 'both');
  const counts = current.lookedUp
    ? { unchanged: null, orphan: null, ignored: null }
    : { unchanged: pairs.length - compared.length, orphan: kept.length, ignored: match.ignored.length };
  const found = warningsOf(input, arranged, changes, all.length - changes.length);
  return {
    scope: desired.scope,
    commits: rules.prune === 'removed' ? context.removals?.commits : undefined,
    summary: { ...countByAction(changes), ...counts },
    changes,
    orphans: kept,
    guards: tripGuards(changes, input, match),
    warnings: found.map((fact) => warningOf(fact, context)),
  };
}

/**
 * Returns which records and fields a plan has to read (decision: "Reads grow with the change"). `readOnly` asks for
 * all records. Throws `usage`.
 */
export function questionOf(asked: PlanQuestion, readOnly = false): Question {
  const { desired, rules, context } = asked;
  const { earlier } = context;
  checkSelection(rules, [desired, earlier]);
  const about = readOnly ? undefined : domainsAbout(desired, rules, earlier);
  return {
    about,
    wanted: () => wantedOf(desired, rules),
    isEnough: (current) => isLookUpEnough(about ?? [], current, asked),
    whole: (current) => lossesOf({ ...asked, current }),
  };
}

/** Returns the domains that a plan may delete. Their records are read completely, so that an undo can restore them. */
function lossesOf(input: PlanQuestion & Pick<PlanInput, 'current'>): readonly string[] {
  const { desired, rules } = input;
  if (rules.prune === false && desired.websites.every(({ state }) => state === 'present')) return [];
  const { pairs, pruned } = arrange(input);
  const absent = pairs.flatMap(({ desired: { state, domain }, website }) =>
    state === 'absent' && website !== undefined ? domain : [],
  );
  return [...absent, ...pruned.map(({ domain }) => domainKey(domain))];
}

export type PlanContent = Pick<
  Plan,
  'scope' | 'commits' | 'summary' | 'changes' | 'orphans' | 'guards' | 'warnings'
>;

/** Adds the service, the files and the time to a plan, and then its digest and seal. */
export function sealPlan(
  content: PlanContent,
  { current, rules, context }: Omit<PlanInput, 'desired'>,
): Plan {
  const rest = {
    format: PLAN_FORMAT,
    created_at: formatInstant(context.now),
    expires_at: formatInstant(context.now + context.maxAgeMs),
    read_at: formatInstant(current.readAt),
    made_by: context.madeBy,
    service: context.service,
    config: context.config,
    complete: current.complete,
    options: rules,
    ...content,
    read: {
      kind: current.lookedUp === undefined ? 'list' : 'lookup',
      requests: current.requests ?? 0,
      domains: current.lookedUp?.domains.size ?? current.websites.length,
    },
    cost: costOf(content.changes, current, context.requestsPerSecond, rules.update),
  } as const;
  const digest = planDigest(rest, context.digest);
  return { ...rest, digest, seal: context.seals?.of('plan', digest) };
}

/** Counts the requests of an apply: writes, reads before them, and verification. Zero for an empty plan. */
function costOf(
  changes: readonly Change[],
  { lookedUp, websites }: Current,
  rate: number | undefined,
  rule: UpdateRule,
): Plan['cost'] {
  const { create, update, delete: deletes } = countByAction(changes);
  const pages = Math.max(1, Math.ceil((websites.length + create - deletes) / MAX_PAGE_SIZE));
  const list = lookedUp === undefined ? pages : (lookedUp.pages ?? null);
  const reads = rule === 'changed' ? 0 : update;
  const requests = changes.length + reads + Math.min(changes.length, list ?? Number.POSITIVE_INFINITY);
  return { requests, seconds: rate === undefined ? null : Math.ceil(requests / rate), list };
}

export interface Arranged {
  readonly match: Match;
  readonly pairs: readonly Pair[];
  readonly kept: readonly Orphan[];
  readonly pruned: readonly Website[];
}

function arrange({ desired, current, rules, context }: PlanQuestion & Pick<PlanInput, 'current'>): Arranged {
  const { earlier, removals, factText } = context;
  const files = [desired, earlier];
  const match = matchWebsites(desired, current, rules);
  const shared = new Set(current.sharedIds?.flatMap(({ domains }) => domains));
  const wasRead = (domain: string): boolean =>
    (current.lookedUp?.domains.has(domain) ?? true) && !shared.has(domain);
  const isSelected = selection(rules, files);
  const pairs = match.pairs.filter(({ desired: { domain } }) => isSelected(domain) && wasRead(domain));
  const ignored = new Set(match.ignored);
  // Loading the files already rejects duplicates. A program may pass any input, so they are checked again.
  const seen = new Set<string>();
  const hasTwice = match.declared.size < desired.websites.length;
  const problems = pairs.flatMap((pair): Problem[] => {
    const { domain, source: place } = pair.desired;
    const isTwice = hasTwice && seen.size === seen.add(domain).size;
    const found = isTwice
      ? ({ code: 'declared-twice', domain } as const)
      : whyImpossible(pair, match, ignored, current);
    if (found === undefined) return [];
    return [{ severity: 'error', message: factText(found), remedy: factText(found, 'remedy'), place }];
  });
  if (problems.length > 0) {
    const count = problems.length === 1 ? 'One record' : `${problems.length} records`;
    throw new WebsitesError('plan-impossible', `${count} cannot be planned.`, { problems });
  }
  const exclude = withOtherNames(rules.exclude, match);
  const takes = pruning(rules, removals, match);
  const isMeant = selection({ ...rules, exclude }, files);
  const orphans = match.orphans
    .map((website) => ({ website, domain: domainKey(website.domain) }))
    .filter(({ domain }) => isMeant(domain) && wasRead(domain));
  const isPruned = ({ website, domain }: (typeof orphans)[number]): boolean =>
    current.complete && takes(website) && !match.isProtected(domain) && !isOtherDeclared(domain, match);
  const kept = orphans.filter((orphan) => !isPruned(orphan));
  return {
    match,
    pairs,
    kept: kept.map(({ domain, website: { id } }) => ({ domain, id, protected: match.isProtected(domain) })),
    pruned: orphans.filter(isPruned).map(({ website }) => website),
  };
}

function whyImpossible(
  pair: Pair,
  match: Match,
  ignored: ReadonlySet<string>,
  { complete, knownAbsent }: Current,
): ImpossibleFact | undefined {
  const { domain, state, settings } = pair.desired;
  if (match.isIgnored(domain)) return { code: 'declared-ignored', domain };
  const isMissing = pair.website === undefined;
  if (isMissing && !complete && !knownAbsent.has(domain)) return { code: 'unknown', domain };
  if (state === 'absent') return undefined;
  const clash = nameClash(pair, match, ignored);
  const needsPassword = isMissing && settings.privacy === PRIVACY.password && !settings.password;
  return clash ?? (needsPassword ? { code: 'password-missing', domain } : undefined);
}
