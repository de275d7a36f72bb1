/** Showing a plan to whoever decides, and asking. */
import type { ExitCode } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import { guardError } from '../../planner/guards.ts';
import { planHuman } from '../../report/plan/human.ts';
import type { Here } from '../../report/plan/secrets.ts';
import { safe } from '../../report/sanitize.ts';
import { addressOf } from '../../sync/saved-plan.ts';
import type { Io } from '../io/io.ts';
import { errOptions, showError } from '../io/output.ts';
import { reportPlan, type SurfaceFlags, showPlan } from '../io/plan-output.ts';
import { ask } from '../io/prompt.ts';
import type { Flags } from '../options.ts';

export type ApproveFlags = SurfaceFlags & Partial<Pick<Flags<'apply'>, 'auto-approve'>>;

/**
 * Shows the plan and asks. Returns what the command ends with where a guard blocks the plan, which is told then, else
 * nothing. Throws `approval-missing` and `interrupted`.
 */
export async function approve(
  plan: Plan,
  flags: ApproveFlags,
  io: Io,
  here: Here = {},
): Promise<ExitCode | undefined> {
  // Its reports are those of the result.
  const shown = { ...flags, report: undefined };
  // Standard output in another format is the result's.
  const isShown = (flags.format ?? 'human') === 'human';
  if (isShown) await showPlan(plan, shown, io, here);
  else await reportPlan(plan, shown, io, here);
  const blocked = guardError(plan.guards);
  if (blocked !== undefined) {
    // The plan that is shown names what blocks it.
    if (!isShown) return showError(blocked, { format: flags.format }, io);
    io.err('Nothing was applied.\n');
    return blocked.exit;
  }
  if (plan.changes.length === 0 || flags['auto-approve']) return undefined;
  if (io.canAsk && !isShown) io.err(planHuman(plan, { ...errOptions(io), ...here }));
  await ask(`Apply these changes to ${serviceName(plan)}?`, io);
  return undefined;
}

/** Whether a plan can come to be applied: it is approved, or there is somebody to ask. */
export function mayApply({ 'auto-approve': isApproved }: ApproveFlags, { canAsk }: Io): boolean {
  return isApproved === true || canAsk;
}

/** The service, which a variable may name, as whoever is asked knows it. */
function serviceName(plan: Plan): string {
  const { target } = plan.service;
  const address = safe(addressOf(plan));
  return target === undefined ? address : `${target} (${address})`;
}
