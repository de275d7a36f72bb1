/** Which records a run is about. */

import { domainKey, matcher, whyNoPattern, withTwins } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import type { PlanOptions } from '../model/plan.ts';
import { inShard } from '../model/shard.ts';
import type { Warning } from '../model/warning.ts';
import type { Current, Desired, WwwRule } from '../model/website.ts';

type Selection = Pick<PlanOptions, 'domain' | 'exclude' | 'shard'>;

/** Whether a run is about some of the records alone. */
export function isNarrowed({ domain, exclude, shard }: Selection): boolean {
  return domain.length > 0 || exclude.length > 0 || shard !== undefined;
}

/** Throws `usage` for a pattern that `ignore` would not take: it would select nothing or, worse, exclude nothing. */
export function checkSelection({ domain, exclude }: Omit<Selection, 'shard'>): void {
  for (const pattern of [...domain, ...exclude]) {
    const none = whyNoPattern(pattern);
    if (none === undefined) continue;
    const message = `${JSON.stringify(pattern)} is not a pattern of domains: ${none.reason}.`;
    throw new WebsitesError('usage', message, {
      remedy: 'Write one domain, in which * may stand for any characters; for several, repeat the flag.',
    });
  }
}

/**
 * Those of `items` whose domain `--domain`, `--exclude` and `--shard` leave in: all, without any of these. Where
 * the www variant is the same website, either name selects it. Throws `config-invalid` for a pattern that is none.
 */
export function selected<T>(
  items: readonly T[],
  domainOf: (item: T) => string,
  options: Selection & Pick<PlanOptions, 'www'>,
): readonly T[] {
  if (!isNarrowed(options)) return items;
  const { domain, exclude, shard, www } = options;
  const isOurs = inShard(shard);
  const named = (patterns: readonly string[]) => (www === 'same' ? withTwins(patterns) : patterns);
  const isNamed = domain.length === 0 ? () => true : matcher(named(domain));
  const isExcluded = matcher(named(exclude));
  return items.filter((item) => {
    const domain = domainOf(item);
    return isOurs(domain) && isNamed(domain) && !isExcluded(domain);
  });
}

/** A warning for each pattern that is of no website, of whatever shard: it may be a slip, and leaves in or out nothing. */
export function idlePatterns(
  { domain, exclude }: Pick<Selection, 'domain' | 'exclude'>,
  desired: Desired,
  current: Current,
  www: WwwRule | 'undecided',
): readonly Warning[] {
  if (domain.length === 0 && exclude.length === 0) return [];
  const declared = desired.websites.map(({ domain }) => domain);
  const domains = new Set([...declared, ...current.websites.map(({ domain }) => domainKey(domain))]);
  const isIdle = (pattern: string): boolean => {
    const names = www === 'distinct' ? [pattern] : withTwins([pattern]);
    return pattern.includes('*')
      ? ![...domains].some(matcher(names))
      : !names.some((name) => domains.has(domainKey(name)));
  };
  const flags = [
    ...domain.filter(isIdle).map((pattern) => `--domain ${pattern}`),
    ...exclude.filter(isIdle).map((pattern) => `--exclude ${pattern}`),
  ];
  return flags.map((flag) => ({
    code: 'pattern-matches-nothing',
    message: `${flag} matches no website, declared or listed.`,
  }));
}
