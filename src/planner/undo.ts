/**
 * Plans the inverse of a run (decision: "Every change is in the journal first"). Compares each record with its values
 * before the run. A value that has changed since the run is kept and reported.
 */
import {
  type Change,
  type Create,
  type Delete,
  type FieldChanges,
  isSecretChange,
  type Update,
} from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import type { Place } from '../model/errors.ts';
import type { UndoFact } from '../model/facts.ts';
import {
  FIELDS,
  type FieldName,
  PRIVACY,
  READABLE_NAMES,
  type Settings,
  type SettingsDraft,
  withEmpty,
} from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { PlanInput } from '../model/plan.ts';
import type { Done, Effect } from '../model/run.ts';
import { isSecretRef, type SecretRef } from '../model/secret.ts';
import type { Current, Website } from '../model/website.ts';
import { groupBy } from '../util/group-by.ts';
import { byDomain } from './attribution.ts';
import { changeOf, countByAction, deleteOf, desiredOf, inOrder, mayHavePassword } from './changes.ts';
import { areAlike, sameValue } from './diff.ts';
import { tripGuards } from './guards.ts';
import { isNamed, matchWebsites, type Names, otherOf, sameAs } from './match.ts';
import type { PlanContent } from './plan.ts';
import { warningOf } from './warnings.ts';

export interface Deeds {
  /** Includes changes with an unknown outcome. Such a create has no ID. */
  readonly done: readonly Done[];
  /** Settings that side effects of the run changed. `after` is missing if others may have changed the setting. */
  readonly sideEffects: readonly EffectToUndo[];
}

type EffectToUndo = Omit<Effect, 'after'> & Partial<Pick<Effect, 'after'>>;

/** A change of the run to one record, with its side effects. */
interface Deed extends Pick<Done, 'id' | 'left'>, Pick<Change, 'domain'> {
  /** Missing if only side effects of the record are known. */
  readonly change?: Change;
  readonly effects: readonly EffectToUndo[];
}

/** A deed, with what is known of its record now. */
interface Task extends Deed, Names {
  readonly website: Website | undefined;
  /** True if no record was found, and the domain certainly has none. */
  readonly isKnownAbsent: boolean;
  /** The password that the configuration declares now. */
  readonly password: SecretRef | undefined;
  readonly source: Place;
}

interface Inverse {
  readonly change?: Change | undefined;
  readonly notes?: readonly UndoFact[];
  /** Reasons that a part of the change is not undone. */
  readonly reasons: readonly UndoFact[];
}

/** Plans the inverse of a run. Skips records that the files ignore or exclude, by their domain or its www variant. */
export function undo({ done, sideEffects }: Deeds, input: PlanInput): PlanContent {
  const { desired, current, rules, context } = input;
  const match = matchWebsites(desired, current, rules);
  const find = finder(current, match);
  const declared = byDomain(desired);
  const source = { file: `run ${rules.undoes}`, line: 0, column: 0 };
  const inverses = deedsOf(done, sideEffects).map((deed) => {
    const { domain } = deed;
    const [website, ref] = [find(deed), declared.get(domain)?.settings.password];
    const isLeft = [domain, domainKey(website?.domain ?? domain)].some(match.leavesAlone);
    const isKnownAbsent = current.complete || current.knownAbsent.has(domain);
    const password = isSecretRef(ref) ? ref : undefined;
    const task = { ...deed, website, isKnownAbsent, password, source, www: rules.www };
    return { domain, ...(isLeft ? because({ code: 'undo-ignored' }) : inverseOf(task)) };
  });
  const changes = inverses.flatMap(({ change, notes = [] }) => {
    const own = notes.map((note) => context.factText(note));
    return change === undefined ? [] : { ...change, notes: [...own, ...change.notes] };
  });
  return {
    summary: { ...countByAction(changes), unchanged: 0, orphan: 0, ignored: 0 },
    changes: inOrder(changes),
    orphans: [],
    guards: tripGuards(changes, input, match),
    warnings: inverses.flatMap(({ domain, change, reasons }) => {
      const code = change === undefined ? 'change-not-undone' : 'change-not-undone/partly';
      return reasons.map((reason) => warningOf({ code, domain, reason: context.factText(reason) }, context));
    }),
  };
}

