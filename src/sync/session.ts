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
import { lockName, locksFolder, prepareState, runsFolder } from './state.ts';
import { findUndone, planUndo } from './undo.ts';

/** A plan that was saved. */
export interface Saved {
  /** Changes that earlier runs of it may have sent, by index. */
  readonly begun: ReadonlySet<number>;
}

export interface Session {
  readonly plan: Plan;
  /** Missing where the plan was just made. */
  readonly saved?: Saved;
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

/** What a session needs of the files. */
type Around = Pick<Surroundings, 'root' | 'secrets'>;

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
  around: Around,
  allow: Approvals | undefined,
  opening: Opening,
): Promise<Session> {
  return open(opening, around, async (connection, settle) => {
    const begun = await checkSaved(plan, connection, around, allow);
    if (plan.changes.length > 0) await settle();
    return { plan, saved: { begun } };
  });
}

/** Which run is undone, and how. */
export interface Undoing {
  /** The last one that changed anything, if none is named. */
  readonly run?: string | undefined;
  readonly allow: Approvals;
}

/**
 * Plans to undo a run; `skipped` changes of it are not undone. Throws as openFresh does, and what findUndone and planUndo
 * throw.
 */
export function openUndo(
  config: Config,
  { run, allow }: Undoing,
  opening: Opening,
): Promise<Session & { readonly skipped: number }> {
  return open(opening, config, async (connection, settle) => {
    await settle();
    const folder = runsFolder(config.root);
    const undone = await findUndone(run, folder, connection, opening.tell);
    const { plan, skipped } = await planUndo(undone, config, connection, allow);
    return { plan, skipped };
  });
}

/** What one way of opening finds. */
type Found = Pick<Session, 'plan' | 'saved'>;
/** Waits for earlier runs, and names what one that was killed may have changed. */
type Settle = () => Promise<void>;

async function open<F extends Found>(
  { settings, tell, signal, onlyLooks }: Opening,
  { root, secrets }: Around,
  find: (connection: Connection, settle: Settle) => Promise<F>,
): Promise<Session & F> {
  const { connection, lock, close } = await connectAndLock(settings);
  try {
    const found = await find(connection, () =>
      settleEarlierRuns(root, connection, tell, { signal, onlyLooks }),
    );
    return { ...found, root, secrets, connection, lock, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Connects, and takes the lock of the records. `close` gives both back. Throws what connect throws, and `lock-held`. */
async function connectAndLock(
  settings: ConnectSettings,
): Promise<Pick<Session, 'connection' | 'lock' | 'close'>> {
  const connection = await connect(settings);
  try {
    const isTarget = settings.pins.target !== undefined;
    await prepareState(settings.root, isTarget);
    const name = `${lockName(connection.identity, connection.keyFingerprint)}.lock`;
    const lock = await takeLock(join(locksFolder(settings.root, isTarget), name));
    const close = () => lock.release().finally(() => connection.close());
    return { connection, lock, close };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
