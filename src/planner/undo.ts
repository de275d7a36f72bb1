/**
 * The inverse of a run: the planner compares each record with its values before the run, as far as it is as the run left
 * it (decision: "Every change is in the journal first"). The rest is left and reported.
 */
import { type Change, type Create, type Delete, isSecretChange, type Update } from '../model/change.ts';
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
import { isEmpty } from '../model/field-types.ts';
import type { PlanInput } from '../model/plan.ts';
import type { Done, Effect } from '../model/run.ts';
import { isSecretRef, type SecretRef } from '../model/secret.ts';
import type { Current, Desired, Website } from '../model/website.ts';
import { changeOf, deleteOf, desiredOf, inOrder, mayHavePassword } from './changes.ts';
import { sameValue } from './diff.ts';
import { tripGuards } from './guards.ts';
import { isNamed, matchWebsites, type Names, otherOf, sameAs } from './match.ts';
import type { PlanContent } from './plan.ts';

export interface Deeds {
  /** Also changes in doubt: a create without an ID. */
  readonly done: readonly Done[];
  /** Settings changed by side effects of the run; without `after` if others may have changed them instead. */
  readonly beside: readonly Difference[];
}

type Difference = Omit<Effect, 'after'> & Partial<Pick<Effect, 'after'>>;

/** A change of the run to one record, with its side effects. */
interface Deed extends Pick<Done, 'id' | 'left'>, Pick<Change, 'domain'> {
  /** Missing if only side effects are known. */
  readonly change?: Change;
  readonly effects: readonly Difference[];
}

interface Goal {
  /** The record, which the run created, is deleted. */
  readonly isGone?: true;
  /** Settings as before the run. */
  readonly wants?: Settings;
  /** The same settings as the run left them: the service may not show them. */
  readonly left?: Settings;
  readonly notes?: readonly string[];
  /** Reason that something is not undone. */
  readonly reasons?: readonly string[];
}

interface Facts extends Names {
  readonly website: Website | undefined;
  /** A domain without a record is known to have none. */
  readonly isKnownAbsent: boolean;
  readonly password: SecretRef | undefined;
}

/** Inverts a run. Records that the files leave alone under either name stay. */
export function undo({ done, beside }: Deeds, input: PlanInput): PlanContent {
  const { desired, current, rules } = input;
  const match = matchWebsites(desired, current, rules);
  const find = finder(current, match);
  const declared = new Map(desired.websites.map(({ domain, settings }) => [domain, settings.password]));
  const source = { file: `run ${rules.undoes}`, line: 0, column: 0 };
  const changes: Change[] = [];
  const warnings: PlanContent['warnings'][number][] = [];
  for (const deed of deedsOf(done, beside)) {
    const { domain } = deed;
    const [website, ref] = [find(deed), declared.get(domain)];
    const facts: Facts = {
      website,
      isKnownAbsent: current.complete || current.provenAbsent.has(domain),
      password: isSecretRef(ref) ? ref : undefined,
      www: rules.www,
    };
    const isLeft = [domain, domainKey(website?.domain ?? domain)].some(match.leavesAlone);
    const goal = isLeft ? because('the configuration ignores it') : goalOf(deed, facts);
    const change = inverseOf(goal, deed, facts, source);
    if (change !== undefined) changes.push(change);
    const what = change === undefined ? 'is left as it is' : 'is not restored completely';
    const messages = (goal.reasons ?? []).map((reason) => `${domain} ${what}: ${reason}.`);
    warnings.push(...messages.map((message) => ({ code: 'change-not-undone', message }) as const));
  }
  return {
    changes: inOrder(changes),
    guards: tripGuards(changes, input, match),
    warnings,
    counts: { unchanged: 0, orphan: 0, ignored: 0 },
    orphans: [],
  };
}

function deedsOf(done: Deeds['done'], beside: Deeds['beside']): readonly Deed[] {
  const effects = new Map<string, Difference[]>();
  for (const effect of beside) effects.set(effect.id, [...(effects.get(effect.id) ?? []), effect]);
  const deeds = done.map((one): Deed => {
    const { change, id } = one;
    const own = { ...one, domain: change.domain, effects: effects.get(id) ?? [] };
    effects.delete(id);
    return own;
  });
  const others = [...effects].flatMap(([id, effects]) =>
    effects.slice(0, 1).map(({ domain }): Deed => ({ id, domain, effects })),
  );
  return [...deeds, ...others];
}

