import { EXIT, type ExitCode } from '../../model/errors.ts';
import { runsCommand } from '../../model/next-command.ts';
import { isLater, type PastRun, sequelsOf } from '../../model/run-history.ts';
import { inBatches } from '../../report/chunks.ts';
import { terminalPieces } from '../../report/media/terminal.ts';
import { runDocument, runEvents, runJson, runsDocument, runsEvents, runsJson } from '../../report/runs.ts';
import { listRuns, readRun, recordOf } from '../../run/file/read.ts';
import { runsFolder } from '../../sync/state.ts';
import { systemClock } from '../../util/node/system-clock.ts';
import { readPins } from '../files.ts';
import type { Io } from '../io/io.ts';
import { outOptions } from '../io/output.ts';
import type { Flags } from '../options.ts';

export default async function run(flags: Flags<'runs'>, io: Io, [run]: readonly string[]): Promise<ExitCode> {
  const { root, pins } = await readPins(flags, io, true);
  const folder = runsFolder(root);
  const runs = withFinishers(await listRuns(folder));
  const list = runsCommand({ service: { target: pins.target?.name } }, io.where);
  const pieces = run === undefined ? listPieces(runs, folder) : await runPieces(run, runs, folder, list);
  for (const text of inBatches(pieces[flags.format ?? 'human'](io))) io.out(text);
  return EXIT.done;
}

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

type RunFormats = Readonly<Record<'human' | 'json' | 'ndjson', (io: Io) => Iterable<string>>>;

function listPieces(runs: readonly PastRun[], folder: string): RunFormats {
  return {
    human: (io) => terminalPieces(runsDocument(runs, folder, systemClock.now()), outOptions(io)),
    json: () => [runsJson(runs)],
    ndjson: () => [runsEvents(runs)],
  };
}

async function runPieces(
  run: string,
  runs: readonly PastRun[],
  folder: string,
  list: string,
): Promise<RunFormats> {
  const read = recordOf(await readRun(folder, run, { seals: undefined, list }));
  const record = { ...read, past: runs.find((one) => one.run === run) ?? read.past };
  const sequel = sequelsOf(runs).get(run);
  return {
    human: (io) => terminalPieces(runDocument(record, sequel, systemClock.now()), outOptions(io)),
    json: () => runJson(record),
    ndjson: () => runEvents(record),
  };
}
