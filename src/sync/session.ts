/** A session: a plan from one of three sources, and the right to apply it. The caller closes it. */
import type { Config } from '../config/load.ts';
import type { Plan } from '../model/plan.ts';
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
  const { root, pins, secrets, signal } = opening;
  const unlisten = signal && listen(signal, connection.interrupt);
  const close = async (): Promise<void> => {
    unlisten?.();
    await (lock?.release() ?? Promise.resolve()).finally(() => connection.close());
  };
  try {
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
