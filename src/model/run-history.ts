import type { Action, Change } from './change.ts';
import type { MadeBy } from './made-by.ts';
import type { ChangeOutcome, Effect, Result, Shows } from './run.ts';

export interface PastRun {
  readonly run: string;
  readonly at: string;
  readonly made_by?: MadeBy;
  readonly service: { readonly base_url: string };
  readonly planned: Readonly<Record<Action, number>>;
  readonly plan?: string;
  readonly undoes?: string;
  /** Missing if the run was killed, or is in progress. */
  readonly closed?: Pick<Result, 'converged' | 'summary' | 'stopped'>;
  /** No change of its plan is left to attempt. */
  readonly finished: boolean;
  /** Its plan was limited to some records or to one origin. */
  readonly selected?: true;
  /** The later run that did the rest. */
  readonly finished_by?: string;
}

export interface RecordedChange {
  readonly change: Change;
  readonly outcome: ChangeOutcome;
  /** The service showed it as applied when the run began. */
  readonly earlier?: true;
  readonly id?: string;
  readonly message?: string;
  /** For an update: what its record showed right before the request. */
  readonly shown?: Shows;
  /** For a create: what its record showed that was not sent. */
  readonly left?: Shows;
}

export interface RunRecord {
  readonly past: PastRun;
  readonly changes: readonly RecordedChange[];
  readonly sideEffects: readonly Effect[];
}

/** A run after this one: it has `undone` it, also in part, or is `later`. */
export interface Sequel {
  readonly run: string;
  readonly how: 'undone' | 'later';
}

export function sequelsOf(runs: readonly PastRun[]): ReadonlyMap<string, Sequel> {
  const mayHaveChanged = ({ closed }: PastRun): boolean => {
    const { created, updated, deleted } = closed?.summary ?? { created: 1, updated: 0, deleted: 0 };
    return created + updated + deleted > 0;
  };
  const undone = new Map(runs.filter(mayHaveChanged).map(({ run, undoes }) => [undoes, run]));
  const sequels = new Map<string, Sequel>();
  for (const past of runs) {
    const undo = undone.get(past.run);
    const run = undo ?? runs.find((other) => isLater(other, past))?.run;
    if (run !== undefined) sequels.set(past.run, { run, how: undo === undefined ? 'later' : 'undone' });
  }
  return sequels;
}

export function isLater(other: PastRun, past: PastRun): boolean {
  return other.run > past.run && other.service.base_url === past.service.base_url;
}
