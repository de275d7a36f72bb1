import type { MadeBy } from '../model/plan.ts';
import { type PastRun, type RecordedChange, type RunRecord, type Sequel, sequelsOf } from '../model/run.ts';
import { entryOf, valuesOf } from './changes.ts';
import type { Document, Entry, Row } from './document.ts';
import { DONE, eventStreamOpening } from './events.ts';
import { documentJson, FORMATS, jsonLine, jsonPieces } from './json.ts';
import { serviceName } from './plan.ts';
import { effectBlocks } from './result.ts';
import { joinTexts, prose, safe, safeId, say, type Text } from './sanitize.ts';
import { count } from './words.ts';

const HEAD = [say`RUN`, say`AGE`, say`SERVICE`, say`OUTCOME`, say`NOT APPLIED`, say`BY`];

const SHORT_COMMIT = 8;

/** Shows the oldest run first. `now` is in milliseconds since 1970. */
export function runsDocument(runs: readonly PastRun[], folder: string, now: number): Document {
  const headline = runs.length === 0 ? say`No runs in ${prose(folder)}.` : count(runs.length, 'run');
  if (runs.length === 0) return { headline, summary: [headline] };
  const sequels = sequelsOf(runs);
  const rows = runs.map((past): Row => {
    const { actor, commit, url } = past.made_by ?? {};
    const by = past.made_by && madeByText({ actor: actor ?? url, commit: commit?.slice(0, SHORT_COMMIT) });
    const service = serviceName(past.service.base_url);
    const left = leftOf(past, sequels.get(past.run));
    return { cells: [prose(past.run), ageOf(past, now), service, outcomeOf(past), left, by ?? say`-`] };
  });
  return { headline, body: [{ kind: 'table', head: HEAD, items: rows }] };
}

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

/** Returns for example `42 s` or `12 d`. An invalid time is printed as it is in the run file. */
export function ageOf({ at }: PastRun, now: number): Text {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  if (Number.isNaN(seconds)) return safe(at);
  if (seconds < 2 * MINUTE) return say`${Math.floor(seconds)} s`;
  if (seconds < 2 * HOUR) return say`${Math.floor(seconds / MINUTE)} min`;
  return seconds < 2 * DAY ? say`${Math.floor(seconds / HOUR)} h` : say`${Math.floor(seconds / DAY)} d`;
}

function outcomeOf({ undoes, closed }: PastRun): Text {
  const undo = undoes === undefined ? say`` : say`undo of ${safe(undoes)}: `;
  if (closed === undefined) return say`${undo}interrupted`;
  const { created, updated, deleted, failed } = closed.summary;
  const done = say`${created} created, ${updated} updated, ${deleted} deleted`;
  return say`${undo}${done}${failed > 0 ? say`, ${failed} failed` : say``}`;
}

function leftOf({ planned, closed, finished }: PastRun, sequel: Sequel | undefined): Text {
  if (finished) return say`-`;
  if (sequel?.how === 'finished') return say`finished by ${prose(sequel.run)}`;
  const { create, update, delete: deletes } = planned;
  const changes =
    closed === undefined
      ? say`up to ${count(create + update + deletes, 'change')}`
      : count(closed.summary.not_attempted, 'change');
  if (sequel === undefined) return changes;
  return say`${changes} (${sequel.how === 'undone' ? 'run undone' : 'followed'} by ${prose(sequel.run)})`;
}

export function madeByText({ actor, commit, url }: MadeBy): Text {
  const parts = [actor, commit === undefined ? undefined : `commit ${commit}`, url];
  const known = parts.flatMap((part) => (part === undefined ? [] : [safe(part)]));
  return joinTexts(known.length === 0 ? [say`unknown`] : known);
}

export function runDocument(record: RunRecord, sequel: Sequel | undefined, now: number): Document {
  const { past, changes, sideEffects } = record;
  const facts: readonly (readonly [Text, Text])[] = [
    [say`Run`, prose(past.run)],
    [say`Started`, say`${safe(past.at)} (${ageOf(past, now)} ago)`],
    [say`Started by`, past.made_by === undefined ? say`-` : madeByText(past.made_by)],
    [say`Service`, serviceName(past.service.base_url)],
    [say`Outcome`, outcomeOf(past)],
    [say`Not applied`, leftOf(past, sequel)],
    ...(past.closed?.stopped ? [[say`Stopped`, prose(past.closed.stopped)] as const] : []),
  ];
  const items = changes.map(recordedEntry);
  return {
    headline: outcomeOf(past),
    body: [
      { kind: 'table', items: facts.map((cells): Row => ({ cells })) },
      { kind: 'entries', title: say`Recorded`, noun: say`change`, count: changes.length, items },
      ...effectBlocks({ side_effects: sideEffects }),
    ],
  };
}

function recordedEntry({ change, outcome, earlier, id, message }: RecordedChange): Entry {
  const { action } = change;
  const what = outcome === 'unknown' ? say`outcome unknown` : prose(outcome.replace('_', ' '));
  return {
    ...entryOf(change),
    ...(id === undefined ? {} : { id: safeId(id) }),
    ...(outcome === 'done'
      ? { word: say`${DONE[action]}${earlier ? ' before this run' : ''}` }
      : { sign: '!', word: say`${action} ${what}` }),
    lines: () => [...(message === undefined ? [] : [{ text: prose(message) }]), ...valuesOf(change)],
  };
}

export function runsTexts(runs: readonly PastRun[], folder: string, now: number) {
  const sequels = sequelsOf(runs);
  const rows = runs.map((past) => runRow(past, sequels.get(past.run)));
  return {
    human: () => runsDocument(runs, folder, now),
    json: () => [documentJson('runs', { runs: rows })],
    ndjson: () => [eventStreamOpening(), ...rows.map((row) => jsonLine({ type: 'recorded_run', ...row }))],
  };
}

export function runTexts(record: RunRecord, sequel: Sequel | undefined, now: number) {
  const run = { ...runRow(record.past, sequel), side_effects: record.sideEffects };
  const changes = record.changes.map(({ change, shown: _, left: __, ...end }) => ({ ...change, ...end }));
  const lines = changes.map((change) => ({ type: 'recorded_change', ...change }));
  return {
    human: () => runDocument(record, sequel, now),
    json: () => jsonPieces({ format: FORMATS.run, ...run, changes }, ['changes']),
    ndjson: () => [eventStreamOpening(), ...[{ type: 'recorded_run', ...run }, ...lines].map(jsonLine)],
  };
}

function runRow(past: PastRun, sequel: Sequel | undefined) {
  const { run, at, made_by, service, planned, closed, finished, undoes } = past;
  return {
    run,
    at,
    made_by: made_by ?? null,
    service: service.base_url,
    planned,
    summary: closed?.summary ?? null,
    converged: closed?.converged ?? null,
    stopped: closed?.stopped ?? null,
    finished: finished || sequel?.how === 'finished',
    undoes: undoes ?? null,
  };
}
