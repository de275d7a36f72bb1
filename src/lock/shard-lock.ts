/**
 * The lock of a run on all records, or on a shard of them (decision: "One run at a time on one service"). Shards of
 * one count have files of their own and run side by side; runs that may touch the same record exclude each other.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { overlap, type Shard } from '../model/shard.ts';
import { clearLock, type Lock, takeLock } from './lease.ts';

/**
 * Takes the lock of `shard` on the service that `name` stands for. Throws as takeLock does, `lock-held` also
 * where another run has a part that may overlap. The own lock is taken first and others are looked for
 * after: of two that overlap, the later at least sees the earlier. Two that begin at one moment may both be
 * refused, and never both run.
 */
export async function takeShardLock(folder: string, name: string, shard: Shard | undefined): Promise<Lock> {
  const own = fileOf(name, shard);
  const lock = await takeLock(join(folder, own));
  try {
    for (const file of await readdir(folder)) {
      const held = file === own ? undefined : partOf(file, name);
      if (held !== undefined && overlap(held.shard, shard)) await clearLock(join(folder, file));
    }
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function fileOf(name: string, shard: Shard | undefined): string {
  return shard === undefined ? `${name}.lock` : `${name}.${shard.index}-of-${shard.count}.lock`;
}

/** What the lock in `file` covers; nothing where it is no lock of this service. */
function partOf(file: string, name: string): { readonly shard?: Shard } | undefined {
  if (!file.startsWith(`${name}.`)) return undefined;
  const rest = file.slice(name.length);
  if (rest === '.lock') return {};
  const [, index, count] = /^\.(\d+)-of-(\d+)\.lock$/.exec(rest) ?? [];
  return index === undefined ? undefined : { shard: { index: Number(index), count: Number(count) } };
}
