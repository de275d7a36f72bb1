/**
 * Matches records (decision: "Records match by domain and compare by meaning"). A service may store a website under
 * the www variant of its domain.
 */
import { compareDomains, domainKey, matcher } from '../model/domain.ts';
import type { ImpossibleFact } from '../model/facts.ts';
import type { PlanContext, PlanQuestion } from '../model/plan.ts';
import type { Current, Desired, DesiredWebsite, Website, WwwRule } from '../model/website.ts';

/** Known relation of a domain and its www variant: set by the user, or visible in the records. */
export interface Names {
  readonly www?: WwwRule | 'undecided' | undefined;
}

export function wwwVariant(domain: string): string {
  return domain.startsWith('www.') ? domain.slice(4) : `www.${domain}`;
}

/** Returns the www variant if it may be the same record. Returns `undefined` if the service distinguishes the two. */
export function otherOf(domain: string, { www }: Names = {}): string | undefined {
  return www === 'distinct' ? undefined : wwwVariant(domain);
}

/** Returns the www variant if it is certainly the same record; otherwise `undefined`. */
export function sameAs(domain: string, { www }: Names = {}): string | undefined {
  return www === 'same' ? wwwVariant(domain) : undefined;
}

export function isNamed(website: { readonly domain: string }, domain: string, names?: Names): boolean {
  const name = domainKey(website.domain);
  return name === domain || name === otherOf(domain, names);
}

export function withOtherNames(
  patterns: readonly string[],
  names: Names = {},
  other = otherOf,
): readonly string[] {
  return patterns.flatMap((pattern) => {
    const name = pattern.includes('*') ? undefined : other(domainKey(pattern), names);
    return name === undefined ? pattern : [pattern, name];
  });
}

/**
 * Returns the relation that is set or that the records show. A record with `www.` shows that the service
 * distinguishes the two names.
 */
export function namesIn({ websites }: Pick<Current, 'websites'>, { www }: Names): Required<Names> {
  const startsWithWww = ({ domain }: Website): boolean => domainKey(domain).startsWith('www.');
  return { www: www ?? (websites.some(startsWithWww) ? 'distinct' : 'undecided') };
}

export interface Pair {
  readonly desired: DesiredWebsite;
  website?: Website | undefined;
  isVariant: boolean;
}

export interface Duplicate {
  readonly domain: string;
  readonly ids: readonly string[];
}

export interface Match extends Required<Names> {
  readonly pairs: readonly Pair[];
  /** Undeclared records in scope, by domain. Excludes ignored records and duplicates. */
  readonly orphans: readonly Website[];
  readonly duplicates: readonly Duplicate[];
  /** Domain of each ignored record. */
  readonly ignored: readonly string[];
  readonly declared: Pick<ReadonlyMap<string, unknown>, 'has' | 'size'>;
  /** Number of records in scope that are not ignored. Guards use it as 100 %. */
  readonly population: number;
  readonly isIgnored: (domain: string) => boolean;
  /** True for a domain that is ignored or out of scope. */
  readonly leavesAlone: (domain: string) => boolean;
  readonly isProtected: (domain: string) => boolean;
}

/**
 * Pairs declared with current records. Ignoring a domain also ignores its www variant, unless that is declared or the
 * service distinguishes the two. Records out of scope do not count, unless they may belong to a declared domain.
 */
export function matchWebsites(desired: Desired, current: Pick<Current, 'websites'>, set: Names = {}): Match {
  const names = namesIn(current, set);
  const declared = new Map<string, Pair>();
  const protect = [...desired.protected];
  const pairs = desired.websites.map((website) => {
    const pair: Pair = { desired: website, website: undefined, isVariant: false };
    declared.set(website.domain, pair);
    if (website.protect) protect.push(website.domain);
    return pair;
  });
  const known = { ...names, declared };
  const ignore = withOtherNames(desired.ignore, names, (domain) =>
    isOtherDeclared(domain, known) ? undefined : otherOf(domain, names),
  );
  const [isIgnored, isInScope] = [matcher(ignore), matcher(desired.scope ?? ['*'])];
  const isMeant = (domain: string): boolean => isInScope(domain) || isOtherDeclared(domain, known);
  const { others, surplus, ...counts } = sortOut(current.websites, declared, isMeant, isIgnored);
  const meant = new Set<Website>();
  for (const pair of pairs) {
    const { domain, state } = pair.desired;
    // If a domain is declared twice, `sortOut` gave the record only to the last pair. The earlier one gets it here.
    pair.website ??= declared.get(domain)?.website;
    if (pair.website !== undefined) continue;
    const other = others.get(otherOf(domain, names) ?? domain);
    if (other === undefined) continue;
    meant.add(other);
    // The record to delete may already be gone, and the www variant may be another website, so nothing is deleted.
    if (names.www === 'undecided' && state === 'absent') continue;
    pair.website = other;
    pair.isVariant = true;
  }
  return {
    pairs,
    orphans: [...others]
      .filter(([domain, website]) => !meant.has(website) && !surplus.has(domain) && isInScope(domain))
      .sort(([a], [b]) => compareDomains(a, b))
      .map(([, website]) => website),
    duplicates: [...surplus]
      .map(([domain, websites]) => ({ domain, ids: websites.map(({ id }) => id).sort(compareIds) }))
      .sort((a, b) => compareDomains(a.domain, b.domain)),
    ...counts,
    ...known,
    isIgnored,
    isProtected: matcher(withOtherNames(protect, names)),
    leavesAlone: (domain) => isIgnored(domain) || ![domain, otherOf(domain, names) ?? domain].some(isInScope),
  };
}

