/** The runs of a journal for a person. */
import { type Shard, shardFlag } from '../core/shard.ts';
import { safe } from './safe.ts';
import { columns, pad, textOf } from './text.ts';

export interface RunRow {
  readonly run: string;
  readonly at: string;
  readonly service: string;
  readonly shard: Shard | null;
  readonly planned: { readonly create: number; readonly update: number; readonly delete: number };
  /** Missing where the run was killed, or is at work. */
  readonly summary: {
    readonly created: number;
    readonly updated: number;
    readonly deleted: number;
    readonly failed: number;
  } | null;
  readonly finished: boolean;
}

/** One line a run, oldest first. */
export function runsHuman(runs: readonly RunRow[]): string {
  if (runs.length === 0) return 'There are no runs here.\n';
  const cells = runs.map((row) => [row.run, row.at, safe(row.service), partOf(row) + outcome(row)]);
  const widths = [0, 1, 2].map((index) => Math.max(...cells.map((row) => columns(row[index] ?? ''))));
  return textOf([
    cells.map((row) =>
      row
        .map((cell, index) => pad(cell, widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
  ]);
}

function partOf({ shard }: RunRow): string {
  return shard === null ? '' : `shard ${shard.index}/${shard.count}: `;
}

function outcome({ planned, summary, finished, shard }: RunRow): string {
  if (summary === null) {
    const { create, update, delete: deletes } = planned;
    return `not ended, of ${create + update + deletes} changes ("websites apply --resume${shardFlag(shard ?? undefined)}")`;
  }
  const { created, updated, deleted, failed } = summary;
  const done = `${created} created, ${updated} updated, ${deleted} deleted`;
  return [done, ...(failed > 0 ? [`${failed} failed`] : []), ...(finished ? [] : ['not finished'])].join(
    ', ',
  );
}
