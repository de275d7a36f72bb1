/** Applying a plan: its records are checked if it is not of this moment; run file, loop, verification, result. */
import type { Change } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import { formatInstant } from '../model/instant.ts';
import type { MadeBy } from '../model/made-by.ts';
import type { Where } from '../model/next-command.ts';
import type { Plan } from '../model/plan.ts';
import type { Result, RunEvent } from '../model/run.ts';
import type { Seals } from '../model/seal.ts';
import type { WebsiteService } from '../model/service.ts';
import { countByAction } from '../planner/changes.ts';
import { refuseByGuards } from '../planner/guards.ts';
import type { Clock } from '../util/clock.ts';
import { type BreakerRule, createBreaker } from './breaker.ts';
import { type Check, checkChanges, type Stale, staleReason } from './check.ts';
import { FRESH_MS } from './delete.ts';
import { type IndexedChange, nextRunId, openRunFile, type RunFile } from './file/write.ts';
import type { Lock } from './lock.ts';
import { createLoop, type Execution, type Loop, listRequestsOf } from './loop.ts';
import { isReadBack } from './records.ts';
import { resultOf } from './result.ts';
import { doubtNotes, type ResolveSecret, resolveSecrets } from './values.ts';
import { seeOneAlone, UNVERIFIED, type Verification, verify } from './verify.ts';

/** A plan, and everything that carrying it out takes. */
export interface Run extends BreakerRule {
  readonly plan: Plan;
  /** It was saved: its records may be others by now. */
  readonly isSaved: boolean;
  /** Changes that earlier runs of this plan may have sent, by index. */
  readonly begun: ReadonlySet<number>;
  /** Leave changes out whose records were changed by others, instead of sending nothing at all. */
  readonly skipStale: boolean;
  /** So many changes are applied and verified first, and the others only if those are as they were sent. From 1 up. */
  readonly canary?: number | undefined;
  readonly service: WebsiteService;
  readonly lock: Lock;
  readonly parallelism: number;
  /** How long one request may take, and one change with its retries; in milliseconds. */
  readonly requestTimeoutMs: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** The folder of the run files, and what they are sealed with. */
  readonly runsFolder: string;
  readonly seals: Seals;
  readonly madeBy?: MadeBy | undefined;
  readonly resolveSecret: ResolveSecret;
  readonly emit: (event: RunEvent) => void;
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
}

/**
 * Applies a plan. One that was saved, or that whoever was asked about took long to approve, must find each record as it
 * was, else that is named in `stale` and nothing is sent, unless `skipStale` says so; what the service shows as carried out
 * is done. Throws `guard-refused`, `secret-missing`, `file-failed`, `interrupted` and what the service throws to the
 * looking, before anything is sent; after that every failure is in the result.
 */
export async function applyPlan(run: Run): Promise<Applied> {
  const { plan, isSaved, clock, skipStale, emit } = run;
  const begunAt = clock.monotonic();
  if (!isSaved) refuseByGuards(plan.guards);
  const age = clock.now() - Date.parse(plan.created_at);
  const isFresh = !isSaved && age >= 0 && age <= FRESH_MS;
  const found = isFresh ? undefined : await check(run);
  if (found !== undefined && found.stale.size > 0 && !skipStale) {
    const result = resultOf(plan, nothingOf(plan, found), UNVERIFIED, found, ended(run, null, begunAt));
    emit({ type: 'run_ended', result });
    return { result, keyRefused: false, stale: [...found.stale.values()], done: [] };
  }
  return carryOut(run, found, begunAt);
}

function check({ plan, ...run }: Run): Promise<Check> {
  const items = plan.changes.map((change, index) => ({ change, index }));
  return checkChanges(items, plan, { ...run, listRequests: listRequestsOf(plan) });
}

function nothingOf({ changes }: Plan, { done, stale }: Check) {
  return {
    ...{ done: [], found: 0, failures: [], notes: [] },
    notAttempted: changes.filter((_, index) => !done.has(index)),
    stopped: `${staleReason(stale.size)}, so nothing was sent`,
  };
}

function ended({ signal, requests, clock, where }: Run, run: string | null, begunAt: number) {
  const seconds = (clock.monotonic() - begunAt) / 1000;
  return { run, interrupted: signal.aborted, requests: requests(), seconds, where };
}

