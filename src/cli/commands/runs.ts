import { runsCommand } from '../../model/next-command.ts';
import { isLater, type PastRun, sequelsOf } from '../../model/run.ts';
import { terminalPieces } from '../../report/media/terminal.ts';
import { runDocument, runEvents, runJson, runsDocument, runsEvents, runsJson } from '../../report/runs.ts';
import { listRuns, readRun } from '../../run/file/read.ts';
import { runsFolder } from '../../sync/state.ts';
import { systemClock } from '../../util/node/system-clock.ts';
import { readPins } from '../files.ts';
import { outOptions, print } from '../io/output.ts';
import type { Run } from '../options.ts';

export default (async (flags, io, [run]) => {
  const { root, pins } = await readPins(flags, io, true);
  const folder = runsFolder(root);
  const runs = withFinishers(await listRuns(folder));
  const list = runsCommand({ target: pins.target?.name }, io.where);
  const { format = 'human' } = flags;
  const texts = run === undefined ? listTexts(runs, folder) : await runTexts(run, runs, folder, list);
  print(format === 'human' ? terminalPieces(texts.human(), outOptions(io)) : texts[format](), io);
}) satisfies Run<'runs'>;

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

function listTexts(runs: readonly PastRun[], folder: string) {
  return {
    human: () => runsDocument(runs, folder, systemClock.now()),
    json: () => [runsJson(runs)],
    ndjson: () => [runsEvents(runs)],
  };
}

async function runTexts(run: string, runs: readonly PastRun[], folder: string, list: string) {
  const read = await readRun(folder, run, { seals: undefined, list });
  const record = { ...read, past: runs.find((one) => one.run === run) ?? read.past };
  return {
    human: () => runDocument(record, sequelsOf(runs).get(run), systemClock.now()),
    json: () => runJson(record),
    ndjson: () => runEvents(record),
  };
}
