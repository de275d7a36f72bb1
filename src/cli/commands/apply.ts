import { applyPlan, guardRefused } from '../../apply/apply.ts';
import { readJournal } from '../../apply/journal/recorded.ts';
import { lastUnfinished, listRuns, type RunInfo } from '../../apply/journal/runs.ts';
import { applySaved, resumeRun } from '../../apply/resume.ts';
import { type ExitCode, WebsitesError } from '../../core/errors.ts';
import { reapprove, refusals } from '../../core/guards.ts';
import { systemClock } from '../../sync/clock.ts';
import { outwaitKilledRun } from '../../sync/killed-run.ts';
import { withLock } from '../../sync/locked.ts';
import { planOnce } from '../../sync/plan.ts';
import { addressOf, checkBinding, readPlan, surroundingsOf } from '../../sync/saved-plan.ts';
import { runsFolder } from '../../sync/state.ts';
import { workAlone, workOfFiles } from '../../sync/work.ts';
import { approve } from '../approve.ts';
import { applyAndReport, RESULT_FORMAT_FLAG, reportNothing } from '../carry-out.ts';
import { type COMMON_FLAGS, defineCommand } from '../command.ts';
import { type FlagValues, usageError } from '../flags.ts';
import type { Io } from '../io.ts';
import { showWarnings } from '../output.ts';
import { allowed, connectSettings, load, loadEarlier, planOptions } from '../session.ts';
import {
  APPROVAL_FLAGS,
  FILE_FLAGS,
  PLAN_FLAGS,
  REPORT_FLAGS,
  SERVICE_FLAGS,
  SINCE_FLAGS,
} from '../shared-flags.ts';
import { readReports } from '../surfaces.ts';

const FLAGS = {
  ...FILE_FLAGS,
  ...SERVICE_FLAGS,
  ...PLAN_FLAGS,
  ...SINCE_FLAGS,
  ...REPORT_FLAGS,
  ...APPROVAL_FLAGS,
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
  'write-lock': {
    type: 'boolean',
    describe: 'Begin a websites.lock, by which changed passwords are noticed',
  },
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
] as const;

export default defineCommand({
  positional: '[PLAN-FILE]',
  flags: FLAGS,
  examples: [
    ['websites apply', 'shows the plan, asks, applies, proves'],
    ['websites apply --auto-approve', 'without the question, as in CI'],
    ['websites apply --prune --allow-deletes 40', 'with 40 deletes, which a guard would refuse'],
    ['websites apply plan.json', 'exactly the plan that was saved and reviewed'],
    ['websites apply --resume', 'after a run that was killed or interrupted'],
  ],
  async run(flags, io, [planFile, ...rest]) {
    if (rest.length > 0) throw usageError('"websites apply" takes one plan file at most.');
    if (planFile === undefined && !flags.resume) return applyFiles(flags, io);
    const named = PLANNING_FLAGS.filter(
      (name) => flags[name] !== undefined && !(flags.resume && name === 'file'),
    );
    if (named.length > 0) {
      throw usageError(
        `--${named[0]} has no effect on a plan that is made already.`,
        'Leave it out, or plan again.',
      );
    }
    if (planFile !== undefined && flags.resume) throw usageError('--resume takes no plan file.');
    return planFile === undefined ? resume(flags, io) : applyFile(planFile, flags, io);
  },
});

/** Plans, asks and applies. */
async function applyFiles(flags: Flags, io: Io): Promise<ExitCode> {
  readReports(flags.report);
  const config = await load(flags, io);
  showWarnings(config.warnings, io, flags);
  const options = planOptions(flags, config);
  const earlier = await loadEarlier(flags, io);
  return withLock(connectSettings(flags, config.service, config.root, io), async (connection, lock) => {
    await outwaitKilledRun(config.root, connection, io.err);
    const plan = await planOnce(config, connection, options, { earlier });
    await approve(plan, flags, io);
    if (plan.changes.length === 0) return reportNothing({ plan, connection }, flags, io);
    const work = workOfFiles(plan, config, options, connection, lock);
    return applyAndReport(work, flags, io, (apply) => applyPlan(plan, apply));
  });
}

/** Applies a plan that was saved; the file is the approval (design, Settled I). */
async function applyFile(file: string, flags: Flags, io: Io): Promise<ExitCode> {
  const plan = await readPlan(file, io);
  const around = await surroundingsOf(plan, flags['allow-path'] ?? [], io);
  const pins = { base_url: addressOf(plan), ...around.pins };
  return withLock(connectSettings(flags, pins, around.root, io), async (connection, lock) => {
    await checkBinding(plan, connection, around.secrets, systemClock.now());
    const refused = refusals(reapprove(plan.guards, plan.changes, allowed(flags)));
    if (refused.length > 0) throw guardRefused(refused);
    const runs = await listRuns(runsFolder(around.root));
    const before = runs.find((run) => run.plan === plan.digest);
    if (before !== undefined) throw appliedAlready(before);
    if (plan.changes.length === 0) return reportNothing({ plan, connection }, flags, io);
    const work = workAlone(plan, around, connection, lock);
    return applyAndReport(work, flags, io, (apply) => applySaved(plan, apply));
  });
}

function appliedAlready({ run, finished }: RunInfo): WebsitesError {
  return new WebsitesError('plan-stale', `The plan was applied already, by run ${run}.`, {
    remedy: finished
      ? 'Nothing was changed. Plan again.'
      : 'It did not come to its end: "websites apply --resume" goes on.',
  });
}

/** Goes on with the last run on this service that is not finished (design, Settled J). */
async function resume(flags: Flags, io: Io): Promise<ExitCode> {
  const config = await load(flags, io);
  return withLock(connectSettings(flags, config.service, config.root, io), async (connection, lock) => {
    const service = { base_url: connection.identity, key_fingerprint: connection.keyFingerprint };
    const info = await lastUnfinished(runsFolder(config.root), service);
    if (info === undefined) {
      throw new WebsitesError('run-missing', 'There is no unfinished run on this service.', {
        remedy: '"websites runs" lists the runs; "websites apply" plans anew.',
      });
    }
    const recorded = await readJournal(runsFolder(config.root), info.run);
    const work = workAlone(recorded.plan, config, connection, lock);
    return applyAndReport(work, flags, io, (apply) => resumeRun(recorded, apply));
  });
}
