/**
 * Builds updates and restores from the change, the record right before, and the known traits of the service (decision:
 * "An update never changes what is not declared").
 */
import { allFields, isSecretChange, type Update } from '../model/change.ts';
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
import type { UpdateRule, Website } from '../model/website.ts';

export interface Reading extends Shows {
  readonly unreadable?: readonly FieldName[] | undefined;
}

export function readingOf({ settings, passwordSet, unreadable = {} }: Website): Reading {
  return { settings, passwordSet, unreadable: Object.keys(unreadable) as FieldName[] };
}

export interface UpdateView {
  readonly rule: UpdateRule;
  /** Everything is sent as it was read: by the pin, or because an update of this run reset what it omitted. */
  readonly full: boolean;
  /** An omitted text and number stayed and nothing was reset, so values that cannot be sent stay too. */
  readonly keepsAll: boolean;
  readonly closes: boolean;
  readonly wireNames: Traits['wireNames'];
}

export interface UpdateForm {
  readonly declared: readonly FieldName[];
  readonly asRead: readonly FieldName[];
  readonly leftOut: readonly FieldName[];
  /** Why it must not be sent: this would be lost, or closed. */
  readonly refusal?: 'password' | 'privacy' | 'unreadable';
}

export function updateForm(change: Update, seen: Reading, view: UpdateView): UpdateForm {
  const declared: FieldName[] = SECRET_NAMES.filter((name) => sendsSecret(change, name, view));
  const asRead: FieldName[] = [];
  const leftOut: FieldName[] = [];
  for (const name of READABLE_NAMES) {
    const value = seen.settings[name];
    if (isSentAsDeclared(name, change, view)) declared.push(name);
    else if (value === undefined) continue;
    else if (isSentAsRead(name, value, view)) asRead.push(name);
    else leftOut.push(name);
  }
  const refusal = refusalOf(change, seen, view);
  return { declared, asRead, leftOut, ...(refusal === undefined ? {} : { refusal }) };
}

function isSentAsDeclared(name: FieldName, change: Update, { rule }: UpdateView): boolean {
  if (allFields(change)[name] !== undefined) return true;
  return rule !== 'changed' && isKept(change, name);
}

function isKept({ kept }: Update, name: FieldName): boolean {
  return kept?.includes(name) ?? false;
}

/** A service that resets privacy would open a private website, so that privacy is sent. Public is never sent. */
function isSentAsRead(name: FieldName, value: Value, { rule, full, wireNames }: UpdateView): boolean {
  if (rule === 'changed' || cannotBeSent(name, value, wireNames)) return false;
  return name === 'privacy' ? value !== PRIVACY.public : full;
}

/** A null number would become zero, and a favorite without its time one of now. */
function cannotBeSent(name: FieldName, value: Value, wireNames: Traits['wireNames']): boolean {
  const { presenceKey } = FIELDS[name];
  if (value === null && isNumeric(name)) return true;
  return presenceKey !== undefined && value === true && wireNames[name] !== presenceKey;
}

/** A declared password is sent; with the pin `changed`, only if none is known to be set. */
function sendsSecret({ fields, alongside }: Update, name: FieldName, { rule }: UpdateView): boolean {
  if (fields[name] !== undefined) return true;
  const field = alongside[name];
  if (field === undefined) return false;
  const isSet = isSecretChange(field) && field.set === true;
  return !isSet || rule !== 'changed' || after(fields.privacy) === PRIVACY.password;
}

function refusalOf(change: Update, seen: Reading, view: UpdateView): UpdateForm['refusal'] {
  const { rule, keepsAll, closes } = view;
  if (rule === 'changed') return undefined;
  if (!keepsAll && isBehindPassword(change, seen)) return 'password';
  if (!keepsAll && seen.unreadable?.some((name) => !isDeclared(name, change))) return 'unreadable';
  const isOpen = seen.settings.privacy === PRIVACY.public && !isDeclared('privacy', change);
  return isOpen && closes ? 'privacy' : undefined;
}

function isDeclared(name: FieldName, change: Update): boolean {
  return allFields(change)[name] !== undefined || isKept(change, name);
}

/** True for a record that is, and stays, behind an undeclared password. */
function isBehindPassword(change: Update, { settings: { privacy } }: Shows): boolean {
  const wanted = after(change.fields.privacy) ?? privacy;
  const isSecretDeclared = allFields(change).password !== undefined;
  return privacy === PRIVACY.password && wanted === PRIVACY.password && !isSecretDeclared;
}

/** True if an update waits for the others of its run: it could lose settings that cannot be sent again. */
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
 * Restores settings: `reset` as before, the others as now, declared ones as declared. A public website is not made
 * public again, and one that lost its password becomes private. `undefined` if the write could lose an undeclared
 * password.
 */
export function putBackForm(
  change: Update,
  before: Settings,
  now: Shows,
  reset: readonly FieldName[],
  wireNames: Traits['wireNames'],
): PutBack | undefined {
  const isSecretDeclared = allFields(change).password !== undefined;
  if (now.settings.privacy === PRIVACY.password && !isSecretDeclared) return undefined;
  const settings: SettingsDraft = {};
  for (const name of READABLE_NAMES) {
    const value = reset.includes(name) ? before[name] : now.settings[name];
    if (value === undefined || isDeclared(name, change) || cannotBeSent(name, value, wireNames)) continue;
    if (name !== 'privacy') settings[name] = value;
    else if (value === PRIVACY.password && !isSecretDeclared && now.passwordSet !== true)
      settings.privacy = PRIVACY.private;
    else if (value !== PRIVACY.public) settings.privacy = value;
  }
  const declared = [...SECRET_NAMES, ...READABLE_NAMES].filter((name) => isDeclared(name, change));
  return { form: { declared, asRead: Object.keys(settings) as FieldName[] }, settings };
}
