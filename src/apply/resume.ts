/**
 * Applying a plan of before: one that was saved, or that of a run that did not come to its end
 * (decisions: "A saved plan is applied as approved", "Every change is in the journal first"). What had been begun is
 * settled by looking, and the rest is carried out if its records are still as the plan found them. Nothing is planned
 * again.
 */

import { requestTimeoutOf } from '../journal/list-runs.ts';
import { carriedOut, doneAt, mayBeSent, type RecordedRun } from '../journal/reader.ts';
import type { IndexedChange } from '../journal/writer.ts';
import { withoutPassword } from '../model/change.ts';
import type { Plan } from '../model/plan.ts';
import type { Done, Result } from '../model/run.ts';
import { isImplied } from '../planner/changes.ts';
import { reapprove, refuseByGuards } from '../planner/guards.ts';
import { type Applied, type ApplyOptions, applyPlan, executePlan, type Remains } from './apply.ts';
import { FRESH_MS } from './changes/base-values.ts';
import { missingCreatesOf } from './checks/missing-creates.ts';
import { checkChanges, staleReason } from './checks/staleness.ts';
import { UNPROVEN } from './checks/verify.ts';
import { listRequestsOf } from './executor.ts';
import { type Run, resultOf } from './result.ts';

export interface ResumeOptions extends ApplyOptions {
  /** Leave changes out whose records were changed by others, instead of sending nothing at all. */
  readonly skipStale: boolean;
  /** Whoever goes on with a run has waited until no request of it can be under way any more. */
  readonly waited?: boolean;
}

/**
 * Goes on with a run. Where records were changed by others meanwhile, they are named in `stale`, and nothing
 * is sent unless `skipStale` says so. Throws as applyPlan does, and what the service throws to the looking
 * or `interrupted`, before anything is sent.
 */
export async function resumeRun(recorded: RecordedRun, options: ResumeOptions): Promise<Applied> {
  const begunAt = options.clock.monotonic();
  const { plan, allow = plan.options.allow } = recorded;
  refuseByGuards(reapprove(plan.guards, plan.changes, allow));
  // What was sent with more patience may be at work for as long as that.
  const requestTimeoutMs = Math.max(options.requestTimeoutMs, requestTimeoutOf(recorded));
  const patient = { ...options, requestTimeoutMs, allow: recorded.allow };
  return carryOutRest(plan, await findRemains(recorded, patient), patient, begunAt);
}

/**
 * Applies a plan that was saved, and approved, before: each record that it changes must still be as it was,
 * else it is named in `stale` and nothing is sent, unless `skipStale` says so. Throws as resumeRun does.
 */
export async function applySaved(plan: Plan, options: ResumeOptions): Promise<Applied> {
  const begunAt = options.clock.monotonic();
  const items = plan.changes.map((change, index): IndexedChange => ({ change, index }));
  const begun = new Set<number>();
  const listRequests = listRequestsOf(plan);
  const { done, ...check } = await checkChanges(items, plan, { ...options, listRequests, begun });
  return carryOutRest(
    plan,
    { ...check, settled: done, doubtful: begun, vanished: [], earlier: [], sent: [] },
    options,
    begunAt,
  );
}

/**
 * Applies a plan that was just made. Where whoever was asked about it took long to answer, it is one of before: what
 * others did meanwhile is not undone. Throws as applyPlan and resumeRun do.
 */
export async function applyMade(plan: Plan, options: ResumeOptions): Promise<Applied> {
  refuseByGuards(plan.guards);
  const ageMs = options.clock.now() - Date.parse(plan.created_at);
  return ageMs > FRESH_MS ? applySaved(plan, options) : applyPlan(plan, options);
}

async function carryOutRest(
  plan: Plan,
  remains: Remains,
  options: ResumeOptions,
  begunAt: number,
): Promise<Applied> {
  if (remains.stale.size === 0 || options.skipStale) return executePlan(plan, options, remains);
  const seconds = (options.clock.monotonic() - begunAt) / 1000;
  const { where } = options;
  const run = { run: null, interrupted: false, requests: options.requests(), seconds, where };
  const result = refusal(plan, remains, run);
  options.emit({ type: 'run_ended', result });
  const { knowledge } = options;
  return { result, keyRefused: false, stale: [...remains.stale.values()], done: [], earlier: [], knowledge };
}

async function findRemains(recorded: RecordedRun, options: ResumeOptions): Promise<Remains> {
  const { run, plan } = recorded;
  const known = carriedOut(recorded);
  const begun = mayBeSent(recorded);
  const open = plan.changes
    .map((change, index): IndexedChange => ({ change, index }))
    .filter(({ index }) => !known.has(index));
  const listRequests = listRequestsOf(plan);
  const looking = { ...options, listRequests, begun };
  const { done, ...check } = await checkChanges(open, plan, looking);
  const created = doneOf(plan, known).filter(({ change }) => change.action === 'create');
  const vanished = open.some(({ change }) => isImplied(change))
    ? await missingCreatesOf(created, looking, plan.options.www)
    : [];
  const settled = new Map([...known, ...done]);
  return {
    ...check,
    continues: run,
    ...(options.waited ? { underWayMs: 0 } : {}),
    settled,
    doubtful: new Set([...begun].filter((index) => !done.has(index))),
    vanished,
    earlier: doneOf(plan, settled),
    sent: plan.changes.flatMap((change, index) => {
      if (known.has(index)) return [recorded.ended.get(index)?.withheld ? withoutPassword(change) : change];
      // Whether a password went along is not known.
      return begun.has(index) && done.has(index) ? [withoutPassword(change)] : [];
    }),
  };
}

/** The changes of `plan` that are settled. */
function doneOf(plan: Plan, settled: Remains['settled']): readonly Done[] {
  return plan.changes.flatMap((_, index) =>
    settled.has(index) ? doneAt(plan, index, settled.get(index)) : [],
  );
}

function refusal(plan: Plan, remains: Remains, run: Run): Result {
  const execution = {
    done: [],
    failures: [],
    notAttempted: plan.changes.filter((_, index) => !remains.settled.has(index)),
    stopped: `${staleReason(remains.stale.size)}, so nothing was sent`,
    notes: [],
  };
  return resultOf(plan, execution, UNPROVEN, remains, run);
}
