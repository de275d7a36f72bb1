/** Which records a run is about. */
import { matcher } from './domain.ts';
import type { PlanOptions } from './plan.ts';
import { inShard } from './shard.ts';

/** Which domains `--target`, `--exclude` and `--shard` leave in. */
export function selection(
  options: Pick<PlanOptions, 'target' | 'exclude' | 'shard'>,
): (domain: string) => boolean {
  const isOurs = inShard(options.shard);
  const isTarget = options.target.length === 0 ? () => true : matcher(options.target);
  const isExcluded = matcher(options.exclude);
  return (domain) => isOurs(domain) && isTarget(domain) && !isExcluded(domain);
}
