/** Which records a run is about. */
import { matcher, withTwins } from './domain.ts';
import type { PlanOptions } from './plan.ts';
import { inShard } from './shard.ts';

type Selection = Pick<PlanOptions, 'target' | 'exclude' | 'shard'>;

/** Whether a run is about some of the records alone. */
export function isNarrowed({ target, exclude, shard }: Selection): boolean {
  return target.length > 0 || exclude.length > 0 || shard !== undefined;
}

/**
 * Those of `items` whose domain `--target`, `--exclude` and `--shard` leave in: all, without any of these. Where
 * the www twin is the same website, either name selects it. Throws `config-invalid` for a pattern that is none.
 */
export function selected<T>(
  items: readonly T[],
  domainOf: (item: T) => string,
  options: Selection & Pick<PlanOptions, 'www'>,
): readonly T[] {
  if (!isNarrowed(options)) return items;
  const { target, exclude, shard, www } = options;
  const isOurs = inShard(shard);
  const named = (patterns: readonly string[]) => (www === 'same' ? withTwins(patterns) : patterns);
  const isTarget = target.length === 0 ? () => true : matcher(named(target));
  const isExcluded = matcher(named(exclude));
  return items.filter((item) => {
    const domain = domainOf(item);
    return isOurs(domain) && isTarget(domain) && !isExcluded(domain);
  });
}
