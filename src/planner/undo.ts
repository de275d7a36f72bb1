/**
 * The inverse of a run: what it created is deleted, what it changed is changed back, what it deleted is created
 * again; each only where the record still is as the run left it (decision: "Every change is in the journal first").
 */

import {
  type Change,
  type Create,
  type Delete,
  type FieldChanges,
  isSecretChange,
  type Update,
} from '../model/change.ts';
import { domainKey, isNamed, wwwVariant } from '../model/domain.ts';
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
import type { PlanOptions } from '../model/plan.ts';
import { ROUTINE } from '../model/risk.ts';
import type { Done, Effect } from '../model/run.ts';
import type { Warning } from '../model/warning.ts';
import type { Current, Desired, Website, WwwRule } from '../model/website.ts';
import { protection } from './arrange.ts';
import { deleteOf, inOrder, riskOf } from './changes.ts';
import { tripGuards } from './guards.ts';
import { formerOf, PRIVATE_AGAIN, passwordNotes, wasBehindPassword } from './lost-passwords.ts';
import { matchWebsites, ruleOf } from './match.ts';
import type { PlanContent } from './plan.ts';

/** A change that is not taken back, and why. */
export interface Skipped {
  readonly change: Change;
  readonly reason: string;
}

/** A setting that a run changed beside what it was to change, or may have. */
export type ChangedBeside = Pick<Effect, 'domain' | 'id' | 'field' | 'before'> &
  Partial<Pick<Effect, 'after'>>;

export interface Inverse {
  readonly changes: readonly Change[];
  readonly skipped: readonly Skipped[];
}

/**
 * Inverts what a run did, in the light of what there is now; what `isIgnored` under either name is left alone. `www`
 * is the rule that somebody set. `beside` is what the run changed, and was not to change.
 */
export function invert(
  done: readonly Done[],
  current: Current,
  source: Place,
  isIgnored: (domain: string) => boolean = () => false,
  www?: WwwRule,
  beside: readonly ChangedBeside[] = [],
): Inverse {
  const byId = new Map(current.websites.map((website) => [website.id, website]));
  const byDomain = new Map(current.websites.map((website) => [domainKey(website.domain), website]));
  const rule = ruleOf(current, www);
  const find = ({ domain, cause }: Delete): Website | undefined => {
    // What an undo deleted goes by the name that the run gave it, whatever the service had made of that.
    const mayBeVariant = rule === 'same' || (rule === 'undecided' && cause === 'undo');
    return byDomain.get(domain) ?? (mayBeVariant ? byDomain.get(wwwVariant(domain)) : undefined);
  };
  const changes: Change[] = [];
  const skipped: Skipped[] = [];
  for (const { change, id } of done) {
    const website = change.action === 'delete' ? find(change) : byId.get(id);
    const names = [change.domain, domainKey(website?.domain ?? change.domain)];
    const reason = names.some(isIgnored) ? 'the configuration ignores it' : undefined;
    const inverse = reason ?? invertOne(change, website, isKnown(change.domain, current), source, www);
    if (typeof inverse === 'string') skipped.push({ change, reason: inverse });
    else changes.push(inverse);
  }
  return { changes: withBeside(changes, beside, byId, source, isIgnored), skipped };
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

/** Whether a domain that is not among the current records is known to have none. */
function isKnown(domain: string, current: Current): boolean {
  return current.complete || current.provenAbsent.has(domain);
}

/** The inverse, or why there is none. */
function invertOne(
  change: Change,
  website: Website | undefined,
  isKnownAbsent: boolean,
  source: Place,
  www: WwwRule | undefined,
): Change | string {
  if (change.action === 'delete') {
    if (website !== undefined) return 'a record with this domain exists again';
    return isKnownAbsent ? recreate(change, source) : 'it is not known whether it exists again';
  }
  if (website === undefined) return 'its record no longer exists';
  // A service that was set up again counts its ids from the start.
  if (!isNamed(website, change.domain, www)) return `its id is now that of ${domainKey(website.domain)}`;
  const differing = differs(change.fields, website);
  if (differing !== undefined) return `its ${differing} was changed since`;
  if (change.action === 'update') return changeBack(change, website, source);
  return { ...deleteOf(website, 'undo'), domain: change.domain };
}

/** The first field that does not show what the run made of it. */
function differs(fields: FieldChanges, website: Website): FieldName | undefined {
  return READABLE_NAMES.find((name) => {
    const field = fields[name];
    const shown = website.settings[name];
    return (
      field !== undefined &&
      !isSecretChange(field) &&
      shown !== undefined &&
      !FIELDS[name].kind.equal(field.after, shown)
    );
  });
}

function changeBack(change: Update, website: Website, source: Place): Update | string {
  const fields: { [Name in FieldName]?: { before: Value; after: Value } } = {};
  for (const name of READABLE_NAMES) {
    const field = change.fields[name];
    if (field === undefined || isSecretChange(field) || field.before === undefined) continue;
    const [before, after] = [website.settings[name] ?? field.after, formerOf(name, field.before, website)];
    if (before !== after) fields[name] = { before, after };
  }
  if (Object.keys(fields).length === 0) {
    return wasBehindPassword(change)
      ? 'its password cannot be restored, so it stays private'
      : 'it changed a password alone, and the one before is not known';
  }
  return {
    action: 'update',
    domain: change.domain,
    id: change.id,
    before: website.settings,
    fields,
    alongside: {},
    ...(website.passwordSet === undefined ? {} : { password_set: website.passwordSet }),
    source,
    risk: riskOf(fields),
    notes: [...hiddenNotes(change), ...passwordNotes(change, website)],
  };
}

/** Of what a service does not show, a run sends what is declared, and knows nothing of what was there. */
function hiddenNotes({ alongside }: Update): readonly string[] {
  const names = READABLE_NAMES.filter((name) => alongside[name] !== undefined);
  if (names.length === 0) return [];
  return [`the service did not show its previous ${names.join(', ')}, so it is not restored`];
}

/** A record with its former settings; what was behind a password comes back private, never more open. */
function recreate(change: Delete, source: Place): Create {
  const before = { ...change.before } as SettingsDraft;
  const notes = ['it gets a new id, and the data of the old record is not restored'];
  if (before.privacy === PRIVACY.password) {
    before.privacy = PRIVACY.private;
    notes.push(PRIVATE_AGAIN);
  } else if (before.privacy === undefined) {
    before.privacy = PRIVACY.private;
    notes.push('who could see it is not known, so it comes back private');
  }
  return {
    action: 'create',
    domain: change.domain,
    fields: created(before),
    source,
    risk: ROUTINE,
    notes,
  };
}

function created(settings: Settings): FieldChanges {
  const entries = READABLE_NAMES.flatMap((name) => {
    const after = settings[name];
    return after === undefined || isEmpty(after) ? [] : [[name, { after }]];
  });
  return Object.fromEntries(entries) as FieldChanges;
}

/** What an inverse comes to, guarded like any other plan. `desired` is what the files say now. */
export function inverseContent(
  inverse: Inverse,
  current: Current,
  desired: Desired,
  options: PlanOptions,
): PlanContent {
  const changes = inOrder(inverse.changes);
  const match = matchWebsites(desired, current, options.www);
  const guards = tripGuards({
    changes,
    match,
    populations: [{ size: match.population, what: 'records' }],
    protectedDeletes: protectedDeletes(changes, current, protection(desired, match.www)),
    wantsAny: true,
    unmatched: [],
    prune: false,
    complete: current.complete,
    failOnDrift: false,
    allow: options.allow,
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
