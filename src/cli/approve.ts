/** Showing a plan to whoever decides, and asking. */
import { guardRefused } from '../apply/apply.ts';
import { refusals } from '../core/guards.ts';
import type { Plan } from '../core/plan.ts';
import { planHuman } from '../render/plan/human.ts';
import { ask } from './ask.ts';
import type { Io } from './io.ts';
import { errOptions } from './output.ts';
import { reportPlan, type SurfaceFlags, showPlan } from './surfaces.ts';

/** Returns once the plan may be applied. Throws `guard-refused` and `approval-missing`. */
export async function approve(
  plan: Plan,
  flags: SurfaceFlags & { readonly 'auto-approve'?: boolean | undefined },
  io: Io,
): Promise<void> {
  const isHuman = (flags.format ?? 'human') === 'human';
  // What else goes to standard output is the result's.
  if (isHuman) await showPlan(plan, flags, io);
  else await reportPlan(plan, flags, io);
  const refused = refusals(plan.guards);
  if (refused.length > 0) throw guardRefused(refused);
  if (plan.changes.length === 0 || flags['auto-approve']) return;
  if (io.canAsk && !isHuman) io.err(planHuman(plan, errOptions(io, flags)));
  await ask('Apply these changes?', io);
}