function finder({ websites }: Current, names: Names): (deed: Deed) => Website | undefined {
  const byId = new Map(websites.map((website) => [website.id, website]));
  const byDomain = new Map(websites.map((website) => [domainKey(website.domain), website]));
  return ({ id, domain, change }) => {
    const known = byId.get(id);
    if (known !== undefined || change === undefined || change.action === 'update') return known;
    // A record that a run created has the declared name, also if the service changed it.
    const isOfRun = change.action === 'create' || change.cause === 'undo';
    const other = isOfRun ? otherOf(domain, names) : sameAs(domain, names);
    return byDomain.get(domain) ?? byDomain.get(other ?? domain);
  };
}

function inverseOf(
  { isGone, wants, left, notes = [] }: Goal,
  { domain }: Deed,
  { website, password }: Facts,
  source: Place,
): Change | undefined {
  if (isGone && website) return { ...deleteOf(website, 'undo'), domain };
  if (wants === undefined) return undefined;
  const isBehind = wants.privacy === PRIVACY.password || (website !== undefined && mayHavePassword(website));
  const settings = isBehind && password !== undefined ? { ...wants, password } : wants;
  const desired = { domain, state: 'present', protect: false, settings, source } as const;
  const shown = website && { ...website, settings: { ...left, ...website.settings } };
  const change = changeOf({ desired, website: shown, isVariant: false });
  if (change === undefined) return undefined;
  const inverse = { ...change, notes: [...notes, ...change.notes] };
  return inverse.action === 'update' && website ? { ...inverse, before: website.settings } : inverse;
}

function because(...reasons: readonly string[]): Goal {
  return { reasons };
}

const changedSince = (names: readonly FieldName[]): string => `its ${names.join(', ')} changed since`;

function goalOf({ domain, change, id, left, effects }: Deed, facts: Facts): Goal {
  const { website, isKnownAbsent } = facts;
  if (change?.action === 'delete') return recreated(change, facts);
  if (change?.action === 'create' && website?.id !== id) {
    if (website === undefined) return isKnownAbsent ? {} : because('it is not known whether it exists');
    if (id !== '') return because(`it has another record now, #${website.id}`);
    return because(`its create was not answered, and #${website.id} may be it or not`);
  }
  if (website === undefined) return because('its record no longer exists');
  // A reinstalled service counts its IDs from the start.
  if (!isNamed(website, domain, facts)) return because(`its id is now that of ${domainKey(website.domain)}`);
  if (change?.action !== 'create') return changedBack(change, effects, website, facts.password);
  const differing = differingOf(change, left, website);
  return differing.length > 0 ? because(changedSince(differing)) : { isGone: true };
}

function differingOf({ fields }: Create, left: Done['left'], website: Website): readonly FieldName[] {
  const names = READABLE_NAMES.filter((name) => {
    const field = fields[name];
    const { empty } = FIELDS[name].kind;
    const was = field && !isSecretChange(field) ? field.after : (left?.settings[name] ?? empty);
    const now = website.settings[name];
    return now !== undefined && !sameValue(name, was, now);
  });
  const { password } = fields;
  const wasSet = left?.passwordSet ?? (password !== undefined && isSecretChange(password) && !!password.ref);
  const isOther = website.passwordSet !== undefined && website.passwordSet !== wasSet;
  return isOther ? [...names, 'password'] : names;
}

/** No password can be read back (decision: "Secrets are references and are never shown"). */
const LOST = 'its password cannot be restored';
const PRIVATE = `${LOST}, so it comes back private`;
const AS_DECLARED = 'its password is the one that the configuration declares now';

function changedBack(
  change: Update | undefined,
  effects: readonly Difference[],
  website: Website,
  password: SecretRef | undefined,
): Goal {
  const { wants, left, moved } = takenBack([...valuesOf(change), ...effects], website);
  const reasons = moved.length === 0 ? [] : [changedSince(moved)];
  if (!website.passwordSet && effects.some(({ field }) => FIELDS[field].secret)) reasons.push(LOST);
  if (wants.privacy === PRIVACY.password && website.passwordSet === false && password === undefined) {
    wants.privacy = PRIVACY.private;
    reasons.push(PRIVATE);
  }
  if (change === undefined) return { wants, left, reasons };
  if (losesPassword(change)) reasons.push('it changed a password, and the one before is not known');
  return { wants, left, reasons, notes: notesOn(change, website, password) };
}

