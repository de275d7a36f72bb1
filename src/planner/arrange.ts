import { domainKey } from '../model/domain.ts';
import { type Problem, WebsitesError } from '../model/errors.ts';
import { PRIVACY } from '../model/field-table.ts';
import type { Orphan, PlanInput, PlanQuestion } from '../model/plan.ts';
import type { Current, Website } from '../model/website.ts';
import { isOtherDeclared, type Match, matchWebsites, nameClash, type Pair, withOtherNames } from './match.ts';
import { pruning } from './removed.ts';
import { selection } from './selection.ts';

export interface Arranged {
  readonly match: Match;
  readonly pairs: readonly Pair[];
  readonly kept: readonly Orphan[];
  readonly pruned: readonly Website[];
}

export function arrange({
  desired,
  current,
  rules,
  context,
}: PlanQuestion & Pick<PlanInput, 'current'>): Arranged {
  const { earlier, removals } = context;
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
    const found: Reason | undefined =
      isTwice || match.isIgnored(domain)
        ? [`${domain} is declared ${isTwice ? 'twice' : 'and ignored'}.`, 'Remove one of them.']
        : whyImpossible(pair, match, ignored, current);
    return found === undefined ? [] : [{ severity: 'error', message: found[0], remedy: found[1], place }];
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

type Reason = readonly [message: string, remedy: string];

function whyImpossible(
  pair: Pair,
  match: Match,
  ignored: ReadonlySet<string>,
  { complete, provenAbsent }: Current,
): Reason | undefined {
  const { domain, state, settings } = pair.desired;
  const isMissing = pair.website === undefined;
  if (isMissing && !complete && !provenAbsent.has(domain)) {
    return [
      `${domain}: it is not known if the service has a record.`,
      'The list is not complete and the search shows nothing: see "websites doctor".',
    ];
  }
  if (state === 'absent') return undefined;
  const clash = nameClash(pair, match, ignored);
  if (clash !== undefined || !isMissing || settings.privacy !== PRIVACY.password || settings.password)
    return clash;
  return [
    `${domain} would be created with "privacy: password" but without a password.`,
    'Declare its password, such as { env: NAME }.',
  ];
}
