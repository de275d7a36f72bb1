/** The runs of a journal for a person. */
import type { Action } from '../core/change.ts';
import { resumeCommand, type Where } from '../core/next-command.ts';
import type { Result } from '../core/run.ts';
import { overlap, type Shard } from '../core/shard.ts';
import { prose, safe } from './safe.ts';
import { linedUp, textOf } from './text.ts';

export const RUNS_FORMAT = 'websites.runs/1';

export interface RunRow {
  readonly run: string;
  readonly at: string;
  readonly service: string;
  readonly shard: Shard | null;
  readonly planned: Readonly<Record<Action, number>>;
  /** Missing where the run was killed, or is at work. */
  readonly summary: Pick<Result['summary'], 'created' | 'updated' | 'deleted' | 'failed'> | null;
  readonly finished: boolean;
  /** The run that it went on with. */
  readonly continues: string | null;
  /** The run that it took back. */
  readonly undoes: string | null;
}

/** That there is nothing to list; whoever expects runs is in another folder, mostly. */
export function noRunsHuman(folder: string): string {
  return `There are no runs in ${prose(folder)}.\n`;
}

/** One line a run, oldest first; `target` is the one that they are of, and `where` are for what is to be done. */
export function runsHuman(runs: readonly RunRow[], target: string | undefined, where: Where): string {
  const later = new Map([
    ...runs.flatMap((row) => overruled(row, runs)),
    ...runs.filter(mayHaveChanged).map(({ run, undoes }) => [undoes, `${run} took it back`] as const),
    ...runs.map(({ run, continues }) => [continues, `${run} went on with it`] as const),
  ]);
  const cells = runs.map((row) => [
    row.run,
    row.at,
    safe(row.service),
    partOf(row) + outcome(row, later.get(row.run), target, where),
  ]);
  return textOf([linedUp(cells)]);
}

/** An undo that is not gone on with: the files were applied after it. */
function overruled({ run, undoes, service, shard }: RunRow, runs: readonly RunRow[]): [string, string][] {
  const later = runs.find(
    (other) =>
      other.run > run &&
      other.undoes === null &&
      other.service === service &&
      overlap(other.shard ?? undefined, shard ?? undefined) &&
      mayHaveChanged(other),
  );
  return undoes === null || later === undefined ? [] : [[run, `${later.run} applied the files since`]];
}

function partOf({ shard, undoes }: RunRow): string {
  const part = shard === null ? '' : `shard ${shard.index}/${shard.count}: `;
  return undoes === null ? part : `${part}undo of ${undoes}: `;
}

function mayHaveChanged({ summary }: RunRow): boolean {
  return summary === null || summary.created + summary.updated + summary.deleted > 0;
}

/** `later` says which run went on with it, took it back, or came in its place. */
function outcome(
  { planned, summary, finished, shard }: RunRow,
  later: string | undefined,
  target: string | undefined,
  where: Where,
): string {
  if (summary === null) {
    const { create, update, delete: deletes } = planned;
    const resume = `"${resumeCommand({ service: { target }, options: { shard: shard ?? undefined } }, where)}"`;
    return `not ended, of ${create + update + deletes} changes (${later ?? resume})`;
  }
  const { created, updated, deleted, failed } = summary;
  const done = `${created} created, ${updated} updated, ${deleted} deleted`;
  const left = later === undefined ? 'not finished' : `not finished (${later})`;
  return [done, ...(failed > 0 ? [`${failed} failed`] : []), ...(finished ? [] : [left])].join(', ');
}
