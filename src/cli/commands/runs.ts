import { listRuns } from '../../journal/list-runs.ts';
import { EXIT, WebsitesError } from '../../model/errors.ts';
import { noRunsHuman, runsHuman, runsJson } from '../../render/runs.ts';
import { count } from '../../render/text.ts';
import { settleByHand } from '../../sync/owed.ts';
import { runsFolder } from '../../sync/state.ts';
import { usageError } from '../argv/flags.ts';
import { DOCUMENT_FORMAT_FLAG, FILE_FLAGS } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import { readPins } from '../session/pins.ts';

/** It is not asked for a key. */
const NOT_CHECKED = 'Seals not checked: "apply --resume" and "undo" do so, with the API key.\n';

export default defineCommand({
  positional: '[RUN]',
  flags: {
    ...FILE_FLAGS,
    settled: {
      type: 'boolean',
      describe: 'Confirm that you checked the records that RUN may have reset',
    },
    format: DOCUMENT_FORMAT_FLAG,
  },
  examples: [
    ['websites runs', 'list what was applied from this directory, newest last'],
    ['websites runs --format json', 'list runs as JSON'],
    ['websites runs 20260131T090000.000Z-1a2b3c --settled', 'stop the reminder about that run'],
  ],
  async run(flags, io, [run, ...rest]) {
    if (rest.length > 0) throw usageError('"websites runs" takes one run.', '"websites runs" lists them.');
    const { root, pins } = await readPins(flags, io, true);
    const folder = runsFolder(root);
    if (flags.settled) {
      if (run === undefined) throw usageError('--settled needs a run.', '"websites runs" lists them.');
      io.out(`Settled: ${count(await settleByHand(folder, run), 'record')} of run ${run}.\n`);
      return EXIT.done;
    }
    const all = await listRuns(folder);
    const runs = run === undefined ? all : all.filter((info) => info.run === run);
    if (run !== undefined && runs.length === 0) {
      throw new WebsitesError('run-missing', `Run ${JSON.stringify(run)} not found in ${folder}.`, {
        remedy: '"websites runs" lists the runs.',
      });
    }
    if (flags.format === 'json') io.out(runsJson(runs));
    else io.out(runs.length === 0 ? noRunsHuman(folder) : runsHuman(runs, pins.target?.name, io.where));
    if (runs.length > 0) io.err(NOT_CHECKED);
    return EXIT.done;
  },
});
