/** Runs of before, as whoever writes next has to know of them. */
import { stat } from 'node:fs/promises';
import { BEAT_MS } from '../journal/heartbeat.ts';
import { type RunInfo, requestTimeoutOf, runsAt } from '../journal/list-runs.ts';
import type { RecordedRun } from '../journal/reader.ts';
import { journalPath } from '../journal/writer.ts';
import { sequelsOf } from '../model/run-history.ts';
import { systemClock } from '../util/node/system-clock.ts';
import { type Connection, serviceOf } from './connect.ts';
import { settleOwed } from './owed.ts';
import { runsFolder } from './state.ts';

export interface Waiting {
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** The run that is gone on with; it is not waited for where its journal has an end, and so tells all that it had sent. */
  readonly resumed?: Pick<RecordedRun, 'run' | 'closed'> | undefined;
  /** Nothing will be written: what there is to know is told, and nothing is waited for. */
  readonly onlyLooks?: boolean | undefined;
  /** Domains of which nothing is put back. */
  readonly isLeftAlone?: ((domain: string) => boolean) | undefined;
}

/**
 * What whoever writes does first: waits for what earlier runs left at work, then puts back what the last one owes. Throws
 * what the service throws.
 */
export async function settleEarlierRuns(
  root: string,
  connection: Connection,
  tell: (text: string) => void,
  waiting: Waiting = {},
): Promise<void> {
  const { onlyLooks = false, isLeftAlone = () => false } = waiting;
  await outwaitEarlierRuns(root, connection, tell, waiting);
  await settleOwed(root, connection, { isIgnored: isLeftAlone, onlyLooks, tell });
}

/**
 * Waits until no request of an earlier run can be at work any more, of one that was killed or one that ended with a
 * create in doubt: whoever looked before that could create a second time what such a request is about to create
 * (decision: "A create is never sent twice blindly"). Journals without a fitting seal are waited for too, since keys
 * are replaced; of what they say only that is believed. `tell` takes lines for a person.
 */
async function outwaitEarlierRuns(
  root: string,
  connection: Connection,
  tell: (text: string) => void,
  { signal, resumed, onlyLooks = false }: Waiting = {},
): Promise<void> {
  const folder = runsFolder(root);
  const service = serviceOf(connection);
  const runs = await runsAt(folder, service, connection.seals);
  const killed = lastKilled(runs);
  if (killed !== undefined && resumed === undefined) {
    tell(`Run ${killed.run} was killed.\n`);
  }
  if (onlyLooks) return;
  const own = resumed?.closed && resumed.run;
  const continued = new Set([own, ...runs.map(({ sealed, continues }) => (sealed ? continues : undefined))]);
  const doubtful = runs.filter(
    (info) => !continued.has(info.run) && (isInDoubt(info) || info.run === resumed?.run),
  );
  const waits = await Promise.all(doubtful.map((run) => atWorkFor(run, folder, connection.requestTimeoutMs)));
  const wait = Math.max(0, ...waits);
  if (wait === 0) return;
  tell(`Waiting ${Math.ceil(wait / 1000)} s for requests of an interrupted run to time out.\n`);
  await systemClock.sleep(wait, signal);
}

/** The last of `runs` that was killed, and may be gone on with: no other came after it. */
function lastKilled(runs: readonly RunInfo[]): RunInfo | undefined {
  const sequels = sequelsOf(runs);
  return runs.findLast(({ sealed, closed, run }) => sealed && closed === undefined && !sequels.has(run));
}

/** Whether a create of it may have been at work when it ended. */
function isInDoubt({ closed }: RunInfo): boolean {
  return closed === undefined || (closed.in_doubt ?? 0) > 0;
}

/** For how long requests of a run may be at work from now on, in milliseconds; less than 0 once they cannot be. */
async function atWorkFor(info: RunInfo, folder: string, requestTimeoutMs: number): Promise<number> {
  const { mtimeMs } = await stat(journalPath(folder, info.run)).catch(unlessGone);
  // A create may have waited its turn for long, and been sent between the last two beats.
  const beatMs = info.closed === undefined ? BEAT_MS : 0;
  const mostMs = Math.max(requestTimeoutMs, requestTimeoutOf(info)) + beatMs;
  // A time that is yet to come was told by a clock that has been put back since, or by another one.
  return Math.min(mostMs, mtimeMs + mostMs - systemClock.now());
}

/** Another run may have removed the journal as one of the oldest, long after the end of its run. */
function unlessGone(error: NodeJS.ErrnoException): { readonly mtimeMs: number } {
  if (error.code === 'ENOENT') return { mtimeMs: 0 };
  throw error;
}
