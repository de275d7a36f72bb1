import { domainKey, matcher, whyNoPattern } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import type { WarningFact } from '../model/facts.ts';
import { FIELD_NAMES, type Settings } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { PlanInput, PlanOptions } from '../model/plan.ts';
import type { Desired, DesiredWebsite, EarlierFiles, Wanted } from '../model/website.ts';
import { suggestion } from '../util/did-you-mean.ts';
import { memoize } from '../util/memoize.ts';
import { byDomain } from './attribution.ts';
import { areAlike } from './diff.ts';
import { type Names, sameAs, withOtherNames } from './match.ts';

export type Selection = Pick<PlanOptions, 'domain' | 'exclude' | 'group'>;

export type GroupedFiles = readonly (Pick<Desired, 'websites' | 'groups'> | undefined)[];

/** Throws `usage` for an undeclared group, and for a pattern that matches no domain and so would exclude nothing. */
export function checkSelection({ domain, exclude, group = [] }: Selection, files: GroupedFiles = []): void {
  for (const pattern of [...domain, ...exclude]) {
    const none = whyNoPattern(pattern);
    if (none === undefined) continue;
    const message = `${JSON.stringify(pattern)} is not a valid domain pattern: ${none.reason}.`;
    throw new WebsitesError('usage', message, {
      remedy: 'Write one domain, in which * matches any characters. For several domains, repeat the flag.',
    });
  }
  const declared = files.flatMap((file) => [...(file?.groups?.keys() ?? [])]);
  const unknown = group.find((name) => !declared.includes(name));
  if (unknown === undefined) return;
  throw new WebsitesError('usage', `Unknown group ${JSON.stringify(unknown)}.`, {
    remedy: suggestion(unknown, declared, 'Pass a group that is declared under "websites".'),
  });
}

/** Without a selection, returns true for all domains. A website is selected by its domain or by its www variant. */
export function selection(
  { domain: patterns, exclude, group = [], www }: Selection & Names,
  files: GroupedFiles = [],
): (domain: string) => boolean {
  const named = (some: readonly string[]) => matcher(withOtherNames(some, { www }, sameAs));
  const isNamed = named(patterns.length === 0 ? ['*'] : patterns);
  const isExcluded = named(exclude);
  const isGrouped = group.length === 0 ? () => true : inGroups(group, files);
  return (domain) => isNamed(domain) && !isExcluded(domain) && isGrouped(domain);
}

/** For a website that is not declared now, its earlier group counts. */
function inGroups(names: readonly string[], files: GroupedFiles): (domain: string) => boolean {
  const within = new Map<string, boolean>();
  for (const { websites, groups } of files.filter((file) => file !== undefined)) {
    const isWithin = (group: string | undefined): boolean =>
      group !== undefined && (names.includes(group) || isWithin(groups?.get(group)));
    for (const { domain, group } of websites) if (!within.has(domain)) within.set(domain, isWithin(group));
  }
  return (domain) => within.get(domain) ?? false;
}

export function idlePatterns(
  { desired, current, rules }: Omit<PlanInput, 'context'>,
  names: Names,
  earlier?: GroupedFiles[number],
): readonly WarningFact[] {
  const { domain, exclude, group = [] } = rules;
  if (domain.length + exclude.length + group.length === 0) return [];
  const declared = desired.websites.map(({ domain }) => domain);
  const domains = new Set([...declared, ...current.websites.map(({ domain }) => domainKey(domain))]);
  const isIdle = (pattern: string): boolean => {
    // A record that was not read may match.
    if (current.lookedUp?.domains.has(domainKey(pattern)) === false) return false;
    return ![...domains].some(matcher(withOtherNames([pattern], names)));
  };
  const grouped = [...declared, ...(earlier?.websites ?? []).map(({ domain }) => domain)];
  const isEmpty = (name: string): boolean => !grouped.some(inGroups([name], [desired, earlier]));
  const idle = {
    domain: domain.filter(isIdle),
    exclude: exclude.filter(isIdle),
    group: group.filter(isEmpty),
  };
  return Object.entries(idle).flatMap(([flag, patterns]) =>
    patterns.map((pattern) => ({ code: 'pattern-matches-nothing', flag, pattern }) as const),
  );
}

export function* wantedOf(
  desired: Pick<Desired, 'websites' | 'groups'>,
  options: Selection,
): Generator<Wanted> {
  const declared = memoize((settings: Settings) => {
    const fields = FIELD_NAMES.filter((name) => settings[name] !== undefined);
    return { fields, filled: fields.filter((name) => !isEmpty(settings[name] ?? null)) };
  });
  const isSelected = selection(options, [desired]);
  for (const { domain, settings } of desired.websites)
    if (isSelected(domain)) yield { domain, ...declared(settings) };
}

export function domainsAbout(
  desired: Desired,
  options: PlanOptions,
  earlier: EarlierFiles | undefined,
): readonly string[] | undefined {
  const { domain: patterns, group = [], only, prune, resend_passwords } = options;
  const isExact = patterns.length > 0 && patterns.every(isDomain);
  const isChanged =
    only === 'config' && earlier?.onlyWebsites ? changedSince(earlier, resend_passwords) : undefined;
  // Returns `undefined` if all records matter. Prune may delete any orphan. A group contains only declared records.
  if (prune === true || (!isExact && group.length === 0 && isChanged === undefined)) return undefined;
  const isAbout = (website: DesiredWebsite): boolean => isChanged?.(website) ?? true;
  const declared = desired.websites.filter(isAbout).map(({ domain }) => domain);
  // An undeclared domain may be an orphan or a typing error. Only the service can show which.
  const named = isChanged === undefined ? patterns.filter(isDomain).map(domainKey) : [];
  const isDeclared = byDomain(desired);
  const gone = (earlier?.websites ?? []).flatMap(({ domain }) => (isDeclared.has(domain) ? [] : domain));
  const removed = isChanged === undefined || prune === 'removed' ? gone : [];
  return [...new Set([...declared, ...named, ...removed])].filter(selection(options, [desired, earlier]));
}

function changedSince(earlier: EarlierFiles, resend: boolean) {
  const before = byDomain(earlier);
  return ({ domain, state, protect, settings }: DesiredWebsite): boolean => {
    const was = before.get(domain);
    const isAlike = state === was?.state && protect === was.protect && areAlike(settings, was.settings);
    return !isAlike || (settings.password !== undefined && resend);
  };
}

function isDomain(pattern: string): boolean {
  return !pattern.includes('*');
}
