/** A shard as a person is told of it, who counts from one. */
import type { Shard } from '../model/shard.ts';

/** `shard 3 of 8 (i=2)`. */
export function shardText({ index, count }: Shard): string {
  return `shard ${index + 1} of ${count} (i=${index})`;
}
