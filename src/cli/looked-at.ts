/** What a plan comes to that is only looked at. */
import { refusals } from '../core/guards.ts';
import type { Plan } from '../core/plan.ts';

/** Where a guard refuses a plan without changes, it is not known that there is nothing to change. */
export function lookedAt({ changes, guards }: Plan): 'drift' | 'refused' | 'converged' {
  if (changes.length > 0) return 'drift';
  return refusals(guards).length > 0 ? 'refused' : 'converged';
}
