/** Which records a run is about. */
import { matcher, withTwins } from './domain.ts';
import type { PlanOptions } from './plan.ts';
import { inShard } from './shard.ts';

/**
 * Those of `items` whose domain `--target`, `--exclude` and `--shard` leave in: all, without any of these. Where
 * the www twin is the same website, either name selects it. Throws `config-invalid` for a pattern that is none.
 */
export function selected<T>(
  items: readonly T[],
  domainOf: (item: T) => string,
  { target, exclude, shard, www }: Pick<PlanOptions, 'target' | 'exclude' | 'shard' | 'www'>,
): readonly T[] {
  if (target.length === 0 && exclude.length === 0 && shard === undefined) return items;
  const isOurs = inShard(shard);
  const named = (patterns: readonly string[]) => (www === 'same' ? withTwins(patterns) : patterns);
  const isTarget = target.length === 0 ? () => true : matcher(named(target));
  const isExcluded = matcher(named(exclude));
  return items.filter((item) => {
    const domain = domainOf(item);
    return isOurs(domain) && isTarget(domain) && !isExcluded(domain);
  });
}
