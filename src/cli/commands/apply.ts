import type { ExitCode } from '../../model/errors.ts';
import { RESULT_FORMATS } from '../../report/formats.ts';
import { readPlan, surroundingsOf } from '../../sync/saved-plan.ts';
import { openSaved } from '../../sync/session.ts';
import { approve } from '../apply/approve.ts';
import { applyAndReport, RESULT_FORMAT_FLAG } from '../apply/run-and-report.ts';
import { type FlagValues, usageError, variableOf } from '../argv/flags.ts';
import { APPROVAL_FLAGS, CANARY_FLAGS, COMPARE_FLAGS, RESULT_REPORT_FLAGS } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import type { Io } from '../io/io.ts';
import { checkOutputs } from '../io/reports.ts';
import { openApply } from '../session/open-apply.ts';
import { allowed, checkTarget, rootOf, serviceSettings } from '../session/settings.ts';

const FLAGS = {
  ...COMPARE_FLAGS,
  ...APPROVAL_FLAGS,
  ...CANARY_FLAGS,
  'skip-stale': {
    type: 'boolean',
    approval: true,
    describe: 'Skip records that changed since the plan (exit 6)',
  },
  ...RESULT_REPORT_FLAGS,
  format: RESULT_FORMAT_FLAG,
} as const;

type ApplyFlags = FlagValues<typeof FLAGS>;

/** What a plan that is made already cannot be given any more. */
const PLANNING_FLAGS = [
  'file',
  'prune',
  'domain',
  'exclude',
  'group',
  'resend-passwords',
  'since',
  'only',
  'fail-on-drift',
] as const;

export default defineCommand({
  positional: '[PLAN-FILE]',
  completes: 'file',
  flags: FLAGS,
  examples: [
    ['websites apply', 'ask, apply and verify'],
    ['websites apply plan.json', 'apply exactly the saved plan'],
  ],
  async run(flags, io, [planFile, ...rest]) {
    if (rest.length > 0) {
      throw usageError('"websites apply" takes one plan file at most.', 'Pass YAML files with -f.');
    }
    if (planFile === undefined) return applyFiles(flags, io);
    const first = PLANNING_FLAGS.find((name) => flags[name] !== undefined);
    if (first !== undefined) {
      const isApproval = 'approval' in FLAGS[first];
      const name = isApproval ? `--${first}` : `--${first} (${variableOf(first)})`;
      throw usageError(`${name} cannot be used with a saved plan.`, 'Omit it, or plan again.');
    }
    return applyFile(planFile, flags, io);
  },
});

/** Plans, asks and applies. */
async function applyFiles(flags: ApplyFlags, io: Io): Promise<ExitCode> {
  if (flags['skip-stale']) {
    throw usageError('--skip-stale can only be used with a saved plan.', 'Omit it.');
  }
  const { session, here } = await openApply(flags, io);
  try {
    const blocked = await approve(session.plan, flags, io, here);
    if (blocked !== undefined) return blocked;
    return await applyAndReport(session, flags, io);
  } finally {
    await session.close();
  }
}

/** Applies a plan that was saved; the file is the approval (decision: "A saved plan is applied as approved"). */
async function applyFile(file: string, flags: ApplyFlags, io: Io): Promise<ExitCode> {
  checkOutputs(flags, [{ path: file }], RESULT_FORMATS, io);
  const saved = await readPlan(file, io);
  checkTarget(flags.target, saved.service.target);
  const found = await surroundingsOf(saved, file, flags['allow-path'] ?? [], io);
  const around = { ...found, root: rootOf(flags, found, io) };
  const opening = { settings: serviceSettings(flags, around, io), tell: io.err };
  const session = await openSaved(saved, around, allowed(flags), opening);
  try {
    return await applyAndReport(session, flags, io);
  } finally {
    await session.close();
  }
}
