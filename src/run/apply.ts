import { neededSecrets, withoutPassword } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import { formatInstant } from '../model/instant.ts';
import type { Plan } from '../model/plan.ts';
import type { Result, RunFact, Stop } from '../model/run.ts';
import { countByAction } from '../planner/changes.ts';
import { refuseByGuards } from '../planner/guards.ts';
import { type Check, checkChanges } from './check.ts';
import type { RunContext } from './context.ts';
import { isFresh } from './delete.ts';
import { nextRunId, openRunFile, type RunFile } from './file/write.ts';
import { createLoop, type Execution, type Loop } from './loop.ts';
import { type Applied, isKeyRefused, resultOf, sentNothing } from './result.ts';
import { missingError, resolveSecrets, secretFacts } from './values.ts';
import { seeOneAlone, UNVERIFIED, type Verification, verify } from './verify.ts';

/**
 * If the plan was saved, or its approval took long, checks each record first. If a record has changed since,
 * sends nothing; `skipStale` skips only that change. A change that the record already shows counts as done.
 * Throws only before anything is sent: later failures are in the result. A plan without changes
 * counts as verified.
 */
export async function applyPlan(run: RunContext): Promise<Applied> {
  const { plan, sentBefore, clock, skipStale } = run;
  const startMs = clock.monotonic();
  if (sentBefore === undefined) refuseByGuards(plan.guards);
  const isEmpty = plan.changes.length === 0;
  const isNew = sentBefore === undefined && isFresh(Date.parse(plan.created_at), clock.now());
  const found = await checkChanges(run, isEmpty || isNew);
  const sendsNothing = isEmpty || (found.stale.size > 0 && !skipStale);
  const applied = sendsNothing ? sentNothing(run, startMs, found) : await runChanges(run, found, startMs);
  run.emit({ type: 'run_ended', result: applied.result });
  return applied;
}

async function runChanges(run: RunContext, found: Check, startMs: number): Promise<Applied> {
  const { plan, clock, emit, runsFolder } = run;
  const startedAt = clock.now();
  const id = await nextRunId(runsFolder, startedAt);
  const open = plan.changes.filter((_, index) => !found.done.has(index) && !found.stale.has(index));
  const { secrets, missing } = await resolveSecrets(open, run.resolveSecret);
  const due = missing.size === 0 ? missing : neededSecrets(open.map(withoutPassword));
  const unset = missingError(missing, due);
  if (unset !== undefined) throw unset;
  const header = { ...run, run: id, at: formatInstant(startedAt), settled: found.done };
  const file = await openRunFile(runsFolder, header);
  try {
    emit({
      type: 'run_started',
      run: id,
      changes: open.length,
      left: found.done.size > 0 ? countByAction(open) : undefined,
    });
    await seeOneAlone(open, run);
    const loop = createLoop(run, secrets, file, found);
    const verification = await runWithCanary(loop, run);
    const execution = loop.outcome();
    const remarks = [...pinRemarks(execution, plan), ...secretFacts(secrets)];
    const sum = resultOf(run, { id, startMs, found, execution, verification, remarks });
    file.sideEffects(verification.sideEffects ?? []);
    for (const sent of verification.left ?? [])
      file.end(sent, { outcome: 'done', id: sent.id, left: sent.left });
    const notes = [...sum.notes, ...(await closeFile(file, sum, clock.now()))];
    const result = { ...sum, notes };
    const { keyRefused } = verification;
    return { result, done: execution.done.map(({ change }) => change), keyRefused };
  } finally {
    await file.close();
  }
}

async function runWithCanary(loop: Loop, run: RunContext): Promise<Verification> {
  const { tasks } = loop;
  const { canary = 0, emit, maxFailures } = run;
  const hasCanary = canary > 0 && canary < tasks.length;
  if (hasCanary) {
    emit({ type: 'canary_started', changes: canary });
    await loop.run(tasks.slice(0, canary));
    const verification = await verified(loop, run);
    const { done, failures } = loop.outcome();
    const failed = failures.length;
    const trouble = troubleOf(verification, maxFailures === undefined ? failed : 0);
    if (trouble === undefined) emit({ type: 'canary_verified', done: done.length, failed });
    else if (!loop.isStopped()) loop.stop(trouble);
    if (loop.isStopped()) return verification;
  }
  await loop.run(hasCanary ? tasks.slice(canary) : tasks);
  return verified(loop, run);
}

function troubleOf({ converged, residual, reason }: Verification, failed: number): Stop | undefined {
  if (failed > 0) return { code: 'canary-failed', count: failed };
  if (converged === null) return { code: 'canary-unverified', reason };
  const count = new Set(residual.map(({ domain }) => domain)).size;
  return count === 0 ? undefined : { code: 'canary-unlike', count };
}

async function verified(loop: Loop, run: RunContext): Promise<Verification> {
  const { done, failures, isInVain, names } = loop.outcome();
  // If every change failed, there is no record to read, so nothing is verified.
  const isEmpty = done.length === 0 && failures.length > 0;
  return isEmpty || isInVain || failures.some(isKeyRefused) ? UNVERIFIED : verify(done, run, names);
}

const MIN_UPDATES_FOR_PIN = 20;

function pinRemarks({ keeps, done }: Execution, { options }: Plan): RunFact[] {
  const updates = done.filter(({ change }) => change.action === 'update').length;
  const isWorth = keeps && options.update === 'auto' && updates >= MIN_UPDATES_FOR_PIN;
  return isWorth ? [{ code: 'pin-saves-requests' }] : [];
}

/** Writes the last entry of the run file. A failure is only a note, because every change is already done. */
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
