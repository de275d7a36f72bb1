import { carriedOut } from '../../apply/journal/recorded.ts';
import { applyMade, applySaved, resumeRun } from '../../apply/resume.ts';
import { matcher } from '../../core/domain.ts';
import type { ExitCode } from '../../core/errors.ts';
import { settleEarlierRuns } from '../../sync/earlier-runs.ts';
import { withLock } from '../../sync/locked.ts';
import { findResumable } from '../../sync/resumable.ts';
import { checkResumable, checkSaved, readPlan, surroundingsOf } from '../../sync/saved-plan.ts';
import { runsFolder } from '../../sync/state.ts';
import { workAlone } from '../../sync/work.ts';
import { approve, costOfEarlier, tellCost } from '../approve.ts';
import { applyAndReport, RESULT_FORMAT_FLAG, reportNothing, tellUnwatched } from '../carry-out.ts';
import { type COMMON_FLAGS, defineCommand } from '../command.ts';
import { type FlagValues, usageError, variableOf } from '../flags.ts';
import type { Io } from '../io.ts';
import { openWork } from '../open-work.ts';
import { allowed, checkShard, checkTarget, connectSettings, load, rootOf } from '../settings.ts';
import { APPROVAL_FLAGS, BATCH_FLAGS, COMPARE_FLAGS, WRITE_LOCK_FLAGS } from '../shared-flags.ts';

const FLAGS = {
  ...COMPARE_FLAGS,
  ...APPROVAL_FLAGS,
  ...BATCH_FLAGS,
  resume: {
    type: 'boolean',
    describe: 'Go on with the last run that did not come to its end',
    approval: true,
  },
  'skip-stale': {
    type: 'boolean',
    approval: true,
    describe: 'Leave records out that others changed meanwhile; exit 6',
  },
  ...WRITE_LOCK_FLAGS,
  format: RESULT_FORMAT_FLAG,
} as const;

type Flags = FlagValues<typeof FLAGS & typeof COMMON_FLAGS>;

/** What a plan that is made already cannot be given any more. */
const PLANNING_FLAGS = [
  'file',
  'prune',
  'target',
  'exclude',
  'deletes-first',
  'resend-passwords',
  'since',
  'only',
  'fail-on-drift',
  'all-targets',
  'report',
] as const;

/** What the guards of a run that goes on were told already. */
const GUARD_FLAGS = ['allow-empty', 'allow-deletes', 'allow-updates'] as const;

export default defineCommand({
  positional: '[PLAN-FILE]',
  flags: FLAGS,
  examples: [
    ['websites apply', 'shows the plan, asks, applies, proves'],
    ['websites apply --auto-approve', 'without the question, as in CI'],
    ['websites apply --prune --allow-deletes 40', 'with 40 deletes, which a guard would refuse'],
    ['websites apply --canary 5 --batch-size 500', 'five first, then the rest, each batch proved'],
    ['websites apply plan.json', 'exactly the plan that was saved and reviewed'],
    ['websites apply --resume', 'after a run that was killed or interrupted'],
  ],
  async run(flags, io, [planFile, ...rest]) {
    if (rest.length > 0) {
      throw usageError('"websites apply" takes one plan file at most.', 'YAML files are named with -f.');
    }
    if (planFile === undefined && !flags.resume) return applyFiles(flags, io);
    const idle = flags.resume ? [...PLANNING_FLAGS, ...GUARD_FLAGS] : PLANNING_FLAGS;
    const first = idle.find((name) => flags[name] !== undefined && !(flags.resume && name === 'file'));
    if (first !== undefined) {
      const isApproval = 'approval' in FLAGS[first];
      const name = isApproval ? `--${first}` : `--${first} (${variableOf(first)})`;
      throw usageError(
        `${name} has no effect on a plan that is made already.`,
        'Leave it out, or plan again.',
      );
    }
    if (planFile !== undefined && flags.resume) {
      throw usageError('--resume takes no plan file.', 'Leave one of the two out.');
    }
    return planFile === undefined ? resume(flags, io) : applyFile(planFile, flags, io);
  },
});

/** Plans, asks and applies. */
async function applyFiles(flags: Flags, io: Io): Promise<ExitCode> {
  if (flags['skip-stale']) {
    throw usageError(
      '--skip-stale has no effect on a plan that is made now.',
      'It is for a saved plan, and for --resume.',
    );
  }
  if (flags['all-targets']) return (await import('../targets/apply-all.ts')).applyAll(flags, io);
  const { config, work, here, close } = await openWork(flags, io);
  const { plan, connection } = work;
  try {
    await approve(plan, flags, io, here);
    const exit =
      plan.changes.length === 0
        ? await reportNothing(work, flags, io)
        : await applyAndReport(work, flags, io, (apply) => applyMade(plan, apply));
    await tellUnwatched(config, connection, flags, io);
    return exit;
  } finally {
    await close();
  }
}

/** Applies a plan that was saved; the file is the approval (design, Settled I). */
async function applyFile(file: string, flags: Flags, io: Io): Promise<ExitCode> {
  const plan = await readPlan(file, io);
  checkShard(flags.shard, plan.options.shard, 'The plan');
  checkTarget(flags['target-name'], plan.service.target);
  const found = await surroundingsOf(plan, file, flags['allow-path'] ?? [], io);
  const around = { ...found, root: rootOf(flags, found, io) };
  const settings = connectSettings(flags, around, io);
  return withLock(settings, plan.options.shard, async (connection, lock) => {
    await checkSaved(plan, connection, around, allowed(flags));
    if (plan.changes.length === 0) {
      return reportNothing({ plan, connection }, flags, io, { isPlanShown: false });
    }
    const isIgnored = matcher(around.ignore);
    await settleEarlierRuns(around.root, connection, io.err, { shard: plan.options.shard, isIgnored });
    tellCost(costOfEarlier(plan, flags), io, false);
    const work = workAlone(plan, around, connection, lock);
    const allow = allowed(flags);
    return applyAndReport(work, flags, io, (apply) => applySaved(plan, { ...apply, allow }));
  });
}

/** Goes on with the last run on this service, and shard, that is not finished (design, Settled J). */
async function resume(flags: Flags, io: Io): Promise<ExitCode> {
  const config = await load(flags, io);
  const settings = connectSettings(flags, config, io);
  return withLock(settings, flags.shard, async (connection, lock) => {
    const recorded = await findResumable(runsFolder(config.root), connection, flags.shard);
    await checkResumable(recorded.plan, connection, config);
    const isIgnored = matcher(config.desired.ignore);
    await settleEarlierRuns(config.root, connection, io.err, {
      shard: flags.shard,
      resumed: recorded,
      isIgnored,
    });
    tellCost(costOfEarlier(recorded.plan, flags, carriedOut(recorded).size), io, false);
    const work = workAlone(recorded.plan, config, connection, lock);
    return applyAndReport(work, flags, io, (apply) =>
      resumeRun(recorded, { ...apply, waited: recorded.closed === undefined }),
    );
  });
}
