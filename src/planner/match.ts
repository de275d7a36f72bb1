/**
 * Arranging: which current record is meant by which desired one
 * (decision: "Records match by domain and compare by meaning").
 */
import { compareDomains, domainKey, inScope, matcher, withVariants, wwwVariant } from '../model/domain.ts';
import type { Current, Desired, DesiredWebsite, Website, WwwRule } from '../model/website.ts';

/** A desired record with the current one that it means, if there is one. */
export interface Pair {
  readonly desired: DesiredWebsite;
  readonly website?: Website;
  /** The current record has not this domain but its www variant. */
  readonly isVariant: boolean;
}

/** One domain under which the service holds several records. */
export interface Duplicate {
  readonly domain: string;
  readonly ids: readonly string[];
}

export interface Match {
  /** One for each desired record, in their order. */
  readonly pairs: readonly Pair[];
  /** Current records that no desired one means, by domain; in scope, and neither ignored nor duplicates. */
  readonly orphans: readonly Website[];
  readonly duplicates: readonly Duplicate[];
  /** Current records that an `ignore` pattern covers. */
  readonly ignored: number;
  /** The domains of all desired records, each with its position. */
  readonly declared: ReadonlyMap<string, number>;
  /** Distinct current records in scope that are not ignored: what guards count against. */
  readonly population: number;
  /** All distinct current records, as a listing brings them. */
  readonly listed: number;
  /** The rule that was followed: what somebody set, else what the records tell, if they do. */
  readonly www: WwwRule | 'undecided';
}

/**
 * Pairs desired with current records. `www` is the rule that the files or the run set, if any;
 * without it the records themselves decide where they can. Unless the two are known to be distinct, a
 * domain that is ignored by name is so under its www variant's name too, if that is not declared. Current
 * records out of scope are not there, unless they are the www variant of a declared domain.
 */
export function matchWebsites(desired: Desired, current: Current, www: WwwRule | undefined): Match {
  const declared = positionsOf(desired.websites);
  const rule = ruleOf(current, www);
  const ignore = ignoredBy(desired.ignore, declared, rule);
  const { websites } = desired;
  const isInScope = inScope(desired.scope);
  const isMeant = (domain: string): boolean =>
    isInScope(domain) || (rule !== 'distinct' && declared.has(wwwVariant(domain)));
  const { found, others, surplus, ...counts } = sortOut(
    current.websites,
    websites.length,
    declared,
    ignore,
    isMeant,
  );
  const hasTwice = declared.size < websites.length;
  const meant = new Set<string>();
  const pairs = websites.map((website, index): Pair => {
    const { domain } = website;
    const exact = found[hasTwice ? Number(declared.get(domain)) : index];
    if (exact !== undefined) return { desired: website, website: exact, isVariant: false };
    const variant = rule === 'distinct' ? undefined : wwwVariant(domain);
    const other = variant === undefined ? undefined : others.get(variant);
    if (variant === undefined || other === undefined) return { desired: website, isVariant: false };
    meant.add(variant);
    // As likely as not the record to delete is gone already, and its variant is another website.
    if (rule === 'undecided' && website.state === 'absent') return { desired: website, isVariant: false };
    return { desired: website, website: other, isVariant: true };
  });
  return {
    pairs,
    orphans: [...others]
      .filter(([domain]) => !meant.has(domain) && !surplus.has(domain) && isInScope(domain))
      .sort(([a], [b]) => compareDomains(a, b))
      .map(([, website]) => website),
    duplicates: [...surplus]
      .map(([domain, websites]) => ({ domain, ids: websites.sort(compareIds).map(({ id }) => id) }))
      .sort((a, b) => compareDomains(a.domain, b.domain)),
    ...counts,
    declared,
    www: rule,
  };
}

/** Which domains the files leave alone, ignored or out of scope, by the rule that matching follows. */
export function ignoring(
  { ignore, websites, scope }: Desired,
  current: Current,
  www: WwwRule | undefined,
): (domain: string) => boolean {
  const rule = ruleOf(current, www);
  const isIgnored = matcher(ignoredBy(ignore, positionsOf(websites), rule));
  const isInScope = inScope(scope);
  const isVariant = (domain: string): boolean => rule !== 'distinct' && isInScope(wwwVariant(domain));
  return (domain) => isIgnored(domain) || !(isInScope(domain) || isVariant(domain));
}

/** The position of each domain, the last of those that are declared twice. */
function positionsOf(websites: readonly DesiredWebsite[]): Match['declared'] {
  return new Map(websites.map(({ domain }, index) => [domain, index]));
}

/** The rule that somebody set, or what the records tell of it. */
export function ruleOf({ websites }: Pick<Current, 'websites'>, www: WwwRule | undefined): Match['www'] {
  return www ?? (websites.some(hasWww) ? 'distinct' : 'undecided');
}

function ignoredBy(ignore: readonly string[], declared: Match['declared'], rule: Match['www']) {
  return rule === 'distinct' ? ignore : withVariants(ignore).filter((pattern) => !declared.has(pattern));
}

/** The current records by their domains: of several of one domain, the one with the lowest id. */
function sortOut(
  websites: readonly Website[],
  count: number,
  declared: Match['declared'],
  ignore: readonly string[],
  isMeant: (domain: string) => boolean,
) {
  const isIgnored = matcher(ignore);
  const distinct = distinctById(websites);
  /** Those of desired records, at their positions; and all others. */
  const found = new Array<Website | undefined>(count).fill(undefined);
  const others = new Map<string, Website>();
  /** All records of domains that have several. */
  const surplus = new Map<string, Website[]>();
  const lower = (domain: string, known: Website | undefined, website: Website): Website => {
    if (known === undefined) return website;
    const all = surplus.get(domain) ?? [known];
    surplus.set(domain, all);
    all.push(website);
    return compareIds(website, known) < 0 ? website : known;
  };
  let [ignored, population] = [0, 0];
  for (const website of distinct) {
    // What stands in the files is normalized.
    const written = declared.get(website.domain);
    const domain = written === undefined ? domainKey(website.domain) : website.domain;
    if (!isMeant(domain)) continue;
    if (isIgnored(domain)) {
      ignored += 1;
      continue;
    }
    population += 1;
    const position = written ?? declared.get(domain);
    if (position === undefined) others.set(domain, lower(domain, others.get(domain), website));
    else found[position] = lower(domain, found[position], website);
  }
  return { found, others, surplus, ignored, population, listed: distinct.length };
}

/** Falling ids, in which order they are asked for, are distinct without a map of them all. */
function distinctById(websites: readonly Website[]): readonly Website[] {
  let last = Number.POSITIVE_INFINITY;
  const isFalling = websites.every(({ id }) => {
    const [number, before] = [Number(id), last];
    last = number;
    return number < before;
  });
  return isFalling ? websites : [...new Map(websites.map((website) => [website.id, website])).values()];
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
