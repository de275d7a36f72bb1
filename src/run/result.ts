/** From what became of the changes to the result of a run. */

import { scopeFlags, type Where } from '../model/next-command.ts';
import type { Plan } from '../model/plan.ts';
import { RESULT_FORMAT, type Result } from '../model/run.ts';
import { countByAction } from '../planner/changes.ts';
import type { Check } from './check.ts';
import type { Execution } from './loop.ts';
import { subjectOf } from './tally.ts';
import type { Verification } from './verify.ts';

/** What was found of a plan before it is carried out: by index, what is done already, and what must not be sent. */
export type Found = Pick<Check, 'done' | 'stale'>;

/** What a result says of its run beside the changes. */
export interface Run extends Pick<Result, 'run' | 'interrupted' | 'requests' | 'seconds'> {
  readonly where: Where;
}

export function resultOf(
  plan: Plan,
  execution: Pick<Execution, 'done' | 'found' | 'failures' | 'notAttempted' | 'stopped' | 'notes'> &
    Partial<Pick<Execution, 'restored' | 'sideEffects' | 'meanwhile'>>,
  verification: Verification,
  found: Found | undefined,
  run: Run,
): Result {
  const { done, failures, notAttempted, stopped, notes } = execution;
  const { undoes } = plan.options;
  const scope = scopeFlags(plan, run.where).trim();
  const selection = run.where.selection.trim();
  const stale = new Set([...(found?.stale.keys() ?? [])].map((index) => plan.changes[index]));
  const counts = countByAction(done.map(({ change }) => change));
  return {
    format: RESULT_FORMAT,
    run: run.run,
    ...(undoes === undefined ? {} : { undoes }),
    ...(scope === '' ? {} : { scope }),
    ...(selection === '' ? {} : { selection }),
    summary: {
      created: counts.create,
      updated: counts.update,
      deleted: counts.delete,
      unchanged:
        plan.summary.unchanged === null
          ? null
          : plan.summary.unchanged + execution.found + (found?.done.size ?? 0),
      failed: failures.length,
      not_attempted: notAttempted.length,
    },
    failures,
    not_attempted: notAttempted.map((change) => ({
      ...subjectOf(change),
      ...(stale.has(change) ? { stale: true } : {}),
    })),
    stopped: stopped ?? null,
    interrupted: run.interrupted,
    converged: verification.converged,
    residual: verification.residual,
    ...effectsIn(execution, verification),
    notes: [
      ...notes,
      ...[...(found?.stale.values() ?? [])].map((stale) => stale.message),
      ...(verification.reason === undefined ? [] : [`Could not verify: ${verification.reason}`]),
    ],
    requests: run.requests,
    seconds: run.seconds,
  };
}

/** What became of settings that the run was not to change, as far as there is anything to say. */
function effectsIn(
  { restored = [], sideEffects = [], meanwhile = [] }: Partial<Execution>,
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
