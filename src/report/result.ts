import type { Change } from '../model/change.ts';
import { FIELDS } from '../model/field-table.ts';
import type { Effect, Failure, Residual, Result } from '../model/run.ts';
import type { Some } from '../util/group-by.ts';
import { headOf, SIGNS, valueText } from './changes.ts';
import {
  type Block,
  type Document,
  type Entry,
  type EntryLine,
  listOf,
  type Message,
  messagesOf,
} from './document.ts';
import { alikeOf, compareDanger } from './groups.ts';
import { matchText } from './plan.ts';
import {
  count,
  duration,
  joinTexts,
  outcomeText,
  prose,
  safe,
  safeDomain,
  safeId,
  say,
  type Text,
} from './sanitize.ts';

export interface Context {
  readonly target?: string | undefined;
  /** The applied changes, of which the result contains only the number. */
  readonly applied?: readonly Change[] | undefined;
}

export function resultDocument(result: Result, { target, applied = [] }: Context): Document {
  const { run, undoes, interrupted, converged, summary, failures, residual, notes } = result;
  const { unchanged, not_attempted } = summary;
  const isNothing = sumOf(result) === 0 && !interrupted && converged === true;
  // After an undo, the configuration need not match, so the text does not say that it does.
  const nothing =
    undoes === undefined ? matchText(unchanged) : say`Nothing left to undo from run ${safe(undoes)}`;
  const counts = say`${doneText(summary)}${not_attempted > 0 && say`, ${not_attempted} not attempted`}`;
  const cost = say`in ${duration(result.seconds)} (${count(result.requests, 'request')})`;
  const same = unchanged ? say`${unchanged} unchanged` : '';
  const said = isNothing
    ? say`Nothing to apply. ${nothing}.`
    : say`${interrupted ? 'Interrupted' : 'Applied'}: ${counts} ${cost}.`;
  return {
    marker: 'result',
    headline: isNothing ? say`nothing to apply` : say`${interrupted ? 'interrupted after ' : ''}${counts}`,
    facts: [prose(target ?? ''), isNothing ? nothing : same],
    notices: adviceOf(result),
    body: [
      failureBlock(failures),
      notAttemptedBlock(result),
      residualBlock(residual),
      ...effectBlocks(result),
      noteBlock(notes),
      appliedBlock(applied),
    ],
    summary: [run === null ? said : say`${said} Run ${prose(run)}.`],
    footer: [run && say`Run: ${prose(run)}`, cost],
  };
}

export function doneText({ created, updated, deleted, failed }: Result['summary']): Text {
  return say`${created} created, ${updated} updated, ${deleted} deleted${failed > 0 && say`, ${failed} failed`}`;
}

export function doneOf({ summary: { created, updated, deleted } }: Pick<Result, 'summary'>): number {
  return created + updated + deleted;
}

function sumOf(result: Result): number {
  return doneOf(result) + result.summary.failed + result.summary.not_attempted;
}

function adviceOf(result: Result): Block[] {
  const { converged, interrupted, unverified = [] } = result;
  const done = doneOf(result);
  const why = interrupted
    ? say`the run was interrupted before the records were read again.`
    : say`the records were not read again after the apply.`;
  const verification: Message = converged
    ? { tone: 'good', label: say`Verified`, text: say`${done} of ${count(sumOf(result), 'change')}.` }
    : { tone: 'warn', label: say`Not verified`, text: why };
  const parts = unverified.map(({ field, records }) => say`${field} of ${count(records, 'record')}`);
  const hidden = say`Not verified, because the service did not show it: ${joinTexts(parts)}.`;
  const remedy = nextStep(result);
  return [
    messagesOf(done > 0 && converged !== false && verification),
    messagesOf(parts.length > 0 && { text: hidden }),
    messagesOf({ tone: 'bad', remedy }),
  ];
}

function nextStep(result: Result): Text | undefined {
  const { run, undoes, summary, converged, residual, side_effects } = result;
  const given = (flags: string | undefined) => flags && say` ${prose(flags)}`;
  const scope = given(result.scope);
  // Names the run again: without it, `undo` would undo this undo. Repeats the selection: otherwise more would change.
  const command = undoes === undefined ? say`websites apply` : say`websites undo ${prose(undoes)}`;
  const again = say`"${command}${scope}${given(result.selection)}"`;
  if (run === null && summary.not_attempted > 0)
    return say`Nothing was sent. Run ${again} to make a new plan.`;
  if (summary.failed + summary.not_attempted > 0)
    return say`Applied changes are kept. Run ${again} again for the rest.`;
  if (converged !== false) {
    // An undo also restores settings that the run changed as side effects.
    const undo = say`websites undo ${prose(run ?? '')}${scope}`;
    return side_effects && say`Declare these settings, or run "${undo}" to undo this run and put them back.`;
  }
  if (residual.some(({ field }) => field !== undefined))
    return say`Run "websites doctor${scope}" to see what this service does with these fields.`;
  if (residual.some(({ action, field }) => action === 'create' && field === undefined))
    return say`Check whether these records exist on the service before you run ${again} again: a record that is not listed will be created a second time.`;
  return say`Check these records on the service, then run ${again} again.`;
}

