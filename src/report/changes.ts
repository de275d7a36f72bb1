import { ACTIONS, type Action, type Change, type FieldChange, isSecretChange } from '../model/change.ts';
import type { Place } from '../model/errors.ts';
import { FIELDS, type FieldName } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import { RISK_LEVELS, type RiskLevel } from '../model/risk.ts';
import type { Subject } from '../model/run.ts';
import { SENSITIVE } from '../model/secret.ts';
import type { Some } from '../util/group-by.ts';
import type { Entries, Entry, EntryLine, Piece, ShownValue, Sign } from './document.ts';
import { alongsideOf, differingFields, entriesOf, fieldsOf, groupChanges, isGrave } from './groups.ts';
import {
  count,
  joinShortenedTexts,
  joinTexts,
  prose,
  safe,
  safeDomain,
  safeId,
  say,
  type Text,
  tally,
} from './sanitize.ts';

export const SIGNS: Readonly<Record<Action, Sign>> = { create: '+', update: '~', delete: '-' };

const FOUND = { create: 'missing', update: 'different', delete: 'extra' } as const;

export function countsText(changes: readonly Change[], isDrift: boolean): Text {
  const labels = ACTIONS.map(
    (action) => [action, isDrift ? say`${FOUND[action]}` : say`to ${action}`] as const,
  );
  return tally(
    labels,
    changes.map(({ action }) => action),
  );
}

const TITLES = {
  critical: 'Critical risk',
  high: 'High risk',
  medium: 'Medium risk',
  low: 'Routine',
} as const satisfies Record<RiskLevel, string>;

export function changeBlocks(changes: readonly Change[], isDrift: boolean): Entries[] {
  const groups = groupChanges(changes);
  return RISK_LEVELS.map((level): Entries => {
    const own = groups.filter(([first]) => first.risk.level === level);
    const items = own.map((group) => entryOfGroup(group, isDrift));
    const all = own.flat().length;
    const title = isDrift
      ? say`Differences: ${count(all, 'record')}`
      : say`${TITLES[level]}: ${count(all, 'change')}`;
    return { kind: 'entries', title, level, count: all, items };
  });
}

function entryOfGroup(changes: Some<Change>, isDrift: boolean): Entry {
  const [first] = changes;
  const single = entryOf(first, isDrift);
  if (changes.length === 1) return single;
  const [file = '', ...files] = new Set(changes.flatMap(({ source }) => source?.file ?? []));
  const differing = differingFields(changes);
  const lines = (): EntryLine[] =>
    linesOf(first, isDrift).map((line) =>
      'name' in line && differing.has(line.name) ? { ...line, pieces: DIFFERS } : line,
    );
  return {
    ...single,
    id: undefined,
    lines,
    name: count(changes.length, 'record'),
    place: files.length > 0 ? count(files.length + 1, 'file') : prose(file),
    members: changes.map((change) => () => ({
      ...headOf(change),
      lines: differing.size > 0 ? () => valuesOf(change, isDrift) : undefined,
    })),
    isRisky: first.action === 'delete' || isGrave(first.risk),
  };
}

const DIFFERS: readonly Piece[] = [{ tone: 'dim', text: say`(differs from record to record)` }];

export function headOf({ domain, id, source }: Omit<Subject, 'action'>) {
  return { name: safeDomain(domain), id: id && safeId(id), place: source && placeText(source) };
}

/** Returns `file:line`, or only the file if there is no line, as for an undone run. */
export function placeText({ file, line }: Place): Text {
  return prose(line === 0 ? file : `${file}:${line}`);
}

export function entryOf(change: Change, isDrift = false): Entry {
  const { action } = change;
  return {
    sign: SIGNS[action],
    word: say`${isDrift ? FOUND[action] : action}`,
    ...headOf(change),
    lines: () => linesOf(change, isDrift),
  };
}

function linesOf(change: Change, isDrift: boolean): (EntryLine | NamedValue)[] {
  const { notes, origin, risk } = change;
  const lines: (EntryLine | NamedValue)[] = [];
  if (change.action === 'delete')
    lines.push(...notes.map((note) => ({ tone: 'bad', text: prose(note) }) as const));
  else if (risk.level !== 'low')
    lines.push({
      tone: isGrave(risk) ? 'bad' : 'warn',
      text: say`${risk.level} risk: ${prose(risk.reason)}`,
    });
  if (origin !== undefined) lines.push({ tone: origin === 'config' ? 'dim' : 'warn', text: ORIGINS[origin] });
  if (change.action === 'delete') return [...lines, { tone: 'dim', text: say`${CAUSES[change.cause]}` }];
  const after = notes.map((note): EntryLine => ({ tone: 'dim', text: say`note: ${prose(note)}` }));
  return [...lines, ...valuesOf(change, isDrift), ...after];
}

