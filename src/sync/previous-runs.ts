/** Runs of before, as whoever writes next has to know of them. */
import { stat } from 'node:fs/promises';
import { WebsitesError } from '../model/errors.ts';
import { scopeFlags } from '../model/next-command.ts';
import { effectText } from '../planner/side-effects.ts';
import { type RunInfo, runsAt } from '../run/file/list.ts';
import { readRun } from '../run/file/read.ts';
import { BEAT_MS, runPath } from '../run/file/write.ts';
import { effectsOfKilled } from '../run/reading.ts';
import { systemClock } from '../util/node/system-clock.ts';
import { type Connection, serviceOf } from './connect.ts';
import { MOST_REQUEST_TIMEOUT_MS } from './defaults.ts';
import { runsFolder } from './state.ts';

export interface Waiting {
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Nothing will be written: what there is to know is told, and nothing is waited for. */
  readonly onlyLooks?: boolean | undefined;
}

/**
 * What whoever writes does first: waits until no request of an earlier run can be at work any more, of one that was killed
 * or one that ended with a create in doubt, since whoever looked before that could create a second time what such a
 * request is about to create (decision: "A create is never sent twice blindly"); then names what a killed run may have
 * changed beside its own. Run files without a fitting seal are waited for too, since keys are replaced. `tell` takes lines
 * for a person. Throws what the service throws.
 */
export async function settleEarlierRuns(
  root: string,
  connection: Connection,
  tell: (text: string) => void,
  { signal, onlyLooks = false }: Waiting = {},
): Promise<void> {
  const folder = runsFolder(root);
  const runs = await runsAt(folder, serviceOf(connection), connection.seals);
  const last = runs.at(-1);
  const killed = last?.sealed && last.closed === undefined ? last.run : undefined;
  if (killed !== undefined) tell(`Run ${killed} was killed.\n`);
  if (!onlyLooks) {
    const waits = await Promise.all(
      runs.filter(isInDoubt).map((run) => atWorkFor(run, folder, connection.requestTimeoutMs)),
    );
    const wait = Math.max(0, ...waits);
    if (wait > 0) {
      tell(`Waiting ${Math.ceil(wait / 1000)} s for requests of an interrupted run to time out.\n`);
      await systemClock.sleep(wait, signal);
    }
  }
  if (killed !== undefined) await nameEffects(killed, folder, connection, tell);
}

async function nameEffects(
  run: string,
  folder: string,
  { service, seals, target, where }: Connection,
  tell: (text: string) => void,
): Promise<void> {
  const recorded = await readRun(folder, run, { seals }).catch(unlessMissing);
  const effects =
    recorded === undefined ? [] : [...recorded.sideEffects, ...(await effectsOfKilled(recorded, service))];
  if (effects.length === 0) return;
  tell(
    `Run ${run} updated records before it was killed. These settings, which it was not to change, differ since:\n`,
  );
  for (const effect of effects) tell(`  ${effectText(effect)}\n`);
  tell(`"websites undo ${run}${scopeFlags({ service: { target } }, where)}" undoes that run.\n`);
}

/** Whether a create of it may have been at work when it ended. */
function isInDoubt({ closed }: RunInfo): boolean {
  return closed === undefined || (closed.in_doubt ?? 0) > 0;
}

/** For how long requests of a run may be at work from now on, in milliseconds; less than 0 once they cannot be. */
async function atWorkFor(info: RunInfo, folder: string, requestTimeoutMs: number): Promise<number> {
  const { mtimeMs } = await stat(runPath(folder, info.run)).catch(unlessGone);
  // A create may have waited its turn for long, and been sent between the last two beats.
  const beatMs = info.closed === undefined ? BEAT_MS : 0;
  const mostMs = Math.max(requestTimeoutMs, timeoutOf(info)) + beatMs;
  // A time that is yet to come was told by a clock that has been put back since, or by another one.
  return Math.min(mostMs, mtimeMs + mostMs - systemClock.now());
}

/** Another run may have removed the file as one of the oldest, long after the end of its run. */
function unlessGone(error: NodeJS.ErrnoException): { readonly mtimeMs: number } {
  if (error.code === 'ENOENT') return { mtimeMs: 0 };
  throw error;
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof WebsitesError) || error.code !== 'run-missing') throw error;
}

/** How long its requests were said to take, where that is to be believed, and no longer than any may. */
function timeoutOf({ sealed, request_timeout_ms = 0 }: RunInfo): number {
  return sealed ? Math.min(request_timeout_ms, MOST_REQUEST_TIMEOUT_MS) : 0;
}
