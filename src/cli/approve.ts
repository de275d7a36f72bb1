/** Showing a plan to whoever decides, and asking. */
import { guardRefused } from '../apply/apply.ts';
import { refusals } from '../core/guards.ts';
import type { Plan } from '../core/plan.ts';
import { planHuman } from '../render/plan/human.ts';
import { costLine } from '../render/progress.ts';
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
  if (plan.changes.length === 0) return;
  const isShownHere = io.canAsk && !isHuman && !flags['auto-approve'];
  if (isShownHere) io.err(planHuman(plan, errOptions(io, flags)));
  tellCost(plan, io, isHuman || isShownHere);
  if (!flags['auto-approve']) await ask('Apply these changes?', io);
}

/** From more changes, or seconds, on, what applying costs is worth a line. */
const COSTLY = { changes: 100, seconds: 10 };

/**
 * Tells what a large plan will cost, at the rate of the requests so far. `isShown`: the plan itself was, with the
 * number of requests, and with the time where the service names its rate.
 */
export function tellCost({ changes, cost }: Plan, io: Io, isShown: boolean): void {
  if (io.progress === undefined || io.progress.isQuiet || (isShown && cost.seconds !== null)) return;
  const seconds = io.progress.secondsFor(cost.requests);
  if (changes.length <= COSTLY.changes && (seconds ?? 0) <= COSTLY.seconds) return;
  const line = costLine(cost.requests, seconds, isShown);
  if (line !== undefined) io.err(line);
}
