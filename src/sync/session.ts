/**
 * A session: a plan, and the right to carry it out. Each way of opening one connects, takes the lock, makes the plan or
 * checks it, and waits for what earlier runs left at work. Whoever opened it closes it.
 */
import { join } from 'node:path';
import type { Learned, Replan, Seen } from '../apply/checks/verify.ts';
import type { Config } from '../config/load.ts';
import type { SecretResolver } from '../config/secrets/resolve.ts';
import type { RecordedRun } from '../journal/reader.ts';
import { type Lock, takeLock } from '../lock/lease.ts';
import type { Approvals } from '../model/guard.ts';
import type { Plan, PlanOptions } from '../model/plan.ts';
import { leavesAlone } from '../planner/selection.ts';
import { type Connection, type ConnectSettings, connect } from './connect.ts';
import { type PlanExtras, planOnce, replan, replanAlone } from './plan.ts';
import { settleEarlierRuns } from './previous-runs.ts';
import { checkSaved, type Surroundings } from './saved-plan.ts';
import { lockName, locksFolder, prepareState, runsFolder } from './state.ts';
import { findUndone, planUndo } from './undo.ts';

/** How a plan is carried out. */
export type Mode =
  /** It was just made. */
  | { readonly kind: 'fresh' }
  /** It was saved; `allow` is approved beside what it says itself. */
  | { readonly kind: 'saved'; readonly allow?: Approvals | undefined }
  /** It was saved, and what a run of it left is carried out. */
  | { readonly kind: 'again'; readonly recorded: RecordedRun };

export interface Session {
  readonly plan: Plan;
  readonly mode: Mode;
  readonly root: string;
  readonly secrets: SecretResolver;
  readonly connection: Connection;
  readonly lock: Lock;
  /** Plans again, by a list or by what was seen, for the verification. */
  readonly replan: (learned: Learned, seen?: Seen) => Promise<Replan>;
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
type Around = Pick<Surroundings, 'root' | 'secrets' | 'isLeftAlone'>;

function aroundOf({ root, secrets, desired }: Config): Around {
  return { root, secrets, isLeftAlone: leavesAlone(desired) };
}

/** Plans from the files. Throws what connecting, waiting and planning throw, and `lock-held`. */
export function openFresh(
  config: Config,
  options: PlanOptions,
  extras: PlanExtras,
  opening: Opening,
): Promise<Session> {
  return open(opening, aroundOf(config), async (connection, settle) => {
    await settle();
    const plan = await planOnce(config, connection, options, { ...extras, toSave: true });
    const again: Session['replan'] = (learned, seen) =>
      replan(config, connection, options, learned, seen, extras.removals);
    return { plan, mode: { kind: 'fresh' }, replan: again };
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
    const recorded = await checkSaved(plan, connection, around, allow);
    if (plan.changes.length > 0) await settle(recorded);
    return { plan, mode: recorded === undefined ? { kind: 'saved', allow } : { kind: 'again', recorded } };
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
  return open(opening, aroundOf(config), async (connection, settle) => {
    await settle();
    const folder = runsFolder(config.root);
    const undone = await findUndone(run, folder, connection, opening.tell);
    const { plan, skipped } = await planUndo(undone, config, connection, allow);
    return { plan, mode: { kind: 'fresh' }, skipped };
  });
}

/** What one way of opening finds; a plan without its files is verified by what it says. */
type Found = Pick<Session, 'plan' | 'mode'> & Partial<Pick<Session, 'replan'>>;
/** Waits for earlier runs; the one that is `resumed` is not waited for where its end is known. */
type Settle = (resumed?: RecordedRun) => Promise<void>;

async function open<F extends Found>(
  { settings, tell, signal, onlyLooks }: Opening,
  { root, secrets, isLeftAlone }: Around,
  find: (connection: Connection, settle: Settle) => Promise<F>,
): Promise<Session & F> {
  const { connection, lock, close } = await connectAndLock(settings);
  try {
    const found = await find(connection, (resumed) =>
      settleEarlierRuns(root, connection, tell, { signal, onlyLooks, resumed, isLeftAlone }),
    );
    const alone: Session['replan'] = (learned, seen) => replanAlone(found.plan, connection, learned, seen);
    return { replan: alone, ...found, root, secrets, connection, lock, close };
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
