import { domainKey } from '../model/domain.ts';
import { formatPlace } from '../model/errors.ts';
import type { PlanOptions } from '../model/plan.ts';
import type { Removals, Removed } from '../model/removals.ts';
import type { Warning } from '../model/warning.ts';
import type { Website } from '../model/website.ts';
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

const MAX_REPORTED = 20;

export function keptWarnings(
  { prune }: Pick<PlanOptions, 'prune'>,
  removals: Removals | undefined,
  kept: readonly { readonly domain: string; readonly protected: boolean }[],
  names: Names,
): readonly Warning[] {
  if (prune !== 'removed') return [];
  if (removals === undefined) return [skipped(NO_REVISION)];
  const messages = kept.flatMap((orphan) => {
    const removed = orphan.protected ? undefined : removedAs(orphan.domain, removals, names);
    return removed === undefined ? [] : (whyKept(orphan.domain, removed) ?? []);
  });
  const more = messages.length - MAX_REPORTED;
  const rest = more > 0 ? [`${more} more removed websites are not pruned for the same reasons.`] : [];
  return [
    ...removals.warnings.map(skipped),
    ...[...messages.slice(0, MAX_REPORTED), ...rest].map(
      (message): Warning => ({ code: 'removed-kept', message }),
    ),
  ];
}

function skipped(message: string): Warning {
  return { code: 'prune-skipped', message };
}

const NO_REVISION =
  'Nothing is pruned: `prune: removed` compares with an earlier commit, and none was passed. Pass --since REV.';

function whyKept(domain: string, { named, pruned }: Removed): string | undefined {
  if (named !== undefined) {
    return `${domain} is no longer declared, but ${formatPlace(named)} still names it, so it is not pruned. To delete it, remove it there, or declare it with "state: absent".`;
  }
  if (pruned === undefined) return undefined;
  return `${domain} was pruned before and exists again, so it is not pruned. To delete it, declare it with "state: absent".`;
}
