/** Applying a plan: secrets, journal, changes, verification. */

import { type Journal, nextRunId, openJournal } from '../journal/writer.ts';
import type { Lock } from '../lock/lease.ts';
import type { Change } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Approvals } from '../model/guard.ts';
import { formatInstant } from '../model/instant.ts';
import type { MadeBy } from '../model/made-by.ts';
import type { Where } from '../model/next-command.ts';
import type { Plan } from '../model/plan.ts';
import type { Done, Result, RunEvent } from '../model/run.ts';
import type { Seals } from '../model/seal.ts';
import { countByAction } from '../planner/changes.ts';
import { refuseByGuards } from '../planner/guards.ts';
import type { Knowledge } from '../update/knowledge.ts';
import { type CanaryRule, executeAfterCanary } from './canary.ts';
import type { ExecutionContext } from './changes/context.ts';
import { doubtNotes, type ResolveSecret, resolveSecrets } from './changes/payload.ts';
import { isReadBack, seeOneAlone } from './checks/read-back.ts';
import type { Stale } from './checks/staleness.ts';
import { type Learned, type Proof, type Replan, type Seen, UNPROVEN, verify } from './checks/verify.ts';
import { type BreakerRule, createBreaker } from './circuit-breaker.ts';
import { createExecutor, type Earlier, type Execution, listRequestsOf } from './executor.ts';
import { underLock } from './lock-guard.ts';
import { resultOf } from './result.ts';

export interface ApplyOptions
  extends Omit<ExecutionContext, 'values' | 'updates' | 'www'>,
    BreakerRule,
    CanaryRule {
  readonly parallelism: number;
  /** The folder of the journal. */
  readonly runsFolder: string;
  /** What the journal is sealed with. */
  readonly seals: Seals;
  readonly madeBy?: MadeBy | undefined;
  /** What was said yes to beside what the plan has of that; the journal keeps it, for whoever goes on. */
  readonly allow?: Approvals | undefined;
  readonly lock: Lock;
  readonly resolveSecret: ResolveSecret;
  /** Plans the same desired records again, by a list of the service or by what was seen. */
  readonly replan: (learned: Learned, seen?: Seen) => Promise<Replan>;
  readonly emit: (event: RunEvent) => void;
  /** What earlier runs learned of the service. */
  readonly knowledge: Knowledge;
  /** Requests sent so far. */
  readonly requests: () => number;
  /** For the command that goes on with it. */
  readonly where: Where;
}

/** A result, and what decides the exit code beside it. */
export interface Applied {
  readonly result: Result;
  readonly keyRefused: boolean;
  /** Changes whose records were changed by others since the plan was made, and that were not sent. */
  readonly stale: readonly Stale[];
  /** The changes that this run carried out. */
  readonly done: readonly Change[];
  /** Those that the run that it goes on with had sent, and that are carried out. */
  readonly earlier: readonly Change[];
  /** What is known of the service by now. */
  readonly knowledge: Knowledge;
}

/**
 * Applies a plan. Throws `guard-refused`, `secret-missing` or `file-failed` before anything is sent; after
 * that every failure is in the result.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  refuseByGuards(plan.guards);
  return executePlan(plan, options);
}

/** What was found of a plan that an earlier run has begun. */
export interface Remains extends Earlier {
  readonly continues?: string;
  /** Changes that earlier runs carried out; they are verified with the others. */
  readonly earlier: readonly Done[];
  /** Those of them that a run of this plan had sent. */
  readonly sent: readonly Change[];
}

