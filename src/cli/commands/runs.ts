import { runsCommand } from '../../model/next-command.ts';
import { terminalPieces } from '../../report/media/terminal.ts';
import { runsTexts, runTexts } from '../../report/runs.ts';
import { listRuns, readRun } from '../../run/file/read.ts';
import { runsFolder } from '../../sync/state.ts';
import { systemClock } from '../../util/node/system-clock.ts';
import { loadIfAny } from '../files.ts';
import { outOptions, print } from '../io/output.ts';
import type { CommandMain } from '../options.ts';

export default (async (flags, io, [run]) => {
  const { root, pins } = await loadIfAny(flags, io, true);
  const folder = runsFolder(root);
  const runs = await listRuns(folder);
  const list = runsCommand({ target: pins.target?.name }, io.nextFlags);
  const { format = 'human' } = flags;
  const now = systemClock.now();
  const texts =
    run === undefined
      ? runsTexts(runs, folder, now)
      : runTexts(await readRun(folder, run, { seals: undefined, list }), runs, now);
  print(format === 'human' ? terminalPieces(texts.human(), outOptions(io)) : texts[format](), io);
}) satisfies CommandMain<'runs'>;