function deedsOf(done: Deeds['done'], sideEffects: Deeds['sideEffects']): readonly Deed[] {
  const effects = new Map(groupBy(sideEffects, ({ id }) => id));
  const ids = new Set(done.map(({ id }) => id));
  return [
    ...done.map((one) => ({ ...one, domain: one.change.domain, effects: effects.get(one.id) ?? [] })),
    ...[...effects].flatMap(([id, own]) => (ids.has(id) ? [] : { id, domain: own[0].domain, effects: own })),
  ];
}

function finder({ websites }: Current, names: Names): (deed: Deed) => Website | undefined {
  const byId = new Map(websites.map((website) => [website.id, website]));
  const byDomain = new Map(websites.map((website) => [domainKey(website.domain), website]));
  return ({ id, domain, change }) => {
    const known = byId.get(id);
    if (change === undefined || change.action === 'update') return known;
    // Some services reuse the IDs of deleted records.
    const isReused = change.action === 'delete' && known !== undefined && !isNamed(known, domain, names);
    if (known !== undefined && !isReused) return known;
    // The record that a run created belongs to the declared domain, even if the service stored the www variant.
    const isOfRun = change.action === 'create' || change.cause === 'undo';
    const other = isOfRun ? otherOf(domain, names) : sameAs(domain, names);
    return byDomain.get(domain) ?? byDomain.get(other ?? domain);
  };
}

function because(...reasons: readonly UndoFact[]): Inverse {
  return { reasons };
}

function changedSince(names: readonly FieldName[]): UndoFact {
  return { code: 'undo-changed', fields: names.join(', ') };
}

function inverseOf(task: Task): Inverse {
  const { domain, change, id, left, website, isKnownAbsent } = task;
  if (change?.action === 'delete') return recreated(change, task);
  if (change?.action === 'create' && website?.id !== id) {
    if (website === undefined) return isKnownAbsent ? because() : because({ code: 'undo-unknown' });
    return because({ code: id === '' ? 'undo-lost' : 'undo-other', id: website.id });
  }
  if (website === undefined) return because({ code: 'undo-gone' });
  // A service that was installed again starts its IDs from 1.
  const name = domainKey(website.domain);
  if (!isNamed(website, domain, task)) return because({ code: 'undo-renamed', domain: name });
  if (change?.action !== 'create') return changedBack(change, website, task);
  const differing = differingOf(change, left, website);
  if (differing.length > 0) return because(changedSince(differing));
  return { change: { ...deleteOf(website, 'undo'), domain }, reasons: [] };
}

function differingOf(change: Create, left: Done['left'], website: Website): readonly FieldName[] {
  const was = withEmpty({ ...left?.settings, ...desiredOf(change).settings }, READABLE_NAMES);
  const { settings, passwordSet: isSet } = website;
  const names = READABLE_NAMES.filter(
    (name) => settings[name] !== undefined && !sameValue(name, was[name], settings[name]),
  );
  const isOther = isSet !== undefined && isSet !== (left?.passwordSet ?? isSecretRef(was.password));
  return isOther ? [...names, 'password'] : names;
}

/** The service never shows a password (decision: "Secrets are references and are never shown"). */
const LOST: UndoFact = { code: 'undo-password' };

const NO_CHANGE: Pick<Update, 'before' | 'fields' | 'alongside' | 'password_set'> = {
  before: {},
  fields: {},
  alongside: {},
};

function changedBack(change: Update | undefined, website: Website, task: Task): Inverse {
  const { effects, password } = task;
  const { before, fields, alongside, password_set: passwordSet } = change ?? NO_CHANGE;
  const { wants, left, moved } = takenBack(fields, effects, website);
  const reasons = moved.length === 0 ? [] : [changedSince(moved)];
  if (!website.passwordSet && effects.some(({ field }) => FIELDS[field].secret)) reasons.push(LOST);
  const had = left.privacy !== PRIVACY.password && mayHavePassword(website);
  // If the run set the first password, none was replaced. If it also closed the website with that password, the undo
  // needs no password.
  const isReplaced = mayHavePassword({ settings: before, passwordSet }) || fields.privacy === undefined;
  if (fields.password !== undefined && isReplaced) reasons.push({ code: 'undo-password-replaced' });
  const wasBehind = fields.privacy !== undefined && before.privacy === PRIVACY.password;
  const isUnseen = alongside.password !== undefined || (wasBehind && website.passwordSet === undefined);
  const unseen = READABLE_NAMES.filter((name) => alongside[name] !== undefined);
  if (isUnseen && password === undefined) unseen.push('password');
  const note: UndoFact = { code: 'undo-unseen', fields: unseen.join(', ') };
  return restored({ wants, left, had, notes: unseen.length === 0 ? [] : [note], reasons }, task);
}

