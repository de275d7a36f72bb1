/**
 * Matches records (decision: "Records match by domain and compare by meaning"). A domain has another name, its www
 * variant, under which a service may have the same website.
 */
import { compareDomains, domainKey, inScope, matcher } from '../model/domain.ts';
import type { Problem } from '../model/errors.ts';
import type { PlanOptions } from '../model/plan.ts';
import type { Current, Desired, DesiredWebsite, EarlierFiles, Website, WwwRule } from '../model/website.ts';

/** The relation between a domain and its other name, as far as it is known: set by a user, or shown by records. */
export interface Names {
  readonly www?: WwwRule | 'undecided' | undefined;
}

export interface Settled extends Names {
  readonly www?: WwwRule | undefined;
}

export function wwwVariant(domain: string): string {
  return domain.startsWith('www.') ? domain.slice(4) : `www.${domain}`;
}

/** The other name that a record of `domain` may have; `undefined` if the service is known to distinguish the two. */
export function otherOf(domain: string, { www }: Names = {}): string | undefined {
  return www === 'distinct' ? undefined : wwwVariant(domain);
}

/** The other name of the same record; `undefined` if that is not certain. */
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

/** The name that a service shows for `domain` if it drops the `www.`; otherwise `undefined`. */
export function shownName(domain: string, names: Names, other = otherOf): string | undefined {
  return domain.startsWith('www.') ? other(domain, names) : undefined;
}

export function ifSet(names: Settled, otherwise?: Settled): { www?: WwwRule } {
  const www = names.www ?? otherwise?.www;
  return www === undefined ? {} : { www };
}

/** The set relation, or that shown by records: one that starts with `www.` shows that names are distinct. */
export function namesIn({ websites }: Pick<Current, 'websites'>, { www }: Names): Required<Names> {
  const startsWithWww = ({ domain }: Website): boolean => domainKey(domain).startsWith('www.');
  return { www: www ?? (websites.some(startsWithWww) ? 'distinct' : 'undecided') };
}

export function apartUnlessSet({ www = 'distinct' }: Names): Names {
  return { www };
}

/** Learns from the response to a create, which named the record `wrote` if not as sent. */
export function namesLearnedFrom(sent: string, wrote: string | undefined, before: Settled): Settled {
  if (!sent.startsWith('www.') || before.www === 'same') return before;
  return { www: wrote === wwwVariant(sent) ? 'same' : 'distinct' };
}

export function wouldSettleNames(domain: string, { www }: Names): boolean {
  return www === undefined && domain.startsWith('www.');
}

export interface Pair {
  readonly desired: DesiredWebsite;
  readonly website?: Website | undefined;
  readonly isVariant: boolean;
}

export interface Duplicate {
  readonly domain: string;
  readonly ids: readonly string[];
}

export interface Match extends Required<Names> {
  readonly pairs: readonly Pair[];
  /** Current records without a desired one, by domain; in scope, and neither ignored nor duplicates. */
  readonly orphans: readonly Website[];
  readonly duplicates: readonly Duplicate[];
  readonly ignored: number;
  readonly declared: ReadonlyMap<string, number>;
  /** Distinct current records in scope that are not ignored: the base of guards. */
  readonly population: number;
  readonly listed: number;
}

/**
 * Pairs desired with current records. Unless two names are known to be distinct, ignoring one ignores the other, if
 * that is not declared. Current records out of scope do not count, unless they may be those of a declared domain.
 */
export function matchWebsites(desired: Desired, current: Current, set: Names = {}): Match {
  const declared = positionsOf(desired.websites);
  const names = namesIn(current, set);
  const ignore = ignoredBy(desired.ignore, declared, names);
  const { websites } = desired;
  const isInScope = inScope(desired.scope);
  const known = { ...names, declared };
  const isMeant = (domain: string): boolean => isInScope(domain) || isOtherDeclared(domain, known);
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
    const variant = otherOf(domain, names);
    const other = variant === undefined ? undefined : others.get(variant);
    if (variant === undefined || other === undefined) return { desired: website, isVariant: false };
    meant.add(variant);
    // The record to delete is possibly gone, and its variant another website.
    if (names.www === 'undecided' && website.state === 'absent')
      return { desired: website, isVariant: false };
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
    ...names,
  };
}

export function isOtherDeclared(domain: string, match: Pick<Match, 'www' | 'declared'>): boolean {
  const other = otherOf(domain, match);
  return other !== undefined && match.declared.has(other);
}

/** Decides which domains are left alone, ignored or out of scope, by the same rule as matching. */
export function ignoring(
  { ignore, websites, scope }: Desired,
  current: Current,
  set: Names,
): (domain: string) => boolean {
  const names = namesIn(current, set);
  const isIgnored = matcher(ignoredBy(ignore, positionsOf(websites), names));
  const isInScope = inScope(scope);
  return (domain) => isIgnored(domain) || ![domain, otherOf(domain, names) ?? domain].some(isInScope);
}

