/** What became of settings that a run was not to change, by what their records showed before and after. */
import { allFields, type Update } from '../model/change.ts';
import { FIELDS, type FieldName, PRIVACY, READABLE_NAMES, withEmpty } from '../model/field-table.ts';
import { isEmpty, type Value } from '../model/field-types.ts';
import type { Done, Effect, Effects, Seen, Shows } from '../model/run.ts';
import type { Website } from '../model/website.ts';

/** What one setting showed: when the plan was made, right before the write, after it, and when the run was verified. */
interface Values {
  readonly older: Value | undefined;
  readonly read: Value | undefined;
  readonly after: Value | undefined;
  readonly verified: Value | undefined;
}

/**
 * Compares every setting that an update of `done` was not to change. It is a side effect where it differs, in the answer
 * to the write or else in the first reading after it, from what this run read right before; where nothing was read right
 * before, if the same happened to two records or more. Any other difference is somebody's edit. `told` are known already;
 * `isShown` tells of fields that the service shows of a single record, `isListed` of those that lists show: a record that
 * lacks one of these holds nothing of it.
 */
export function effectsOf(
  done: readonly Done[],
  websites: ReadonlyMap<string, Website>,
  told: readonly Effect[],
  isShown: (field: FieldName) => boolean,
  isListed: (field: FieldName) => boolean = () => false,
): Effects {
  const known = new Set(told.map(({ id, field }) => `${id} ${field}`));
  const found: Found = { sideEffects: [], meanwhile: [], suspects: [], unseen: new Map() };
  for (const { change, id, seen } of done) {
    if (change.action !== 'update' || seen === undefined) continue;
    const website = withEmptied(websites.get(id), isListed);
    for (const field of namesOf(change)) {
      if (known.has(`${id} ${field}`)) continue;
      const values = valuesOf(field, seen, website);
      const mayBeSeen = website !== undefined && field !== 'password' && isShown(field);
      judge({ domain: change.domain, id, field }, values, mayBeSeen, found);
    }
  }
  const { sideEffects, meanwhile, suspects, unseen } = found;
  const isOurs = repeated(suspects);
  return {
    sideEffects: [...sideEffects, ...suspects.filter(isOurs)],
    meanwhile: [...meanwhile, ...suspects.filter((effect) => !isOurs(effect))],
    unverified: [...unseen].map(([field, records]) => ({ field, records })),
  };
}

/**
 * The updates of `done` whose records showed a setting right before the write that nothing has shown since: neither the
 * answer nor the row in `websites`, a list.
 */
export function unseenSince(
  done: readonly Done[],
  websites: ReadonlyMap<string, Website>,
  isListed: (field: FieldName) => boolean,
): readonly Done[] {
  return done.filter(({ change, id, seen }) => {
    if (change.action !== 'update' || seen?.read === undefined) return false;
    const website = withEmptied(websites.get(id), isListed);
    return namesOf(change).some((field) => {
      const { read, after, verified } = valuesOf(field, seen, website);
      return read !== undefined && after === undefined && verified === undefined;
    });
  });
}

/** Some lists leave out what is empty. */
function withEmptied(
  website: Website | undefined,
  isListed: (field: FieldName) => boolean,
): Website | undefined {
  return website && { ...website, settings: withEmpty(website.settings, READABLE_NAMES.filter(isListed)) };
}

interface Found {
  readonly sideEffects: Effect[];
  readonly meanwhile: Effect[];
  /** Side effects or edits, as others tell. */
  readonly suspects: Effect[];
  readonly unseen: Map<FieldName, number>;
}

function judge(
  subject: Pick<Effect, 'domain' | 'id' | 'field'>,
  { older, read, after, verified }: Values,
  mayBeSeen: boolean,
  { sideEffects, meanwhile, suspects, unseen }: Found,
): void {
  const { field } = subject;
  const first = after ?? verified;
  if (first === undefined) {
    if (mayBeSeen) unseen.set(field, (unseen.get(field) ?? 0) + 1);
    return;
  }
  const add = (list: Effect[], was: Value | undefined, is: Value | undefined): boolean => {
    if (was === undefined || is === undefined || !differ(field, was, is)) return false;
    list.push({ ...subject, before: was, after: is });
    return true;
  };
  if (!add(sideEffects, read, first)) add(read === undefined ? suspects : meanwhile, older, first);
  add(meanwhile, after, verified);
}

/** The settings that an update was not to change, and that two readings of its record show differently. */
export function changedBetween(change: Update, before: Shows, after: Shows): readonly Effect[] {
  const { domain, id } = change;
  return namesOf(change).flatMap((field) => {
    const { read: was, verified: is } = valuesOf(field, { older: before, read: before }, after);
    const isOther = was !== undefined && is !== undefined && differ(field, was, is);
    return isOther ? [{ domain, id, field, before: was, after: is }] : [];
  });
}

/** The settings that an update was not to change; a password that privacy is moved away from may go with it. */
function namesOf(change: Update): readonly FieldName[] {
  const declared = allFields(change);
  const names = READABLE_NAMES.filter((name) => declared[name] === undefined);
  const { privacy } = change.fields;
  const opens = privacy !== undefined && 'before' in privacy && privacy.before === PRIVACY.password;
  return declared.password !== undefined || opens ? names : [...names, 'password'];
}

function valuesOf(field: FieldName, { older, read, after }: Seen, verified: Shows | undefined): Values {
  const of = (shows: Shows | undefined): Value | undefined =>
    field === 'password' ? shows?.passwordSet : shows?.settings[field];
  return { older: of(older), read: of(read), after: of(after), verified: of(verified) };
}

/** That a password is set by now is nobody's loss, and was not done here. */
function differ(field: FieldName, was: Value, is: Value): boolean {
  return FIELDS[field].secret ? was === true && is === false : !FIELDS[field].kind.equal(was, is);
}

/** Whether the same setting was found emptied, or at the same value, on two records or more. */
function repeated(effects: readonly Effect[]): (effect: Effect) => boolean {
  const keyOf = ({ field, after }: Effect): string =>
    `${field} ${isEmpty(after) ? '' : JSON.stringify(after)}`;
  const counts = new Map<string, number>();
  for (const effect of effects) counts.set(keyOf(effect), (counts.get(keyOf(effect)) ?? 0) + 1);
  return (effect) => (counts.get(keyOf(effect)) ?? 0) > 1;
}

/** `email of a.example (#1) (was true, is false)`. */
export function effectText({ domain, id, field, before, after }: Effect): string {
  return `${field} of ${domain} (#${id}) (was ${valueText(field, before)}, is ${valueText(field, after)})`;
}

function valueText(field: FieldName, value: Value): string {
  if (FIELDS[field].secret) return value === true ? 'set' : 'not set';
  return [FIELDS[field].kind.show(value)].flat().join(', ') || 'empty';
}
