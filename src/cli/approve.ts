/** Showing a plan to whoever decides, and asking. */
import { guardRefused } from '../apply/apply.ts';
import { listRequestsOf } from '../apply/execute.ts';
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
  tellCost(costOf(plan), io, isHuman || isShownHere);
  if (!flags['auto-approve']) await ask('Apply these changes?', io);
}

/** From more changes, or seconds, on, what applying costs is worth a line. */
const COSTLY = { changes: 100, seconds: 10 };

/** What carrying out changes takes. */
interface Cost {
  readonly changes: number;
  readonly requests: number;
  /** At the rate that the service names; `null` where it names none. */
  readonly seconds: number | null;
}

/** What the changes of a plan take. */
export function costOf({ changes, cost }: Plan): Cost {
  return { changes: changes.length, requests: cost.requests, seconds: cost.seconds };
}

/** The same of a plan of before, save changes that are `done`: the records of the others are looked at first. */
export function costOfEarlier(plan: Plan, done = 0): Cost {
  const changes = plan.changes.length - done;
  const looks = Math.min(changes, listRequestsOf(plan));
  return { changes, requests: plan.cost.requests - done + looks, seconds: plan.cost.seconds };
}

/**
 * Tells what many changes will cost, at the rate of the requests so far. `isShown`: the plan itself was, with the
 * number of requests, and with the time where the service names its rate.
 */
export function tellCost({ changes, requests, seconds: named }: Cost, io: Io, isShown: boolean): void {
  if (io.progress === undefined || io.progress.isQuiet || (isShown && named !== null)) return;
  const seconds = io.progress.secondsFor(requests);
  if (changes <= COSTLY.changes && (seconds ?? 0) <= COSTLY.seconds) return;
  const line = costLine(requests, seconds, isShown);
  if (line !== undefined) io.err(line);
}
