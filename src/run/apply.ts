import { refuseByGuards } from '../planner/guards.ts';
import type { Run } from './change.ts';
import { type Applied, sentNothing } from './result.ts';

/**
 * Applies a plan. If it was saved, or its approval took long, each record is checked first: if one has changed, nothing
 * is sent, or with `skipStale` not this change. A change that its record already shows is done. Before anything is
 * sent, throws `guard-refused`, `secret-missing`, `file-failed`, `interrupted` and errors of the service; after that
 * every failure is in the result. A plan without changes is its own verification.
 */
export async function applyPlan(run: Run): Promise<Applied> {
  const { plan, begun, clock } = run;
  const begunAt = clock.monotonic();
  if (begun === undefined) refuseByGuards(plan.guards);
  if (plan.changes.length === 0) return sentNothing(run, { converged: true, residual: [] }, begunAt);
  // A plan without changes needs no engine.
  const { carryOut } = await import('./carry-out.ts');
  return carryOut(run, begunAt);
}
