import {
  ACTIONS,
  type Action,
  type Change,
  type FieldChanges,
  isSecretChange,
  type ValueChange,
} from '../model/change.ts';
import type { Place } from '../model/errors.ts';
import { FIELD_NAMES, FIELDS, type FieldName } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import { RISK_LEVELS, type RiskLevel } from '../model/risk.ts';
import type { Subject } from '../model/run.ts';
import { SENSITIVE } from '../model/secret.ts';
import type { Entries, Entry, EntryLine, LabeledChange, Sign, Tone } from './document.ts';
import { alongsideOf, fieldsOf, type Group, groupChanges } from './groups.ts';
import { joinTexts, prose, safe, safeDomain, safeId, say, type Text } from './sanitize.ts';
import { count, joinShortenedTexts } from './words.ts';

export interface Wording {
  readonly one: Readonly<Record<Action, Text>>;
  readonly many: Readonly<Record<Action, Text>>;
  readonly isDrift: boolean;
}

const FOUND = { create: say`missing`, update: say`different`, delete: say`extra` };

export const PLANNED: Wording = {
  one: { create: say`create`, update: say`update`, delete: say`delete` },
  many: { create: say`to create`, update: say`to update`, delete: say`to delete` },
  isDrift: false,
};

export const DRIFTED: Wording = { one: FOUND, many: FOUND, isDrift: true };

export const SIGNS: Readonly<Record<Action, Sign>> = { create: '+', update: '~', delete: '-' };
export const PAINTS: Readonly<Record<Action, Tone>> = { create: 'add', update: 'change', delete: 'remove' };

export function tally(counts: Readonly<Record<Action, number>>, { many }: Wording): Text {
  const some = ACTIONS.filter((action) => counts[action] > 0);
  return joinTexts(some.map((action) => say`${counts[action]} ${many[action]}`));
}

const TITLES = {
  critical: say`Critical risk`,
  high: say`High risk`,
  medium: say`Medium risk`,
  low: say`Routine`,
} as const satisfies Record<RiskLevel, Text>;

export function changeBlocks(changes: readonly Change[], wording: Wording): Entries[] {
  const groups = groupChanges(changes);
  const noun = wording.isDrift ? say`record` : say`change`;
  return RISK_LEVELS.flatMap((level): Entries[] => {
    const own = groups.filter(({ changes: [first] }) => first.risk.level === level);
    if (own.length === 0) return [];
    const entries = own.map((group) => entryOfGroup(group, wording));
    const title = wording.isDrift && level === 'low' ? say`Differences` : TITLES[level];
    const total = own.reduce((sum, group) => sum + group.changes.length, 0);
    return [{ kind: 'entries', title, level, noun, count: total, entries }];
  });
}

function entryOfGroup({ changes, differing, risky }: Group, wording: Wording): Entry {
  const [first] = changes;
  const single = entryOf(first, wording, changes.length > 1);
  if (changes.length === 1) return single;
  const [file = '', ...files] = new Set(changes.flatMap(({ source }) => source?.file ?? []));
  const place = files.length > 0 ? count(files.length + 1, 'file') : prose(file);
  const { id: _, loss, ...entry } = single;
  const isMixed = ({ name }: NamedValues): boolean => differing.has(name);
  return {
    ...entry,
    name: count(changes.length, 'record'),
    place,
    ...(loss === undefined ? {} : { loss: say`each: ${loss}` }),
    values: () => single.values().map((row) => (isMixed(row) ? { ...row, change: DIFFERS } : row)),
    members: {
      count: changes.length,
      at: (index) => {
        const change = changes[index] ?? first;
        return { ...headOf(change), values: () => valuesOf(change, wording.isDrift) };
      },
      isRisky: risky,
      isMixed: differing.size > 0,
    },
  };
}

const DIFFERS = { kind: 'note', text: say`(differs from record to record)` } as const;

export function headOf({ domain, id, source }: Omit<Subject, 'action'>) {
  return {
    name: safeDomain(domain),
    ...(id === undefined ? {} : { id: safeId(id) }),
    ...(source === undefined ? {} : { place: placeText(source) }),
  };
}

/** `file:line`, or the file alone if there is no line, as for an undone run. */
export function placeText({ file, line }: Place): Text {
  return prose(line === 0 ? file : `${file}:${line}`);
}

export function entryOf(change: Change, wording: Wording, isOfMany = false) {
  const { action, notes } = change;
  const lost = action === 'delete' ? notes[0] : undefined;
  const others = action === 'delete' ? notes.slice(1) : notes;
  return {
    sign: SIGNS[action],
    paint: PAINTS[action],
    word: wording.one[action],
    ...headOf(change),
    ...(lost === undefined ? {} : { loss: prose(lost) }),
    before: [...riskLines(change), ...originLines(change)],
    values: () => valuesOf(change, wording.isDrift),
    after: [
      ...causeLines(change, wording, isOfMany),
      ...others.map((note): EntryLine => ({ tone: 'dim', label: say`note:`, text: prose(note) })),
    ],
  } satisfies Entry;
}

