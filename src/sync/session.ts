/** A session: a plan from one of three sources, and the right to apply it. The caller closes it. */
import type { Config } from '../config/load.ts';
import { type ExitCode, exitOf } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import { type Applied, applyPlan } from '../run/apply.ts';
import type { Run } from '../run/change.ts';
import { type Lock, takeLock } from '../run/lock.ts';
import { listen } from '../util/abort.ts';
import { type Connection, type ConnectSettings, connect } from './connect.ts';
import { settleEarlierRuns, type Waiting } from './previous-runs.ts';
import { lockPath, prepareState } from './state.ts';

export interface Sourced {
  readonly plan: Plan;
  /** For a saved plan: the changes that its earlier runs may have sent, by index. */
  readonly begun?: ReadonlySet<number>;
  /** For an undo: if the files still declare what it undoes. */
  readonly isStillDeclared?: boolean;
}

/** Fresh, saved or undo. `settle` waits for requests of earlier runs: a source calls it before it reads records. */
export type Source = (connection: Connection, settle: () => Promise<void>) => Promise<Sourced>;

export interface Opening extends ConnectSettings, Waiting {
  readonly secrets: Config['secrets'];
}

export interface Session extends Connection, Sourced, Pick<Run, 'lock' | 'resolveSecret'> {}

/** Connects, takes the run lock and calls `source`. Throws what each of them throws, and `lock-held`. */
export async function openSession(source: Source, opening: Opening): Promise<Session> {
  const connection = await connect(opening);
  let lock: Lock | undefined;
  const close = async (): Promise<void> => {
    await (lock?.release() ?? Promise.resolve()).finally(() => connection.close());
  };
  try {
    const { root, pins, secrets } = opening;
    const isTarget = pins.target !== undefined;
    await prepareState(root, isTarget);
    lock = await takeLock(lockPath(root, isTarget, connection.identity));
    const sourced = await source(connection, () => settleEarlierRuns(connection, opening));
    return { ...connection, ...sourced, lock, resolveSecret: (ref) => secrets.resolve(ref), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws as applyPlan does; later failures are in the result. */
export async function apply(
  session: Session,
  settings: Pick<Run, 'emit' | 'signal' | 'maxFailures' | 'canary' | 'skipStale' | 'notes'>,
): Promise<Applied> {
  const unlisten = listen(settings.signal, session.interrupt);
  return applyPlan({ ...session, ...settings }).finally(unlisten);
}

export function exitOfApplied(
  { result, keyRefused, stale }: Pick<Applied, 'result' | 'keyRefused' | 'stale'>,
  isShort = false,
): ExitCode {
  const { failed, not_attempted } = result.summary;
  const isUnlike = result.converged !== true || result.side_effects !== undefined;
  const isPart = failed > 0 || not_attempted > stale.length || isUnlike;
  return exitOf({
    interrupted: result.interrupted,
    keyRefused,
    stale: stale.length > 0,
    // Nothing was sent, because of stale records, so there is nothing to verify.
    incomplete: isShort || (isPart && result.run !== null),
  });
}
