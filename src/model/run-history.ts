/** Runs of before: what came after one, so that nobody goes on with it any more. */
import type { Action } from './change.ts';
import type { MadeBy } from './made-by.ts';
import type { Result } from './run.ts';

/** A run as its journal tells of it. */
export interface PastRun {
  /** Ids sort by time. */
  readonly run: string;
  readonly at: string;
  readonly made_by?: MadeBy;
  readonly service: { readonly base_url: string };
  readonly planned: Readonly<Record<Action, number>>;
  /** The run that it went on with. */
  readonly continues?: string;
  /** The run that it took back. */
  readonly undoes?: string;
  /** How it ended; missing where it was killed, or is at work. */
  readonly closed?: Pick<Result, 'converged' | 'summary' | 'stopped'>;
  /** Nothing of its plan is left to be attempted. */
  readonly finished: boolean;
  /** Its plan was of some records alone: of a selection, or of one origin. */
  readonly selected?: true;
  /** The later run that did what this one left. */
  readonly finished_by?: string;
}

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

/** If `other` came after a run on the same service. */
export function isLater(other: PastRun, past: PastRun): boolean {
  return other.run > past.run && other.service.base_url === past.service.base_url;
}

function mayHaveChanged({ closed }: PastRun): boolean {
  if (closed === undefined) return true;
  const { created, updated, deleted } = closed.summary;
  return created + updated + deleted > 0;
}
