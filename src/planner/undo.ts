/**
 * The inverse of a run: what it created is deleted, what it changed is changed back, what it deleted is created again,
 * each only as far as the record is as the run left it (decision: "Every change is in the journal first"). What is as it
 * was before the run counts as undone.
 */

import {
  type Change,
  type Create,
  type Delete,
  type FieldChange,
  type FieldChanges,
  isSecretChange,
  type SecretChange,
  type Update,
} from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import type { Place } from '../model/errors.ts';
import {
  FIELDS,
  type FieldName,
  PRIVACY,
  READABLE_NAMES,
  type Settings,
  type SettingsDraft,
} from '../model/field-table.ts';
import { isEmpty, type Value } from '../model/field-types.ts';
import type { PlanInput } from '../model/plan.ts';
import { ROUTINE } from '../model/risk.ts';
import type { Done, Effect } from '../model/run.ts';
import { isSecretRef } from '../model/secret.ts';
import type { Warning } from '../model/warning.ts';
import type { Current, Desired, Website } from '../model/website.ts';
import { protection } from './arrange.ts';
import { deleteOf, inOrder, mayHavePassword, riskOf } from './changes.ts';
import { tripGuards } from './guards.ts';
import { ignoring, isNamed, matchWebsites, type Names, namesIn, otherOf, sameAs } from './match.ts';
import type { PlanContent } from './plan.ts';

/** What a run did to records, and what it may have done. */
export interface Deeds {
  readonly done: readonly Done[];
  /** Changes that it began, and of whose outcome nothing is known. */
  readonly inDoubt: readonly Change[];
  /** Settings that it changed, and was not to change. */
  readonly beside: readonly ChangedBeside[];
}

/** A setting that a run changed beside what it was to change, or may have. */
export type ChangedBeside = Pick<Effect, 'domain' | 'id' | 'field' | 'before'> &
  Partial<Pick<Effect, 'after'>>;

/** What of a change is not undone, and why. */
export interface Skipped {
  readonly change: Change;
  readonly reason: string;
}

export interface Inverse {
  readonly changes: readonly Change[];
  readonly skipped: readonly Skipped[];
}

/** What an inverse is made by: the files of now, what somebody set of names, and what its changes name as their source. */
export interface Now extends Names {
  readonly desired: Desired;
  readonly source: Place;
}

/** The inverse of one change, or of a part of it; why there is none, or none of the rest. Neither where it is undone. */
interface Inverted {
  readonly change?: Change;
  readonly reason?: string | undefined;
}

/** Inverts what a run did. What the files leave alone under either name is left alone. */
export function invert({ done, inDoubt, beside }: Deeds, current: Current, now: Now): Inverse {
  const { desired } = now;
  const isIgnored = ignoring(desired, current, now);
  const byId = new Map(current.websites.map((website) => [website.id, website]));
  const find = finder(current, now);
  const passwords = new Map(desired.websites.map(({ domain, settings }) => [domain, settings.password]));
  const changes: Change[] = [];
  const skipped: Skipped[] = [];
  const all: Done[] = [
    ...done,
    ...inDoubt.map((change) => ({ change, id: change.action === 'create' ? '' : change.id })),
  ];
  for (const one of all) {
    const { change, id } = one;
    const isFound = change.action !== 'update';
    const website = byId.get(id) ?? (isFound ? find(change) : undefined);
    const names = [change.domain, domainKey(website?.domain ?? change.domain)];
    const ref = passwords.get(change.domain);
    const inverted = names.some(isIgnored)
      ? { reason: 'the configuration ignores it' }
      : invertOne(one, website, {
          ...now,
          isKnownAbsent: current.complete || current.provenAbsent.has(change.domain),
          password: isSecretRef(ref) ? { sensitive: true, ref } : undefined,
        });
    if (inverted.change !== undefined) changes.push(inverted.change);
    if (inverted.reason !== undefined) skipped.push({ change, reason: inverted.reason });
  }
  return { changes: withBeside(changes, beside, byId, now.source, isIgnored), skipped };
}

/** Finds the record that goes by the domain of a change. */
function finder(current: Current, set: Names): (change: Change) => Website | undefined {
  const byDomain = new Map(current.websites.map((website) => [domainKey(website.domain), website]));
  const names = namesIn(current, set);
  return (change) => {
    // What a run created goes by the name that the files gave it, whatever the service made of that.
    const isOfRun = change.action === 'create' || (change.action === 'delete' && change.cause === 'undo');
    const { domain } = change;
    const other = isOfRun ? otherOf(domain, names) : sameAs(domain, names);
    return byDomain.get(domain) ?? byDomain.get(other ?? domain);
  };
}

