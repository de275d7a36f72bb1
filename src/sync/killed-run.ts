/** A run that was killed, as whoever plans anew has to know of it. */
import { stat } from 'node:fs/promises';
import { journalPath } from '../apply/journal/journal.ts';
import { lastUnfinished } from '../apply/journal/runs.ts';
import { systemClock } from './clock.ts';
import type { Connection } from './connect.ts';
import { runsFolder } from './state.ts';

/**
 * Waits until no request of a run that was killed can be at work any more: a plan that is made before could
 * create a second time what such a request is about to create (design, Settled B). `tell` takes lines for a person.
 */
export async function outwaitKilledRun(
  root: string,
  connection: Connection,
  tell: (text: string) => void,
): Promise<void> {
  const service = { base_url: connection.identity, key_fingerprint: connection.keyFingerprint };
  const killed = await lastUnfinished(runsFolder(root), service);
  if (killed === undefined || killed.closed !== undefined) return;
  tell(`Run ${killed.run} was killed; "websites apply --resume" goes on with it, and this one plans anew.\n`);
  // Whatever it sent, it wrote down before.
  const { mtimeMs } = await stat(journalPath(runsFolder(root), killed.run));
  const wait = mtimeMs + connection.requestTimeoutMs - systemClock.now();
  if (wait <= 0) return;
  tell(`Waiting ${Math.ceil(wait / 1000)} s until none of its requests can be at work any more.\n`);
  await systemClock.sleep(wait);
}
