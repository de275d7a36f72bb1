import { listRuns, type RunInfo } from '../../apply/journal/runs.ts';
import { EXIT } from '../../core/errors.ts';
import { jsonDocument } from '../../render/json.ts';
import { noRunsHuman, RUNS_FORMAT, runsHuman } from '../../render/runs.ts';
import { runsFolder } from '../../sync/state.ts';
import { defineCommand } from '../command.ts';
import { readPins } from '../pins.ts';
import { DOCUMENT_FORMAT_FLAG, FILE_FLAGS } from '../shared-flags.ts';

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
    const runs = (await listRuns(folder)).map(rowOf);
    if (flags.format === 'json') io.out(jsonDocument({ format: RUNS_FORMAT, runs }));
    else io.out(runs.length === 0 ? noRunsHuman(folder) : runsHuman(runs, pins.target?.name, io.where));
    return EXIT.done;
  },
});

function rowOf({ run, at, service, shard, planned, closed, finished, continues, undoes }: RunInfo) {
  return {
    run,
    at,
    service: service.base_url,
    shard: shard ?? null,
    planned,
    summary: closed?.summary ?? null,
    converged: closed?.converged ?? null,
    finished,
    continues: continues ?? null,
    undoes: undoes ?? null,
  };
}