/** With what a run changed beside its own put back, where records show it still. */
function withBeside(
  changes: readonly Change[],
  beside: readonly ChangedBeside[],
  byId: ReadonlyMap<string, Website>,
  source: Place,
  isIgnored: (domain: string) => boolean,
): readonly Change[] {
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.id] : [])));
  const updates = new Map(
    changes.flatMap((change) => (change.action === 'update' ? [[change.id, change]] : [])),
  );
  for (const { domain, id, field, before, after } of beside) {
    const website = byId.get(id);
    if (website === undefined || !isNamed(website, domain) || isIgnored(domain) || deleted.has(id)) continue;
    const now = website.settings[field];
    const { equal } = FIELDS[field].kind;
    const isLost = now !== undefined && !equal(before, now) && (after === undefined || equal(after, now));
    if (!isLost) continue;
    const update = updates.get(id) ?? { ...emptyUpdate(domain, website, source) };
    const fields: FieldChanges = { [field]: { before: now, after: before }, ...update.fields };
    updates.set(id, { ...update, fields, risk: riskOf(fields) });
  }
  return [...changes.filter(({ action }) => action !== 'update'), ...updates.values()];
}

function emptyUpdate(domain: string, { id, settings, passwordSet }: Website, source: Place): Update {
  return {
    action: 'update',
    domain,
    id,
    before: settings,
    fields: {},
    alongside: {},
    ...(passwordSet === undefined ? {} : { password_set: passwordSet }),
    source,
    risk: ROUTINE,
    notes: [],
  };
}

/** What one change is inverted by. */
interface Around extends Now {
  /** A domain that has no record is known to have none. */
  readonly isKnownAbsent: boolean;
  /** That the files declare for it. */
  readonly password: SecretChange | undefined;
}

function invertOne({ change, id, left }: Done, website: Website | undefined, around: Around): Inverted {
  if (change.action === 'delete') return recreate(change, website, around);
  if (change.action === 'create') return removeCreated(change, id, left, website, around);
  if (website === undefined) return { reason: 'its record no longer exists' };
  // A service that was set up again counts its ids from the start.
  if (!isNamed(website, change.domain, around)) return { reason: stranger(website) };
  return changeBack(change, website, around);
}

const stranger = ({ domain }: Website): string => `its id is now that of ${domainKey(domain)}`;

/** Deletes the record that the run created, and no other: what goes by its name may be of somebody else. */
function removeCreated(
  change: Create,
  id: string,
  left: Done['left'],
  website: Website | undefined,
  around: Around,
): Inverted {
  if (website === undefined) {
    return around.isKnownAbsent ? {} : { reason: 'it is not known whether it exists' };
  }
  if (id === '') return { reason: `its create was not answered, and #${website.id} may be it or not` };
  if (website.id !== id) return { reason: `it has another record now, #${website.id}` };
  if (!isNamed(website, change.domain, around)) return { reason: stranger(website) };
  const differing = differingOf(change, left, website);
  if (differing.length > 0) return { reason: changedSince(differing) };
  return { change: { ...deleteOf(website, 'undo'), domain: change.domain } };
}

const changedSince = (names: readonly FieldName[]): string => `its ${names.join(', ')} changed since`;

/** Fields that do not show what a run left in the record that it created, or may not. */
function differingOf({ fields }: Create, left: Done['left'], website: Website): readonly FieldName[] {
  const names = READABLE_NAMES.filter((name) => {
    const now = website.settings[name];
    if (now === undefined) return false;
    const field = fields[name];
    const { equal, empty } = FIELDS[name].kind;
    const was = field && !isSecretChange(field) ? field.after : (left?.settings[name] ?? empty);
    return was === undefined || !equal(was, now);
  });
  const { password } = fields;
  const wasSet = left?.passwordSet ?? (password !== undefined && isSecretChange(password) && !!password.ref);
  const isOther = website.passwordSet !== undefined && website.passwordSet !== wasSet;
  return isOther ? [...names, 'password'] : names;
}

