import { EXIT, type ExitCode } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import { withConnection } from '../../sync/connect.ts';
import { planOnce } from '../../sync/plan.ts';
import { lookedAt } from '../../sync/reconcile-pass.ts';
import { COMPARE_FLAGS } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import { PLAN_FORMAT_FLAG, showPlan, writePlanReports } from '../io/plan-output.ts';
import { prepare } from '../session/prepare.ts';

export default defineCommand({
  flags: { ...COMPARE_FLAGS, format: PLAN_FORMAT_FLAG },
  examples: [
    ['websites drift', 'exit 2 and show the differences, or print nothing'],
    ['websites drift --format markdown', 'show drift as Markdown, for a scheduled job'],
  ],
  async run(flags, io) {
    if (flags['all-targets']) {
      const { planAll } = await import('./plan-all-targets.ts');
      return planAll(flags, io, exitOf, isWorthTelling);
    }
    const { config, options, extras, settings } = await prepare(flags, io);
    return withConnection(settings, async (connection) => {
      const plan = await planOnce(config, connection, options, extras);
      // A person is told of differences only; a program gets its document either way.
      if (isWorthTelling(plan) || (flags.format ?? 'human') !== 'human') await showPlan(plan, flags, io);
      else await writePlanReports(plan, flags, io);
      return exitOf(plan);
    });
  },
});

function isWorthTelling(plan: Plan): boolean {
  return lookedAt(plan) !== 'converged';
}

const EXITS = { drift: EXIT.changes, refused: EXIT.guard, converged: EXIT.done };

function exitOf(plan: Plan): ExitCode {
  return EXITS[lookedAt(plan)];
}
