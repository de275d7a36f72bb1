import { carriedOut } from '../../journal/reader.ts';
import type { ExitCode } from '../../model/errors.ts';
import { RESULT_FORMATS } from '../../render/formats.ts';
import { readPlan, surroundingsOf } from '../../sync/saved-plan.ts';
import { openResumed, openSaved, type Session } from '../../sync/session.ts';
import { approve, costOfEarlier, tellCost } from '../apply/approve.ts';
import { applyAndReport, RESULT_FORMAT_FLAG } from '../apply/run-and-report.ts';
import { type FlagValues, usageError, variableOf } from '../argv/flags.ts';
import { APPROVAL_FLAGS, BATCH_FLAGS, COMPARE_FLAGS, RESULT_REPORT_FLAGS } from '../argv/shared-flags.ts';
import { type COMMON_FLAGS, defineCommand } from '../command.ts';
import type { Io } from '../io/io.ts';
import { checkOutputs } from '../io/reports.ts';
import { openApply } from '../session/open-apply.ts';
import { allowed, checkTarget, load, rootOf, serviceSettings } from '../session/settings.ts';

const FLAGS = {
  ...COMPARE_FLAGS,
  ...APPROVAL_FLAGS,
  ...BATCH_FLAGS,
  resume: {
    type: 'boolean',
    describe: 'Resume the last unfinished run',
    approval: true,
  },
  'skip-stale': {
    type: 'boolean',
    approval: true,
    describe: 'Skip records that changed since the plan (exit 6)',
  },
  ...RESULT_REPORT_FLAGS,
  format: RESULT_FORMAT_FLAG,
} as const;

type ApplyFlags = FlagValues<typeof FLAGS & typeof COMMON_FLAGS>;

/** What a plan that is made already cannot be given any more. */
const PLANNING_FLAGS = [
  'file',
  'prune',
  'domain',
  'exclude',
  'group',
  'deletes-first',
  'resend-passwords',
  'since',
  'only',
  'fail-on-drift',
  'all-targets',
] as const;

/** What the guards of a run that goes on were told already. */
const GUARD_FLAGS = ['allow-empty', 'allow-deletes', 'allow-updates'] as const;

export default defineCommand({
  positional: '[PLAN-FILE]',
  flags: FLAGS,
  examples: [
    ['websites apply', 'ask, apply and verify'],
    ['websites apply plan.json', 'apply exactly the saved plan'],
  ],
  async run(flags, io, [planFile, ...rest]) {
    if (rest.length > 0) {
      throw usageError('"websites apply" takes one plan file at most.', 'Pass YAML files with -f.');
    }
    if (planFile === undefined && !flags.resume) return applyFiles(flags, io);
    const idle = flags.resume ? [...PLANNING_FLAGS, ...GUARD_FLAGS] : PLANNING_FLAGS;
    const first = idle.find((name) => flags[name] !== undefined && !(flags.resume && name === 'file'));
    if (first !== undefined) {
      const isApproval = 'approval' in FLAGS[first];
      const name = isApproval ? `--${first}` : `--${first} (${variableOf(first)})`;
      throw usageError(`${name} cannot be used with a saved plan or --resume.`, 'Omit it, or plan again.');
    }
    if (planFile !== undefined && flags.resume) {
      throw usageError('--resume cannot be used with a plan file.', 'Remove one of them.');
    }
    return planFile === undefined ? resume(flags, io) : applyFile(planFile, flags, io);
  },
});

/** Plans, asks and applies. */
async function applyFiles(flags: ApplyFlags, io: Io): Promise<ExitCode> {
  if (flags['skip-stale']) {
    throw usageError('--skip-stale can only be used with a saved plan or --resume.', 'Omit it.');
  }
  if (flags['all-targets']) return (await import('../apply/all-targets.ts')).applyAll(flags, io);
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
  const plan = await readPlan(file, io);
  checkTarget(flags.target, plan.service.target);
  const found = await surroundingsOf(plan, file, flags['allow-path'] ?? [], io);
  const around = { ...found, root: rootOf(flags, found, io) };
  const opening = { settings: serviceSettings(flags, around, io), tell: io.err };
  const session = await openSaved(plan, around, allowed(flags), opening);
  try {
    return await carryOut(session, flags, io);
  } finally {
    await session.close();
  }
}

/** Goes on with the last run on this service that is not finished. */
async function resume(flags: ApplyFlags, io: Io): Promise<ExitCode> {
  const config = await load(flags, io);
  checkOutputs(flags, config.files, RESULT_FORMATS, io);
  const opening = { settings: serviceSettings(flags, config, io), tell: io.err };
  const session = await openResumed(config, opening);
  try {
    return await carryOut(session, flags, io);
  } finally {
    await session.close();
  }
}

/** Carries out a plan of before, and says first what that costs. */
function carryOut(session: Session, flags: ApplyFlags, io: Io): Promise<ExitCode> {
  const { plan, mode } = session;
  const done = mode.kind === 'resume' ? carriedOut(mode.recorded).size : 0;
  if (plan.changes.length > 0) tellCost(costOfEarlier(plan, flags, done), io, false);
  return applyAndReport(session, flags, io);
}
