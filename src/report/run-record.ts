/** What one run did, record by record, for a person and for a program. */
import type { Effect, Fate } from '../model/run.ts';
import type { RecordedChange, RunRecord, Sequel } from '../model/run-history.ts';
import { paintLine, rowLines } from './change-human.ts';
import { DONE, eventStreamOpening } from './event.ts';
import { fieldsOf } from './groups.ts';
import { type Heading, headLines, INDENT, rightColumn, SIGNS, subjectHead } from './heading.ts';
import { jsonLine, memberJson } from './json.ts';
import { effectLines } from './result/human.ts';
import { effectSections } from './result/words.ts';
import { ageOf, leftOf, madeByText, outcomeOf, type RunsContext, runRow } from './runs.ts';
import { prose, safe, safeJson } from './sanitize.ts';
import { hang, linedUp, type Page, pageOf, type RenderOptions, textOf, widestOf } from './text.ts';
import { alongsideRows, changeRows } from './values.ts';

export const RUN_FORMAT = 'websites.run/1';

/** The run, then each of its changes, in pieces; `sequel` is the run that came after it. */
export function* runHuman(
  record: RunRecord,
  sequel: Sequel | undefined,
  context: RunsContext,
  options: RenderOptions,
): Generator<string> {
  const page = pageOf(options);
  yield textOf([factLines(record, sequel, context)]);
  const heads = record.changes.map(headOf);
  const column = rightColumn(heads, page);
  for (const [index, change] of record.changes.entries()) {
    const head = heads[index] ?? headOf(change);
    yield textOf([['', ...headLines(head, column, page), ...bodyLines(change, page)]]);
  }
  const sections = effectSections(effectsOf(record));
  const rest = textOf(sections.map((section) => effectLines(section, page)));
  if (rest !== '') yield `\n${rest}`;
}

function factLines({ past }: RunRecord, sequel: Sequel | undefined, context: RunsContext): string[] {
  return linedUp([
    ['Run', past.run],
    ['At', `${safe(past.at)} (${ageOf(past, context)} ago)`],
    ['By', past.made_by === undefined ? '-' : madeByText(past.made_by)],
    ['Service', safe(past.service.base_url)],
    ['Outcome', outcomeOf(past)],
    ['Left', leftOf(past, sequel)],
    ...(past.closed?.stopped ? [['Stopped', prose(past.closed.stopped)]] : []),
  ]);
}

const FATES: Readonly<Record<Exclude<Fate, 'done'>, string>> = {
  failed: 'failed',
  unknown: 'outcome unknown',
  not_attempted: 'not attempted',
};

function headOf({ change, fate, earlier, id }: RecordedChange): Heading {
  const { action } = change;
  const head = subjectHead({ ...change, ...(id === undefined ? {} : { id }) });
  if (fate === 'done') {
    return { ...head, label: `${SIGNS[action]} ${DONE[action]}${earlier ? ' before this run' : ''}` };
  }
  return { ...head, label: `! ${action} ${FATES[fate]}`, paint: fate === 'not_attempted' ? 'warn' : 'bad' };
}

function bodyLines({ change, message }: RecordedChange, { style, width }: Page): string[] {
  const rows = [...changeRows(fieldsOf(change)), ...alongsideRows(change)];
  const labels = widestOf(rows.map(({ label }) => label));
  return [
    ...(message === undefined ? [] : hang(INDENT, prose(message), width)),
    ...rows.flatMap((row) => rowLines(row, labels)).map((line) => paintLine(line, style)),
  ];
}

function effectsOf({ sideEffects }: RunRecord): { side_effects?: readonly Effect[] } {
  return sideEffects.length === 0 ? {} : { side_effects: sideEffects };
}

/** The document `websites.run/1` in pieces: one change per line. */
export function* runJson(record: RunRecord): Generator<string> {
  const { past, sideEffects } = record;
  const members = { format: RUN_FORMAT, ...runRow(past), side_effects: sideEffects };
  const texts = Object.entries(members).map(([name, member]) => memberJson(name, member));
  yield safeJson(`{\n${texts.join(',\n')},\n  "changes": [`);
  let before = '\n    ';
  for (const change of record.changes) {
    yield before + safeJson(JSON.stringify(changeRow(change)));
    before = ',\n    ';
  }
  yield record.changes.length === 0 ? ']\n}\n' : '\n  ]\n}\n';
}

/** The same as events: the run, then each change. */
export function* runEvents(record: RunRecord): Generator<string> {
  yield eventStreamOpening();
  const { past, sideEffects } = record;
  yield jsonLine({ type: 'recorded_run', ...runRow(past), side_effects: sideEffects });
  for (const change of record.changes) yield jsonLine({ type: 'recorded_change', ...changeRow(change) });
}

function changeRow({ change, ...end }: RecordedChange) {
  return { ...change, ...end };
}
