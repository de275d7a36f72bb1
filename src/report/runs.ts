/** The runs of a journal, for a person and for a program. */
import type { MadeBy } from '../model/made-by.ts';
import type { Where } from '../model/next-command.ts';
import { type PastRun, type Sequel, sequelsOf } from '../model/run-history.ts';
import { eventStreamOpening } from './event.ts';
import { jsonDocument, jsonLine } from './json.ts';
import { prose, safe } from './sanitize.ts';
import { count, linedUp, textOf } from './text.ts';

export const RUNS_FORMAT = 'websites.runs/1';

/** What is needed beside the runs to list them. */
export interface RunsContext {
  /** The target that the runs are of. */
  readonly target: string | undefined;
  /** For commands that are printed. */
  readonly where: Where;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** That there is nothing to list; whoever expects runs is in another folder, mostly. */
export function noRunsHuman(folder: string): string {
  return `No runs in ${prose(folder)}.\n`;
}

const HEADER = ['RUN', 'AGE', 'SERVICE', 'OUTCOME', 'LEFT', 'BY'];

/** One line per run below a header, oldest first. */
export function runsHuman(runs: readonly PastRun[], context: RunsContext): string {
  const sequels = sequelsOf(runs);
  const cells = runs.map((past) => [
    past.run,
    ageOf(past, context),
    safe(past.service.base_url),
    outcomeOf(past),
    leftOf(past, sequels.get(past.run)),
    past.made_by === undefined ? '-' : shortMadeBy(past.made_by),
  ]);
  return textOf([linedUp([HEADER, ...cells])]);
}

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

/** `42 s`, `5 min`, `3 h`, `12 d`; where the journal has no valid time, the text that it has. */
export function ageOf({ at }: PastRun, { now }: Pick<RunsContext, 'now'>): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  if (Number.isNaN(seconds)) return safe(at);
  if (seconds < 2 * MINUTE) return `${Math.floor(seconds)} s`;
  if (seconds < 2 * HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  return seconds < 2 * DAY ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / DAY)} d`;
}

/** What a run came to. */
export function outcomeOf({ undoes, closed }: PastRun): string {
  const undo = undoes === undefined ? '' : `undo of ${safe(undoes)}: `;
  if (closed === undefined) return `${undo}interrupted`;
  const { created, updated, deleted, failed } = closed.summary;
  const done = `${created} created, ${updated} updated, ${deleted} deleted`;
  return `${undo}${done}${failed > 0 ? `, ${failed} failed` : ''}`;
}

const SEQUELS = {
  undone: 'undone by',
  later: 'followed by',
} as const;

/** What a run left, and the run that came after it. */
export function leftOf(
  { planned, closed, finished, finished_by }: PastRun,
  sequel: Sequel | undefined,
): string {
  if (finished) return '-';
  if (finished_by !== undefined) return `finished by ${finished_by}`;
  const { create, update, delete: deletes } = planned;
  const changes =
    closed === undefined
      ? `up to ${count(create + update + deletes, 'change')}`
      : count(closed.summary.not_attempted, 'change');
  return sequel === undefined ? changes : `${changes} (${SEQUELS[sequel.how]} ${sequel.run})`;
}

/** Enough to recognize a commit. */
const SHORT_COMMIT = 8;

/** `ada at 1a2b3c4d`. */
function shortMadeBy({ actor, commit, url }: MadeBy): string {
  const at = commit === undefined ? [] : [`at ${safe(commit.slice(0, SHORT_COMMIT))}`];
  return [safe(actor ?? url ?? 'unknown'), ...at].join(' ');
}

/** `ada, commit 1a2b3c4d…, https://…`. */
export function madeByText({ actor, commit, url }: MadeBy): string {
  const parts = [actor, commit === undefined ? undefined : `commit ${commit}`, url];
  return parts.flatMap((part) => (part === undefined ? [] : [safe(part)])).join(', ') || 'unknown';
}

/** The document `websites.runs/1`. */
export function runsJson(runs: readonly PastRun[]): string {
  return jsonDocument({ format: RUNS_FORMAT, runs: runs.map(runRow) });
}

/** A line for each run, as events. */
export function runsEvents(runs: readonly PastRun[]): string {
  return [
    eventStreamOpening(),
    ...runs.map((past) => jsonLine({ type: 'recorded_run', ...runRow(past) })),
  ].join('');
}

/** A run in a document. */
export function runRow(past: PastRun) {
  const { run, at, made_by, service, planned, closed, finished, finished_by, undoes } = past;
  return {
    run,
    at,
    made_by: made_by ?? null,
    service: service.base_url,
    planned,
    summary: closed?.summary ?? null,
    converged: closed?.converged ?? null,
    stopped: closed?.stopped ?? null,
    finished: finished || finished_by !== undefined,
    undoes: undoes ?? null,
  };
}
