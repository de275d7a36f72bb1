/** A run that was killed, as whoever plans anew has to know of it. */
import { stat } from 'node:fs/promises';
import { journalPath } from '../apply/journal/journal.ts';
import { unfinishedRuns } from '../apply/journal/runs.ts';
import { overlap, type Shard, shardFlag } from '../core/shard.ts';
import { systemClock } from './clock.ts';
import type { Connection } from './connect.ts';
import { runsFolder } from './state.ts';

/**
 * Waits until no request of a run that was killed can be at work any more: a plan that is made before could
 * create a second time what such a request is about to create (design, Settled B). `tell` takes lines for a person;
 * an aborted signal ends the waiting.
 */
export async function outwaitKilledRun(
  root: string,
  connection: Connection,
  tell: (text: string) => void,
  shard?: Shard,
  signal?: AbortSignal,
): Promise<void> {
  const service = { base_url: connection.identity, key_fingerprint: connection.keyFingerprint };
  const unfinished = await unfinishedRuns(runsFolder(root), service);
  const killed = unfinished.filter((run) => run.closed === undefined && overlap(run.shard, shard));
  const last = killed.at(-1);
  if (last === undefined) return;
  const resume = `websites apply --resume${shardFlag(last.shard)}`;
  tell(`Run ${last.run} was killed; "${resume}" goes on with it, and this one plans anew.\n`);
  // Whatever a run sent, it wrote down before.
  const written = await Promise.all(killed.map(({ run }) => stat(journalPath(runsFolder(root), run))));
  const wait =
    Math.max(...written.map((file) => file.mtimeMs)) + connection.requestTimeoutMs - systemClock.now();
  if (wait <= 0) return;
  tell(`Waiting ${Math.ceil(wait / 1000)} s until none of its requests can be at work any more.\n`);
  await systemClock.sleep(wait, signal);
}
