import { EXIT, type ExitCode } from '../../model/errors.ts';
import { runsCommand } from '../../model/next-command.ts';
import { isLater, type PastRun, sequelsOf } from '../../model/run-history.ts';
import { inBatches } from '../../report/chunks.ts';
import { runEvents, runHuman, runJson } from '../../report/run-record.ts';
import { noRunsHuman, type RunsContext, runsEvents, runsHuman, runsJson } from '../../report/runs.ts';
import { listRuns } from '../../run/file/list.ts';
import { readRun, recordOf } from '../../run/file/read.ts';
import { runsFolder } from '../../sync/state.ts';
import { systemClock } from '../../util/node/system-clock.ts';
import { usageError } from '../argv/flags.ts';
import { readPins } from '../files.ts';
import type { Io } from '../io/io.ts';
import { outOptions } from '../io/output.ts';
import type { Flags } from '../options.ts';

/** It is not asked for a key. */
const NOT_CHECKED = 'Seals not checked: "undo" checks them, with the API key.\n';

export default async function run(
  flags: Flags<'runs'>,
  io: Io,
  [run, ...rest]: readonly string[],
): Promise<ExitCode> {
  if (rest.length > 0) throw usageError('"websites runs" takes one run.', '"websites runs" lists them.');
  const { root, pins } = await readPins(flags, io, true);
  const folder = runsFolder(root);
  const context = { target: pins.target?.name, where: io.where, now: systemClock.now() };
  const runs = withFinishers(await listRuns(folder));
  if (run === undefined) io.out(listText(runs, folder, context, flags));
  else await showRun(run, runs, folder, context, flags, io);
  if (runs.length > 0) io.err(NOT_CHECKED);
  return EXIT.done;
}

/** Each run with the later one that did what it left: that finished its plan, or a whole plan of the same files. */
function withFinishers(runs: readonly PastRun[]): readonly PastRun[] {
  return runs.map((past) => {
    const finisher = past.finished ? undefined : runs.find((other) => finishes(other, past));
    return finisher === undefined ? past : { ...past, finished_by: finisher.run };
  });
}

function finishes(other: PastRun, past: PastRun): boolean {
  const isOfAll = other.selected !== true || other.plan === past.plan;
  const hasConverged = other.finished && other.closed?.converged === true;
  return isLater(other, past) && hasConverged && isOfAll && other.undoes === past.undoes;
}

function listText(
  runs: readonly PastRun[],
  folder: string,
  context: RunsContext,
  { format }: Flags<'runs'>,
): string {
  if (format === 'json') return runsJson(runs);
  if (format === 'ndjson') return runsEvents(runs);
  return runs.length === 0 ? noRunsHuman(folder) : runsHuman(runs, context);
}

/** Throws as readJournal does. */
async function showRun(
  run: string,
  runs: readonly PastRun[],
  folder: string,
  context: RunsContext,
  flags: Flags<'runs'>,
  io: Io,
): Promise<void> {
  const list = runsCommand({ service: { target: context.target } }, context.where);
  const record = recordOf(await readRun(folder, run, { seals: undefined, list }));
  const past = runs.find((one) => one.run === run) ?? record.past;
  const pieces = {
    human: () => runHuman({ ...record, past }, sequelsOf(runs).get(run), context, outOptions(io)),
    json: () => runJson({ ...record, past }),
    ndjson: () => runEvents({ ...record, past }),
  }[flags.format ?? 'human'];
  for (const text of inBatches(pieces())) io.out(text);
}
