import { type ExitCode, exitOf } from '../../model/errors.ts';
import { applyCommand, shellWord } from '../../model/next-command.ts';
import type { Plan } from '../../model/plan.ts';
import { refusals } from '../../planner/guards.ts';
import { planJson } from '../../report/formats.ts';
import { missingError, missingSecrets } from '../../run/values.ts';
import { withConnection } from '../../sync/connect.ts';
import { planOnce } from '../../sync/plan.ts';
import { reportPlan, showPlan } from '../io/documents.ts';
import type { Io } from '../io/io.ts';
import { writeWhole } from '../io/write.ts';
import type { Flags } from '../options.ts';
import { milliseconds, prepare } from '../session.ts';

export default async function run(flags: Flags<'plan'>, io: Io): Promise<ExitCode> {
  const { planning, opening } = await prepare(flags, io);
  return withConnection(opening, async (connection) => {
    const plan = await planOnce({ ...planning, maxAgeMs: milliseconds(flags['max-age']) }, connection);
    if (flags.out !== undefined) await writeWhole(flags.out, planJson(plan), io.cwd);
    const missing = await missingSecrets(plan.changes, planning.config.secrets.resolve);
    const error = flags['require-secrets'] ? missingError(missing) : undefined;
    // A program gets the error instead of the plan.
    const show = error !== undefined && flags.format === 'json' ? reportPlan : showPlan;
    await show(plan, flags, io, { unset: missing });
    if (flags.out !== undefined && !flags.quiet) io.err(savedText(flags.out, plan, io));
    if (error !== undefined) throw error;
    return exitOf({
      guard: refusals(plan.guards).length > 0,
      changes: flags['detailed-exitcode'] && plan.changes.length > 0,
    });
  });
}

function savedText(out: string, { changes, guards, expires_at }: Plan, { where }: Io): string {
  const isReady = changes.length > 0 && refusals(guards).length === 0;
  const use = `: "${applyCommand(shellWord(out), where)}" applies exactly this plan, until ${expires_at}`;
  return `Saved to ${out}${isReady ? use : ''}.\n`;
}
