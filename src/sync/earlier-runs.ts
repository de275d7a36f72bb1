/** Runs of before, as whoever writes next has to know of them. */
import { stat } from 'node:fs/promises';
import { BEAT_MS } from '../apply/journal/beat.ts';
import { journalPath } from '../apply/journal/journal.ts';
import { isWithKeyOf, type RunInfo, runsAt } from '../apply/journal/runs.ts';
import { resumeCommand } from '../core/next-command.ts';
import { isSameShard, overlap, type Shard } from '../core/shard.ts';
import { systemClock } from './clock.ts';
import { type Connection, serviceOf } from './connect.ts';
import { runsFolder } from './state.ts';

export interface Waiting {
  readonly shard?: Shard | undefined;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** A run that is not waited for, since whoever goes on with it knows what it had sent. */
  readonly resumed?: string | undefined;
  /** Nothing will be written: what there is to know is told, and nothing is waited for. */
  readonly onlyLooks?: boolean | undefined;
}

/**
 * Waits until no request of an earlier run can be at work any more, of one that was killed or one that ended with a
 * create in doubt: whoever looked before that could create a second time what such a request is about to create
 * (design, Settled B). `tell` takes lines for a person.
 */
export async function outwaitEarlierRuns(
  root: string,
  connection: Connection,
  tell: (text: string) => void,
  { shard, signal, resumed, onlyLooks = false }: Waiting = {},
): Promise<void> {
  const folder = runsFolder(root);
  const service = serviceOf(connection);
  // One with another key may be of the same account: keys are replaced.
  const all = await runsAt(folder, service);
  const continued = new Set([resumed, ...all.map(({ continues }) => continues)]);
  const runs = all.filter((info) => !continued.has(info.run) && overlap(info.shard, shard));
  const killed = leftKilled(runs.filter((info) => isWithKeyOf(info, service)));
  if (killed !== undefined) {
    const command = resumeCommand({ service, options: killed }, connection.where);
    tell(`Run ${killed.run} was killed; "${command}" goes on with it.\n`);
  }
  if (onlyLooks) return;
  const doubtful = runs.filter(isInDoubt);
  const waits = await Promise.all(doubtful.map((run) => atWorkFor(run, folder, connection.requestTimeoutMs)));
  const wait = Math.max(0, ...waits);
  if (wait === 0) return;
  tell(`Waiting ${Math.ceil(wait / 1000)} s until no request of an earlier run can be at work any more.\n`);
  await systemClock.sleep(wait, signal);
}

/** The last run that was killed, unless a later one ended in its place, which is then the one to go on with. */
function leftKilled(runs: readonly RunInfo[]): RunInfo | undefined {
  const at = runs.findLastIndex(({ closed }) => closed === undefined);
  const killed = runs[at];
  const isReplaced = runs.slice(at + 1).some(({ shard }) => isSameShard(shard, killed?.shard));
  return isReplaced ? undefined : killed;
}

/** Whether a create of it may have been at work when it ended. */
function isInDoubt({ closed }: RunInfo): boolean {
  return closed === undefined || (closed.in_doubt ?? 0) > 0;
}

/** For how long requests of a run may be at work from now on, in milliseconds; less than 0 once they cannot be. */
async function atWorkFor(
  { run, closed, request_timeout_ms = 0 }: RunInfo,
  folder: string,
  requestTimeoutMs: number,
): Promise<number> {
  const { mtimeMs } = await stat(journalPath(folder, run)).catch(unlessGone);
  // A create may have waited its turn for long, and been sent between the last two beats.
  const mostMs = Math.max(requestTimeoutMs, request_timeout_ms) + (closed === undefined ? BEAT_MS : 0);
  // A time that is yet to come was told by a clock that has been put back since, or by another one.
  return Math.min(mostMs, mtimeMs + mostMs - systemClock.now());
}

/** Another run may have removed the journal as one of the oldest, long after the end of its run. */
function unlessGone(error: NodeJS.ErrnoException): { readonly mtimeMs: number } {
  if (error.code === 'ENOENT') return { mtimeMs: 0 };
  throw error;
}
