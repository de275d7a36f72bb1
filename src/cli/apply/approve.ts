/** Showing a plan to whoever decides, and asking. */
import type { ExitCode, WebsitesError } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import { guardError } from '../../planner/guards.ts';
import { planHuman } from '../../render/plan/human.ts';
import type { Here } from '../../render/plan/secrets.ts';
import { safe } from '../../render/sanitize.ts';
import type { RenderOptions } from '../../render/text.ts';
import { addressOf } from '../../sync/saved-plan.ts';
import { some } from '../../util/text.ts';
import type { FlagValues } from '../argv/flags.ts';
import type { APPROVAL_FLAGS } from '../argv/shared-flags.ts';
import type { Io } from '../io/io.ts';
import { errOptions, showError } from '../io/output.ts';
import { reportPlan, type SurfaceFlags, showPlan } from '../io/plan-output.ts';
import { ask } from '../io/prompt.ts';

export type ApproveFlags = SurfaceFlags & Partial<FlagValues<typeof APPROVAL_FLAGS>>;

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
    await askAbout([plan], (options) => planHuman(plan, { ...options, ...here }), flags, io);
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

/**
 * Asks once about all `plans`, and prints their `text` first, unless they are shown already. Throws `approval-missing` and
 * `interrupted`.
 */
export async function askAbout(
  plans: readonly Plan[],
  text: (options: RenderOptions) => string,
  flags: ApproveFlags,
  io: Io,
): Promise<void> {
  if (flags['auto-approve']) return;
  if (io.canAsk && !isPlanShown(flags)) io.err(text(errOptions(flags, io)));
  await ask(`Apply these changes to ${some(plans.map(serviceName))}?`, io);
}

/** The service, which a variable may name, as whoever is asked knows it. */
function serviceName(plan: Plan): string {
  const { target } = plan.service;
  const address = safe(addressOf(plan));
  return target === undefined ? address : `${target} (${address})`;
}
