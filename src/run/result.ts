import type { Change } from '../model/change.ts';
import { type ExitCode, exitOf } from '../model/errors.ts';
import { scopeFlags } from '../model/next-command.ts';
import { RESULT_FORMAT, type Result, type RunFact } from '../model/run.ts';
import { countByAction } from '../planner/changes.ts';
import { groupBy } from '../util/group-by.ts';
import type { Check } from './check.ts';
import { type RunContext, subjectOf } from './context.ts';
import type { Execution } from './loop.ts';
import type { Verification } from './verify.ts';

export interface Applied {
  readonly result: Result;
  readonly done: readonly Change[];
  /** The service rejected the API key during verification. */
  readonly keyRefused?: boolean | undefined;
}

export function exitOfApplied({ result, keyRefused }: Omit<Applied, 'done'>, isPartUndo = false): ExitCode {
  const { failed, not_attempted } = result.summary;
  const stale = result.not_attempted.filter((change) => change.stale).length;
  const isUnlike = result.converged !== true || result.side_effects !== undefined;
  const isPart = failed > 0 || not_attempted > stale || isUnlike;
  return exitOf({
    interrupted: result.interrupted,
    keyRefused: keyRefused || result.failures.some(isKeyRefused),
    stale: stale > 0,
    // If nothing was sent because of stale records, there is nothing to verify.
    incomplete: isPartUndo || (isPart && result.run !== null),
  });
}

export function sentNothing(run: RunContext, startMs: number, found: Check): Applied {
  const { plan } = run;
  const execution = {
    notAttempted: plan.changes
      .map((change, index) => ({ change, index }))
      .filter(({ index }) => !found.done.has(index)),
    stopped: found.stale.size > 0 ? run.factText({ code: 'stale', count: found.stale.size }) : null,
  };
  const verification = { converged: plan.changes.length === 0 || null, residual: [] };
  return { result: resultOf(run, { id: null, startMs, found, execution, verification }), done: [] };
}

export function isKeyRefused({ code }: Result['failures'][number]): boolean {
  return code === 'key-refused';
}

interface ResultParts {
  readonly id: string | null;
  readonly startMs: number;
  readonly found: Check;
  readonly execution: Partial<Execution>;
  readonly verification: Verification;
  readonly remarks?: readonly RunFact[];
}

export function resultOf(
  run: RunContext,
  { id, startMs, found, execution, verification, remarks = [] }: ResultParts,
): Result {
  const { plan, signal, clock, limiter, nextFlags, factText } = run;
  const { reason } = verification;
  const { done = [], failures = [], notAttempted = [], stopped = null } = execution;
  const counts = countByAction(done.map(({ change }) => change));
  const asBefore = (execution.found ?? 0) + found.done.size;
  const facts: readonly RunFact[] = [
    ...groupBy(done, ({ note }) => note && factText(note)).flatMap(([note, all]): RunFact[] =>
      note === undefined ? [] : [{ code: 'noted', note, domains: all.map(({ change }) => change.domain) }],
    ),
    ...found.stale.values(),
    ...(reason === undefined ? [] : [{ code: 'unverified', reason } as const]),
    ...remarks,
  ];
  const effects = {
    restored: execution.restored ?? [],
    side_effects: [...(execution.sideEffects ?? []), ...(verification.sideEffects ?? [])],
    changed_meanwhile: [...(execution.meanwhile ?? []), ...(verification.meanwhile ?? [])],
    unverified: verification.unverified ?? [],
  };
  return {
    format: RESULT_FORMAT,
    run: id,
    undoes: plan.options.undoes,
    scope: scopeFlags(plan.service, nextFlags).trim() || undefined,
    selection: nextFlags.selection.trim() || undefined,
    summary: {
      created: counts.create,
      updated: counts.update,
      deleted: counts.delete,
      unchanged: plan.summary.unchanged === null ? null : plan.summary.unchanged + asBefore,
      failed: failures.length,
      not_attempted: notAttempted.length,
    },
    failures,
    not_attempted: notAttempted.map(({ change, index }) => ({
      ...subjectOf(change),
      stale: found.stale.has(index) || undefined,
    })),
    stopped,
    interrupted: signal.aborted,
    converged: verification.converged,
    residual: verification.residual,
    ...Object.fromEntries(Object.entries(effects).filter(([, list]) => list.length > 0)),
    notes: [...(run.notes ?? []), ...facts.map((fact) => factText(fact))],
    requests: limiter().requests,
    seconds: (clock.monotonic() - startMs) / 1000,
  };
}
