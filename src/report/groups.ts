import {
  type Action,
  type Change,
  type FieldChange,
  type FieldChanges,
  isSecretChange,
} from '../model/change.ts';
import { FIELD_NAMES, type FieldName } from '../model/field-table.ts';
import { compareRisk, type Risk } from '../model/risk.ts';
import { countByAction, fieldRisk } from '../planner/changes.ts';
import { memoize } from '../util/memoize.ts';

export interface Group {
  /** At least one; all of one action and of one risk. */
  readonly changes: readonly [Change, ...Change[]];
  /** Fields whose values differ between them; never one that is risky by itself. */
  readonly differing: ReadonlySet<FieldName>;
  /** Requires each to be named: deletes, and changes of high or critical risk. */
  readonly risky: boolean;
}

const ALIKE_FROM = 6;
/** Beyond this many single ones, changes of the same fields are shown as one whatever their values. */
const SINGLES_AT_MOST = 300;

/**
 * Ranks `changes` by risk, deletes first among equals, and groups identical edits of many records. If too
 * many remain, changes of the same fields are grouped too, unless a value that is risky by itself differs.
 * Takes time linear in the number of changes, except for the sorting.
 */
export function groupChanges(changes: readonly Change[]): readonly Group[] {
  const riskOf = numbering<Risk>(JSON.stringify);
  const exactly = numbering<FieldChanges>((fields) => shownOfAll(fields, () => true));
  const alike = gather(changes.toSorted(byRank), (change) => keyOf(change, riskOf, exactly));
  const singles = alike.filter((bucket) => bucket.length === 1);
  if (singles.length <= SINGLES_AT_MOST) return alike.map((bucket) => groupOf(bucket));
  const groups = alike.filter((bucket) => bucket.length > 1).map((bucket) => groupOf(bucket));
  const mixed = gather(singles.flat(), (change) =>
    keyOf(change, riskOf, (fields) => shownOfAll(fields, (name) => isRiskyField(change, name))),
  );
  return [...groups, ...mixed.map((bucket) => groupOf(bucket, differingFields(bucket)))].sort((a, b) =>
    byRank(a.changes[0], b.changes[0]),
  );
}

const NO_FIELDS: FieldChanges = {};

export function fieldsOf(change: Change): FieldChanges {
  return change.action === 'delete' ? NO_FIELDS : change.fields;
}

export function alongsideOf(change: Change): FieldChanges {
  return change.action === 'update' ? change.alongside : NO_FIELDS;
}

function byRank(a: Change, b: Change): number {
  const afterDeletes = ({ action }: Change): number => Number(action !== 'delete');
  return compareRisk(a.risk, b.risk) || afterDeletes(a) - afterDeletes(b);
}

type Bucket = [Change, ...Change[]];

/** Groups changes of one key at the first one's position; a few alike ones stay single. */
function gather(changes: readonly Change[], keyOf: (change: Change) => string): Bucket[] {
  const byKey = new Map<string, Bucket>();
  const buckets = changes.map((change) => {
    const key = keyOf(change);
    const bucket = byKey.get(key);
    if (bucket !== undefined) {
      bucket.push(change);
      return bucket;
    }
    const fresh: Bucket = [change];
    byKey.set(key, fresh);
    return fresh;
  });
  const gathered: Bucket[] = [];
  for (const [index, change] of changes.entries()) {
    const bucket = buckets[index] ?? [change];
    if (bucket.length < ALIKE_FROM) gathered.push([change]);
    else if (bucket[0] === change) gathered.push(bucket);
  }
  return gathered;
}

/** Equal for changes that differ in their domains alone, and in details of fields that `textOf` omits. */
function keyOf(
  change: Change,
  riskOf: (risk: Risk) => number,
  textOf: (fields: FieldChanges) => number | string,
): string {
  const { action, risk, notes } = change;
  const cause = change.action === 'delete' ? change.cause : '';
  const noted = notes.length === 0 ? '' : JSON.stringify(notes);
  const shown = `${textOf(fieldsOf(change))}\n${textOf(alongsideOf(change))}`;
  return `${action}\n${cause}\n${change.origin}\n${riskOf(risk)}\n${noted}\n${shown}`;
}

/** Numbers values by their text; a shared value is read once. */
function numbering<T>(textOf: (value: T) => string): (value: T) => number {
  const byText = new Map<string, number>();
  return memoize((value) => {
    const text = textOf(value);
    const number = byText.get(text) ?? byText.size;
    byText.set(text, number);
    return number;
  });
}

function shownOfAll(fields: FieldChanges, exact: (name: FieldName) => boolean): string {
  return FIELD_NAMES.map((name) => shownOf(fields[name], exact(name))).join('\n');
}

/** One field in one line; a secret shows only if it is set or removed. */
function shownOf(field: FieldChange | undefined, exact: boolean): string {
  if (field === undefined) return '';
  if (!exact) return 'any';
  return isSecretChange(field) ? String(field.ref !== null) : JSON.stringify(field);
}

function isRiskyField(change: Change, name: FieldName): boolean {
  const field = change.action === 'update' ? change.fields[name] : undefined;
  const risk = field && fieldRisk(name, field);
  return risk !== undefined && isGrave(risk);
}

function isGrave({ level }: Risk): boolean {
  return level === 'critical' || level === 'high';
}

function groupOf(changes: Bucket, differing: ReadonlySet<FieldName> = new Set()): Group {
  const [first] = changes;
  return { changes, differing, risky: first.action === 'delete' || isGrave(first.risk) };
}

function differingFields([first, ...others]: Bucket): ReadonlySet<FieldName> {
  const shown = (change: Change, name: FieldName): string =>
    `${shownOf(fieldsOf(change)[name], true)}\n${shownOf(alongsideOf(change)[name], true)}`;
  const isDiffering = (name: FieldName): boolean => {
    const text = shown(first, name);
    return others.some((other) => shown(other, name) !== text);
  };
  return new Set(FIELD_NAMES.filter(isDiffering));
}

export interface ChangesOfGroup {
  /** `undefined` for the websites of no group. */
  readonly name: string | undefined;
  readonly changes: readonly Change[];
  readonly counts: Readonly<Record<Action, number>>;
}

/** By name, those of no group last; empty if no change is in a group. */
export function changesByGroup(changes: readonly Change[]): readonly ChangesOfGroup[] {
  const byName = new Map<string | undefined, Change[]>();
  for (const change of changes) {
    const known = byName.get(change.group);
    if (known === undefined) byName.set(change.group, [change]);
    else known.push(change);
  }
  if (byName.size === 0 || (byName.size === 1 && byName.has(undefined))) return [];
  return [...byName]
    .sort(([a = '\uffff'], [b = '\uffff']) => (a < b ? -1 : 1))
    .map(([name, own]) => ({ name, changes: own, counts: countByAction(own) }));
}