const MIN_ALIKE = 4;

function failureBlock(failures: readonly Failure[]): Block {
  const alike = alikeOf(failures, MIN_ALIKE, (failure) =>
    JSON.stringify([failure.action, failureText(failure), failure.remedy]),
  );
  const isKnown = ([{ outcome }]: Some<Failure>) => Number(outcome !== 'unknown');
  const items = alike.toSorted((a, b) => isKnown(a) - isKnown(b)).map(failureEntry);
  const title = say`Failed: ${count(failures.length, 'change')}`;
  return { kind: 'entries', title, count: failures.length, items };
}

function failureEntry(alike: Some<Failure>): Entry {
  const [failure] = alike;
  const { action, remedy } = failure;
  const lines: EntryLine[] = [{ text: failureText(failure) }];
  if (remedy !== undefined) lines.push({ tone: 'good', text: say`help: ${prose(remedy)}` });
  const entry = { sign: '!', word: say`${action}`, lines: () => lines } as const;
  if (alike.length === 1) return { ...entry, ...headOf(failure) };
  return {
    ...entry,
    name: count(alike.length, 'record'),
    members: alike.map((one) => () => headOf(one)),
    isRisky: true,
  };
}

function failureText(failure: Failure): Text {
  const { action, domain, message, status, ...others } = failure;
  const heading = `Cannot ${action} ${domain}: `;
  const text = message.startsWith(heading) ? message.slice(heading.length) : message;
  return say`${outcomeText(text.includes(`answered ${status}`) ? others : failure)}: ${prose(text)}`;
}

function notAttemptedBlock({ not_attempted, stopped }: Result): Block {
  const items = not_attempted.map(({ domain }) => safeDomain(domain));
  const why = stopped && say` (${prose(stopped.replace(/\.$/, ''))})`;
  const title = say`Not attempted: ${count(items.length, 'change')}${why}`;
  return listOf(title, items, { tone: 'warn', isParagraph: true });
}

function residualBlock(residual: readonly Residual[]): Block {
  const records = new Set(residual.map(({ action, domain }) => `${action} ${domain}`)).size;
  const items = residual.map(({ action, domain, field, wanted, shown, message }) => {
    const name = say`${action} ${safeDomain(domain)}`;
    if (field === undefined || wanted === undefined) return say`${name}: ${prose(message)}`;
    const shows = shown === undefined ? say`does not show it` : say`shows ${valueText(field, shown)}`;
    return say`${name}: sent ${field} ${valueText(field, wanted)}, the service ${shows}`;
  });
  return listOf(say`Not converged (${count(records, 'record')})`, items, { tone: 'bad' });
}

/** Lists effects on settings that the run was not meant to change, the most severe first. */
export function effectBlocks(effects: Pick<Result, keyof typeof EFFECTS>): Block[] {
  return Object.entries(EFFECTS).map(([name, [tone, title]]) =>
    listOf(title, (effects[name as keyof typeof EFFECTS] ?? []).map(effectText), { tone }),
  );
}

const EFFECTS = {
  side_effects: ['bad', 'Side effects: this run changed settings that are not declared'],
  restored: ['warn', 'Restored: updates reset these settings, and this run put the first value back'],
  changed_meanwhile: [
    'warn',
    'Changed meanwhile: somebody else changed these settings while this run was in progress',
  ],
} as const;

function effectText({ domain, id, field, before, after }: Effect): Text {
  const text = (value: Effect['before']): Text => {
    if (FIELDS[field].secret) return value === true ? say`set` : say`not set`;
    return valueText(field, value);
  };
  return say`${safeDomain(domain)} (${safeId(id)}) ${field}: ${text(before)} → ${text(after)}`;
}

/** Notes that differ only in names become one note with their number. */
function noteBlock(notes: readonly string[]): Block {
  const alike = alikeOf(notes, MIN_ALIKE, (note) => note.replaceAll(/\S+\.\S+/g, ''));
  const items = alike.map(([note, ...others]): Message => {
    const more = others.length > 0 && say` (and ${others.length} more like it)`;
    return { label: say`note`, text: say`${prose(note)}${more}` };
  });
  return messagesOf(...items);
}

function appliedBlock(applied: readonly Change[]): Block {
  const items = applied
    .toSorted(compareDanger)
    .map(({ action, domain }) => say`${SIGNS[action]} ${safeDomain(domain)}`);
  const title = say`Applied: ${count(items.length, 'change')}`;
  return listOf(title, items, { on: 'page' });
}