/** Changes each setting back that shows what the run made of it. */
function changeBack(change: Update, website: Website, { source, password }: Around): Inverted {
  const fields: { [Name in FieldName]?: FieldChange } = {};
  const moved: FieldName[] = [];
  for (const name of READABLE_NAMES) {
    const field = change.fields[name];
    if (field === undefined || isSecretChange(field) || isShown(name, field.before, website)) continue;
    const { before, after } = field;
    const now = website.settings[name];
    const former = formerOf(name, before, website, password);
    if (now !== undefined && !isShown(name, after, website)) moved.push(name);
    else if (former !== undefined && former !== now) fields[name] = { before: now ?? after, after: former };
  }
  const reason = moved.length === 0 ? undefined : changedSince(moved);
  if (Object.keys(fields).length === 0) return { reason: reason ?? whyNothing(change, website) };
  const sent = withPassword(fields, website, password);
  const notes = [...hiddenNotes(change), ...passwordNotes(change, website, password)];
  const update = emptyUpdate(change.domain, website, source);
  return { change: { ...update, ...sent, risk: riskOf(sent.fields), notes }, reason };
}

function isShown(name: FieldName, value: Value | undefined, { settings }: Website): boolean {
  const now = settings[name];
  return value !== undefined && now !== undefined && FIELDS[name].kind.equal(value, now);
}

/** With the declared password: due where the record has none and goes back behind one, else along with the update. */
function withPassword(
  fields: FieldChanges,
  website: Website,
  password: SecretChange | undefined,
): Pick<Update, 'fields' | 'alongside'> {
  const { privacy } = fields;
  const isBehind = privacy && !isSecretChange(privacy) && privacy.after === PRIVACY.password;
  if (password === undefined || !(isBehind || mayHavePassword(website))) return { fields, alongside: {} };
  const isDue = isBehind && website.passwordSet === false;
  return isDue ? { fields: { ...fields, password }, alongside: {} } : { fields, alongside: { password } };
}

/** Why an update has nothing to change back; `undefined` where all is as it was. */
function whyNothing(change: Update, website: Website): string | undefined {
  if (change.fields.password !== undefined) return 'it changed a password, and the one before is not known';
  const isBefore = Object.entries(change.fields).every(
    ([name, field]) => !isSecretChange(field) && isShown(name as FieldName, field.before, website),
  );
  if (isBefore) return undefined;
  return wasBehindPassword(change)
    ? 'its password cannot be restored, so it stays private'
    : 'what it showed before is not known';
}

/** Of what a service does not show, a run sends what is declared, and knows nothing of what was there. */
function hiddenNotes({ alongside }: Update): readonly string[] {
  const names = READABLE_NAMES.filter((name) => alongside[name] !== undefined);
  if (names.length === 0) return [];
  return [`the service did not show its previous ${names.join(', ')}, so it is not restored`];
}

// What an undo cannot bring back of a password: it is never shown (decision: "Secrets are references and are never shown").
const PRIVATE_AGAIN = 'its password cannot be restored, so it comes back private';
const AS_DECLARED = 'its password is the one that the configuration declares now';
const NOT_SENT = 'its password is not sent: a service whose update replaces the record would lose it';

/** The value that a field had; without the password that it was behind, a record comes back private. */
function formerOf(
  name: FieldName,
  value: Value | undefined,
  { passwordSet }: Website,
  password: SecretChange | undefined,
): Value | undefined {
  const isLost = passwordSet === false && password === undefined;
  return name === 'privacy' && value === PRIVACY.password && isLost ? PRIVACY.private : value;
}

/** What of its password an update that is changed back does not bring back, and may lose. */
function passwordNotes(change: Update, website: Website, password?: SecretChange): readonly string[] {
  const isBehind = wasBehindPassword(change) || mayHavePassword(website);
  if (password !== undefined) return isBehind ? [AS_DECLARED] : [];
  return [...lostPassword(change, website), ...(mayHavePassword(website) ? [NOT_SENT] : [])];
}

function lostPassword(change: Update, { passwordSet }: Website): readonly string[] {
  const wasBehind = wasBehindPassword(change);
  if (wasBehind && passwordSet === false) return [PRIVATE_AGAIN];
  if (change.fields.password !== undefined) return ['the password that it had before cannot be restored'];
  if (change.alongside.password !== undefined) {
    return ['the password that it had before, if it was another, cannot be restored'];
  }
  return wasBehind && passwordSet === undefined
    ? ['its password cannot be restored where the service lost it']
    : [];
}

