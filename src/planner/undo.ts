/**
 * The inverse of a run, planned like any other change, as far as each record is as the run left it (decision: "Every
 * change is in the journal first"). Settings that are as before the run count as undone; the rest is left and reported.
 */

import {
  type Change,
  type Create,
  type Delete,
  isSecretChange,
  type Update,
  type ValueChange,
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
  withEmpty,
} from '../model/field-table.ts';
import { isEmpty, type Value } from '../model/field-types.ts';
import type { PlanInput } from '../model/plan.ts';
import type { Done, Effect } from '../model/run.ts';
import { isSecretRef, type SecretRef } from '../model/secret.ts';
import type { Current, Desired, Website } from '../model/website.ts';
import { changeOf, deleteOf, inOrder, mayHavePassword } from './changes.ts';
import { createComparison } from './diff.ts';
import { tripGuards } from './guards.ts';
import { ignoring, isNamed, matchWebsites, type Names, namesIn, otherOf, sameAs } from './match.ts';
import type { PlanContent } from './plan.ts';

export interface Deeds {
  readonly done: readonly Done[];
  readonly inDoubt: readonly Change[];
  /** Settings changed by side effects of the run; without `after` if others may have changed them instead. */
  readonly beside: readonly (Omit<Effect, 'after'> & Partial<Pick<Effect, 'after'>>)[];
}

export interface Inverse {
  readonly changes: readonly Change[];
  readonly skipped: readonly { readonly domain: string; readonly reason: string }[];
}

export interface Now extends Names {
  readonly desired: Desired;
  readonly source: Place;
}

interface Undone {
  readonly change?: Change | undefined;
  readonly settings?: Settings;
  readonly left?: Settings;
  readonly notes?: readonly string[];
  readonly reasons?: readonly string[];
}

interface Hints {
  /** A domain without a record is known to have none. */
  readonly isKnownAbsent: boolean;
  readonly password: SecretRef | undefined;
}

interface Restored extends Required<Pick<Undone, 'settings' | 'left' | 'notes'>> {
  readonly domain: string;
  readonly website: Website;
}

const compare = createComparison(false);

/** Inverts a run. Records that the files leave alone under either name stay. */
export function invert({ done, inDoubt, beside }: Deeds, current: Current, now: Now): Inverse {
  const isIgnored = ignoring(now.desired, current, now);
  const byId = new Map(current.websites.map((website) => [website.id, website]));
  const find = finder(current, now);
  const passwords = new Map(
    now.desired.websites.flatMap(({ domain, settings: { password } }) =>
      isSecretRef(password) ? [[domain, password] as const] : [],
    ),
  );
  const changes: Change[] = [];
  const skipped: Inverse['skipped'][number][] = [];
  const restored = new Map<string, Restored>();

  function take(domain: string, website: Website | undefined, undone: Undone): void {
    const { change, settings, left = {}, notes = [], reasons = [] } = undone;
    if (change !== undefined) changes.push(change);
    skipped.push(...reasons.map((reason) => ({ domain, reason })));
    if (settings === undefined || website === undefined) return;
    const known = restored.get(website.id);
    restored.set(website.id, {
      ...{ domain, website },
      settings: { ...settings, ...known?.settings },
      left: { ...left, ...known?.left },
      notes: [...notes, ...(known?.notes ?? [])],
    });
  }

  const doubted = inDoubt.map((change) => ({ change, id: change.action === 'create' ? '' : change.id }));
  for (const deed of [...done, ...doubted]) {
    const { domain, action } = deed.change;
    const website = byId.get(deed.id) ?? (action === 'update' ? undefined : find(deed.change));
    const isKnownAbsent = current.complete || current.provenAbsent.has(domain);
    const names = [domain, domainKey(website?.domain ?? domain)];
    const undone = names.some(isIgnored)
      ? { reasons: ['the configuration ignores it'] }
      : undoneOf(deed, website, now, { isKnownAbsent, password: passwords.get(domain) });
    take(domain, website, undone);
  }
  const deleted = new Set(changes.flatMap((change) => (change.action === 'delete' ? change.id : [])));
  for (const effect of beside) {
    const { domain, id } = effect;
    const website = byId.get(id);
    const isLeft = website === undefined || !isNamed(website, domain) || isIgnored(domain) || deleted.has(id);
    if (!isLeft) take(domain, website, putBack(effect, website));
  }
  for (const one of restored.values()) {
    changes.push(...updatesOf(one, passwords.get(one.domain), now.source));
  }
  return { changes, skipped };
}

