/** From what became of the changes to the result of a run. */

import { scopeFlags, type Where } from '../model/next-command.ts';
import type { Plan } from '../model/plan.ts';
import { RESULT_FORMAT, type Result } from '../model/run.ts';
import { countByAction } from '../planner/changes.ts';
import type { Proof } from './checks/verify.ts';
import type { Earlier, Execution } from './executor.ts';
import { subjectOf } from './run-recorder.ts';

/** What a result says of its run beside the changes. */
export interface Run extends Pick<Result, 'run' | 'interrupted' | 'requests' | 'seconds'> {
  readonly where: Where;
}

export function resultOf(
  plan: Plan,
  execution: Pick<Execution, 'done' | 'failures' | 'notAttempted' | 'stopped' | 'notes'> &
    Partial<Pick<Execution, 'restored' | 'sideEffects'>>,
  proof: Proof,
  earlier: Earlier | undefined,
  run: Run,
): Result {
  const { done, failures, notAttempted, stopped, notes } = execution;
  const { undoes } = plan.options;
  const scope = scopeFlags(plan, run.where).trim();
  const selection = run.where.selection.trim();
  const stale = new Set([...(earlier?.stale.keys() ?? [])].map((index) => plan.changes[index]));
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
      unchanged: unchangedIn(plan, earlier),
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
    converged: proof.converged,
    residual: proof.residual,
    others: proof.others,
    ...(proof.partial === undefined ? {} : { partial: proof.partial }),
    ...effectsIn(execution, proof),
    notes: [
      ...notes,
      ...[...(earlier?.stale.values() ?? [])].map((stale) => stale.message),
      ...(proof.reason === undefined ? [] : [`Could not verify: ${proof.reason}`]),
    ],
    requests: run.requests,
    seconds: run.seconds,
  };
}

function unchangedIn({ summary }: Plan, earlier: Earlier | undefined): number | null {
  return summary.unchanged === null ? null : summary.unchanged + (earlier?.settled.size ?? 0);
}

/** What became of settings that the run was not to change, as far as there is anything to say. */
function effectsIn(
  { restored = [], sideEffects = [] }: Partial<Pick<Execution, 'restored' | 'sideEffects'>>,
  { effects }: Proof,
): Pick<Result, 'restored' | 'side_effects' | 'changed_meanwhile' | 'unverified'> {
  const found = {
    restored,
    side_effects: [...sideEffects, ...(effects?.sideEffects ?? [])],
    changed_meanwhile: effects?.meanwhile ?? [],
    unverified: effects?.unverified ?? [],
  };
  return Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0));
}
