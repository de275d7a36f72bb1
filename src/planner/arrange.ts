import { compareDomains, domainKey, matcher, withVariants, wwwVariant } from '../model/domain.ts';
import { type Problem, WebsitesError } from '../model/errors.ts';
import type { Orphan, PlanInput } from '../model/plan.ts';
import type { Current, Desired, Website } from '../model/website.ts';
import { lacksPassword } from './diff.ts';
import { type Match, matchWebsites, type Pair } from './match.ts';
import { pruning } from './removed.ts';
import { selected } from './selection.ts';

/** Both sides of a plan laid out for it: what belongs to what, what stands in the way, what is protected. */

/** Both sides laid out for planning, narrowed to the selection. */
export interface Arranged {
  readonly match: Match;
  readonly pairs: readonly Pair[];
  /** Orphans that stay, and those that prune takes. */
  readonly kept: readonly Orphan[];
  readonly pruned: readonly Website[];
  readonly isProtected: (domain: string) => boolean;
}

export function arrange({ desired, current, rules, context }: PlanInput): Arranged {
  const { earlier, removals } = context;
  const files = [desired, earlier];
  const nameOf = ({ domain }: Website): string => domainKey(domain);
  const match = matchWebsites(desired, current, rules.www);
  const shared = new Set(current.sharedIds?.flatMap(({ domains }) => domains));
  const wasRead = (domain: string): boolean =>
    (current.lookedUp?.domains.has(domain) ?? true) && !shared.has(domain);
  const pairs = selected(match.pairs, ({ desired: { domain } }) => domain, rules, files).filter(
    ({ desired: { domain } }) => wasRead(domain),
  );
  const missing = pairs.filter(({ website }) => website === undefined);
  const existing = new Set(
    missing.length === 0 ? [] : current.websites.map(({ domain }) => domainKey(domain)),
  );
  const problems = [
    ...contradictions(desired, match),
    ...pairs.flatMap((pair) => undecided(pair, match)),
    ...missing.flatMap((pair) => problemOf(pair, match, existing, current)),
  ];
  if (problems.length > 0) throw impossible(problems);
  const isProtected = protection(desired, match.www);
  const exclude = leftAlone(rules.exclude, match.www);
  const orphans = selected(match.orphans, nameOf, { ...rules, exclude }, files).filter((website) =>
    wasRead(nameOf(website)),
  );
  const takes = pruning(rules, removals, match);
  const mayBeDeclared = (domain: string): boolean =>
    match.www !== 'distinct' && match.declared.has(wwwVariant(domain));
  const isPruned = (website: Website): boolean => {
    const domain = domainKey(website.domain);
    return current.complete && takes(website) && !isProtected(domain) && !mayBeDeclared(domain);
  };
  return {
    match,
    pairs,
    kept: orphans
      .filter((website) => !isPruned(website))
      .map(({ domain, id }) => ({
        domain: domainKey(domain),
        id,
        protected: isProtected(domainKey(domain)),
      })),
    pruned: orphans.filter(isPruned),
    isProtected,
  };
}

/** Which domains are protected. */
export function protection(desired: Desired, www: Match['www']): (domain: string) => boolean {
  const own = desired.websites.filter(({ protect }) => protect).map(({ domain }) => domain);
  const patterns = [...desired.protected, ...own];
  return matcher(leftAlone(patterns, www));
}

/** Patterns of what is left alone: where the www variant may be the same website, it is so under either name. */
export function leftAlone(patterns: readonly string[], www: Match['www']): readonly string[] {
  return www === 'distinct' ? patterns : withVariants(patterns);
}

/** Absent records that are protected under the name in the files or under that on the service. */
export function protectedAbsent({ pairs, isProtected }: Arranged): readonly string[] {
  return pairs
    .filter(({ desired, website }) => {
      if (desired.state !== 'absent' || website === undefined) return false;
      return isProtected(desired.domain) || isProtected(domainKey(website.domain));
    })
    .map((pair) => pair.desired.domain)
    .sort(compareDomains);
}

function impossible(problems: readonly Problem[]): WebsitesError {
  const count = problems.length === 1 ? 'One record' : `${problems.length} records`;
  return new WebsitesError('plan-impossible', `${count} cannot be planned.`, { problems });
}

/** A domain that has no record may be its www variant, if that has one or is declared, and nothing says how they relate. */
function undecided({ desired, website, isVariant }: Pair, { www, declared }: Match): Problem[] {
  const { domain, source } = desired;
  const variant = wwwVariant(domain);
  if (www !== 'undecided' || desired.state === 'absent') return [];
  if (website !== undefined && !isVariant) return [];
  if (!isVariant && !declared.has(variant)) return [];
  return [
    {
      severity: 'error',
      message: `${domain} has no record, and ${variant} ${isVariant ? 'has one' : 'is declared too'}: they may be one website.`,
      remedy: 'Set "service.www" to "same" if they are, otherwise to "distinct".',
      place: source,
    },
  ];
}

/** What stands in the way of a record that does not exist. */
function problemOf(
  { desired }: Pair,
  { www, declared }: Match,
  existing: ReadonlySet<string>,
  current: Current,
): Problem[] {
  const problem = (message: string, remedy: string): Problem[] => [
    { severity: 'error', message, remedy, place: desired.source },
  ];
  if (!current.complete && !current.provenAbsent.has(desired.domain)) {
    return problem(
      `${desired.domain}: it is not known whether the service has it.`,
      'The list is not complete and the search shows nothing; see "websites doctor".',
    );
  }
  if (desired.state === 'absent') return [];
  // A variant that exists, and that neither this record nor its own means, is one that is ignored.
  if (
    www !== 'distinct' &&
    existing.has(wwwVariant(desired.domain)) &&
    !declared.has(wwwVariant(desired.domain))
  ) {
    return problem(
      `${desired.domain} is declared, and ${wwwVariant(desired.domain)}, which may be the same website, is ignored.`,
      'Remove one of them, or set "service.www" to "distinct".',
    );
  }
  if (www === 'same' && declared.has(wwwVariant(desired.domain))) {
    return problem(
      `${desired.domain} and ${wwwVariant(desired.domain)} are one website on this service ("service.www: same").`,
      'Declare one of them.',
    );
  }
  if (lacksPassword(desired)) {
    return problem(
      `${desired.domain} would be created with "privacy: password" but without a password.`,
      'Declare its password, such as { env: NAME }.',
    );
  }
  return [];
}

/** Every record that is declared a second time, or that is declared and ignored. */
function contradictions(
  { websites, ignore }: Desired,
  { www, declared: all }: Pick<Match, 'www' | 'declared'>,
): readonly Problem[] {
  if (ignore.length === 0 && all.size === websites.length) return [];
  const isIgnored = matcher(ignore);
  const declared = new Set<string>();
  return websites.flatMap(({ domain, source }): Problem[] => {
    // A service that holds the two for one website shows it without its `www.`.
    const shown = www === 'same' && domain.startsWith('www.') ? wwwVariant(domain) : domain;
    const what = declared.has(domain) ? 'twice' : [domain, shown].some(isIgnored) ? 'and ignored' : undefined;
    declared.add(domain);
    if (what === undefined) return [];
    const message = `${domain} is declared ${what}.`;
    return [{ severity: 'error', message, remedy: 'Remove one of them.', place: source }];
  });
}
