import { runsCommand } from '../../model/next-command.ts';
import { isLater, type PastRun, sequelsOf } from '../../model/run.ts';
import { terminalPieces } from '../../report/media/terminal.ts';
import { runsTexts, runTexts } from '../../report/runs.ts';
import { listRuns, readRun } from '../../run/file/read.ts';
import { runsFolder } from '../../sync/state.ts';
import { systemClock } from '../../util/node/system-clock.ts';
import { loadIfAny } from '../files.ts';
import { outOptions, print } from '../io/output.ts';
import type { Run } from '../options.ts';

export default (async (flags, io, [run]) => {
  const { root, pins } = await loadIfAny(flags, io, true);
  const folder = runsFolder(root);
  const runs = withFinishers(await listRuns(folder));
  const list = runsCommand({ target: pins.target?.name }, io.where);
  const { format = 'human' } = flags;
  const now = systemClock.now();
  const textsOf = async (id: string) => {
    const read = await readRun(folder, id, { seals: undefined, list });
    const past = runs.find((one) => one.run === id) ?? read.past;
    return runTexts({ ...read, past }, sequelsOf(runs).get(id), now);
  };
  const texts = run === undefined ? runsTexts(runs, folder, now) : await textsOf(run);
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
