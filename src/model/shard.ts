/**
 * Shards: the parts of a saved plan that several runs carry out in parallel. Which shard a website is in depends on
 * its domain alone, so that every machine, and every later release, divides the same domains in the same way.
 */

/** One of `count` parts, which are counted from 0: `0/8` is the first of eight and `7/8` the last. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** What one run carries out of a saved plan: the creates and updates of a shard, or the deletes. */
export type PlanPart = Shard | 'deletes';

/** The shard of a part; the deletes are in none. */
export function shardOf(part: PlanPart | undefined): Shard | undefined {
  return part === 'deletes' ? undefined : part;
}

/** More parts than this only mean more listings of one service. */
const MOST_SHARDS = 10_000;

/** Reads `i/n`. Returns the reason, as the end of the sentence "X is not a shard: …", where it is none. */
export function parseShard(text: string): Shard | { readonly reason: string } {
  const [, first, second] = /^(\d{1,9})\/(\d{1,9})$/.exec(text.trim()) ?? [];
  if (first === undefined) return { reason: 'write i/n, such as 0/8 for the first of 8' };
  const [index, count] = [Number(first), Number(second)];
  if (count < 1 || count > MOST_SHARDS) return { reason: `there can be 1 to ${MOST_SHARDS} shards` };
  if (index < count) return { index, count };
  return { reason: `counting starts at 0, so the last of ${count} shards is ${count - 1}/${count}` };
}

/** As it is written on the command line, with a space before it; nothing for all. */
export function shardFlag(shard: Shard | undefined): string {
  return shard === undefined ? '' : ` --shard ${shard.index}/${shard.count}`;
}

/** Which of `runs` are meant, as the end of "no run": those of one shard, those of none, or all where none has one. */
export function ofShard(shard: Shard | undefined, runs: readonly { readonly shard?: Shard }[]): string {
  if (shard !== undefined) return ` with${shardFlag(shard)}`;
  return runs.some((run) => run.shard !== undefined) ? ' without --shard' : '';
}

/**
 * Tells whether a normalized domain is in the shard; every domain is in exactly one of `count`, and in that of
 * its www variant, since which of the two a record means is decided in one place.
 */
export function inShard({ index, count }: Shard): (domain: string) => boolean {
  return (domain) => hash(domain.replace(/^(?:www\.)+/, '')) % count === index;
}

/**
 * Whether two runs on one service may touch the same record: shards of one count do not, and nothing is known
 * of shards of different counts; a run without a shard touches all.
 */
export function overlap(a: Shard | undefined, b: Shard | undefined): boolean {
  return a === undefined || b === undefined || a.count !== b.count || a.index === b.index;
}

/** Whether two runs have the same part, or are both whole. */
export function isSameShard(a: Shard | undefined, b: Shard | undefined): boolean {
  return a?.count === b?.count && a?.index === b?.index;
}

/**
 * FNV-1a of 32 bits (draft-eastlake-fnv), then the finalizer of MurmurHash3 (Appleby, fmix32): the low bits of
 * FNV-1a alone depend on little more than the low bits of the letters, and a remainder takes just those.
 */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
