/** Runs of before, and what came after each. */
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
  /** The digest of its plan. */
  readonly plan?: string;
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

/** The run that came after another: it has `undone` it, be it in part, or is `later`. */
export interface Sequel {
  readonly run: string;
  readonly how: 'undone' | 'later';
}

/** The runs that something came after, by their ids. */
export function sequelsOf(runs: readonly PastRun[]): ReadonlyMap<string, Sequel> {
  const undone = new Map(runs.filter(mayHaveChanged).map(({ run, undoes }) => [undoes, run]));
  const sequels = new Map<string, Sequel>();
  for (const past of runs) {
    const undo = undone.get(past.run);
    const run = undo ?? runs.find((other) => isLater(other, past))?.run;
    if (run !== undefined) sequels.set(past.run, { run, how: undo === undefined ? 'later' : 'undone' });
  }
  return sequels;
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