/** Carries out a plan, or what is left of it. Throws as applyPlan does, without guards. */
export async function executePlan(plan: Plan, options: ApplyOptions, remains?: Remains): Promise<Applied> {
  const { clock, emit, runsFolder, seals, madeBy, allow, requestTimeoutMs } = options;
  const begunAt = clock.monotonic();
  const startedAt = clock.now();
  const run = await nextRunId(runsFolder, startedAt);
  const open = plan.changes.filter((_, index) => !remains?.settled.has(index) && !remains?.stale.has(index));
  const secrets = await resolveSecrets(open, options.resolveSecret);
  const journal = await openJournal(runsFolder, {
    run,
    at: formatInstant(startedAt),
    plan,
    seals,
    madeBy,
    allow,
    requestTimeoutMs,
    ...remains,
  });
  try {
    const left = remains === undefined ? {} : { left: countByAction(open) };
    emit({ type: 'run_started', run, changes: open.length, ...left });
    const service = underLock(options.service, options.lock);
    const breaker = createBreaker(options);
    const executor = createExecutor(plan, { ...options, service, secrets, journal, breaker }, remains);
    const isEach = isReadBack(open.length, listRequestsOf(plan));
    if (isEach && !options.signal.aborted) await seeOneAlone(open, options.service);
    const { execution, proof } = await executeAfterCanary(executor, {
      ...options,
      goesOnAfterFailures: options.maxFailures !== undefined,
      prove: (execution) => prove(plan, execution, options, remains),
    });
    const result = resultOf(plan, execution, proof, remains, {
      run,
      interrupted: options.signal.aborted,
      requests: options.requests(),
      seconds: (clock.monotonic() - begunAt) / 1000,
      where: options.where,
    });
    const inDoubt = countInDoubt(plan, execution, remains);
    if (result.side_effects !== undefined) journal.sideEffects(result.side_effects);
    const unsettled = { inDoubt, owed: execution.owed };
    const notes = [
      ...result.notes,
      ...doubtNotes(secrets),
      ...(await closeJournal(journal, result, unsettled, clock.now())),
    ];
    emit({ type: 'run_ended', result: { ...result, notes } });
    return {
      result: { ...result, notes },
      keyRefused: execution.keyRefused || proof.keyRefused === true,
      stale: [...(remains?.stale.values() ?? [])],
      done: execution.done.map(({ change }) => change),
      earlier: remains?.sent ?? [],
      knowledge: execution.knowledge,
    };
  } finally {
    await journal.close();
  }
}

/** Writes the end down; a failure of that is a note, since all is done by then. */
async function closeJournal(
  journal: Journal,
  { summary, stopped, converged }: Result,
  { inDoubt, owed }: { readonly inDoubt: number; readonly owed: number },
  now: number,
): Promise<readonly string[]> {
  try {
    await journal.close({
      at: formatInstant(now),
      finished: summary.not_attempted === 0,
      stopped,
      converged,
      summary,
      ...(inDoubt === 0 ? {} : { in_doubt: inDoubt }),
      ...(owed === 0 ? {} : { owed }),
    });
    return [];
  } catch (error) {
    if (error instanceof WebsitesError) return [error.message];
    throw error;
  }
}

/** Creates that may be at work still: those that were given up, and those of an earlier run that were not come to. */
function countInDoubt(plan: Plan, { failures, notAttempted }: Execution, remains?: Remains): number {
  const left = new Set(notAttempted);
  const isLeft = (change: Change, index: number): boolean =>
    change.action === 'create' && left.has(change) && remains?.doubtful.has(index) === true;
  const givenUp = failures.filter(({ action, fate }) => action === 'create' && fate === 'unknown');
  return givenUp.length + plan.changes.filter(isLeft).length;
}

/** Causes after which the service is not asked any more: it would not answer, or its answer could not be relied on. */
const PROOFLESS: ReadonlySet<string | undefined> = new Set(['interrupted', 'key-refused', 'lock-lost']);

async function prove(
  plan: Plan,
  execution: Execution,
  options: ApplyOptions,
  remains: Remains | undefined,
): Promise<Proof> {
  const { stop, www, keyRefused } = execution;
  if (keyRefused || PROOFLESS.has(stop?.cause)) return UNPROVEN;
  // What the files settle, the next plan goes by.
  const learned = www === 'same' && plan.options.www === undefined ? { www } : {};
  const earlier = (remains?.earlier ?? []).map((done) => ({ ...done, earlier: true }) as const);
  const attempted = plan.changes.filter((_, index) => !remains?.settled.has(index));
  const domains = [...attempted, ...earlier.map(({ change }) => change)].map(({ domain }) => domain);
  const done = [...earlier, ...execution.done];
  const listRequests = listRequestsOf(plan);
  // Nothing would be read, and that shows nothing.
  if (done.length === 0 && execution.failures.length > 0 && isReadBack(0, listRequests)) return UNPROVEN;
  return verify(done, domains, {
    ...options,
    told: [...execution.restored, ...execution.sideEffects],
    replan: (seen) => options.replan(learned, seen),
    listRequests,
  });
}