const CAUSES = {
  prune: 'not in the configuration',
  absent: 'declared as "state: absent"',
  undo: 'created by the run that is undone',
} as const;

export const ORIGINS = {
  config: say`configuration changed`,
  drift: say`service drifted`,
  both: say`configuration changed and service drifted`,
};

type NamedValue = ShownValue & { readonly name: FieldName };

/** Returns the sent values by setting: first those that differ, then those that the service does not show. */
export function valuesOf(change: Change, isDrift = false): NamedValue[] {
  const shownAs = ([name, field]: [FieldName, FieldChange], pieces: readonly Piece[]) => {
    // If only the presence changes and not the time, the label is the presence key (`favorite`).
    const label = prose((isPresence(name, field) && FIELDS[name].presenceKey) || name);
    return { name, label, pieces };
  };
  return [
    ...entriesOf(fieldsOf(change)).map((entry) => shownAs(entry, piecesOf(...entry, isDrift))),
    ...entriesOf(alongsideOf(change)).map((entry) => {
      const [name, field] = entry;
      const text = say`${valueText(name, afterOf(field), MAX_WHOLE)}  (sent along)`;
      return shownAs(entry, [{ tone: 'dim', text }]);
    }),
  ];
}

function afterOf(field: FieldChange): Value {
  return isSecretChange(field) ? field.ref : field.after;
}

function piecesOf(name: FieldName, field: FieldChange, isDrift: boolean): readonly Piece[] {
  const after = afterOf(field);
  const before = isSecretChange(field) ? (after === null ? '' : undefined) : field.before;
  const isList = Array.isArray(after) && !FIELDS[name].secret;
  if (isList && !isDrift) return listPieces(name, before ?? [], after);
  const isPresent = isPresence(name, field);
  const text = (value: Value): Text =>
    isPresent ? say`${value === null ? 'false' : 'true'}` : valueText(name, value, MAX_WHOLE);
  if (before === undefined) return [{ tone: 'plain', text: text(after) }];
  if (!isDrift) return [{ tone: 'plain', text: say`${text(before)} → ${text(after)}` }];
  const says = [say`is ${text(before)},`, say`should be ${text(after)}`];
  return (isList ? says : [joinTexts(says, ' ')]).map((said) => ({ tone: 'plain', text: said }));
}

function listPieces(name: FieldName, before: Value, after: Value): Piece[] {
  const itemsOf = (value: Value) =>
    new Set([FIELDS[name].kind.show(value)].flat().map((item) => safe(item, MAX_WHOLE)));
  const [had, has] = [itemsOf(before), itemsOf(after)];
  const pieces: Piece[] = [
    ...[...had].flatMap((item): Piece[] => (has.has(item) ? [] : [{ tone: 'remove', text: say`- ${item}` }])),
    ...[...has].flatMap((item): Piece[] => (had.has(item) ? [] : [{ tone: 'add', text: say`+ ${item}` }])),
  ];
  return pieces.length === 0 ? [{ tone: 'plain', text: say`[]` }] : pieces;
}

/** True if only the presence of a favorite is known or declared, and no time. */
function isPresence(name: FieldName, field: FieldChange): boolean {
  if (FIELDS[name].presenceKey === undefined || isSecretChange(field)) return false;
  const { before, after } = field;
  return after === true || (typeof before !== 'string' && typeof after !== 'string');
}

export const MAX_WHOLE = 10_000;

/** Masks every value of a secret field except `null`, whatever the value contains. */
export function valueText(name: FieldName, value: Value, longest?: number): Text {
  const { kind, secret } = FIELDS[name];
  if (secret) return value === null ? say`null` : prose(SENSITIVE);
  const shown = kind.show(value);
  if (typeof shown === 'string') return safe(shown, longest);
  if (shown.length === 0) return say`[]`;
  const items = shown.map((item) => safe(item, longest));
  return longest === MAX_WHOLE ? joinTexts(items) : joinShortenedTexts(items);
}
