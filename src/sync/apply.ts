/** Carrying out the plan of a session with its connection, and the exit code of what became of it. */
import { type ExitCode, exitOf } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import { type Applied, applyPlan, type Run } from '../run/apply.ts';
import { resultOf } from '../run/result.ts';
import { listen } from '../util/abort.ts';
import type { Connection } from './connect.ts';
import type { Session } from './session.ts';
import { runsFolder } from './state.ts';

export interface ApplySettings extends Pick<Run, 'emit' | 'signal' | 'maxFailures' | 'canary'> {
  readonly skipStale?: boolean | undefined;
  /** What the result says before its own notes. */
  readonly notes?: readonly string[];
  /** From 0 up to, not including, 1. */
  readonly random?: () => number;
}

/** Carries out the plan of a session. Throws as applyPlan does; what fails later is in the result. */
export async function apply(session: Session, settings: ApplySettings): Promise<Applied> {
  const { skipStale = false, notes = [], random = Math.random, ...rest } = settings;
  const { connection, root, secrets, plan, lock, saved } = session;
  const { service, clock, requestTimeoutMs, timeoutMs, parallelism, where, seals, madeBy } = connection;
  const unlisten = listen(settings.signal, connection.interrupt);
  try {
    const applied = await applyPlan({
      ...rest,
      ...{ plan, lock, skipStale, random, isSaved: saved !== undefined, begun: saved?.begun ?? new Set() },
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

/** The result of a plan without changes: nothing was sent, and the plan itself is the verification. */
export function nothingToDo(plan: Plan, { limiter, where }: Pick<Connection, 'limiter' | 'where'>): Result {
  return resultOf(plan, NOTHING_DONE, { converged: true, residual: [] }, undefined, {
    run: null,
    interrupted: false,
    requests: limiter().requests,
    seconds: 0,
    where,
  });
}

const NOTHING_DONE = { done: [], found: 0, failures: [], notAttempted: [], stopped: undefined, notes: [] };

/** The exit code of what became of a plan; `isShort`: it does not do all that was asked for. */
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
    // Where nothing was sent, because of stale records, there is nothing to verify.
    incomplete: isShort || (isPart && result.run !== null),
  });
}