function positionsOf(websites: readonly DesiredWebsite[]): Match['declared'] {
  return new Map(websites.map(({ domain }, index) => [domain, index]));
}

function ignoredBy(ignore: readonly string[], declared: Match['declared'], names: Names) {
  if (names.www === 'distinct') return ignore;
  return withOtherNames(ignore).filter((pattern) => !declared.has(pattern));
}

const SET_KEY = 'Set "service.www" to "same" if they are, otherwise to "distinct".';

/** Why a name prevents a plan: the other name, possibly the same website, has a record, is ignored or declared. */
export function nameClash(
  { desired, website, isVariant }: Pair,
  match: Pick<Match, 'www' | 'declared'>,
  existing: ReadonlySet<string>,
): Problem | undefined {
  const { domain, source: place } = desired;
  const other = otherOf(domain, match);
  if (other === undefined || desired.state === 'absent' || (website !== undefined && !isVariant))
    return undefined;
  const { www } = match;
  const isDeclared = match.declared.has(other);
  const problem = (message: string, remedy: string): Problem => ({
    severity: 'error',
    message,
    remedy,
    place,
  });
  if (www === 'undecided' && (isVariant || isDeclared)) {
    const why = isVariant ? 'has one' : 'is declared too';
    return problem(`${domain} has no record, and ${other} ${why}: they may be one website.`, SET_KEY);
  }
  if (isVariant) return undefined;
  // A record that is not of this website or a declared one is ignored.
  if (existing.has(other) && !isDeclared) {
    return problem(
      `${domain} is declared, and ${other}, which may be the same website, is ignored.`,
      'Remove one of them, or set "service.www" to "distinct".',
    );
  }
  if (!isDeclared) return undefined;
  const message = `${domain} and ${other} are one website on this service ("service.www: same").`;
  return problem(message, 'Declare one of them.');
}

/** Why the record of a pair may be that of another website; ends a clause. */
export function nameDoubt({ isVariant }: Pair, { www }: Names): string | undefined {
  if (!isVariant || www !== 'undecided') return undefined;
  return 'exists only as its "www." variant, and service.www is not set';
}

export const SETTLE_NAMES = 'Set "service.www" to "same" or "distinct" in the file, then plan again.';

/** The note on a service that changed a domain; it names the key if the relation of names was unknown. */
export function renamedNote(sent: string, answered: string, { www }: Names): string {
  const needsKey = www === undefined && domainKey(answered) === wwwVariant(sent);
  return `the service calls it ${answered}${needsKey ? ': set "service.www" to "same"' : ''}`;
}

/**
 * Unless the relation of names is set, only all records show it; it matters if only the other name of a domain is
 * found, or if any is named.
 */
export function isLookUpEnough(
  about: readonly string[],
  { websites }: Current,
  desired: Desired,
  { www, domain, exclude }: PlanOptions,
  earlier: EarlierFiles | undefined,
): boolean {
  if (www !== undefined) return true;
  const found = new Set(websites.map((website) => domainKey(website.domain)));
  if (about.some((name) => !found.has(name) && found.has(wwwVariant(name)))) return false;
  if (namesIn({ websites }, {}).www === 'distinct') return true;
  const sides = earlier === undefined ? [desired] : [desired, earlier];
  const patterns = [
    ...domain,
    ...exclude,
    ...sides.flatMap((side) => [...side.ignore, ...side.protected, ...(side.scope ?? [])]),
  ];
  const variants = new Set(about.map(wwwVariant));
  const isVariant = (name: string): boolean => variants.has(name);
  return (
    !patterns.some((pattern) => isVariant(domainKey(pattern))) &&
    !sides.some((side) => side.websites.some((website) => isVariant(website.domain)))
  );
}

function sortOut(
  websites: readonly Website[],
  count: number,
  declared: Match['declared'],
  ignore: readonly string[],
  isMeant: (domain: string) => boolean,
) {
  const isIgnored = matcher(ignore);
  const distinct = distinctById(websites);
  const found = new Array<Website | undefined>(count).fill(undefined);
  const others = new Map<string, Website>();
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

/** Falling IDs, as requested, are distinct without a map of them all. */
function distinctById(websites: readonly Website[]): readonly Website[] {
  let last = Number.POSITIVE_INFINITY;
  const isFalling = websites.every(({ id }) => {
    const [number, before] = [Number(id), last];
    last = number;
    return number < before;
  });
  return isFalling ? websites : [...new Map(websites.map((website) => [website.id, website])).values()];
}

function compareIds({ id: a }: Website, { id: b }: Website): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return (isNumber && Number(a) - Number(b)) || compareDomains(a, b);
}