function takenBack(differences: readonly Omit<Difference, 'domain' | 'id'>[], { settings }: Website) {
  const [wants, left]: [SettingsDraft, SettingsDraft] = [{}, {}];
  const moved: FieldName[] = [];
  // A service resets to the empty value, so somebody else set any other value.
  for (const { field, before, after = FIELDS[field].kind.empty } of differences) {
    const now = settings[field] ?? after;
    if (FIELDS[field].secret || sameValue(field, before, now)) continue;
    const isOfRun = now !== undefined && (after === undefined || sameValue(field, after, now));
    if (isOfRun) [wants[field], left[field]] = [before, now];
    else moved.push(field);
  }
  return { wants, left, moved };
}

function valuesOf(change: Update | undefined): readonly Omit<Difference, 'domain' | 'id'>[] {
  return READABLE_NAMES.flatMap((field) => {
    const value = change?.fields[field];
    if (value === undefined || isSecretChange(value) || value.before === undefined) return [];
    return [{ field, before: value.before, after: value.after }];
  });
}

/** A run that set a first password replaced none; if it closed the record with it, the undo needs none. */
function losesPassword({ fields, before, password_set }: Update): boolean {
  const had = mayHavePassword({ settings: before, passwordSet: password_set });
  return fields.password !== undefined && (had || fields.privacy === undefined);
}

function notesOn(
  { before, fields, alongside }: Update,
  website: Website,
  password: SecretRef | undefined,
): string[] {
  const wasBehind = fields.privacy !== undefined && before.privacy === PRIVACY.password;
  const isLost = alongside.password !== undefined || (wasBehind && website.passwordSet === undefined);
  const unseen = READABLE_NAMES.filter((name) => alongside[name] !== undefined);
  if (isLost && password === undefined) unseen.push('password');
  return [
    ...(unseen.length === 0
      ? []
      : [`the service did not show its previous ${unseen.join(', ')}, so it is not restored`]),
    ...(password !== undefined && (wasBehind || mayHavePassword(website)) ? [AS_DECLARED] : []),
  ];
}

function recreated({ before, id, password_set }: Delete, { website, isKnownAbsent, password }: Facts): Goal {
  if (website !== undefined) {
    const now = withEmpty(website.settings, READABLE_NAMES);
    const isLike = (name: FieldName): boolean =>
      before[name] === undefined || sameValue(name, before[name], now[name]);
    const isThere = website.id === id || READABLE_NAMES.every(isLike);
    return isThere ? {} : because('a record with this domain exists again');
  }
  if (!isKnownAbsent) return because('it is not known whether it exists again');
  const wants: SettingsDraft = Object.fromEntries(
    Object.entries(before).filter(([, value]) => !isEmpty(value)),
  );
  const isBehind = wants.privacy === PRIVACY.password;
  const notes = ['it gets a new id, and the data of the old record is not restored'];
  const reasons: string[] = [];
  if ((isBehind || password_set) && password !== undefined) {
    wants.password = password;
    notes.push(AS_DECLARED);
  } else if (isBehind) {
    wants.privacy = PRIVACY.private;
    reasons.push(PRIVATE);
  } else if (password_set) reasons.push(LOST);
  if (wants.privacy === undefined) {
    wants.privacy = PRIVACY.private;
    reasons.push('who could see it is not known, so it comes back private');
  }
  return { wants, notes, reasons };
}

export function isStillDeclared({ done }: Pick<Deeds, 'done'>, { websites }: Desired): boolean {
  const declared = new Map(websites.map((website) => [website.domain, website]));
  return done.some(({ change }) => {
    const { domain, action } = change;
    const website = declared.get(domain);
    const isPresent = website?.state === 'present';
    if (action === 'delete') return change.cause !== 'undo' && !isPresent;
    if (action === 'create' || !isPresent) return isPresent;
    const { settings } = desiredOf({ ...change, alongside: {} });
    return Object.entries(settings).some(([name, value]) =>
      sameValue(name as FieldName, website.settings[name as FieldName], value),
    );
  });
}
