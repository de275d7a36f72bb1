import { resolve } from 'node:path';
import type { Applied } from '../../apply/apply.ts';
import { doneBy } from '../../apply/done.ts';
import { type RecordedRun, readJournal } from '../../apply/journal/recorded.ts';
import { listRuns } from '../../apply/journal/runs.ts';
import { applyMade, mayBeSent } from '../../apply/resume.ts';
import { exists } from '../../config/disk.ts';
import { isStream } from '../../config/files.ts';
import type { Config } from '../../config/load.ts';
import { variableFor } from '../../config/named-service.ts';
import { EXIT, WebsitesError, worstExit } from '../../core/errors.ts';
import { ignoring } from '../../core/match.ts';
import { resumeCommand, runsCommand, scopeFlags } from '../../core/next-command.ts';
import type { Plan } from '../../core/plan.ts';
import { desiredOfPlan } from '../../core/plan-desired.ts';
import type { Done } from '../../core/run.ts';
import { isSameShard, ofShard, type Shard } from '../../core/shard.ts';
import { type Inverse, invert, makeInversePlan } from '../../core/undo.ts';
import type { Current } from '../../core/website.ts';
import type { Connection } from '../../sync/connect.ts';
import { outwaitEarlierRuns } from '../../sync/earlier-runs.ts';
import { withLock } from '../../sync/locked.ts';
import { contextOf, currentOf, filesOf, withLosses } from '../../sync/plan.ts';
import { runsFolder } from '../../sync/state.ts';
import { workAlone } from '../../sync/work.ts';
import { approve, mayApply } from '../approve.ts';
import { applyAndReport, RESULT_FORMAT_FLAG, reportNothing } from '../carry-out.ts';
import { type COMMON_FLAGS, defineCommand } from '../command.ts';
import { type FlagValues, usageError } from '../flags.ts';
import type { Io } from '../io.ts';
import { nothingRead } from '../output.ts';
import { allowed, checkShard, connectSettings, load } from '../session.ts';
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
    const settings = connectSettings(flags, config.service, config.root, io);
    return withLock(settings, shard, async (connection, lock) => {
      await outwaitEarlierRuns(config.root, connection, io.err, { shard, onlyLooks: !mayApply(flags, io) });
      const undone =
        run === undefined
          ? await lastThatChanged(folder, connection, shard, io)
          : await readRun(folder, run, io);
      await tellOfEarlier(undone.recorded, folder, io);
      await refuseMissed(undone.recorded, config, io);
      const { plan, skipped } = await inverseOf(undone, config, connection, flags);
      await approve(plan, flags, io);
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

/** Tells of a run that went on with another one: what that had done is taken back by itself. */
async function tellOfEarlier({ run, continues, plan }: RecordedRun, folder: string, io: Io): Promise<void> {
  if (!(await listRuns(folder)).some((info) => info.run === continues)) return;
  const undo = `"websites undo ${continues}${scopeFlags({ service: plan.service }, io.where)}"`;
  io.err(`Run ${run} went on with run ${continues}: ${undo} takes back what that had done.\n`);
}

/** Throws `usage` where a file that a run was made from is there, and was not read. */
async function refuseMissed({ run, plan }: RecordedRun, { files }: Config, { cwd }: Io): Promise<void> {
  const read = new Set(files.map(({ path }) => resolve(cwd, path)));
  for (const { path, bulk } of plan.config.files) {
    if (bulk || isStream(path) || read.has(resolve(cwd, path))) continue;
    if (!(await exists(resolve(cwd, path)))) continue;
    const remedy = 'Name it with -f: it may protect what the run created, or ignore it.';
    throw usageError(`Run ${run} was made from ${path} too.`, remedy);
  }
}

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

/** A run, and what it did. */
interface Undone {
  readonly recorded: RecordedRun;
  readonly done: readonly Done[];
}

/**
 * The last run on this service, and shard, that changed anything, finished or not. Throws `run-missing`, and
 * `outcome-unknown` where that may be one of which it is only known that it may have changed something.
 */
async function lastThatChanged(
  folder: string,
  { identity, target }: Connection,
  shard: Shard | undefined,
  io: Io,
): Promise<Undone> {
  const all = (await listRuns(folder)).filter((info) => info.service.base_url === identity);
  const runs = all.filter((info) => isSameShard(info.shard, shard));
  // How a run ended does not tell what it did: one that was killed has no end, and one may have found changes.
  for (const { run } of runs.reverse()) {
    const undone = await readRun(folder, run, io);
    if (undone.done.length > 0) return undone;
    const isSettled = runs.some(({ continues }) => continues === run);
    if (!isSettled && mayBeSent(undone.recorded).size > 0) throw notKnown(undone.recorded, io);
  }
  const about = { service: { target } };
  throw new WebsitesError(
    'run-missing',
    `There is no run${ofShard(shard, all)} here that changed anything on this service.`,
    {
      remedy: `"${runsCommand(about, io.where)}" lists the runs that there are; "websites undo RUN${scopeFlags(about, io.where)}" takes one back, whatever its shard.`,
    },
  );
}

/** A run with what it did. Throws `run-missing`. */
async function readRun(folder: string, run: string, io: Io): Promise<Undone> {
  const recorded = await readJournal(folder, run);
  warnOfDoubt(recorded, io);
  return { recorded, done: await doneBy(recorded, folder) };
}

async function inverseOf(
  { recorded, done }: Undone,
  config: Config,
  connection: Connection,
  flags: Flags,
): Promise<{ plan: Plan; skipped: number }> {
  const { desired, service } = config;
  const { base_url, target } = recorded.plan.service;
  if (base_url !== connection.identity) {
    throw usageError(
      `Run ${recorded.run} was on ${base_url}, and the service here is ${connection.identity}.`,
      `Say ${addressFlag(target)}${base_url.startsWith('local:') ? 'local' : base_url} where that is the service that you mean.`,
    );
  }
  const { since: _, only: __, fail_on_drift: ___, ...asked } = recorded.plan.options;
  // What the files settle by now holds for what they protect and ignore, too.
  const { www = asked.www, update = asked.update } = service;
  const options = {
    ...asked,
    ...(www === undefined ? {} : { www }),
    update,
    prune: false,
    target: [],
    exclude: [],
    resend_passwords: false,
    undoes: recorded.run,
    allow: allowed(flags),
  };
  const source = { file: `run ${recorded.run}`, line: 1, column: 1 };
  const invertOn = (current: Current): Inverse =>
    invert(done, current, source, ignoring(desired, current, options.www), options.www);
  const listed = await currentOf(desiredOfPlan(recorded.plan), options, connection);
  const current = await withLosses(invertOn(listed), listed, connection);
  const inverse = invertOn(current);
  // What is left of it is gone on with while they are the same: they may protect or ignore what it deletes.
  const context = contextOf(connection, filesOf(config));
  const plan = makeInversePlan(inverse, current, desired, options, context);
  return { plan, skipped: inverse.skipped.length };
}

/** What an address is said by; flags are not for targets. */
function addressFlag(target: string | undefined): string {
  return target === undefined ? '--base-url ' : `${variableFor('WEBSITES_BASE_URL', target)}=`;
}

function notKnown({ run, finished, plan }: RecordedRun, { where }: Io): WebsitesError {
  const flag = scopeFlags({ service: plan.service }, where);
  const settles = `"${resumeCommand(plan, where)}" settles that`;
  const shows = `"websites plan${flag}" shows what there is`;
  return new WebsitesError('outcome-unknown', `It is not known whether run ${run} changed anything.`, {
    remedy: `${finished ? shows : settles}; "websites undo RUN${flag}" takes another run back.`,
  });
}

/** Tells of changes of which it is not known whether the run, or one that it goes on with, made them. */
function warnOfDoubt(recorded: RecordedRun, io: Io): void {
  const count = mayBeSent(recorded).size;
  if (count === 0) return;
  const changes = count === 1 ? 'one change' : `${count} changes`;
  io.err(`Not taken back: ${changes} of run ${recorded.run}, whose outcome is not known.\n`);
}