export function isOtherDeclared(domain: string, match: Pick<Match, 'www' | 'declared'>): boolean {
  const other = otherOf(domain, match);
  return other !== undefined && match.declared.has(other);
}

/** Returns the reason that a domain cannot be planned, if its www variant may be the same website. */
export function nameClash(
  { desired, website, isVariant }: Pair,
  match: Match,
  ignored: ReadonlySet<string>,
): ImpossibleFact | undefined {
  const { domain } = desired;
  const other = otherOf(domain, match);
  if (other === undefined || (website !== undefined && !isVariant)) return undefined;
  const isDeclared = match.declared.has(other);
  if (match.www === 'undecided' && (isVariant || isDeclared))
    return { code: isVariant ? 'variant-exists' : 'variant-declared', domain, other };
  if (isVariant) return undefined;
  if (isDeclared) return { code: 'variant-same', domain, other };
  const isIgnored = ignored.has(other) || (match.www === 'same' && match.leavesAlone(other));
  return isIgnored ? { code: 'variant-ignored', domain, other } : undefined;
}

/**
 * Without `service.www`, only all records show how www variants relate. That matters if only the www variant of a
 * domain was found, or if a www variant is declared or in a pattern.
 */
export function isLookUpEnough(
  about: readonly string[],
  { websites }: Current,
  {
    desired,
    rules,
    context,
  }: Omit<PlanQuestion, 'context'> & { readonly context: Pick<PlanContext, 'earlier'> },
): boolean {
  const { earlier } = context;
  if (rules.www !== undefined) return true;
  const found = new Set(websites.map(({ domain }) => domainKey(domain)));
  if (about.some((name) => !found.has(name) && found.has(wwwVariant(name)))) return false;
  if (namesIn({ websites }, {}).www === 'distinct') return true;
  const variants = new Set(about.map(wwwVariant));
  const files = earlier === undefined ? [desired] : [desired, earlier];
  const patterns = files.flatMap((file) => [...file.ignore, ...file.protected, ...(file.scope ?? [])]);
  const named = [...rules.domain, ...rules.exclude, ...patterns].map(domainKey);
  const declared = files.flatMap((file) => file.websites.map(({ domain }) => domain));
  return ![...named, ...declared].some((name) => variants.has(name));
}

/** Finds the record of each declared domain. Of duplicates, the record with the lowest ID counts. */
function sortOut(
  websites: readonly Website[],
  declared: ReadonlyMap<string, Pair>,
  isMeant: (domain: string) => boolean,
  isIgnored: (domain: string) => boolean,
) {
  const others = new Map<string, Website>();
  const surplus = new Map<string, Website[]>();
  const ignored: string[] = [];
  let population = 0;
  const lowest = (domain: string, known: Website | undefined, website: Website): Website => {
    if (known === undefined) return website;
    surplus.set(domain, [...(surplus.get(domain) ?? [known]), website]);
    return compareIds(website.id, known.id) < 0 ? website : known;
  };
  for (const website of websites) {
    const exact = declared.get(website.domain);
    const domain = exact === undefined ? domainKey(website.domain) : website.domain;
    if (!isMeant(domain)) continue;
    if (isIgnored(domain)) {
      ignored.push(domain);
      continue;
    }
    population += 1;
    const pair = exact ?? declared.get(domain);
    if (pair) pair.website = lowest(domain, pair.website, website);
    else others.set(domain, lowest(domain, others.get(domain), website));
  }
  return { others, surplus, ignored, population };
}

/** Orders numbers by value, and other IDs in a fixed order. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || compareDomains(a, b);
}
