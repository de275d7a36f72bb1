/** What applying what the files say begins with. */
import { missingSecrets } from '../apply/values.ts';
import type { Config } from '../config/load.ts';
import { matcher } from '../core/domain.ts';
import type { Here } from '../render/plan/secrets.ts';
import { settleEarlierRuns } from '../sync/earlier-runs.ts';
import { openLocked } from '../sync/locked.ts';
import { planOnce } from '../sync/plan.ts';
import { type Work, workOfFiles } from '../sync/work.ts';
import { type ApproveFlags, mayApply } from './approve.ts';
import type { Io } from './io.ts';
import { type PrepareFlags, prepare } from './prepare.ts';

/** A plan that was just made from the files, and may be carried out until it is closed. */
export interface Opened {
  readonly config: Config;
  readonly work: Work;
  readonly here: Here;
  close(): Promise<void>;
}

/** Prepares, takes the lock, waits for what earlier runs left at work, and plans. Throws what any part of it throws. */
export async function openWork(flags: PrepareFlags & ApproveFlags, io: Io): Promise<Opened> {
  const { config, options, earlier, settings } = await prepare(flags, io);
  const { shard } = options;
  const { connection, lock, close } = await openLocked(settings, shard);
  try {
    const isIgnored = matcher(config.desired.ignore);
    const onlyLooks = !mayApply(flags, io);
    await settleEarlierRuns(config.root, connection, io.err, { shard, onlyLooks, isIgnored });
    const plan = await planOnce(config, connection, options, { earlier, toSave: true });
    const here = { unset: await missingSecrets(plan.changes, config.secrets.resolve) };
    return { config, here, work: workOfFiles(plan, config, options, connection, lock), close };
  } catch (error) {
    await close();
    throw error;
  }
}