function finder(current: Current, set: Names): (change: Change) => Website | undefined {
  const byDomain = new Map(current.websites.map((website) => [domainKey(website.domain), website]));
  const names = namesIn(current, set);
  return (change) => {
    // A record that a run created has the declared name, also if the service changed it.
    const isOfRun = change.action === 'create' || (change.action === 'delete' && change.cause === 'undo');
    const { domain } = change;
    const other = isOfRun ? otherOf(domain, names) : sameAs(domain, names);
    return byDomain.get(domain) ?? byDomain.get(other ?? domain);
  };
}

function undoneOf({ change, id, left }: Done, website: Website | undefined, now: Now, known: Hints): Undone {
  if (change.action === 'delete') return recreated(change, website, now.source, known);
  if (change.action === 'create' && (website === undefined || id === '' || website.id !== id)) {
    return { reasons: whyNoDelete(id, website, known) };
  }
  if (website === undefined) return { reasons: ['its record no longer exists'] };
  // A service that was set up again restarts its IDs.
  if (!isNamed(website, change.domain, now)) {
    return { reasons: [`its id is now that of ${domainKey(website.domain)}`] };
  }
  if (change.action === 'update') return changedBack(change, website, known);
  const differing = differingOf(change, left, website);
  if (differing.length > 0) return { reasons: [changedSince(differing)] };
  return { change: { ...deleteOf(website, 'undo'), domain: change.domain } };
}

function whyNoDelete(id: string, website: Website | undefined, { isKnownAbsent }: Hints): readonly string[] {
  if (website === undefined) return isKnownAbsent ? [] : ['it is not known whether it exists'];
  if (id === '') return [`its create was not answered, and #${website.id} may be it or not`];
  return [`it has another record now, #${website.id}`];
}

const changedSince = (names: readonly FieldName[]): string => `its ${names.join(', ')} changed since`;

function differingOf({ fields }: Create, left: Done['left'], website: Website): readonly FieldName[] {
  const names = READABLE_NAMES.filter((name) => {
    const field = fields[name];
    const { empty } = FIELDS[name].kind;
    const was = field && !isSecretChange(field) ? field.after : (left?.settings[name] ?? empty);
    return website.settings[name] !== undefined && !isShown(name, was, website);
  });
  const { password } = fields;
  const wasSet = left?.passwordSet ?? (password !== undefined && isSecretChange(password) && !!password.ref);
  const isOther = website.passwordSet !== undefined && website.passwordSet !== wasSet;
  return isOther ? [...names, 'password'] : names;
}

function valuesOf({ fields }: Update): (readonly [FieldName, ValueChange])[] {
  return READABLE_NAMES.flatMap((name) => {
    const field = fields[name];
    return field === undefined || isSecretChange(field) ? [] : [[name, field] as const];
  });
}

function isShown(name: FieldName, value: Value | undefined, { settings }: Website): boolean {
  const now = settings[name];
  return value !== undefined && now !== undefined && FIELDS[name].kind.equal(value, now);
}

/** No password can be read back (decision: "Secrets are references and are never shown"). */
const PRIVATE_AGAIN = 'its password cannot be restored, so it comes back private';
const STILL_PRIVATE = 'its password cannot be restored, so it stays private';
const AS_DECLARED = 'its password is the one that the configuration declares now';

function changedBack(change: Update, website: Website, { password }: Hints): Undone {
  const [settings, left]: [SettingsDraft, SettingsDraft] = [{}, {}];
  const reasons: string[] = [];
  const moved: FieldName[] = [];
  for (const [name, { before, after }] of valuesOf(change)) {
    if (isShown(name, before, website)) continue;
    if (website.settings[name] !== undefined && !isShown(name, after, website)) moved.push(name);
    else if (before === undefined) reasons.push(`its ${name} is not known as it was`);
    else [settings[name], left[name]] = [before, after];
  }
  if (moved.length > 0) reasons.push(changedSince(moved));
  if (settings.privacy === PRIVACY.password && website.passwordSet === false && password === undefined) {
    settings.privacy = PRIVACY.private;
    reasons.push(website.settings.privacy === PRIVACY.private ? STILL_PRIVATE : PRIVATE_AGAIN);
  }
  if (losesPassword(change)) reasons.push('it changed a password, and the one before is not known');
  return { settings, left, reasons, notes: notesOn(change, website, password) };
}

/** A run that set a first password replaced none; if it closed the record with it, the undo needs none. */
function losesPassword({ fields, before, password_set }: Update): boolean {
  const had = mayHavePassword({ settings: before, passwordSet: password_set });
  return fields.password !== undefined && (had || fields.privacy === undefined);
}

