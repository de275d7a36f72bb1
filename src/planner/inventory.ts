import { compareDomains, domainKey, matcher } from '../model/domain.ts';
import type { Current, Desired, DesiredWebsite, Website } from '../model/website.ts';
import { matchWebsites, type Names } from './match.ts';

/** `absent`: declared as absent. `duplicate`: another record has this domain. `unnamed`: its domain cannot be read. */
export const RECORD_STATUSES = [
  'declared',
  'absent',
  'orphan',
  'ignored',
  'out_of_scope',
  'duplicate',
  'unnamed',
] as const;

export type RecordStatus = (typeof RECORD_STATUSES)[number];

export interface InventoryRecord {
  readonly website: Website;
  readonly status?: RecordStatus;
  readonly declared?: DesiredWebsite;
}

export function inventoryOf(
  desired: Desired | undefined,
  current: Pick<Current, 'websites' | 'unnamed'>,
  names: Names,
): readonly InventoryRecord[] {
  const websites = current.websites.toSorted((a, b) =>
    compareDomains(domainKey(a.domain), domainKey(b.domain)),
  );
  const all = [...websites, ...(current.unnamed ?? [])];
  if (desired === undefined) return all.map((website) => ({ website }));
  const { pairs, orphans, leavesAlone } = matchWebsites(desired, current, names);
  const declaredBy = new Map(pairs.map(({ website, desired }) => [website?.id, desired]));
  const orphanIds = new Set(orphans.map(({ id }) => id));
  const isInScope = matcher(desired.scope ?? ['*']);
  return all.map((website) => {
    const declared = declaredBy.get(website.id);
    if (declared !== undefined)
      return { website, status: declared.state === 'absent' ? 'absent' : 'declared', declared };
    const domain = domainKey(website.domain);
    if (website.domain === '') return { website, status: 'unnamed' };
    if (!isInScope(domain)) return { website, status: 'out_of_scope' };
    if (leavesAlone(domain)) return { website, status: 'ignored' };
    return { website, status: orphanIds.has(website.id) ? 'orphan' : 'duplicate' };
  });
}
