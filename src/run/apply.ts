import { refuseByGuards } from '../planner/guards.ts';
import type { Run } from './change.ts';
import { type Applied, sentNothing } from './result.ts';

/**
 * If the plan was saved, or its approval took long, checks each record first. If a record has changed since,
 * sends nothing; `skipStale` skips only that change. A change that the record already shows counts as done.
 * Throws only before anything is sent: later failures are in the result. A plan without changes
 * counts as verified.
 */
export async function applyPlan(run: Run): Promise<Applied> {
  const { plan, begun, clock } = run;
  const begunAt = clock.monotonic();
  if (begun === undefined) refuseByGuards(plan.guards);
  if (plan.changes.length === 0) return sentNothing(run, { converged: true, residual: [] }, begunAt);
  // Loaded on demand: a plan without changes does not need this code.
  const { carryOut } = await import('./carry-out.ts');
  return carryOut(run, begunAt);
}
