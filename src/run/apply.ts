import { type Change, neededSecrets, withoutPassword } from '../model/change.ts';
import { type ExitCode, exitOf, WebsitesError } from '../model/errors.ts';
import { formatInstant } from '../model/instant.ts';
import { scopeFlags } from '../model/next-command.ts';
import type { Plan } from '../model/plan.ts';
import { RESULT_FORMAT, type Result } from '../model/run.ts';
import { countByAction } from '../planner/changes.ts';
import { refuseByGuards } from '../planner/guards.ts';
import { type Run, subjectOf } from './change.ts';
import { type Check, checkChanges, staleReason } from './check.ts';
import { isFresh } from './delete.ts';
import { nextRunId, openRunFile, type RunFile } from './file/write.ts';
import { createLoop, type Execution, type Loop } from './loop.ts';
import { doubtNotes, missingError, resolveSecrets } from './values.ts';
import { seeOneAlone, UNVERIFIED, type Verification, verify } from './verify.ts';

export interface Applied {
  readonly result: Result;
  readonly done: readonly Change[];
  /** The service rejected the key when the changes were verified. */
  readonly keyRefused?: boolean | undefined;
}

/**
 * Applies a plan. If it was saved, or its approval took long, each record is checked first: if one has changed, nothing
 * is sent, or with `skipStale` not this change. A change that its record already shows is done. Before anything is
 * sent, throws `guard-refused`, `secret-missing`, `file-failed`, `interrupted` and errors of the service; after that
 * every failure is in the result. A plan without changes is its own verification.
 */
export async function applyPlan(run: Run): Promise<Applied> {
  const { plan, begun, clock, skipStale } = run;
  const begunAt = clock.monotonic();
  if (begun === undefined) refuseByGuards(plan.guards);
  if (plan.changes.length === 0) return sentNothing(run, { converged: true, residual: [] }, begunAt);
  const mayRely = begun === undefined && isFresh(Date.parse(plan.created_at), clock.now());
  const found = mayRely ? undefined : await checkChanges(run);
  return found !== undefined && found.stale.size > 0 && !skipStale
    ? sentNothing(run, UNVERIFIED, begunAt, found)
    : carryOut(run, found, begunAt);
}

export function exitOfApplied({ result, keyRefused }: Omit<Applied, 'done'>, isShort = false): ExitCode {
  const { failed, not_attempted } = result.summary;
  const stale = result.not_attempted.filter((change) => change.stale).length;
  const isUnlike = result.converged !== true || result.side_effects !== undefined;
  const isPart = failed > 0 || not_attempted > stale || isUnlike;
  return exitOf({
    interrupted: result.interrupted,
    keyRefused: keyRefused || result.failures.some(isKeyRefused),
    stale: stale > 0,
    // Nothing was sent, because of stale records, so there is nothing to verify.
    incomplete: isShort || (isPart && result.run !== null),
  });
}

function sentNothing(run: Run, verification: Verification, begunAt: number, found?: Check): Applied {
  const { plan, notes = [], emit } = run;
  const execution = {
    notes: [...notes],
    notAttempted: plan.changes.filter((_, index) => !found?.done.has(index)),
    stopped: found && staleReason(found.stale.size),
  };
  const result = resultOf(run, { id: null, begunAt, found, execution, verification });
  emit({ type: 'run_ended', result });
  return { result, done: [] };
}

async function carryOut(run: Run, found: Check | undefined, begunAt: number): Promise<Applied> {
  const { plan, clock, emit, runsFolder } = run;
  const startedAt = clock.now();
  const id = await nextRunId(runsFolder, startedAt);
  const open = plan.changes.filter((_, index) => !found?.done.has(index) && !found?.stale.has(index));
  const { secrets, missing } = await resolveSecrets(open, run.resolveSecret);
  const unset = missingError(missing, neededSecrets(open.map(withoutPassword)));
  if (unset !== undefined) throw unset;
  const file = await openRunFile(runsFolder, {
    ...{ ...run, run: id, at: formatInstant(startedAt) },
    ...(found && { settled: found.done }),
  });
  try {
    emit({ type: 'run_started', run: id, changes: open.length, ...(found && { left: countByAction(open) }) });
    await seeOneAlone(open, run);
    const { execution, verification } = await execute(createLoop(run, secrets, file, found), run);
    const sum = resultOf(run, { id, begunAt, found, execution, verification });
    file.sideEffects(verification.sideEffects ?? []);
    plan.changes.forEach((change, index) => {
      const shown = verification.left?.get(change);
      if (shown !== undefined) file.end({ change, index }, { outcome: 'done', ...shown });
    });
    const notes = [
      ...(run.notes ?? []),
      ...sum.notes,
      ...pinNotes(execution, plan),
      ...doubtNotes(secrets),
      ...(await closeFile(file, sum, clock.now())),
    ];
    const result = { ...sum, notes };
    emit({ type: 'run_ended', result });
    const { keyRefused } = verification;
    return { result, done: execution.done.map(({ change }) => change), keyRefused };
  } finally {
    await file.close();
  }
}

function isKeyRefused({ code }: Result['failures'][number]): boolean {
  return code === 'key-refused';
}

