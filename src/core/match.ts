/** Arranging: which current record is meant by which desired one (design, decision 1 and Settled A). */
import { compareDomains, domainKey, matcher, withTwins, wwwTwin } from './domain.ts';
import type { Current, Desired, DesiredWebsite, Website, WwwRule } from './website.ts';

/** A desired record with the current one that it means, if there is one. */
export interface Pair {
  readonly desired: DesiredWebsite;
  readonly website?: Website;
  /** The current record has not this domain but its www twin. */
  readonly twin: boolean;
}

/** One domain under which the service holds several records. */
export interface Duplicate {
  readonly domain: string;
  readonly ids: readonly string[];
}

export interface Match {
  /** One for each desired record, by domain. */
  readonly pairs: readonly Pair[];
  /** Current records that no desired one means, by domain; neither ignored nor duplicates. */
  readonly orphans: readonly Website[];
  readonly duplicates: readonly Duplicate[];
  /** Current records that an `ignore` pattern covers. */
  readonly ignored: number;
  /** The domains of all desired records. */
  readonly declared: ReadonlySet<string>;
  /** Distinct current records that are not ignored: what guards count against. */
  readonly population: number;
  /** The rule that was followed, and whether somebody set it. */
  readonly www: WwwRule | 'undecided';
}

/**
 * Pairs desired with current records. `www` is the rule that the files or the run set, if any;
 * without it the records themselves decide where they can. Unless the two are known to be distinct, a
 * domain that is ignored by name is so under its www twin's name too, if that is not declared.
 */
export function matchWebsites(desired: Desired, current: Current, www: WwwRule | undefined): Match {
  const declared = new Set(desired.websites.map((website) => website.domain));
  const rule = www ?? (current.websites.some(hasWww) ? 'distinct' : 'undecided');
  const ignore =
    rule === 'distinct'
      ? desired.ignore
      : withTwins(desired.ignore).filter((pattern) => !declared.has(pattern));
  const { byDomain, ignored, population } = indexByDomain(current.websites, ignore);
  const pairs = desired.websites
    .map((website) => pairOf(website, byDomain, declared, rule))
    .sort((a, b) => compareDomains(a.desired.domain, b.desired.domain));
  const meant = new Set(pairs.map((pair) => pair.website));
  const groups = [...byDomain]
    .filter(([, records]) => records.length > 1 || !meant.has(records[0]))
    .sort(([a], [b]) => compareDomains(a, b));
  return {
    pairs,
    orphans: groups.flatMap(([, records]) => (records.length > 1 ? [] : records)),
    duplicates: groups.flatMap(([domain, records]) =>
      records.length > 1 ? [{ domain, ids: records.map((record) => record.id) }] : [],
    ),
    ignored,
    declared,
    population,
    www: rule,
  };
}

/** The records of each domain, lowest id first; a record that was seen twice counts once. */
function indexByDomain(websites: readonly Website[], ignore: readonly string[]) {
  const isIgnored = matcher(ignore);
  const byId = new Map<string, Website>();
  for (const website of websites) byId.set(website.id, website);
  const byDomain = new Map<string, Website[]>();
  let ignored = 0;
  for (const website of byId.values()) {
    const domain = domainKey(website.domain);
    if (isIgnored(domain)) {
      ignored += 1;
      continue;
    }
    const group = byDomain.get(domain);
    if (group === undefined) byDomain.set(domain, [website]);
    else group.push(website);
  }
  for (const group of byDomain.values()) if (group.length > 1) group.sort(compareIds);
  return { byDomain, ignored, population: byId.size - ignored };
}

/** Such a record, ignored or not, shows that the service tells the two apart. */
function hasWww({ domain }: Website): boolean {
  return domainKey(domain).startsWith('www.');
}

/** Numbers by value, before all other ids. */
function compareIds({ id: a }: Website, { id: b }: Website): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return (isNumber && Number(a) - Number(b)) || compareDomains(a, b);
}

function pairOf(
  desired: DesiredWebsite,
  byDomain: ReadonlyMap<string, readonly Website[]>,
  declared: ReadonlySet<string>,
  rule: Match['www'],
): Pair {
  const exact = byDomain.get(desired.domain)?.[0];
  if (exact !== undefined) return { desired, website: exact, twin: false };
  const twin = wwwTwin(desired.domain);
  const candidate = rule === 'distinct' || declared.has(twin) ? undefined : byDomain.get(twin)?.[0];
  return candidate === undefined ? { desired, twin: false } : { desired, website: candidate, twin: true };
}