async function carryOut(run: Run, found: Check | undefined, begunAt: number): Promise<Applied> {
  const { plan, clock, emit, runsFolder } = run;
  const startedAt = clock.now();
  const id = await nextRunId(runsFolder, startedAt);
  const open = plan.changes.filter((_, index) => !found?.done.has(index) && !found?.stale.has(index));
  const secrets = await resolveSecrets(open, run.resolveSecret);
  const opening = { ...run, run: id, at: formatInstant(startedAt) };
  const file = await openRunFile(
    runsFolder,
    found === undefined ? opening : { ...opening, settled: found.done },
  );
  try {
    const left = found === undefined ? {} : { left: countByAction(open) };
    emit({ type: 'run_started', run: id, changes: open.length, ...left });
    const loop = createLoop({ ...run, secrets, file, found, breaker: createBreaker(run) });
    const isEach = isReadBack(open.length, listRequestsOf(plan));
    if (isEach && !run.signal.aborted) await seeOneAlone(open, run.service);
    const { execution, verification } = await executeWithCanary(loop, run);
    const result = resultOf(plan, execution, verification, found, ended(run, id, begunAt));
    file.sideEffects(verification.sideEffects ?? []);
    plan.changes.forEach((change, index) => {
      const shown = verification.left?.get(change);
      if (shown !== undefined) file.end({ change, index }, { fate: 'done', ...shown });
    });
    const notes = [
      ...result.notes,
      ...pinNotes(execution, plan),
      ...doubtNotes(secrets),
      ...(await closeFile(file, result, countInDoubt(execution), clock.now())),
    ];
    emit({ type: 'run_ended', result: { ...result, notes } });
    return {
      result: { ...result, notes },
      keyRefused: execution.keyRefused || verification.keyRefused === true,
      stale: [...(found?.stale.values() ?? [])],
      done: execution.done.map(({ change }) => change),
    };
  } finally {
    await file.close();
  }
}

/** How things stand once some changes were carried out and verified. */
interface Standing {
  readonly execution: Execution;
  readonly verification: Verification;
}

/** The last verification is that of the run. */
async function executeWithCanary(loop: Loop, run: Run): Promise<Standing> {
  const canary = loop.tasks.slice(0, run.canary ?? 0);
  const others = loop.tasks.slice(canary.length);
  if (canary.length === 0 || others.length === 0) return execute(loop, loop.tasks, run);
  run.emit({ type: 'canary_started', changes: canary.length });
  const standing = await execute(loop, canary, run);
  const { execution, verification } = standing;
  const failed = execution.failures.length;
  const trouble = troubleOf(verification, run.maxFailures === undefined ? failed : 0);
  if (trouble === undefined) {
    run.emit({ type: 'canary_verified', done: execution.done.length, failed });
  } else if (!loop.isStopped()) {
    loop.stop({ cause: 'canary', reason: `stopped after the canary: ${trouble}` });
  }
  return loop.isStopped() ? { ...standing, execution: loop.sum() } : execute(loop, others, run);
}

async function execute(loop: Loop, tasks: readonly IndexedChange[], run: Run): Promise<Standing> {
  await loop.run(tasks);
  const execution = loop.sum();
  return { execution, verification: await verifyUnlessInVain(execution, run) };
}

/** Why the others must not follow, or `undefined` if they may. */
function troubleOf({ converged, residual, reason }: Verification, failed: number): string | undefined {
  if (failed > 0) return failed === 1 ? 'one change failed' : `${failed} changes failed`;
  if (converged === null) return `it cannot be verified${reason === undefined ? '' : ` (${reason})`}`;
  const open = new Set(residual.map(({ domain }) => domain)).size;
  if (open === 0) return undefined;
  return open === 1 ? 'one record is not as it was sent' : `${open} records are not as they were sent`;
}

/** Causes after which the service is not asked any more: it would not answer, or its answer could not be relied on. */
const IN_VAIN: ReadonlySet<string | undefined> = new Set(['interrupted', 'key-refused', 'lock-lost']);

async function verifyUnlessInVain(execution: Execution, run: Run): Promise<Verification> {
  const { done, failures, stop, names, keyRefused } = execution;
  // Nothing would be read, and that shows nothing.
  const isEmpty = done.length === 0 && failures.length > 0;
  if (keyRefused || isEmpty || IN_VAIN.has(stop?.cause)) return UNVERIFIED;
  const { plan } = run;
  return verify(done, { ...run, names, listRequests: listRequestsOf(plan) });
}

/** Records that show that the service keeps what updates leave out, before a pin is worth naming. */
const PIN_IS_WORTH = 20;

function pinNotes({ keeps, done }: Execution, { options }: Plan): readonly string[] {
  const updates = done.filter(({ change }) => change.action === 'update').length;
  if (!keeps || options.update !== 'auto' || updates < PIN_IS_WORTH) return [];
  return [
    'This service keeps what an update omits. "service.update: changed" in the file saves one request for each update.',
  ];
}

/** Writes the end down; a failure of that is a note, since all is done by then. */
async function closeFile(
  file: RunFile,
  { summary, stopped, converged }: Result,
  inDoubt: number,
  now: number,
): Promise<readonly string[]> {
  const finished = summary.not_attempted === 0;
  const doubt = inDoubt === 0 ? {} : { in_doubt: inDoubt };
  try {
    await file.close({ at: formatInstant(now), finished, stopped, converged, summary, ...doubt });
    return [];
  } catch (error) {
    if (error instanceof WebsitesError) return [error.message];
    throw error;
  }
}

/** Creates that were given up, and may be at work still. */
function countInDoubt({ failures }: Execution): number {
  return failures.filter(({ action, fate }) => action === 'create' && fate === 'unknown').length;
}
