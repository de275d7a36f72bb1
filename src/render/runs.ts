/** The runs of a journal, for a person and for a program. */
import { resumeCommand, type Where } from '../model/next-command.ts';
import { type PastRun, type Sequel, sequelsOf } from '../model/run-history.ts';
import { jsonDocument } from './json.ts';
import { prose, safe } from './sanitize.ts';
import { linedUp, textOf } from './text.ts';

export const RUNS_FORMAT = 'websites.runs/1';

/** That there is nothing to list; whoever expects runs is in another folder, mostly. */
export function noRunsHuman(folder: string): string {
  return `No runs in ${prose(folder)}.\n`;
}

/** One line a run, oldest first; `target` is the one that they are of, and `where` are for what is to be done. */
export function runsHuman(runs: readonly PastRun[], target: string | undefined, where: Where): string {
  const sequels = sequelsOf(runs);
  const cells = runs.map((past) => [
    past.run,
    safe(past.at),
    safe(past.service.base_url),
    partOf(past) + outcome(past, sequels.get(past.run), target, where),
  ]);
  return textOf([linedUp(cells)]);
}

function partOf({ shard, undoes }: PastRun): string {
  const part = shard === undefined ? '' : `shard ${shard.index}/${shard.count}: `;
  return undoes === undefined ? part : `${part}undo of ${safe(undoes)}: `;
}

const SEQUELS = {
  continued: 'resumed by',
  undone: 'undone by',
  later: 'followed by',
} as const;

function outcome(
  { planned, closed, finished, shard }: PastRun,
  sequel: Sequel | undefined,
  target: string | undefined,
  where: Where,
): string {
  const later = sequel && `${SEQUELS[sequel.how]} ${sequel.run}`;
  if (closed === undefined) {
    const { create, update, delete: deletes } = planned;
    const resume = `"${resumeCommand({ service: { target }, options: { shard } }, where)}"`;
    return `interrupted, ${create + update + deletes} changes planned (${later ?? resume})`;
  }
  const { created, updated, deleted, failed } = closed.summary;
  const done = `${created} created, ${updated} updated, ${deleted} deleted`;
  const left = later === undefined ? 'not finished' : `not finished (${later})`;
  return [done, ...(failed > 0 ? [`${failed} failed`] : []), ...(finished ? [] : [left])].join(', ');
}

/** The document `websites.runs/1`. */
export function runsJson(runs: readonly PastRun[]): string {
  return jsonDocument({ format: RUNS_FORMAT, runs: runs.map(rowOf) });
}

function rowOf({ run, at, service, shard, planned, closed, finished, continues, undoes }: PastRun) {
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
