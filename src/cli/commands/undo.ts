import type { Applied } from '../../apply/apply.ts';
import { listRuns } from '../../apply/journal/runs.ts';
import { applyMade } from '../../apply/resume.ts';
import { missingSecrets } from '../../apply/values.ts';
import { matcher } from '../../core/domain.ts';
import { EXIT, worstExit } from '../../core/errors.ts';
import type { Shard } from '../../core/shard.ts';
import { settleEarlierRuns } from '../../sync/earlier-runs.ts';
import { withLock } from '../../sync/locked.ts';
import { runsFolder } from '../../sync/state.ts';
import { findUndone, planUndo } from '../../sync/undo.ts';
import { workAlone } from '../../sync/work.ts';
import { approve, mayApply } from '../approve.ts';
import { applyAndReport, RESULT_FORMAT_FLAG, reportNothing } from '../carry-out.ts';
import { type COMMON_FLAGS, defineCommand } from '../command.ts';
import { type FlagValues, usageError } from '../flags.ts';
import { nothingRead } from '../output.ts';
import { allowed, checkShard, connectSettings, load } from '../settings.ts';
import {
  APPROVAL_FLAGS,
  BATCH_FLAGS,
  FILE_FLAGS,
  FOLLOW_FLAGS,
  PLAN_FLAGS,
  REPORT_FLAGS,
  SERVICE_FLAGS,
} from '../shared-flags.ts';
import { checkPlanOutputs } from '../surfaces.ts';

const FLAGS = {
  ...FILE_FLAGS,
  ...SERVICE_FLAGS,
  ...FOLLOW_FLAGS,
  ...REPORT_FLAGS,
  ...APPROVAL_FLAGS,
  ...BATCH_FLAGS,
  shard: PLAN_FLAGS.shard,
  'allow-deletes': PLAN_FLAGS['allow-deletes'],
  'allow-updates': PLAN_FLAGS['allow-updates'],
  'allow-unsealed': {
    type: 'boolean',
    approval: true,
    describe: 'Undo a run whose journal was not written with this API key',
  },
  format: RESULT_FORMAT_FLAG,
} as const;

type Flags = FlagValues<typeof FLAGS & typeof COMMON_FLAGS>;

export default defineCommand({
  positional: '[RUN]',
  flags: FLAGS,
  examples: [
    ['websites undo', 'takes the last run back that changed anything: shows the plan, asks, applies, proves'],
    ['websites undo 20260131T090000.000Z-1a2b3c', 'takes that run back; "websites runs" lists them'],
  ],
  async run(flags, io, [run, ...rest]) {
    if (rest.length > 0) throw usageError('"websites undo" takes one run.', '"websites runs" lists them.');
    const config = await load(flags, io);
    // Files that are missed may protect what the run created, or ignore it.
    if (config.unmatched.length > 0) throw nothingRead(config.unmatched);
    checkPlanOutputs(flags, config, io);
    const folder = runsFolder(config.root);
    const shard = run === undefined ? flags.shard : await shardOf(run, folder, flags);
    const settings = connectSettings(flags, config, io);
    return withLock(settings, shard, async (connection, lock) => {
      const isIgnored = matcher(config.desired.ignore);
      const onlyLooks = !mayApply(flags, io);
      await settleEarlierRuns(config.root, connection, io.err, { shard, onlyLooks, isIgnored });
      const isAnyTrusted = flags['allow-unsealed'];
      const undone = await findUndone(run, shard, folder, connection, io.err, isAnyTrusted);
      const { plan, skipped } = await planUndo(undone, config, connection, allowed(flags));
      const unset = await missingSecrets(plan.changes, config.secrets.resolve);
      await approve(plan, flags, io, { unset });
      // Whoever reads text or events has them with the plan.
      const notes = flags.format === 'json' ? plan.warnings : [];
      const code =
        plan.changes.length === 0
          ? await reportNothing({ plan, connection }, flags, io, { notes })
          : await applyAndReport(workAlone(plan, config, connection, lock), flags, io, async (apply) =>
              noted(await applyMade(plan, apply), notes),
            );
      return worstExit([code, ...(skipped > 0 ? [EXIT.stale] : [])]);
    });
  },
});

/** With what is left alone, and why, in the result. */
function noted({ result, ...applied }: Applied, notes: readonly string[]): Applied {
  return { ...applied, result: { ...result, notes: [...notes, ...result.notes] } };
}

/** The part that a run was on. Throws `usage` where `--shard` is given and is another one. */
async function shardOf(run: string, folder: string, flags: Flags): Promise<Shard | undefined> {
  const shard = (await listRuns(folder)).find((info) => info.run === run)?.shard;
  checkShard(flags.shard, shard, `Run ${run}`);
  return shard;
}
