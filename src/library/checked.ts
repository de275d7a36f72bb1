/** Settings as a program gives them, which no command line has read: what is not a number must not pass for one. */
import { WebsitesError } from '../core/errors.ts';
import type { Approvals } from '../core/guards.ts';
import { parseShard, type Shard } from '../core/shard.ts';

/** The least of each whole number, by name. */
const LEAST: Readonly<Record<string, number>> = {
  parallelism: 1,
  timeoutMs: 1,
  requestTimeoutMs: 1,
  maxAgeMs: 1,
  maxFailures: 0,
  canary: 1,
  batchSize: 1,
};

/** Throws `usage` for a setting that is no whole number, or too small. */
export function checkNumbers(settings: object): void {
  const given = settings as Readonly<Record<string, unknown>>;
  for (const [name, least] of Object.entries(LEAST)) checkWhole(name, given[name], least);
}

/** Throws `usage` for an approval that is none: nothing is approved by mistake. */
export function checkApprovals({ deletes, updates }: Partial<Approvals> = {}): void {
  checkWhole('allow.deletes', deletes, 0);
  checkWhole('allow.updates', updates, 0);
}

/** Throws `usage` for a part that there is not, of which a plan would be empty. */
export function checkShard(shard: Shard | undefined): void {
  if (shard === undefined) return;
  const read = parseShard(`${shard.index}/${shard.count}`);
  if ('reason' in read) throw usage(`shard is ${shard.index}/${shard.count}: ${read.reason}.`);
}

function checkWhole(name: string, value: unknown, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= least)) return;
  throw usage(`${name} is ${String(value)}.`, `Give a whole number from ${least} up.`);
}

function usage(message: string, remedy?: string): WebsitesError {
  return new WebsitesError('usage', message, remedy === undefined ? {} : { remedy });
}
