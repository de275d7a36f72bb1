/** Deletes and creates that look like one website under a new name. */
import type { Change } from '../model/change.ts';
import { editDistance } from '../util/did-you-mean.ts';
import { isPrune } from './changes.ts';

export interface Rename {
  readonly from: string;
  readonly to: string;
}

/** Beyond so many comparisons, names are not compared letter by letter. */
const COMPARED_AT_MOST = 10_000;

/**
 * A pruned and a created domain are a pair where they are the only two of one registrable domain, or where one
 * letter tells them apart.
 */
export function renamesIn(changes: readonly Change[]): readonly Rename[] {
  const pruned = changes.filter(isPrune).map(({ domain }) => domain);
  const created = changes.filter(({ action }) => action === 'create').map(({ domain }) => domain);
  const [from, to] = [onlyOnes(pruned), onlyOnes(created)];
  const related = [...from].flatMap(([site, name]) => {
    const other = to.get(site);
    return name === undefined || other === undefined ? [] : [{ from: name, to: other }];
  });
  const isSmall = pruned.length * created.length <= COMPARED_AT_MOST;
  return [...related, ...(isSmall ? misspelled(pruned, created, related) : [])];
}

/** The one domain of each registrable domain; `undefined` where there are several. */
function onlyOnes(domains: readonly string[]): ReadonlyMap<string, string | undefined> {
  const bySite = new Map<string, string | undefined>();
  for (const domain of domains) {
    const site = registrable(domain);
    bySite.set(site, bySite.has(site) ? undefined : domain);
  }
  return bySite;
}

/** Pairs that one letter tells apart, each domain in one pair at most. */
function misspelled(
  pruned: readonly string[],
  created: readonly string[],
  found: readonly Rename[],
): Rename[] {
  const taken = new Set(found.flatMap(({ from, to }) => [from, to]));
  return pruned.flatMap((from) => {
    const to = created.find((domain) => !taken.has(domain) && editDistance(from, domain) === 1);
    if (taken.has(from) || to === undefined) return [];
    taken.add(to);
    return [{ from, to }];
  });
}

/** Suffixes such as `co.uk` and `com.au`, under which others register domains. */
const SHARED_SUFFIX = /^(?:ac|co|com|edu|gob|gov|gouv|ltd|me|mil|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/;

/** The domain that its owner registered: two labels, or three under a shared suffix. */
function registrable(domain: string): string {
  const labels = domain.split('.');
  const suffix = labels.slice(-2).join('.');
  return SHARED_SUFFIX.test(suffix) ? labels.slice(-3).join('.') : suffix;
}
