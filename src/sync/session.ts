/**
 * A session: a plan, and the right to carry it out. Each way of opening one connects, takes the lock, makes the plan or
 * checks it, and waits for what earlier runs left at work. Whoever opened it closes it.
 */
import { join } from 'node:path';
import type { Config } from '../config/load.ts';
import type { SecretResolver } from '../config/secrets/resolve.ts';
import type { Approvals } from '../model/guard.ts';
import type { Plan, PlanOptions } from '../model/plan.ts';
import { type Lock, takeLock } from '../run/lock/lease.ts';
import { type Connection, type ConnectSettings, connect } from './connect.ts';
import { type PlanExtras, planOnce } from './plan.ts';
import { settleEarlierRuns } from './previous-runs.ts';
import { checkSaved, type Surroundings } from './saved-plan.ts';
import { lockName, locksFolder, prepareState } from './state.ts';
import { planUndo, type Undoing, type UndoPlan } from './undo.ts';

export interface Session {
  readonly plan: Plan;
  /** Of a plan that was saved: the changes that earlier runs of it may have sent, by index. */
  readonly saved?: { readonly begun: ReadonlySet<number> };
  readonly root: string;
  readonly secrets: SecretResolver;
  readonly connection: Connection;
  readonly lock: Lock;
  close(): Promise<void>;
}

/** What every way of opening a session takes. */
export interface Opening {
  readonly settings: ConnectSettings;
  /** Takes lines for a person, about earlier runs. */
  readonly tell: (text: string) => void;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Nothing can come to be written: nothing is waited for. */
  readonly onlyLooks?: boolean | undefined;
}

/** Plans from the files. Throws what connecting, waiting and planning throw, and `lock-held`. */
export function openFresh(
  config: Config,
  options: PlanOptions,
  extras: PlanExtras,
  opening: Opening,
): Promise<Session> {
  return open(opening, config, async (connection, settle) => {
    await settle();
    return { plan: await planOnce(config, connection, options, { ...extras, toSave: true }) };
  });
}

/** Checks a plan that was made before. Throws as openFresh does, and `plan-stale`, `seal-invalid`, `guard-refused`. */
export function openSaved(
  plan: Plan,
  around: Pick<Surroundings, 'root' | 'secrets'>,
  allow: Approvals | undefined,
  opening: Opening,
): Promise<Session> {
  return open(opening, around, async (connection, settle) => {
    const begun = await checkSaved(plan, connection, around, allow);
    if (plan.changes.length > 0) await settle();
    return { plan, saved: { begun } };
  });
}

/** Plans to undo a run. Throws as openFresh does, and what planUndo throws. */
export function openUndo(config: Config, undoing: Undoing, opening: Opening): Promise<Session & UndoPlan> {
  return open(opening, config, async (connection, settle) => {
    await settle();
    return planUndo(undoing, config, connection);
  });
}

/** Opens a session with the plan that `find` makes; `settle` waits for earlier runs. */
async function open<F extends Pick<Session, 'plan' | 'saved'>>(
  { settings, tell, signal, onlyLooks }: Opening,
  { root, secrets }: Pick<Surroundings, 'root' | 'secrets'>,
  find: (connection: Connection, settle: () => Promise<void>) => Promise<F>,
): Promise<Session & F> {
  const connection = await connect(settings);
  let lock: Lock | undefined;
  const close = async (): Promise<void> => {
    await (lock?.release() ?? Promise.resolve()).finally(() => connection.close());
  };
  try {
    const isTarget = settings.pins.target !== undefined;
    await prepareState(settings.root, isTarget);
    const name = `${lockName(connection.identity, connection.keyFingerprint)}.lock`;
    lock = await takeLock(join(locksFolder(settings.root, isTarget), name));
    const found = await find(connection, () =>
      settleEarlierRuns(root, connection, tell, { signal, onlyLooks }),
    );
    return { ...found, root, secrets, connection, lock, close };
  } catch (error) {
    await close();
    throw error;
  }
}
