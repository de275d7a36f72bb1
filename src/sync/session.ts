/** A session: a plan from one of three sources, and the right to apply it. The caller closes it. */
import type { Config } from '../config/load.ts';
import { type ExitCode, exitOf } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import { type Applied, applyPlan, type Run, resultOf } from '../run/apply.ts';
import { type Lock, takeLock } from '../run/lock.ts';
import { listen } from '../util/abort.ts';
import { type Connection, type ConnectSettings, connect } from './connect.ts';
import { settleEarlierRuns } from './previous-runs.ts';
import { lockPath, prepareState, runsFolder } from './state.ts';

export interface Sourced {
  readonly plan: Plan;
  /** For a saved plan: the changes that its earlier runs may have sent, by index. */
  readonly begun?: ReadonlySet<number>;
}

/** `settle` waits for requests of earlier runs: every writer calls it before it reads. */
export type Maker<T extends Sourced> = (connection: Connection, settle: () => Promise<void>) => Promise<T>;

export type SessionConfig = Pick<Config, 'root' | 'pins' | 'secrets'>;

export interface Session extends Sourced, Pick<SessionConfig, 'root' | 'secrets'> {
  readonly connection: Connection;
  readonly lock: Lock;
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly settings: ConnectSettings;
  readonly log: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly onlyLooks?: boolean | undefined;
}

export function afterEarlierRuns<T extends Sourced>(make: (connection: Connection) => Promise<T>): Maker<T> {
  return async (connection, settle) => {
    await settle();
    return make(connection);
  };
}

/** Connects, takes the run lock and calls `source`. Throws what each of them throws, and `lock-held`. */
export async function openSession<T extends Sourced>(
  source: Maker<T>,
  { root, secrets }: Pick<SessionConfig, 'root' | 'secrets'>,
  { settings, log, signal, onlyLooks }: SessionOptions,
): Promise<Session & T> {
  const connection = await connect(settings);
  let lock: Lock | undefined;
  const close = async (): Promise<void> => {
    await (lock?.release() ?? Promise.resolve()).finally(() => connection.close());
  };
  try {
    const isTarget = settings.pins.target !== undefined;
    await prepareState(settings.root, isTarget);
    const { identity, keyFingerprint } = connection;
    lock = await takeLock(lockPath(settings.root, isTarget, identity, keyFingerprint));
    const found = await source(connection, () =>
      settleEarlierRuns(root, connection, log, { signal, onlyLooks }),
    );
    return { ...found, root, secrets, connection, lock, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface RunSettings extends Pick<Run, 'emit' | 'signal' | 'maxFailures' | 'canary'> {
  readonly skipStale?: boolean | undefined;
  readonly notes?: readonly string[];
  readonly random?: () => number;
}

/** A plan without changes is its own verification. Throws as applyPlan does; later failures are in the result. */
export async function apply(session: Session, settings: RunSettings): Promise<Applied> {
  const { skipStale = false, notes = [], random = Math.random, ...rest } = settings;
  const { connection, root, secrets, plan, lock, begun } = session;
  if (plan.changes.length === 0) {
    const result = { ...nothingToDo(plan, connection), notes };
    settings.emit({ type: 'run_ended', result });
    return { result, keyRefused: false, stale: [], done: [] };
  }
  const { service, clock, requestTimeoutMs, timeoutMs, parallelism, where, seals, madeBy } = connection;
  const unlisten = listen(settings.signal, connection.interrupt);
  try {
    const applied = await applyPlan({
      ...rest,
      ...{ plan, lock, skipStale, random, isSaved: begun !== undefined, begun: begun ?? new Set() },
      ...{ service, clock, requestTimeoutMs, timeoutMs, parallelism, where, seals, madeBy },
      runsFolder: runsFolder(root),
      resolveSecret: (ref) => secrets.resolve(ref),
      requests: () => connection.limiter().requests,
    });
    const { result } = applied;
    return { ...applied, result: { ...result, notes: [...notes, ...result.notes] } };
  } finally {
    unlisten();
  }
}

export function nothingToDo(plan: Plan, { limiter, where }: Pick<Connection, 'limiter' | 'where'>): Result {
  return resultOf(
    plan,
    NOTHING_DONE,
    { converged: true, residual: [] },
    {
      run: null,
      interrupted: false,
      requests: limiter().requests,
      seconds: 0,
      where,
    },
  );
}

const NOTHING_DONE = { done: [], found: 0, failures: [], notAttempted: [], stopped: undefined, notes: [] };

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
