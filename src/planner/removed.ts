import { domainKey } from '../model/domain.ts';
import { formatPlace, type Warning, warn } from '../model/errors.ts';
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
): readonly Warning[] {
  if (prune !== 'removed') return [];
  if (removals === undefined) return [warn('prune-skipped', NO_REVISION)];
  const [stillNamed, again]: [string[], string[]] = [[], []];
  for (const { domain, protected: isProtected } of kept) {
    const { named, pruned } = (isProtected ? undefined : removedAs(domain, removals, names)) ?? {};
    if (named !== undefined) stillNamed.push(`${domain} (${formatPlace(named)})`);
    else if (pruned !== undefined) again.push(domain);
  }
  return [
    ...removals.warnings.map((message) => warn('prune-skipped', message)),
    ...notPruned('a file still names them', stillNamed, 'remove them there, or '),
    ...notPruned('they were pruned before and exist again', again),
  ];
}

const NO_REVISION =
  'Nothing is pruned: `prune: removed` compares with an earlier commit, and none was passed. Pass --since REV.';

function notPruned(why: string, domains: readonly string[], how = ''): readonly Warning[] {
  if (domains.length === 0) return [];
  const remedy = `To delete them, ${how}declare them with "state: absent".`;
  return [warn('removed-kept', `Not pruned, because ${why}: ${joinShortened(domains, 20)}. ${remedy}`)];
}