/** Carries the changes out and verifies them, the canary before the others. */
async function execute(loop: Loop, run: Run) {
  const { tasks } = loop;
  const { canary = 0, emit, maxFailures } = run;
  if (canary > 0 && canary < tasks.length) {
    emit({ type: 'canary_started', changes: canary });
    await loop.run(tasks.slice(0, canary));
    const executed = await verified(loop.sum(), run);
    const failed = executed.execution.failures.length;
    const trouble = troubleOf(executed.verification, maxFailures === undefined ? failed : 0);
    if (trouble === undefined)
      emit({ type: 'canary_verified', done: executed.execution.done.length, failed });
    else if (!loop.isStopped()) loop.stop(`stopped after the canary: ${trouble}`);
    if (loop.isStopped()) return { ...executed, execution: loop.sum() };
  }
  await loop.run(canary < tasks.length ? tasks.slice(canary) : tasks);
  return verified(loop.sum(), run);
}

/** Returns why the rest must not follow; `undefined` if it may. */
function troubleOf({ converged, residual, reason }: Verification, failed: number): string | undefined {
  if (failed > 0) return failed === 1 ? 'one change failed' : `${failed} changes failed`;
  if (converged === null) return `it cannot be verified${reason === undefined ? '' : ` (${reason})`}`;
  const open = new Set(residual.map(({ domain }) => domain)).size;
  if (open === 0) return undefined;
  return open === 1 ? 'one record is not as it was sent' : `${open} records are not as they were sent`;
}

async function verified(execution: Execution, run: Run) {
  const { done, failures, isInVain, names } = execution;
  // A verification without any reading verifies nothing.
  const isEmpty = done.length === 0 && failures.length > 0;
  if (isEmpty || isInVain || failures.some(isKeyRefused)) return { execution, verification: UNVERIFIED };
  const verification = await verify(done, run, names);
  return { execution, verification };
}

const PIN_IS_WORTH = 20;

function pinNotes({ keeps, done }: Execution, { options }: Plan): readonly string[] {
  const updates = done.filter(({ change }) => change.action === 'update').length;
  if (!keeps || options.update !== 'auto' || updates < PIN_IS_WORTH) return [];
  return [
    'This service keeps what an update omits. "service.update: changed" in the file saves one request for each update.',
  ];
}

/** A failure to write the end is a note only, since every change is done. */
async function closeFile(file: RunFile, result: Result, now: number): Promise<readonly string[]> {
  const { summary, stopped, converged, failures } = result;
  const isInDoubt = ({ action, outcome }: Result['failures'][number]): boolean =>
    action === 'create' && outcome === 'unknown';
  const doubts = failures.filter(isInDoubt).length;
  const finished = summary.not_attempted === 0;
  const end = { at: formatInstant(now), finished, stopped, converged, summary };
  try {
    await file.close(doubts === 0 ? end : { ...end, in_doubt: doubts });
    return [];
  } catch (error) {
    if (error instanceof WebsitesError) return [error.message];
    throw error;
  }
}

interface Outcome {
  readonly id: string | null;
  readonly begunAt: number;
  readonly found: Check | undefined;
  readonly execution: Partial<Execution>;
  readonly verification: Verification;
}

function resultOf(run: Run, { id, begunAt, found, execution, verification }: Outcome): Result {
  const { plan, signal, clock, limiter, where } = run;
  const { done = [], failures = [], notAttempted = [], notes = [], stopped = null } = execution;
  const { undoes } = plan.options;
  const [scope, selection] = [scopeFlags(plan.service, where).trim(), where.selection.trim()];
  const isStale = new Set([...(found?.stale.keys() ?? [])].map((index) => plan.changes[index]));
  const counts = countByAction(done.map(({ change }) => change));
  const asBefore = (execution.found ?? 0) + (found?.done.size ?? 0);
  const effects = {
    restored: execution.restored ?? [],
    side_effects: [...(execution.sideEffects ?? []), ...(verification.sideEffects ?? [])],
    changed_meanwhile: [...(execution.meanwhile ?? []), ...(verification.meanwhile ?? [])],
    unverified: verification.unverified ?? [],
  };
  return {
    ...{ format: RESULT_FORMAT, run: id },
    ...(undoes === undefined ? {} : { undoes }),
    ...(scope === '' ? {} : { scope }),
    ...(selection === '' ? {} : { selection }),
    summary: {
      created: counts.create,
      updated: counts.update,
      deleted: counts.delete,
      unchanged: plan.summary.unchanged === null ? null : plan.summary.unchanged + asBefore,
      failed: failures.length,
      not_attempted: notAttempted.length,
    },
    failures,
    not_attempted: notAttempted.map((change) => ({
      ...subjectOf(change),
      ...(isStale.has(change) ? { stale: true } : {}),
    })),
    stopped,
    interrupted: signal.aborted,
    converged: verification.converged,
    residual: verification.residual,
    ...Object.fromEntries(Object.entries(effects).filter(([, list]) => list.length > 0)),
    notes: [
      ...notes,
      ...(found?.stale.values() ?? []),
      ...(verification.reason === undefined ? [] : [`Could not verify: ${verification.reason}`]),
    ],
    requests: limiter().requests,
    seconds: (clock.monotonic() - begunAt) / 1000,
  };
}
