import { exitOf } from '../../model/errors.ts';
import { applyCommand, shellWord } from '../../model/next-command.ts';
import type { Plan } from '../../model/plan.ts';
import { refusals } from '../../planner/guards.ts';
import { PLAN_FORMATS, planJson } from '../../report/formats.ts';
import { missingError, resolveSecrets } from '../../run/values.ts';
import { planAt } from '../../sync/plan.ts';
import { publish, showPlan } from '../io/documents.ts';
import type { Io } from '../io/io.ts';
import { writeWhole } from '../io/write.ts';
import type { CommandMain } from '../options.ts';
import { prepare } from '../settings.ts';

export default (async (flags, io) => {
  const { planning, settings } = await prepare(flags, io);
  const plan = await planAt(settings, planning);
  if (flags.out !== undefined) await writeWhole(flags.out, planJson(plan), io.cwd);
  const { missing } = await resolveSecrets(plan.changes, planning.config.resolveSecret);
  const error = flags.requireSecrets ? missingError(missing) : undefined;
  // For --format json, the error replaces the plan on standard output.
  if (error !== undefined && flags.format === 'json')
    await publish(plan, PLAN_FORMATS, { report: flags.report, unset: missing }, io);
  else await showPlan(plan, flags, io, { unset: missing });
  if (flags.out !== undefined && !flags.quiet) io.err(savedText(flags.out, plan, io));
  if (error !== undefined) throw error;
  return exitOf({
    guard: refusals(plan.guards).length > 0,
    changes: flags.detailedExitcode && plan.changes.length > 0,
  });
}) satisfies CommandMain<'plan'>;

function savedText(out: string, { changes, guards, expires_at }: Plan, { nextFlags }: Io): string {
  const isReady = changes.length > 0 && refusals(guards).length === 0;
  const use = `: "${applyCommand(shellWord(out), nextFlags)}" applies exactly this plan, until ${expires_at}`;
  return `Saved to ${out}${isReady ? use : ''}.\n`;
}
