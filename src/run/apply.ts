import type { Change } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import { formatInstant } from '../model/instant.ts';
import type { MadeBy } from '../model/made-by.ts';
import { scopeFlags, type Where } from '../model/next-command.ts';
import type { Plan } from '../model/plan.ts';
import { RESULT_FORMAT, type Result, type RunEvent } from '../model/run.ts';
import type { Seals } from '../model/seal.ts';
import type { LimiterState, WebsiteService } from '../model/service.ts';
import { countByAction } from '../planner/changes.ts';
import { refuseByGuards } from '../planner/guards.ts';
import type { Clock } from '../util/clock.ts';
import { type Check, checkChanges, type Stale, staleReason } from './check.ts';
import { FRESH_MS } from './delete.ts';
import { type IndexedChange, nextRunId, openRunFile, type RunFile } from './file/write.ts';
import type { Lock } from './lock.ts';
import { createLoop, type Execution, type Loop, listRequestsOf } from './loop.ts';
import { isReadBack } from './records.ts';
import { type BreakerRule, subjectOf } from './tally.ts';
import { doubtNotes, type ResolveSecret, resolveSecrets } from './values.ts';
import { seeOneAlone, UNVERIFIED, type Verification, verify } from './verify.ts';

export interface Run extends BreakerRule {
  readonly plan: Plan;
  /** For a saved plan, whose records may have changed since: changes that its earlier runs may have sent, by index. */
  readonly begun?: ReadonlySet<number>;
  /** Skip changes whose records others changed, instead of stopping before anything is sent. */
  readonly skipStale?: boolean | undefined;
  /** Applies and verifies this number of changes first, and the rest only if these verify. At least 1. */
  readonly canary?: number | undefined;
  readonly service: WebsiteService;
  readonly lock: Lock;
  readonly parallelism: number;
  readonly requestTimeoutMs: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly runsFolder: string;
  readonly seals: Seals;
  readonly madeBy?: MadeBy | undefined;
  readonly resolveSecret: ResolveSecret;
  readonly emit: (event: RunEvent) => void;
  readonly limiter: () => Pick<LimiterState, 'requests'>;
  readonly where: Where;
  /** More for the result. */
  readonly notes?: readonly string[];
}

export interface Applied {
  readonly result: Result;
  readonly keyRefused: boolean;
  /** Not sent: others changed their records since the plan was made. */
  readonly stale: readonly Stale[];
  readonly done: readonly Change[];
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
  const age = clock.now() - Date.parse(plan.created_at);
  const isFresh = begun === undefined && age >= 0 && age <= FRESH_MS;
  const found = isFresh
    ? undefined
    : await checkChanges(plan, { ...run, begun: begun ?? new Set(), listRequests: listRequestsOf(plan) });
  return found !== undefined && found.stale.size > 0 && !skipStale
    ? sentNothing(run, UNVERIFIED, begunAt, found)
    : carryOut(run, found, begunAt);
}

function sentNothing(run: Run, verification: Verification, begunAt: number, found?: Check): Applied {
  const { plan, notes = [], emit } = run;
  const stale = [...(found?.stale.values() ?? [])];
  const execution = {
    ...{ done: [], found: 0, failures: [], notes },
    notAttempted: plan.changes.filter((_, index) => !found?.done.has(index)),
    stopped: stale.length === 0 ? undefined : `${staleReason(stale.length)}, so nothing was sent`,
  };
  const result = resultOf(plan, execution, verification, factsOf(run, null, begunAt, found));
  emit({ type: 'run_ended', result });
  return { result, keyRefused: false, stale, done: [] };
}

