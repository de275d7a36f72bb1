import { addressOf } from '../model/base-url.ts';
import type { MadeBy } from '../model/plan.ts';
import type { PastRun, RecordedChange, RunRecord } from '../model/run.ts';
import { entryOf, valuesOf } from './changes.ts';
import type { Document, Entry } from './document.ts';
import { DONE, eventStreamOpening } from './events.ts';
import { documentJson, FORMATS, jsonLine, jsonPieces } from './json.ts';
import { doneOf, doneText, effectBlocks } from './result.ts';
import { count, duration, joinTexts, prose, safe, safeId, say, type Text } from './sanitize.ts';

const HEAD = [say`RUN`, say`AGE`, say`SERVICE`, say`OUTCOME`, say`NOT APPLIED`, say`BY`];

const SHORT_COMMIT = 8;

/** Shows the oldest run first. `now` is in milliseconds since 1970. */
export function runsDocument(runs: readonly PastRun[], folder: string, now: number): Document {
  const headline = runs.length === 0 ? say`No runs in ${prose(folder)}.` : count(runs.length, 'run');
  if (runs.length === 0) return { headline, summary: [headline] };
  const items = runs.map((past) => {
    const { actor, commit, url } = past.made_by ?? {};
    const by = past.made_by && { actor: actor ?? url, commit: commit?.slice(0, SHORT_COMMIT) };
    return cellsOf({ ...past, made_by: by }, runs, now);
  });
  return { headline, body: [{ kind: 'table', head: HEAD, items }] };
}

/** Returns the cells below `HEAD`. */
function cellsOf(past: PastRun, runs: readonly PastRun[], now: number): Text[] {
  const by = past.made_by === undefined ? say`-` : madeByText(past.made_by);
  const service = prose(addressOf(past.service));
  return [prose(past.run), ageOf(past, now), service, outcomeOf(past), leftOf(past, runs), by];
}

/** An invalid time is printed as it is in the run file. */
function ageOf({ at }: PastRun, now: number): Text {
  const seconds = (now - Date.parse(at)) / 1000;
  return Number.isNaN(seconds) ? safe(at) : duration(Math.max(0, seconds));
}

function outcomeOf({ undoes, closed }: PastRun): Text {
  const done = closed === undefined ? say`interrupted` : doneText(closed.summary);
  return say`${undoes && say`undo of ${safe(undoes)}: `}${done}`;
}

function leftOf(past: PastRun, runs: readonly PastRun[]): Text {
  const { run, planned, closed } = past;
  if (closed?.finished) return say`-`;
  const finisher = finisherOf(past, runs);
  if (finisher !== undefined) return say`finished by ${prose(finisher.run)}`;
  const changes =
    closed === undefined
      ? say`up to ${count(planned.create + planned.update + planned.delete, 'change')}`
      : count(closed.summary.not_attempted, 'change');
  const undo = runs.findLast((other) => other.undoes === run && (!other.closed || doneOf(other.closed) > 0));
  return say`${changes}${undo && say` (run undone by ${prose(undo.run)})`}`;
}

/** Returns a later run that applied the remaining changes. */
function finisherOf(past: PastRun, runs: readonly PastRun[]): PastRun | undefined {
  return runs.find((other) => {
    const isLater = other.run > past.run && other.service.base_url === past.service.base_url;
    const isOfAll = other.selected !== true || other.plan === past.plan;
    const hasConverged = other.closed?.finished && other.closed.converged === true;
    return isLater && hasConverged && isOfAll && other.undoes === past.undoes;
  });
}

export function madeByText({ actor, commit, url }: MadeBy): Text {
  const known = [actor, commit && `commit ${commit}`, url].map((part) => part && safe(part));
  return joinTexts(known) || say`unknown`;
}

export function runDocument(record: RunRecord, runs: readonly PastRun[], now: number): Document {
  const { past, changes, sideEffects } = record;
  const cells = cellsOf(past, runs, now);
  const facts = HEAD.map((title, index) => [title, cells[index] ?? '']);
  const stopped = past.closed?.stopped;
  const items = changes.map(recordedEntry);
  return {
    headline: outcomeOf(past),
    body: [
      { kind: 'table', items: stopped ? [...facts, [say`STOPPED`, prose(stopped)]] : facts },
      { kind: 'entries', title: say`Recorded: ${count(items.length, 'change')}`, count: items.length, items },
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
  const rows = runs.map((past) => runRow(past, runs));
  return {
    human: () => runsDocument(runs, folder, now),
    json: () => [documentJson('runs', { runs: rows })],
    ndjson: () => [eventStreamOpening(), ...rows.map((row) => jsonLine({ type: 'recorded_run', ...row }))],
  };
}

export function runTexts(record: RunRecord, runs: readonly PastRun[], now: number) {
  const run = { ...runRow(record.past, runs), side_effects: record.sideEffects };
  const changes = record.changes.map(({ change, shown: _, left: __, ...end }) => ({ ...change, ...end }));
  const lines = changes.map((change) => ({ type: 'recorded_change', ...change }));
  return {
    human: () => runDocument(record, runs, now),
    json: () => jsonPieces({ format: FORMATS.run, ...run, changes }, ['changes']),
    ndjson: () => [eventStreamOpening(), ...[{ type: 'recorded_run', ...run }, ...lines].map(jsonLine)],
  };
}

function runRow(past: PastRun, runs: readonly PastRun[]) {
  const { run, at, made_by, service, planned, closed, undoes } = past;
  return {
    run,
    at,
    made_by: made_by ?? null,
    service: service.base_url,
    planned,
    summary: closed?.summary ?? null,
    converged: closed?.converged ?? null,
    stopped: closed?.stopped ?? null,
    finished: closed?.finished === true || finisherOf(past, runs) !== undefined,
    undoes: undoes ?? null,
  };
}