function takenBack(fields: FieldChanges, effects: readonly EffectToUndo[], { settings }: Website) {
  const [wants, left]: [SettingsDraft, SettingsDraft] = [{}, {}];
  const moved: FieldName[] = [];
  const own = READABLE_NAMES.flatMap((field) => {
    const value = fields[field];
    if (value === undefined || isSecretChange(value) || value.before === undefined) return [];
    return { field, before: value.before, after: value.after };
  });
  // If the value after a reset is unknown, the empty value of the field is assumed, and any other value is an edit. A
  // field without an empty value may have been reset to any value.
  for (const { field, before, after = FIELDS[field].kind.empty } of [...own, ...effects]) {
    const now = settings[field] ?? after;
    if (FIELDS[field].secret || sameValue(field, before, now)) continue;
    // No service resets to a password, so that value is an edit as well.
    const mayBeReset = field !== 'privacy' || now !== PRIVACY.password;
    const isOfRun = now !== undefined && (after === undefined ? mayBeReset : sameValue(field, after, now));
    if (isOfRun) [wants[field], left[field]] = [before, now];
    else moved.push(field);
  }
  return { wants, left, moved };
}

interface Goal extends Required<Pick<Inverse, 'notes' | 'reasons'>> {
  readonly wants: Settings;
  /** Values of the same settings at the end of the run. They are used if the service does not show the settings. */
  readonly left: Settings;
  /** The record may have, or had, a password that the undo must not lose. */
  readonly had: boolean;
}

function restored({ wants, left, had, notes, reasons }: Goal, task: Task): Inverse {
  const { domain, website, password, source } = task;
  const isBehind = wants.privacy === PRIVACY.password;
  const isSent = password !== undefined && (isBehind || had);
  const isClosed = isBehind && !isSent && (website === undefined || website.passwordSet === false);
  const settings = {
    ...wants,
    ...(isSent && { password }),
    ...(isClosed && { privacy: PRIVACY.private }),
  };
  const desired = { domain, state: 'present', protect: false, settings, source } as const;
  const shown = website && { ...website, settings: { ...left, ...website.settings } };
  const change = changeOf({ desired, website: shown, isVariant: false });
  return {
    change: change && { ...change, ...(website && { before: website.settings }) },
    notes: isSent ? [...notes, { code: 'undo-password-declared' }] : notes,
    reasons: isClosed ? [...reasons, { code: 'undo-password-private' }] : reasons,
  };
}

function recreated({ before, id, password_set }: Delete, task: Task): Inverse {
  const { website, isKnownAbsent, password } = task;
  if (website !== undefined) {
    const now = withEmpty(website.settings, READABLE_NAMES);
    const isThere = website.id === id || areAlike({ ...now, ...before }, now);
    return isThere ? because() : because({ code: 'undo-exists' });
  }
  if (!isKnownAbsent) return because({ code: 'undo-unknown' });
  const filled: Settings = Object.fromEntries(Object.entries(before).filter(([, value]) => !isEmpty(value)));
  const wants: Settings = { privacy: PRIVACY.private, ...filled };
  const had = password_set === true;
  const isLost = had && password === undefined && wants.privacy !== PRIVACY.password;
  const reasons: readonly UndoFact[] = [
    ...(isLost ? [LOST] : []),
    ...(filled.privacy === undefined ? [{ code: 'undo-privacy-unknown' } as const] : []),
  ];
  const notes: readonly UndoFact[] = [{ code: 'undo-new-id' }];
  return restored({ wants, left: {}, had, notes, reasons }, task);
}
