/** Showing a plan to whoever decides, and asking. */
import { countBatches } from '../../apply/batches.ts';
import { listRequestsOf } from '../../apply/executor.ts';
import type { ExitCode, WebsitesError } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import { requestsOf } from '../../planner/changes.ts';
import { guardError } from '../../planner/guards.ts';
import { planHuman } from '../../render/plan/human.ts';
import type { Here } from '../../render/plan/secrets.ts';
import { costLine } from '../../render/progress.ts';
import { safe } from '../../render/sanitize.ts';
import type { RenderOptions } from '../../render/text.ts';
import { addressOf } from '../../sync/saved-plan.ts';
import { some } from '../../util/text.ts';
import type { FlagValues } from '../argv/flags.ts';
import type { APPROVAL_FLAGS, BATCH_FLAGS } from '../argv/shared-flags.ts';
import type { Io } from '../io/io.ts';
import { errOptions, showError } from '../io/output.ts';
import { reportPlan, type SurfaceFlags, showPlan } from '../io/plan-output.ts';
import { ask } from '../io/prompt.ts';

export type ApproveFlags = SurfaceFlags & BatchFlags & Partial<FlagValues<typeof APPROVAL_FLAGS>>;

/**
 * Shows the plan and asks. Returns what the command ends with where a guard blocks the plan, which is told then, else
 * nothing. Throws `approval-missing`.
 */
export async function approve(
  plan: Plan,
  flags: ApproveFlags,
  io: Io,
  here: Here = {},
): Promise<ExitCode | undefined> {
  // Its reports are those of the result.
  const shown = { ...flags, report: undefined };
  if (isPlanShown(flags)) await showPlan(plan, shown, io, here);
  else await reportPlan(plan, shown, io, here);
  const blocked = guardError(plan.guards);
  if (blocked !== undefined) return tellBlocked(blocked, flags, io);
  if (plan.changes.length > 0) {
    await askAbout([{ plan, io }], (options) => planHuman(plan, { ...options, ...here }), flags, io);
  }
  return undefined;
}

/**
 * Tells what blocks a plan, unless the plan that is shown names it already; returns the exit code. `format` is that of
 * the error.
 */
export function tellBlocked(
  error: WebsitesError,
  flags: ApproveFlags,
  io: Io,
  format = flags.format,
): ExitCode {
  if (!isPlanShown(flags)) return showError(error, { format, color: flags.color }, io);
  io.err('Nothing was applied.\n');
  return error.exit;
}

/** Whether a plan can come to be applied: it is approved, or there is somebody to ask. */
export function mayApply({ 'auto-approve': isApproved }: ApproveFlags, { canAsk }: Io): boolean {
  return isApproved === true || canAsk;
}

/** Whether standard output has the plans; what goes there in another format is the result's. */
export function isPlanShown({ format = 'human' }: Pick<SurfaceFlags, 'format'>): boolean {
  return format === 'human';
}

/** A plan, and where what it will cost is told. */
interface Planned {
  readonly plan: Plan;
  readonly io: Io;
}

/**
 * Tells what whoever is asked has to see, and asks once about all of `planned`: their texts, unless they are shown
 * already, and what each will cost, told to its own `io`. Throws `approval-missing` and `interrupted`.
 */
export async function askAbout(
  planned: readonly Planned[],
  text: (options: RenderOptions) => string,
  flags: ApproveFlags,
  io: Io,
): Promise<void> {
  const isShown = isPlanShown(flags);
  const isShownHere = io.canAsk && !isShown && !flags['auto-approve'];
  if (isShownHere) io.err(text(errOptions(flags, io)));
  for (const { plan, io: own } of planned) tellCost(costOf(plan, flags), own, isShown || isShownHere);
  if (!flags['auto-approve']) await ask(`Apply these changes to ${some(planned.map(serviceName))}?`, io);
}

/** The service, which a variable may name, as whoever is asked knows it. */
function serviceName({ plan }: Planned): string {
  const { target } = plan.service;
  const address = safe(addressOf(plan));
  return target === undefined ? address : `${target} (${address})`;
}

/** From more changes, or seconds, on, what applying costs is worth a line. */
const COSTLY = { changes: 100, seconds: 10 };

/** What carrying out changes takes. */
interface Cost {
  readonly changes: number;
  readonly requests: number;
  readonly batches: number;
  /** At the rate that the service names, without batches; `null` where it names none. */
  readonly seconds: number | null;
}

type BatchFlags = Partial<FlagValues<typeof BATCH_FLAGS>>;

/** What the changes of a plan take, save those that are `done`; each batch is verified by a list of its own. */
function costOf(
  { changes, cost, options }: Plan,
  { canary, 'batch-size': size }: BatchFlags,
  done = 0,
): Cost {
  const left = changes.length - done;
  const batches = countBatches(left, canary, size);
  const carryingOut = requestsOf(changes, options.update);
  const lists = Math.max(1, batches) * (cost.requests - carryingOut);
  return { changes: left, requests: carryingOut - done + lists, batches, seconds: cost.seconds };
}

/** The same of a plan of before: the records are looked at first. */
export function costOfEarlier(plan: Plan, flags: BatchFlags, done = 0): Cost {
  const cost = costOf(plan, flags, done);
  return { ...cost, requests: cost.requests + Math.min(cost.changes, listRequestsOf(plan)) };
}

/**
 * Tells what many changes will cost, at the rate of the requests so far. `isShown`: the plan itself was, with the
 * number of requests, and with the time where the service names its rate.
 */
export function tellCost(cost: Cost, io: Io, isShown: boolean): void {
  const { changes, requests, batches, seconds: named } = cost;
  // What a plan shows is the cost of one batch.
  const isTold = isShown && batches <= 1;
  if (io.progress === undefined || io.progress.isQuiet || (isTold && named !== null)) return;
  const seconds = io.progress.secondsFor(requests);
  if (changes <= COSTLY.changes && (seconds ?? 0) <= COSTLY.seconds) return;
  const line = costLine({ requests, batches }, seconds, isTold);
  if (line !== undefined) io.err(line);
}
