import { domainKey } from '../model/domain.ts';
import { formatPlace } from '../model/errors.ts';
import type { WarningFact } from '../model/facts.ts';
import type { Orphan, PlanOptions, Removals, Removed } from '../model/plan.ts';
import type { Website } from '../model/website.ts';
import { joinShortened } from '../util/text.ts';
import { type Names, sameAs } from './match.ts';

export function pruning(
  { prune }: Pick<PlanOptions, 'prune'>,
  removals: Removals | undefined,
  names: Names,
): (website: Website) => boolean {
  if (prune !== 'removed') return () => prune;
  return (website) => {
    const domain = domainKey(website.domain);
    const removed = removedAs(domain, removals, names);
    if (removed === undefined || removed.named !== undefined) return false;
    return removed.pruned === undefined || removed.pruned === website.id;
  };
}

function removedAs(domain: string, removals: Removals | undefined, names: Names): Removed | undefined {
  return removals?.removed.get(domain) ?? removals?.removed.get(sameAs(domain, names) ?? domain);
}

export function keptWarnings(
  { prune }: Pick<PlanOptions, 'prune'>,
  removals: Removals | undefined,
  kept: readonly Orphan[],
  names: Names,
): readonly WarningFact[] {
  if (prune !== 'removed') return [];
  if (removals === undefined) return [{ code: 'prune-skipped' }];
  const [stillNamed, again]: [string[], string[]] = [[], []];
  for (const { domain, protected: isProtected } of kept) {
    const { named, pruned } = (isProtected ? undefined : removedAs(domain, removals, names)) ?? {};
    if (named !== undefined) stillNamed.push(`${domain} (${formatPlace(named)})`);
    else if (pruned !== undefined) again.push(domain);
  }
  const found = [
    { code: 'removed-kept', domains: joinShortened(stillNamed, 20) },
    { code: 'removed-kept/again', domains: joinShortened(again, 20) },
  ] as const;
  return [...removals.warnings, ...found.filter(({ domains }) => domains !== '')];
}