function notesOn({ fields, alongside }: Update, website: Website, password: SecretRef | undefined): string[] {
  const hidden = READABLE_NAMES.filter((name) => alongside[name] !== undefined);
  const notes =
    hidden.length === 0
      ? []
      : [`the service did not show its previous ${hidden.join(', ')}, so it is not restored`];
  const { privacy } = fields;
  const wasBehind = privacy && !isSecretChange(privacy) && privacy.before === PRIVACY.password;
  if (password !== undefined) return wasBehind || mayHavePassword(website) ? [...notes, AS_DECLARED] : notes;
  if (alongside.password !== undefined) {
    return [...notes, 'the password that it had before, if it was another, cannot be restored'];
  }
  const isUnknown = wasBehind && website.passwordSet === undefined;
  return isUnknown ? [...notes, 'its password cannot be restored where the service lost it'] : notes;
}

function putBack({ field, before, after }: Deeds['beside'][number], website: Website): Undone {
  if (FIELDS[field].secret)
    return website.passwordSet ? {} : { reasons: [`its ${field} cannot be restored`] };
  const { empty, equal } = FIELDS[field].kind;
  const now = website.settings[field] ?? empty;
  if (now === undefined || equal(before, now)) return {};
  // A service resets to the empty value: any other was set by somebody.
  const isOfRun = after === undefined ? empty === undefined || equal(empty, now) : equal(after, now);
  if (!isOfRun) return { reasons: [changedSince([field])] };
  return { settings: { [field]: before }, left: { [field]: now } };
}

function updatesOf(
  { domain, website, settings, left, notes }: Restored,
  password: SecretRef | undefined,
  source: Place,
): readonly Change[] {
  const isBehind = settings.privacy === PRIVACY.password || mayHavePassword(website);
  const wanted = isBehind && password !== undefined ? { ...settings, password } : settings;
  const desired = { domain, state: 'present', protect: false, settings: wanted, source } as const;
  const shown = { ...website, settings: { ...left, ...website.settings } };
  const update = changeOf({ desired, website: shown, isVariant: false }, compare);
  if (update?.action !== 'update') return [];
  return [{ ...update, before: website.settings, notes: [...notes, ...update.notes] }];
}

function recreated(
  change: Delete,
  website: Website | undefined,
  source: Place,
  { isKnownAbsent, password }: Hints,
): Undone {
  const { domain, before, id } = change;
  if (website !== undefined) {
    const whole = { ...website, settings: withEmpty(website.settings, READABLE_NAMES) };
    const isThere =
      website.id === id ||
      READABLE_NAMES.every((name) => before[name] === undefined || isShown(name, before[name], whole));
    return isThere ? {} : { reasons: ['a record with this domain exists again'] };
  }
  if (!isKnownAbsent) return { reasons: ['it is not known whether it exists again'] };
  const filled = Object.entries(before).filter(([, value]) => !isEmpty(value));
  const settings: SettingsDraft = Object.fromEntries(filled);
  const notes = ['it gets a new id, and the data of the old record is not restored'];
  const reasons: string[] = [];
  if (settings.privacy === PRIVACY.password && password !== undefined) {
    settings.password = password;
    notes.push(AS_DECLARED);
  } else if (settings.privacy === PRIVACY.password || settings.privacy === undefined) {
    const isLost = settings.privacy === PRIVACY.password;
    reasons.push(isLost ? PRIVATE_AGAIN : 'who could see it is not known, so it comes back private');
    settings.privacy = PRIVACY.private;
  }
  const desired = { domain, state: 'present', protect: false, settings, source } as const;
  const create = changeOf({ desired, isVariant: false }, compare);
  return { change: create && { ...create, notes }, reasons };
}

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

export function inverseContent({ changes: all, skipped }: Inverse, input: PlanInput): PlanContent {
  const changes = inOrder(all);
  const match = matchWebsites(input.desired, input.current, input.rules);
  const changed = new Set(changes.map(({ domain }) => domain));
  const warnings = skipped.map(({ domain, reason }) => {
    const what = changed.has(domain) ? 'is not restored completely' : 'is left as it is';
    return { code: 'change-not-undone', message: `${domain} ${what}: ${reason}.` } as const;
  });
  const counts = { unchanged: 0, orphan: 0, ignored: 0 };
  return {
    changes,
    guards: tripGuards(changes, input, match),
    warnings,
    counts,
    orphans: [],
    listed: match.listed,
  };
}
