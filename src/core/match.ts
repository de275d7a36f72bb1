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
  /** One for each desired record, in their order. */
  readonly pairs: readonly Pair[];
  /** Current records that no desired one means, by domain; neither ignored nor duplicates. */
  readonly orphans: readonly Website[];
  readonly duplicates: readonly Duplicate[];
  /** Current records that an `ignore` pattern covers. */
  readonly ignored: number;
  /** The domains of all desired records. */
  readonly declared: ReadonlySet<string>;
  /** Distinct current records of the shard that are not ignored: what guards count against. */
  readonly population: number;
  /** All distinct current records, as a listing brings them. */
  readonly listed: number;
  /** The rule that was followed, and whether somebody set it. */
  readonly www: WwwRule | 'undecided';
}

/**
 * Pairs desired with current records. `www` is the rule that the files or the run set, if any;
 * without it the records themselves decide where they can. Unless the two are known to be distinct, a
 * domain that is ignored by name is so under its www twin's name too, if that is not declared. Current
 * records that are not `isOurs`, those of other shards, decide on the rule and are otherwise not there.
 */
export function matchWebsites(
  desired: Desired,
  current: Current,
  www: WwwRule | undefined,
  isOurs: (domain: string) => boolean = () => true,
): Match {
  const declared = new Set(desired.websites.map((website) => website.domain));
  const rule = www ?? (current.websites.some(hasWww) ? 'distinct' : 'undecided');
  const ignore =
    rule === 'distinct'
      ? desired.ignore
      : withTwins(desired.ignore).filter((pattern) => !declared.has(pattern));
  const { byDomain, ignored, population, listed } = indexByDomain(current.websites, ignore, isOurs);
  const pairs = desired.websites.map((website) => pairOf(website, byDomain, declared, rule));
  const groups = [...byDomain.values()]
    .filter(({ isMeant, others }) => !isMeant || others.length > 0)
    .sort((a, b) => compareDomains(a.domain, b.domain));
  return {
    pairs,
    orphans: groups.flatMap(({ first, others }) => (others.length > 0 ? [] : first)),
    duplicates: groups.flatMap(({ domain, first, others }) =>
      others.length > 0 ? [{ domain, ids: [first, ...others].sort(compareIds).map(({ id }) => id) }] : [],
    ),
    ignored,
    declared,
    population,
    listed,
    www: rule,
  };
}

/** The current records of one domain. */
interface Group {
  readonly domain: string;
  /** The one with the lowest id. */
  first: Website;
  others: Website[];
  /** A desired record means the first. */
  isMeant: boolean;
}

/** One for all groups of one, which nearly all are. */
const NONE: Website[] = [];

/** The records of each domain; one that was seen twice counts once. */
function indexByDomain(
  websites: readonly Website[],
  ignore: readonly string[],
  isOurs: (domain: string) => boolean,
) {
  const isIgnored = matcher(ignore);
  const distinct = distinctById(websites);
  const byDomain = new Map<string, Group>();
  let [ignored, population] = [0, 0];
  for (const website of distinct) {
    const domain = domainKey(website.domain);
    if (!isOurs(domain)) continue;
    if (isIgnored(domain)) {
      ignored += 1;
      continue;
    }
    population += 1;
    const group = byDomain.get(domain);
    if (group === undefined) byDomain.set(domain, { domain, first: website, others: NONE, isMeant: false });
    else add(group, website);
  }
  return { byDomain, ignored, population, listed: distinct.length };
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

function add(group: Group, website: Website): void {
  const isFirst = compareIds(website, group.first) < 0;
  const other = isFirst ? group.first : website;
  if (isFirst) group.first = website;
  if (group.others === NONE) group.others = [other];
  else group.others.push(other);
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
  byDomain: ReadonlyMap<string, Group>,
  declared: ReadonlySet<string>,
  rule: Match['www'],
): Pair {
  const exact = byDomain.get(desired.domain);
  const twin = exact === undefined && rule !== 'distinct' ? wwwTwin(desired.domain) : undefined;
  const candidate = twin === undefined || declared.has(twin) ? exact : byDomain.get(twin);
  if (candidate === undefined) return { desired, twin: false };
  candidate.isMeant = true;
  return { desired, website: candidate.first, twin: twin !== undefined };
}