function factsOf(
  { signal, limiter, clock, where }: Run,
  run: string | null,
  begunAt: number,
  found: Check | undefined,
): Facts {
  const seconds = (clock.monotonic() - begunAt) / 1000;
  return { run, interrupted: signal.aborted, requests: limiter().requests, seconds, where, found };
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
    const loop = createLoop({ ...run, secrets, file, found });
    const isEach = isReadBack(open.length, listRequestsOf(plan));
    if (isEach && !run.signal.aborted) await seeOneAlone(open, run.service);
    const { execution, verification } = await executeWithCanary(loop, run);
    const result = resultOf(plan, execution, verification, factsOf(run, id, begunAt, found));
    file.sideEffects(verification.sideEffects ?? []);
    plan.changes.forEach((change, index) => {
      const shown = verification.left?.get(change);
      if (shown !== undefined) file.end({ change, index }, { outcome: 'done', ...shown });
    });
    const notes = [
      ...(run.notes ?? []),
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

interface Executed {
  readonly execution: Execution;
  readonly verification: Verification;
}

async function executeWithCanary(loop: Loop, run: Run): Promise<Executed> {
  const canary = loop.tasks.slice(0, run.canary ?? 0);
  const others = loop.tasks.slice(canary.length);
  if (canary.length === 0 || others.length === 0) return execute(loop, loop.tasks, run);
  run.emit({ type: 'canary_started', changes: canary.length });
  const executed = await execute(loop, canary, run);
  const { execution, verification } = executed;
  const failed = execution.failures.length;
  const trouble = troubleOf(verification, run.maxFailures === undefined ? failed : 0);
  if (trouble === undefined) {
    run.emit({ type: 'canary_verified', done: execution.done.length, failed });
  } else if (!loop.isStopped()) {
    loop.stop({ cause: 'canary', reason: `stopped after the canary: ${trouble}` });
  }
  return loop.isStopped() ? { ...executed, execution: loop.sum() } : execute(loop, others, run);
}

async function execute(loop: Loop, tasks: readonly IndexedChange[], run: Run): Promise<Executed> {
  await loop.run(tasks);
  const execution = loop.sum();
  return { execution, verification: await verifyUnlessInVain(execution, run) };
}

/** Returns why the rest must not follow; `undefined` if it may. */
function troubleOf({ converged, residual, reason }: Verification, failed: number): string | undefined {
  if (failed > 0) return failed === 1 ? 'one change failed' : `${failed} changes failed`;
  if (converged === null) return `it cannot be verified${reason === undefined ? '' : ` (${reason})`}`;
  const open = new Set(residual.map(({ domain }) => domain)).size;
  if (open === 0) return undefined;
  return open === 1 ? 'one record is not as it was sent' : `${open} records are not as they were sent`;
}

/** After these the service is not asked again: it would not respond, or its response would not be reliable. */
const IN_VAIN: ReadonlySet<string | undefined> = new Set(['interrupted', 'key-refused', 'lock-lost']);

async function verifyUnlessInVain(execution: Execution, run: Run): Promise<Verification> {
  const { done, failures, stop, names, keyRefused } = execution;
  // A verification that reads nothing shows nothing.
  const isEmpty = done.length === 0 && failures.length > 0;
  if (keyRefused || isEmpty || IN_VAIN.has(stop?.cause)) return UNVERIFIED;
  const { plan } = run;
  return verify(done, { ...run, names, listRequests: listRequestsOf(plan) });
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

function countInDoubt({ failures }: Execution): number {
  return failures.filter(({ action, outcome }) => action === 'create' && outcome === 'unknown').length;
}

type ExecutionSum = Pick<Execution, 'done' | 'found' | 'failures' | 'notAttempted' | 'stopped' | 'notes'> &
  Partial<Pick<Execution, 'restored' | 'sideEffects' | 'meanwhile'>>;

interface Facts extends Pick<Result, 'run' | 'interrupted' | 'requests' | 'seconds'> {
  readonly where: Where;
  readonly found?: Pick<Check, 'done' | 'stale'> | undefined;
}

function resultOf(
  plan: Plan,
  outcome: ExecutionSum,
  verification: Verification,
  { where, found, ...facts }: Facts,
): Result {
  const { done, failures, notAttempted, stopped, notes } = outcome;
  const { undoes } = plan.options;
  const [scope, selection] = [scopeFlags(plan, where).trim(), where.selection.trim()];
  const stale = [...(found?.stale ?? [])];
  const isStale = new Set(stale.map(([index]) => plan.changes[index]));
  const counts = countByAction(done.map(({ change }) => change));
  const isSame = outcome.found + (found?.done.size ?? 0);
  return {
    format: RESULT_FORMAT,
    run: facts.run,
    ...(undoes === undefined ? {} : { undoes }),
    ...(scope === '' ? {} : { scope }),
    ...(selection === '' ? {} : { selection }),
    summary: {
      created: counts.create,
      updated: counts.update,
      deleted: counts.delete,
      unchanged: plan.summary.unchanged === null ? null : plan.summary.unchanged + isSame,
      failed: failures.length,
      not_attempted: notAttempted.length,
    },
    failures,
    not_attempted: notAttempted.map((change) => ({
      ...subjectOf(change),
      ...(isStale.has(change) ? { stale: true } : {}),
    })),
    stopped: stopped ?? null,
    interrupted: facts.interrupted,
    converged: verification.converged,
    residual: verification.residual,
    ...effectsIn(outcome, verification),
    notes: [
      ...notes,
      ...stale.map(([, { message }]) => message),
      ...(verification.reason === undefined ? [] : [`Could not verify: ${verification.reason}`]),
    ],
    requests: facts.requests,
    seconds: facts.seconds,
  };
}

function effectsIn(
  { restored = [], sideEffects = [], meanwhile = [] }: ExecutionSum,
  verification: Verification,
): Pick<Result, 'restored' | 'side_effects' | 'changed_meanwhile' | 'unverified'> {
  const found = {
    restored,
    side_effects: [...sideEffects, ...(verification.sideEffects ?? [])],
    changed_meanwhile: [...meanwhile, ...(verification.meanwhile ?? [])],
    unverified: verification.unverified ?? [],
  };
  return Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0));
}
