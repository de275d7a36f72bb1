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
  const exact = alikeOf(changes, MIN_ALIKE, keyBy());
  const groups = exact.filter(({ length }) => length > 1);
  const singles = exact.flatMap((alike) => (alike.length === 1 ? alike : []));
  const shown =
    singles.length > MAX_SINGLES ? [...groups, ...alikeOf(singles, MIN_ALIKE, keyBy(isRisky))] : exact;
  return shown.toSorted(([a], [b]) => compareDanger(a, b));
}

export function compareDanger(a: Change, b: Change): number {
  return compareRisk(a.risk, b.risk) || Number(b.action === 'delete') - Number(a.action === 'delete');
}

/** Groups items with the same key. Groups with fewer than `from` items become single items, after all other groups. */
export function alikeOf<T>(items: readonly T[], from: number, keyOf: (item: T) => string): Some<T>[] {
  const groups = groupBy(items, keyOf).flatMap(([, alike]) => (alike.length < from ? [] : [alike]));
  const grouped = new Set(groups.flat());
  return [...groups, ...items.flatMap((item): Some<T>[] => (grouped.has(item) ? [] : [[item]]))];
}

const NO_FIELDS: FieldChanges = {};

export function fieldsOf(change: Change): FieldChanges {
  return change.action === 'delete' ? NO_FIELDS : change.fields;
}

export function alongsideOf(change: Change): FieldChanges {
  return change.action === 'update' ? change.alongside : NO_FIELDS;
}

/** The key is equal for changes that differ only in their domains and in values that are not compared. */
function keyBy(isCompared: (name: FieldName, field: FieldChange) => boolean = () => true) {
  // Many changes share these objects, so each is written once.
  const textOf = memoize((shared: object) => JSON.stringify(shared));
  const fieldsText = memoize((fields: FieldChanges) =>
    JSON.stringify(
      entriesOf(fields).map(([name, field]) => [name, isCompared(name, field) && comparable(field)]),
    ),
  );
  return (change: Change): string => {
    const { action, risk, notes, origin } = change;
    const cause = change.action === 'delete' && change.cause;
    const fields = [fieldsText(fieldsOf(change)), fieldsText(alongsideOf(change))];
    return [action, cause, origin, textOf(risk), textOf(notes), ...fields].join('\n');
  };
}

/** In the order of the field table, also after a plan was saved. */
export function entriesOf(fields: FieldChanges): [FieldName, FieldChange][] {
  return FIELD_NAMES.flatMap((name): [FieldName, FieldChange][] => {
    const field = fields[name];
    return field === undefined ? [] : [[name, field]];
  });
}

/** For a secret, only shows if it is set or removed. */
function comparable(field: FieldChange) {
  return isSecretChange(field) ? field.ref === null : field;
}

function isRisky(name: FieldName, field: FieldChange): boolean {
  const risk = fieldRisk(name, field);
  return risk !== undefined && isGrave(risk);
}

export function isGrave({ level }: Risk): boolean {
  return level === 'critical' || level === 'high';
}

/** Returns fields whose values differ between the changes of a group. A risky field never differs in a group. */
export function differingFields(changes: Some<Change>): ReadonlySet<string> {
  const differs = (name: FieldName): boolean => {
    const [first, ...others] = changes.map((change) => fieldsOf(change)[name] ?? alongsideOf(change)[name]);
    if (first === undefined) return false;
    const text = JSON.stringify(comparable(first));
    return others.some((one) => one && one !== first && JSON.stringify(comparable(one)) !== text);
  };
  return new Set(FIELD_NAMES.filter(differs));
}
