/** A session: a plan from one of three sources, and the run lock to apply it. */
import type { Plan } from '../model/plan.ts';
import type { ResolveSecret } from '../model/secret.ts';
import type { RunContext } from '../run/context.ts';
import { runIds } from '../run/file/write.ts';
import { type Lock, takeLock } from '../run/lock.ts';
import { listen } from '../util/abort.ts';
import { type Connection, type ConnectSettings, connect } from './connect.ts';
import type { Waiting } from './previous-runs.ts';
import { lockPath, prepareState } from './state.ts';

export interface Sourced {
  readonly plan: Plan;
  readonly resolveSecret: ResolveSecret;
  /** For a saved plan: indexes of the changes that its earlier runs may have sent. */
  readonly sentBefore?: ReadonlySet<number>;
}

/** A fresh plan, a saved plan or an undo. Calls `waitForEarlierRuns` before it reads records. */
export type PlanSource = (
  connection: Connection,
  waitForEarlierRuns: () => Promise<void>,
) => Promise<Sourced>;

export interface SessionSettings extends ConnectSettings, Waiting {}

export interface Session extends Connection, Sourced, Pick<RunContext, 'lock'> {}

/** Connects, takes the run lock and calls `source`. Throws like these steps, and `lock-held`. The caller closes it. */
export async function openSession(source: PlanSource, settings: SessionSettings): Promise<Session> {
  const connection = await connect(settings);
  const { root, pins, signal } = settings;
  const unlisten = signal && listen(signal, connection.interrupt);
  let lock: Lock | undefined;
  const close = async (): Promise<void> => {
    unlisten?.();
    await Promise.resolve(lock?.release()).finally(() => connection.close());
  };
  try {
    const isTarget = pins.target !== undefined;
    await prepareState(root, isTarget);
    lock = await takeLock(lockPath(root, isTarget, connection.identity));
    const sourced = await source(connection, async () => {
      if ((await runIds(connection.runsFolder)).length === 0) return;
      const { waitForEarlierRuns } = await import('./previous-runs.ts');
      await waitForEarlierRuns(connection, settings);
    });
    return { ...connection, ...sourced, lock, close };
  } catch (error) {
    await close();
    throw error;
  }
}
