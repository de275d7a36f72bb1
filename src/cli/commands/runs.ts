import { listRuns } from '../../apply/journal/runs.ts';
import { EXIT } from '../../core/errors.ts';
import { noRunsHuman, runsHuman, runsJson } from '../../render/runs.ts';
import { runsFolder } from '../../sync/state.ts';
import { defineCommand } from '../command.ts';
import { readPins } from '../pins.ts';
import { DOCUMENT_FORMAT_FLAG, FILE_FLAGS } from '../shared-flags.ts';

/** It is not asked for a key. */
const NOT_CHECKED = 'Seals not checked: "apply --resume" and "undo" do so, with the API key.\n';

export default defineCommand({
  flags: {
    ...FILE_FLAGS,
    format: DOCUMENT_FORMAT_FLAG,
  },
  examples: [
    ['websites runs', 'what was applied from this folder, the last run at the end'],
    ['websites runs --format json', 'for a program'],
  ],
  async run(flags, io) {
    const { root, pins } = await readPins(flags, io, true);
    const folder = runsFolder(root);
    const runs = await listRuns(folder);
    if (flags.format === 'json') io.out(runsJson(runs));
    else io.out(runs.length === 0 ? noRunsHuman(folder) : runsHuman(runs, pins.target?.name, io.where));
    if (runs.length > 0) io.err(NOT_CHECKED);
    return EXIT.done;
  },
});
