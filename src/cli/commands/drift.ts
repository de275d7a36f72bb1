import { EXIT, type ExitCode } from '../../core/errors.ts';
import type { Plan } from '../../core/plan.ts';
import { connect } from '../../sync/connect.ts';
import { planOnce } from '../../sync/plan.ts';
import { defineCommand } from '../command.ts';
import { lookedAt } from '../looked-at.ts';
import { showWarnings } from '../output.ts';
import { connectSettings, load, loadEarlier, planOptions } from '../session.ts';
import {
  FILE_FLAGS,
  FOLLOW_FLAGS,
  PLAN_FLAGS,
  REPORT_FLAGS,
  SERVICE_FLAGS,
  SINCE_FLAGS,
  TARGET_FLAGS,
} from '../shared-flags.ts';
import { checkOutputs, PLAN_FORMAT_FLAG, showPlan } from '../surfaces.ts';

export default defineCommand({
  flags: {
    ...FILE_FLAGS,
    ...SERVICE_FLAGS,
    ...FOLLOW_FLAGS,
    ...PLAN_FLAGS,
    ...SINCE_FLAGS,
    ...TARGET_FLAGS,
    ...REPORT_FLAGS,
    format: PLAN_FORMAT_FLAG,
  },
  examples: [
    ['websites drift', 'exit 2 and the differences when the service is not as the files say, else quiet'],
    ['websites drift --format markdown', 'for a scheduled job that opens an issue'],
  ],
  async run(flags, io) {
    if (flags['all-targets']) {
      const { planAll } = await import('../targets/plan-all.ts');
      return planAll(flags, io, exitOf, isWorthTelling);
    }
    const config = await load(flags, io);
    checkOutputs(flags, config.files, io);
    showWarnings(config.warnings, io, flags);
    const options = planOptions(flags, config);
    const earlier = await loadEarlier(flags, io);
    const connection = await connect(connectSettings(flags, config.service, config.root, io));
    try {
      const plan = await planOnce(config, connection, options, { earlier });
      // A person is told of differences only; a program gets its document either way.
      if (isWorthTelling(plan) || (flags.format ?? 'human') !== 'human') await showPlan(plan, flags, io);
      return exitOf(plan);
    } finally {
      await connection.close();
    }
  },
});

function isWorthTelling(plan: Plan): boolean {
  return lookedAt(plan) !== 'converged';
}

const EXITS = { drift: EXIT.changes, refused: EXIT.guard, converged: EXIT.done };

function exitOf(plan: Plan): ExitCode {
  return EXITS[lookedAt(plan)];
}
