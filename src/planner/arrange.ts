import { domainKey, matcher } from '../model/domain.ts';
import { type Problem, WebsitesError } from '../model/errors.ts';
import { PRIVACY } from '../model/field-table.ts';
import type { Orphan, PlanInput, PlanQuestion } from '../model/plan.ts';
import type { Current, Desired, Website } from '../model/website.ts';
import { protection } from './guards.ts';
import {
  isOtherDeclared,
  type Match,
  matchWebsites,
  nameClash,
  type Pair,
  sameAs,
  shownName,
  withOtherNames,
} from './match.ts';
import { pruning } from './removed.ts';
import { selected } from './selection.ts';

export interface Arranged {
  readonly match: Match;
  readonly pairs: readonly Pair[];
  readonly kept: readonly Orphan[];
  readonly pruned: readonly Website[];
}

export function arrange({
  desired,
  current,
  rules,
  context,
}: PlanQuestion & Pick<PlanInput, 'current'>): Arranged {
  const { earlier, removals } = context;
  const files = [desired, earlier];
  const nameOf = ({ domain }: Website): string => domainKey(domain);
  const match = matchWebsites(desired, current, rules);
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
    ...pairs.flatMap((pair) => problemOf(pair, match, existing, current) ?? []),
  ];
  if (problems.length > 0) throw impossible(problems);
  const isProtected = protection(desired, match);
  const exclude = withOtherNames(rules.exclude, match);
  const orphans = selected(match.orphans, nameOf, { ...rules, exclude }, files).filter((website) =>
    wasRead(nameOf(website)),
  );
  const takes = pruning(rules, removals, match);
  const isPruned = (website: Website): boolean => {
    const domain = domainKey(website.domain);
    return current.complete && takes(website) && !isProtected(domain) && !isOtherDeclared(domain, match);
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
  };
}

function impossible(problems: readonly Problem[]): WebsitesError {
  const count = problems.length === 1 ? 'One record' : `${problems.length} records`;
  return new WebsitesError('plan-impossible', `${count} cannot be planned.`, { problems });
}

function problemOf(
  pair: Pair,
  match: Match,
  existing: ReadonlySet<string>,
  current: Current,
): Problem | undefined {
  const { desired, website } = pair;
  const problem = (message: string, remedy: string): Problem => ({
    ...{ severity: 'error', message, remedy, place: desired.source },
  });
  const isMissing = website === undefined;
  if (isMissing && !current.complete && !current.provenAbsent.has(desired.domain)) {
    return problem(
      `${desired.domain}: it is not known whether the service has it.`,
      'The list is not complete and the search shows nothing; see "websites doctor".',
    );
  }
  const clash = nameClash(pair, match, existing);
  const { privacy, password } = desired.settings;
  const lacksPassword = privacy === PRIVACY.password && !password;
  if (clash !== undefined || !isMissing || desired.state === 'absent' || !lacksPassword) return clash;
  return problem(
    `${desired.domain} would be created with "privacy: password" but without a password.`,
    'Declare its password, such as { env: NAME }.',
  );
}

function contradictions({ websites, ignore }: Desired, match: Match): readonly Problem[] {
  if (ignore.length === 0 && match.declared.size === websites.length) return [];
  const isIgnored = matcher(ignore);
  const declared = new Set<string>();
  return websites.flatMap(({ domain, source }): Problem[] => {
    const names = [domain, shownName(domain, match, sameAs) ?? domain];
    const what = declared.has(domain) ? 'twice' : names.some(isIgnored) ? 'and ignored' : undefined;
    declared.add(domain);
    if (what === undefined) return [];
    const message = `${domain} is declared ${what}.`;
    return [{ severity: 'error', message, remedy: 'Remove one of them.', place: source }];
  });
}
