/** Handles earlier runs that may still affect the next write. */
import { stat } from 'node:fs/promises';
import { WebsitesError } from '../model/errors.ts';
import type { Fact } from '../model/facts.ts';
import { scopeFlags } from '../model/next-command.ts';
import { plainValueText } from '../planner/side-effects.ts';
import { type RunInfo, readRun, runsAt } from '../run/file/read.ts';
import { BEAT_MS, runPath } from '../run/file/write.ts';
import { effectsOfKilled } from '../run/readings.ts';
import { systemClock } from '../util/node/system-clock.ts';
import type { Connection } from './connect.ts';
import { MAX_REQUEST_TIMEOUT_MS } from './defaults.ts';

export interface Waiting {
  readonly note: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** True if this command cannot write anything, so that it need not wait. */
  readonly readOnly?: boolean | undefined;
}

/**
 * Must run before anything is written. Waits until no request of a killed run, or of a run with an uncertain create,
 * can be in flight (decision: "A create is never sent twice blindly"). Run files with another seal also count,
 * because keys may have been replaced. Then reports possible side effects of a killed run.
 */
export async function waitForEarlierRuns(
  connection: Connection,
  { note, signal, readOnly }: Waiting,
): Promise<void> {
  const { factText } = connection;
  const report = (fact: Fact): void => note(`${factText(fact)}\n`);
  const runs = await runsAt(connection);
  const last = runs.at(-1);
  const killed = last?.sealed && last.closed === undefined ? last.run : undefined;
  if (killed !== undefined) report({ code: 'run-killed', run: killed });
  const isInDoubt = ({ closed }: RunInfo): boolean => closed === undefined || (closed.in_doubt ?? 0) > 0;
  const inDoubt = readOnly ? [] : runs.filter(isInDoubt);
  const waits = await Promise.all(inDoubt.map((run) => msInFlight(run, connection)));
  const wait = Math.max(0, ...waits);
  if (wait > 0) {
    report({ code: 'requests-in-flight', seconds: Math.ceil(wait / 1000) });
    await systemClock.sleep(wait, signal);
  }
  if (killed !== undefined) await nameEffects(killed, connection, report);
}

async function nameEffects(run: string, connection: Connection, report: (fact: Fact) => void): Promise<void> {
  const { service, identity, runsFolder, nextFlags } = connection;
  const recorded = await readRun(runsFolder, run, connection).catch((error: unknown) => {
    if (!(error instanceof WebsitesError) || error.code !== 'run-missing') throw error;
  });
  const effects = recorded ? [...recorded.sideEffects, ...(await effectsOfKilled(recorded, service))] : [];
  if (effects.length === 0) return;
  report({ code: 'killed-changed', run });
  for (const { field, domain, id, before, after } of effects) {
    const [was, is] = [plainValueText(field, before), plainValueText(field, after)];
    report({ code: 'killed-effect', field, domain, id, was, is });
  }
  report({ code: 'killed-undo', run, scope: scopeFlags(identity, nextFlags) });
}

/** Returns the milliseconds for which requests of the run may still be in flight. Negative if none can be. */
async function msInFlight(info: RunInfo, { runsFolder, requestTimeoutMs }: Connection): Promise<number> {
  const { run, sealed, closed, request_timeout_ms = 0 } = info;
  const { mtimeMs } = await stat(runPath(runsFolder, run)).catch((error: NodeJS.ErrnoException) => {
    // Another run may have removed the file, as one of the oldest, long after its run ended.
    if (error.code === 'ENOENT') return { mtimeMs: 0 };
    throw error;
  });
  // A create may have been sent after the last renewal of the file's modification time, so this interval is added.
  const beatMs = closed === undefined ? BEAT_MS : 0;
  // Only a sealed file is trusted to set the timeout, up to a maximum.
  const said = sealed ? Math.min(request_timeout_ms, MAX_REQUEST_TIMEOUT_MS) : 0;
  const mostMs = Math.max(requestTimeoutMs, said) + beatMs;
  // A modification time in the future comes from a clock that was set back, or from another machine. It must not make
  // the wait longer.
  return Math.min(mostMs, mtimeMs + mostMs - systemClock.now());
}
