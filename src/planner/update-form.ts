/**
 * Builds the form of updates and restores from the change, the record right before, and the known traits of the
 * service (decision: "An update never changes what is not declared").
 */
import { isSecretChange, sentField, type Update } from '../model/change.ts';
import {
  FIELDS,
  type FieldName,
  isNumeric,
  PRIVACY,
  READABLE_NAMES,
  SECRET_NAMES,
  type Settings,
  type SettingsDraft,
} from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { Shows } from '../model/run.ts';
import type { Traits } from '../model/service.ts';
import type { UpdateRule } from '../model/website.ts';

export interface Reading extends Shows {
  readonly unreadable?: readonly FieldName[] | undefined;
}

export interface UpdateView {
  /** `full` if it is set in the file, or if an update of this run reset omitted settings. */
  readonly rule: UpdateRule;
  /**
   * True if the service kept an omitted text and an omitted number, and reset nothing. It then also keeps settings
   * that cannot be sent.
   */
  readonly keepsAll: boolean;
  readonly closes: boolean;
  readonly wireNames: Traits['wireNames'];
}

export interface UpdateForm {
  readonly declared: readonly FieldName[];
  readonly asRead: readonly FieldName[];
  readonly leftOut: readonly FieldName[];
  /** The reason that the update is not sent: a setting would be lost, or a public website would become private. */
  readonly refusal?: 'password' | 'privacy' | 'unreadable' | undefined;
}

export function updateForm(change: Update, seen: Reading, view: UpdateView): UpdateForm {
  const declared = ALL_NAMES.filter((name) => isSentAsDeclared(name, change, view));
  const [asRead, leftOut]: [FieldName[], FieldName[]] = [[], []];
  for (const name of READABLE_NAMES) {
    const value = seen.settings[name];
    if (value === undefined || declared.includes(name)) continue;
    (isSentAsRead(name, value, view) ? asRead : leftOut).push(name);
  }
  return { declared, asRead, leftOut, refusal: refusalOf(change, seen, view) };
}

const ALL_NAMES = [...SECRET_NAMES, ...READABLE_NAMES];

/** The rule `changed` sends a password if it changes, if privacy becomes `password`, or if none is known to be set. */
function isSentAsDeclared(
  name: FieldName,
  { fields, alongside, kept }: Update,
  { rule }: UpdateView,
): boolean {
  const field = alongside[name];
  if (fields[name] !== undefined) return true;
  if (field === undefined) return rule !== 'changed' && kept !== undefined && kept.includes(name);
  const isSet = isSecretChange(field) && field.set === true;
  return !isSet || rule !== 'changed' || after(fields.privacy) === PRIVACY.password;
}

/**
 * An undeclared privacy is sent as read, because a service that resets it would open a private website. Public is
 * never sent. Neither is a value that sending would change: a null number would become zero, and a favorite without
 * its time would get the current time.
 */
function isSentAsRead(name: FieldName, value: Value, { rule, wireNames }: UpdateView): boolean {
  const { presenceKey } = FIELDS[name];
  const isOnlyPresence = presenceKey !== undefined && value === true && wireNames[name] !== presenceKey;
  if (rule === 'changed' || isOnlyPresence || (value === null && isNumeric(name))) return false;
  return name === 'privacy' ? value !== PRIVACY.public : rule === 'full';
}

function refusalOf(change: Update, seen: Reading, view: UpdateView): UpdateForm['refusal'] {
  const { rule, keepsAll, closes } = view;
  if (rule === 'changed') return undefined;
  if (!keepsAll && isBehindPassword(change, seen)) return 'password';
  if (!keepsAll && seen.unreadable?.some((name) => !isDeclared(name, change))) return 'unreadable';
  const isOpen = seen.settings.privacy === PRIVACY.public && !isDeclared('privacy', change);
  return isOpen && closes ? 'privacy' : undefined;
}

export function isDeclared(name: FieldName, change: Update): boolean {
  return sentField(change, name) !== undefined || (change.kept?.includes(name) ?? false);
}

/** True if the record has, and keeps, a password that is not declared. */
function isBehindPassword(change: Update, { settings: { privacy } }: Shows): boolean {
  const wanted = after(change.fields.privacy) ?? privacy;
  const isSecretDeclared = sentField(change, 'password') !== undefined;
  return privacy === PRIVACY.password && wanted === PRIVACY.password && !isSecretDeclared;
}

/** True if the update runs after the others: it may lose settings that cannot be restored. */
export function isRisky(change: Update): boolean {
  const { before, unreadable = [] } = change;
  return isBehindPassword(change, { settings: before }) || unreadable.length > 0;
}

function after(field: Update['fields'][FieldName]): Value | undefined {
  return field === undefined || isSecretChange(field) ? undefined : field.after;
}

export interface PutBack {
  readonly form: Pick<UpdateForm, 'declared' | 'asRead'>;
  readonly settings: Settings;
}

/**
 * Builds the form that restores settings: `reset` settings as before, other undeclared ones as now, declared ones as
 * declared. Never makes a website public again; a website that lost its password becomes private. Returns `undefined`
 * if the write could lose an undeclared password.
 */
export function putBackForm(
  change: Update,
  { before, now, reset }: { before: Settings; now: Shows; reset: readonly FieldName[] },
  wireNames: Traits['wireNames'],
): PutBack | undefined {
  const isSecretDeclared = sentField(change, 'password') !== undefined;
  if (now.settings.privacy === PRIVACY.password && !isSecretDeclared) return undefined;
  const settings: SettingsDraft = {
    ...now.settings,
    ...Object.fromEntries(reset.map((name) => [name, before[name]])),
  };
  const isOpen = settings.privacy === PRIVACY.password && !isSecretDeclared && now.passwordSet !== true;
  if (isOpen) settings.privacy = PRIVACY.private;
  const view = { rule: 'full', keepsAll: false, closes: false, wireNames } as const;
  return { form: updateForm(change, { settings }, view), settings };
}