function wasBehindPassword({ fields: { privacy } }: Update): boolean {
  return privacy !== undefined && !isSecretChange(privacy) && privacy.before === PRIVACY.password;
}

/** A record with its former settings; what was behind a password that is not declared comes back private. */
function recreate(change: Delete, website: Website | undefined, around: Around): Inverted {
  const { isKnownAbsent, password, source } = around;
  if (website !== undefined) {
    const isThere =
      website.id === change.id || READABLE_NAMES.every((name) => isAlike(name, change, website));
    return isThere ? {} : { reason: 'a record with this domain exists again' };
  }
  if (!isKnownAbsent) return { reason: 'it is not known whether it exists again' };
  const before = { ...change.before } as SettingsDraft;
  const notes = ['it gets a new id, and the data of the old record is not restored'];
  const isBehind = before.privacy === PRIVACY.password;
  if (isBehind && password !== undefined) notes.push(AS_DECLARED);
  else if (isBehind) {
    before.privacy = PRIVACY.private;
    notes.push(PRIVATE_AGAIN);
  } else if (before.privacy === undefined) {
    before.privacy = PRIVACY.private;
    notes.push('who could see it is not known, so it comes back private');
  }
  const fields = { ...created(before), ...(isBehind && password !== undefined ? { password } : {}) };
  return {
    change: { action: 'create', domain: change.domain, fields, source, risk: ROUTINE, notes },
  };
}

/** Whether a record shows what a deleted one showed. */
function isAlike(name: FieldName, { before }: Delete, { settings }: Website): boolean {
  const [was, is] = [before[name], settings[name]];
  return was === undefined || is === undefined || FIELDS[name].kind.equal(was, is);
}

function created(settings: Settings): FieldChanges {
  const entries = READABLE_NAMES.flatMap((name) => {
    const after = settings[name];
    return after === undefined || isEmpty(after) ? [] : [[name, { after }]];
  });
  return Object.fromEntries(entries) as FieldChanges;
}

/** Whether the files declare what a run did, so that the next apply does it again. */
export function isStillDeclared({ done }: Pick<Deeds, 'done'>, { websites }: Desired): boolean {
  const declared = new Map(
    websites.flatMap((website) => (website.state === 'present' ? [[website.domain, website]] : [])),
  );
  return done.some(({ change }) => {
    const website = declared.get(change.domain);
    if (change.action === 'delete') return change.cause !== 'undo' && website === undefined;
    if (website === undefined || change.action === 'create') return website !== undefined;
    return Object.entries(change.fields).some(([name, field]) => {
      const now = website.settings[name as FieldName];
      return (
        now !== undefined &&
        FIELDS[name as FieldName].kind.equal(now, isSecretChange(field) ? field.ref : field.after)
      );
    });
  });
}

/** What an inverse comes to, guarded like any other plan. `desired` is what the files say now. */
export function inverseContent(inverse: Inverse, { desired, current, rules }: PlanInput): PlanContent {
  const changes = inOrder(inverse.changes);
  const match = matchWebsites(desired, current, rules);
  const guards = tripGuards({
    changes,
    match,
    populations: [{ size: match.population, what: 'records' }],
    protectedDeletes: protectedDeletes(changes, current, protection(desired, match)),
    wantsAny: true,
    unmatched: [],
    prune: false,
    complete: current.complete,
    failOnDrift: false,
    allow: rules.allow,
  });
  const counts = { unchanged: 0, orphan: 0, ignored: 0 };
  const warnings = inverse.skipped.map(
    ({ change, reason }): Warning => ({
      code: 'change-not-undone',
      message: `${change.domain} is left as it is: ${reason}.`,
    }),
  );
  return { changes, guards, warnings, counts, orphans: [], listed: match.listed };
}

/** Deletes of what is protected under the name that the run gave it or under that on the service. */
function protectedDeletes(
  changes: readonly Change[],
  current: Current,
  isProtected: (domain: string) => boolean,
): readonly string[] {
  const names = new Map(current.websites.map(({ id, domain }) => [id, domainKey(domain)]));
  return changes
    .filter((change) => change.action === 'delete')
    .filter(({ domain, id }) => isProtected(domain) || isProtected(names.get(id) ?? domain))
    .map(({ domain }) => domain);
}