function riskLines({ action, risk }: Change): EntryLine[] {
  if (action === 'delete' || risk.level === 'low') return [];
  const tone = risk.level === 'medium' ? 'warn' : 'bad';
  return [{ tone, label: say`!`, level: say`${risk.level} risk: `, text: prose(risk.reason) }];
}

function originLines(change: Change): EntryLine[] {
  const text = originText(change);
  if (text === undefined) return [];
  return change.origin === 'config' ? [{ tone: 'dim', text }] : [{ tone: 'warn', label: say`!`, text }];
}

function causeLines(change: Change, { isDrift }: Wording, isOfMany: boolean): EntryLine[] {
  if (change.action !== 'delete') return [];
  const them = isOfMany ? say`them` : say`it`;
  const says =
    isOfMany || change.source === undefined ? say`the files say` : say`${placeText(change.source)} says`;
  const text = {
    prune: say`the configuration does not declare ${them}${isDrift ? '' : ' (prune)'}`,
    absent: say`${says} "state: absent"`,
    undo: say`the run that created ${them} is undone`,
  }[change.cause];
  return [{ tone: 'dim', label: say`because`, text }];
}

const ORIGINS = {
  config: say`configuration changed`,
  drift: say`service drifted`,
  both: say`configuration changed and service drifted`,
};

function originText({ origin }: Change): Text | undefined {
  return origin === undefined ? undefined : ORIGINS[origin];
}

export function originCounts(changes: readonly Change[]): Text[] {
  return Object.values(ORIGINS).flatMap((words) => {
    const { length } = changes.filter((change) => originText(change) === words);
    return length === 0 ? [] : [say`${length} ${words}`];
  });
}

type NamedValues = LabeledChange & { readonly name: FieldName };

/** Sent values by setting: those that differ, then those sent along because the service hides them. */
export function valuesOf(change: Change, isDrift = false): NamedValues[] {
  const drift = isDrift ? { isDrift } : {};
  return [
    ...rowsOf(fieldsOf(change), (name, field) => {
      if (!isSecretChange(field)) return { ...valueChange(name, field), ...drift };
      const after = secretText(field.ref);
      return { kind: 'value', ...(field.ref === null ? { before: SENSITIVE_TEXT } : {}), after, ...drift };
    }),
    ...rowsOf(alongsideOf(change), (name, field) => {
      const text = isSecretChange(field) ? secretText(field.ref) : valueText(name, field.after, WHOLE);
      return { kind: 'note', text: say`${text}  (sent along)` };
    }),
  ];
}

function rowsOf(
  fields: FieldChanges,
  changeOf: (name: FieldName, field: NonNullable<FieldChanges[FieldName]>) => LabeledChange['change'],
): NamedValues[] {
  return FIELD_NAMES.flatMap((name) => {
    const field = fields[name];
    if (field === undefined) return [];
    // The presence key (`favorite`) is the label if only presence changes, not a time.
    const { presenceKey } = FIELDS[name];
    const isPresent = presenceKey !== undefined && !isSecretChange(field) && isPresence(name, field);
    return [{ name, label: isPresent ? prose(presenceKey) : say`${name}`, change: changeOf(name, field) }];
  });
}

function valueChange(name: FieldName, change: ValueChange): LabeledChange['change'] {
  const { before, after } = change;
  const { kind, secret } = FIELDS[name];
  if (Array.isArray(after) && !secret) {
    const items = (value: Value): Text[] => [kind.show(value)].flat().map((item) => safe(item, WHOLE));
    return { kind: 'list', ...(before === undefined ? {} : { before: items(before) }), after: items(after) };
  }
  const isPresent = isPresence(name, change);
  const text = (value: Value): Text =>
    isPresent ? say`${value === null ? 'false' : 'true'}` : valueText(name, value, WHOLE);
  return { kind: 'value', ...(before === undefined ? {} : { before: text(before) }), after: text(after) };
}

/** A known time on either side makes the change one of time, because a file can declare it or `null`. */
function isPresence(name: FieldName, { before, after }: ValueChange): boolean {
  return (
    FIELDS[name].presenceKey !== undefined &&
    (after === true || (typeof before !== 'string' && typeof after !== 'string'))
  );
}

export const WHOLE = 10_000;

const SENSITIVE_TEXT = prose(SENSITIVE);

/** A secret is masked by its field, whatever its value is. */
export function valueText(name: FieldName, value: Value, longest?: number): Text {
  const { kind, secret } = FIELDS[name];
  if (secret) return secretText(value);
  const shown = kind.show(value);
  if (typeof shown === 'string') return safe(shown, longest);
  if (shown.length === 0) return say`[]`;
  const items = shown.map((item) => safe(item, longest));
  return longest === WHOLE ? joinTexts(items) : joinShortenedTexts(items);
}

function secretText(value: Value): Text {
  return value === null ? say`null` : SENSITIVE_TEXT;
}
