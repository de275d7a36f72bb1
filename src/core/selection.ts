/** Which records a run is about. */
import { matcher } from './domain.ts';
import type { PlanOptions } from './plan.ts';
import { inShard } from './shard.ts';

/**
 * Those of `items` whose domain `--target`, `--exclude` and `--shard` leave in: all, without any of these. Throws
 * `config-invalid` for a pattern that is none.
 */
export function selected<T>(
  items: readonly T[],
  domainOf: (item: T) => string,
  { target, exclude, shard }: Pick<PlanOptions, 'target' | 'exclude' | 'shard'>,
): readonly T[] {
  if (target.length === 0 && exclude.length === 0 && shard === undefined) return items;
  const isOurs = inShard(shard);
  const isTarget = target.length === 0 ? () => true : matcher(target);
  const isExcluded = matcher(exclude);
  return items.filter((item) => {
    const domain = domainOf(item);
    return isOurs(domain) && isTarget(domain) && !isExcluded(domain);
  });
}
