/** Runs of before: what came after one, so that nobody goes on with it any more. */
import type { Action } from './change.ts';
import type { MadeBy } from './made-by.ts';
import type { Result } from './run.ts';
import { overlap, type Shard } from './shard.ts';

/** A run as its journal tells of it. */
export interface PastRun {
  /** Ids sort by time. */
  readonly run: string;
  readonly at: string;
  readonly made_by?: MadeBy;
  readonly service: { readonly base_url: string };
  /** The part of the records that it was on; all of them without it. */
  readonly shard?: Shard;
  /** The saved plan that it carried out a part of, by its digest, and whether that part was the deletes. */
  readonly part?: { readonly of: string; readonly deletes?: true };
  readonly planned: Readonly<Record<Action, number>>;
  /** The run that it went on with. */
  readonly continues?: string;
  /** The run that it took back. */
  readonly undoes?: string;
  /** How it ended; missing where it was killed, or is at work. */
  readonly closed?: Pick<Result, 'converged' | 'summary' | 'stopped'>;
  /** Nothing of its plan is left to be attempted. */
  readonly finished: boolean;
}

/** What a run was on. */
type RunOn = Pick<PastRun, 'run' | 'service' | 'shard' | 'part'>;

/**
 * The run that came after another: `continued` it, has `undone` it or one that it went on with, be it in part, or is
 * `later`, on some of the same records.
 */
export interface Sequel {
  readonly run: string;
  readonly how: 'continued' | 'undone' | 'later';
}

/**
 * The runs that something came after, by their ids, and so are not gone on with: what is left of one that was taken back
 * may delete what it was to rename; what is left of one that others were applied after, to the same records, may delete
 * what those have made.
 */
export function sequelsOf(runs: readonly PastRun[]): ReadonlyMap<string, Sequel> {
  const byId = new Map(runs.map((past) => [past.run, past]));
  const continued = new Map(runs.map(({ run, continues }) => [continues, run]));
  const undone = new Map(runs.filter(mayHaveChanged).map(({ run, undoes }) => [undoes, run]));
  const undoneBy = ({ run, continues = '' }: PastRun): string | undefined => {
    const before = byId.get(continues);
    return undone.get(run) ?? (before && before.run < run ? undoneBy(before) : undefined);
  };
  const sequels = new Map<string, Sequel>();
  for (const past of runs) {
    const sequel =
      sequelBy('continued', continued.get(past.run)) ??
      sequelBy('undone', undoneBy(past)) ??
      sequelBy('later', runs.find((other) => isLater(other, past))?.run);
    if (sequel !== undefined) sequels.set(past.run, sequel);
  }
  return sequels;
}

function sequelBy(how: Sequel['how'], run: string | undefined): Sequel | undefined {
  return run === undefined ? undefined : { run, how };
}

/** Whether `other` came after a run on the same service, and may have touched the same records. */
export function isLater(other: RunOn, past: RunOn): boolean {
  return (
    other.run > past.run &&
    other.service.base_url === past.service.base_url &&
    overlap(other.shard, past.shard) &&
    !isOtherPart(other, past)
  );
}

/** The deletes of a plan and its shards have no record in common. */
function isOtherPart(a: RunOn, b: RunOn): boolean {
  return a.part !== undefined && a.part.of === b.part?.of && a.part.deletes !== b.part.deletes;
}

function mayHaveChanged({ closed }: PastRun): boolean {
  if (closed === undefined) return true;
  const { created, updated, deleted } = closed.summary;
  return created + updated + deleted > 0;
}
