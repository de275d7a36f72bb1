/** From what became of the changes to the result of a run. */
import { countByAction } from '../core/changes.ts';
import type { Plan } from '../core/plan.ts';
import { RESULT_FORMAT, type Result, resumeCommand, scopeFlags } from '../core/run.ts';
import type { Earlier, Execution } from './execute.ts';
import { subjectOf } from './tally.ts';
import type { Proof } from './verify.ts';

/** What a result says of its run beside the changes. */
type Run = Pick<Result, 'run' | 'interrupted' | 'requests' | 'seconds'>;

export function resultOf(
  plan: Plan,
  {
    done,
    failures,
    notAttempted,
    stopped,
    notes,
  }: Pick<Execution, 'done' | 'failures' | 'notAttempted' | 'stopped' | 'notes'>,
  proof: Proof,
  earlier: Earlier | undefined,
  run: Run,
): Result {
  const { undoes } = plan.options;
  const scope = scopeFlags(plan).trim();
  const counts = countByAction(done.map(({ change }) => change));
  return {
    format: RESULT_FORMAT,
    run: run.run,
    ...(undoes === undefined ? {} : { undoes }),
    ...(scope === '' ? {} : { scope }),
    summary: {
      created: counts.create,
      updated: counts.update,
      deleted: counts.delete,
      unchanged: plan.summary.unchanged + (earlier?.settled.size ?? 0),
      failed: failures.length,
      not_attempted: notAttempted.length,
    },
    failures,
    not_attempted: notAttempted.map(subjectOf),
    resume: run.run === null ? null : goOn(plan, notAttempted.length, earlier?.stale.size ?? 0),
    stopped: stopped ?? null,
    interrupted: run.interrupted,
    converged: proof.converged,
    residual: proof.residual,
    others: proof.others,
    ...(proof.partial === undefined ? {} : { partial: proof.partial }),
    notes: [
      ...notes,
      ...[...(earlier?.stale.values() ?? [])].map((stale) => stale.message),
      ...(proof.reason === undefined ? [] : [`There is no proof: ${proof.reason}`]),
    ],
    requests: run.requests,
    seconds: run.seconds,
  };
}

/** What goes on with `left` changes; null where each of them is stale, since only a new plan helps those. */
function goOn(plan: Plan, left: number, stale: number): string | null {
  if (left <= stale) return null;
  return `${resumeCommand(plan)}${stale === 0 ? '' : ' --skip-stale'}`;
}
