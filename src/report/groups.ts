import { type Change, type FieldChange, type FieldChanges, isSecretChange } from '../model/change.ts';
import { FIELD_NAMES, type FieldName } from '../model/field-table.ts';
import { compareRisk, type Risk } from '../model/risk.ts';
import { fieldRisk } from '../planner/changes.ts';
import { groupBy, type Some } from '../util/group-by.ts';
import { memoize } from '../util/memoize.ts';

const MIN_ALIKE = 6;
/** If more than this number of single changes remain, changes of the same fields are shown as one group. */
const MAX_SINGLES = 300;

/**
 * Orders `changes` by risk, deletes first, and groups equal changes of many records. If too many groups remain, also
 * groups changes of the same fields, unless a risky value differs.
 */
export function groupChanges(changes: readonly Change[]): readonly Some<Change>[] {
  const ranked = byDanger(changes);
  const textOf = memoizedText();
  const exact = alikeOf(ranked, MIN_ALIKE, (change) => keyOf(change, textOf));
  const singles = new Set(exact.flatMap((alike) => (alike.length === 1 ? alike : [])));
  if (singles.size <= MAX_SINGLES) return exact;
  const risky = (change: Change) => (fields: FieldChanges) => riskyText(change, fields);
  return alikeOf(ranked, MIN_ALIKE, (change) =>
    keyOf(change, textOf, singles.has(change) ? risky(change) : textOf),
  );
}

export function byDanger(changes: readonly Change[]): Change[] {
  return changes.toSorted(
    (a, b) => compareRisk(a.risk, b.risk) || Number(b.action === 'delete') - Number(a.action === 'delete'),
  );
}

/** Groups items with the same key, in the order of their first items. Fewer than `from` items stay single. */
export function alikeOf<T>(items: readonly T[], from: number, keyOf: (item: T) => string): Some<T>[] {
  const groups = groupBy(items, keyOf).map(([, alike]) => alike);
  const left = new Set(groups);
  const groupOf = new Map(groups.flatMap((alike) => alike.map((item) => [item, alike])));
  return items.flatMap((item): Some<T>[] => {
    const alike = groupOf.get(item) ?? [item];
    if (alike.length < from) return [[item]];
    return left.delete(alike) ? [alike] : [];
  });
}

const NO_FIELDS: FieldChanges = {};

export function fieldsOf(change: Change): FieldChanges {
  return change.action === 'delete' ? NO_FIELDS : change.fields;
}

export function alongsideOf(change: Change): FieldChanges {
  return change.action === 'update' ? change.alongside : NO_FIELDS;
}

/** Returns a key that is equal for changes that differ only in their domains and in what `fieldsText` omits. */
function keyOf(
  change: Change,
  textOf: (value: object) => string,
  fieldsText: (fields: FieldChanges) => string = textOf,
): string {
  const { action, risk, notes, origin } = change;
  const cause = change.action === 'delete' ? change.cause : '';
  const fields = `${fieldsText(fieldsOf(change))}\n${fieldsText(alongsideOf(change))}`;
  return `${action}\n${cause}\n${origin}\n${textOf(risk)}\n${textOf(notes)}\n${fields}`;
}

function memoizedText() {
  return memoize((value: object) => JSON.stringify(value, hidingSecrets));
}

/** For a secret, only shows if it is set or removed. */
function hidingSecrets(_: string, value: FieldChange): unknown {
  return value instanceof Object && isSecretChange(value) ? value.ref === null : value;
}

function riskyText(change: Change, fields: FieldChanges): string {
  const isRisky = (name: FieldName): boolean => {
    const field = fieldsOf(change)[name];
    const risk = field && fieldRisk(name, field);
    return risk !== undefined && isGrave(risk);
  };
  const names = Object.keys(fields) as FieldName[];
  return JSON.stringify(
    names.map((name) => [name, isRisky(name) && fields[name]]),
    hidingSecrets,
  );
}

export function isGrave({ level }: Risk): boolean {
  return level === 'critical' || level === 'high';
}

/** Returns fields whose values differ between the changes of a group. A risky field never differs in a group. */
export function differingFields(changes: Some<Change>): ReadonlySet<string> {
  const textOf = memoizedText();
  const all = changes.map((change) => ({ ...alongsideOf(change), ...fieldsOf(change) }));
  const differs = (name: FieldName) => new Set(all.map((fields) => textOf(fields[name] ?? {}))).size > 1;
  return new Set(FIELD_NAMES.filter(differs));
}
