/**
 * What an update sends, and what has to be read before it: a function of the change, of what the record shows, and of
 * what is known of the service (decision: "An update never changes what is not declared").
 */
import { isSecretChange, type Update } from '../model/change.ts';
import {
  FIELDS,
  type FieldName,
  PRIVACY,
  READABLE_NAMES,
  SECRET_NAMES,
  type Settings,
} from '../model/field-table.ts';
import { isEmpty, type Value } from '../model/field-types.ts';
import type { Traits } from '../model/service.ts';
import type { UpdateRule, Website } from '../model/website.ts';
import { alwaysStays, behaviorOf, isNumeric, type Knowledge, keepsPasswords } from './knowledge.ts';

/** What is known of the service when an update is put together. */
export interface UpdateView {
  readonly rule: UpdateRule;
  readonly knowledge: Knowledge;
  /** An update of this run left a value out that is not empty, and the value stayed. */
  readonly confirmed: boolean;
  /** Whether a value of which nothing is known may be left out, to learn it. */
  readonly mayLearn: boolean;
  /** Settings that are sent as read for the rest of the run: others kept changing them. */
  readonly wary: ReadonlySet<FieldName>;
  readonly traits: Pick<Traits, 'wireNames' | 'listed' | 'read' | 'readEmpty'>;
}

/** A record as it was last seen. */
export interface Sighting {
  readonly settings: Settings;
  /** Missing where the service does not show whether one is set. */
  readonly passwordSet?: boolean | undefined;
  /** Shown, and not to be read: it can be left out, and cannot be sent. */
  readonly unreadable?: readonly FieldName[] | undefined;
  /** It was read right before the write: what it does not show, the service shows nowhere. */
  readonly isFresh: boolean;
}

/** A record that was read right before the write. */
export function freshSighting({ settings, passwordSet, unreadable = {} }: Website): Sighting {
  return { settings, passwordSet, unreadable: Object.keys(unreadable) as FieldName[], isFresh: true };
}

export interface UpdateForm {
  /** Sent as declared. */
  readonly declared: readonly FieldName[];
  /** Sent as the record shows them, for which it has to be read right before. */
  readonly asRead: readonly FieldName[];
  /** Not sent, and compared afterwards. */
  readonly leftOut: readonly FieldName[];
  /** Of those, the ones of which nothing is known: the update finds out. */
  readonly learns: readonly FieldName[];
  readonly readFirst: boolean;
  /** No other update may be in flight beside it: what it finds decides on the others. */
  readonly alone: boolean;
  /** Why it must not be sent, with what is known so far: this would be lost, or reset. */
  readonly endangers?: 'password' | 'privacy' | 'unreadable';
}

/** How one setting is dealt with. */
type Treatment = 'declared' | 'asRead' | 'leftOut' | 'learns' | 'nothing';

/** Puts an update together. */
export function updateForm(change: Update, seen: Sighting, view: UpdateView): UpdateForm {
  const learns = view.mayLearn && isFitToLearnBy(change, seen);
  const names: Record<Exclude<Treatment, 'nothing'>, FieldName[]> = {
    declared: SECRET_NAMES.filter((name) => sendsSecret(change, name, view)),
    asRead: [],
    leftOut: [],
    learns: [],
  };
  for (const name of READABLE_NAMES) {
    const treatment = treat(name, change, seen, view, learns);
    if (treatment !== 'nothing') names[treatment].push(name);
  }
  const leftOut = [...names.leftOut, ...names.learns];
  const isFirst = !view.confirmed && (learns || (view.rule === 'changed' && view.mayLearn));
  const isTrial = names.learns.length > 0 || (isFirst && holdsAny(seen, leftOut));
  const isBlind = !seen.isFresh && view.rule !== 'changed' && hides(seen.settings, view.traits) === undefined;
  const endangers = endangeredBy(change, seen, view);
  return {
    ...names,
    leftOut,
    readFirst: isTrial || isBlind || names.asRead.length > 0,
    alone: isTrial || isBlind,
    ...(endangers === undefined ? {} : { endangers }),
  };
}

function holdsAny({ settings }: Sighting, names: readonly FieldName[]): boolean {
  return names.some((name) => !isEmpty(settings[name] ?? null));
}

function treat(
  name: FieldName,
  change: Update,
  seen: Sighting,
  view: UpdateView,
  learns: boolean,
): Treatment {
  if (change.fields[name] !== undefined || change.alongside[name] !== undefined) return 'declared';
  const value = seen.settings[name];
  if (view.rule === 'changed') return value === undefined ? 'nothing' : 'leftOut';
  if (isKept(change, name)) return treatKept(name, value, view, learns);
  if (seen.unreadable?.includes(name)) return 'nothing';
  if (value === undefined) return treatHidden(name, seen, view);
  if (cannotBeSent(name, value, view.traits)) return 'leftOut';
  if (view.rule === 'full') return 'asRead';
  if (name === 'privacy') return value === PRIVACY.public ? 'leftOut' : 'asRead';
  return isEmpty(value) ? 'leftOut' : (treatByKnowledge(name, value, view, learns) ?? 'asRead');
}

/** A declared setting that the record shows as declared. */
function treatKept(name: FieldName, value: Value | undefined, view: UpdateView, learns: boolean): Treatment {
  const isSent = value === undefined || isEmpty(value) || name === 'privacy' || view.rule === 'full';
  return isSent ? 'declared' : (treatByKnowledge(name, value, view, learns) ?? 'declared');
}

/** Whether a value is left out, by what is known of it; nothing where it has to be sent. */
function treatByKnowledge(
  name: FieldName,
  value: Value,
  { wary, knowledge, confirmed }: UpdateView,
  learns: boolean,
): Treatment | undefined {
  const behavior = wary.has(name) ? 'reset' : behaviorOf(knowledge, name, value);
  if (behavior === 'stays' && (confirmed || learns)) return 'leftOut';
  return behavior === 'unknown' && learns ? 'learns' : undefined;
}

function isKept({ kept }: Update, name: FieldName): boolean {
  return kept?.includes(name) ?? false;
}

/** A setting that the list does not show: it is read, unless it stays whatever it holds. */
function treatHidden(name: FieldName, { isFresh, settings }: Sighting, view: UpdateView): Treatment {
  const { rule, knowledge, traits, wary } = view;
  if (isFresh || hides(settings, traits) !== true || !mayBeShown(name, traits)) return 'nothing';
  const stays = rule === 'auto' && !wary.has(name) && name !== 'privacy' && alwaysStays(knowledge, name);
  return stays ? 'nothing' : 'asRead';
}

/**
 * No number cannot be sent: it would become a zero. Nor can a favorite without a time where a time is expected: it would
 * become one of now.
 */
export function cannotBeSent(
  name: FieldName,
  value: Value,
  { wireNames }: Pick<Traits, 'wireNames'>,
): boolean {
  const { presenceKey } = FIELDS[name];
  if (value === null && isNumeric(name)) return true;
  return presenceKey !== undefined && value === true && wireNames[name] !== presenceKey;
}

/** A record that an update may be tried on: it has no password to lose, and shows what the update does. */
function isFitToLearnBy({ fields, alongside }: Update, { settings, passwordSet }: Sighting): boolean {
  const isSecret = SECRET_NAMES.some((name) => fields[name] !== undefined || alongside[name] !== undefined);
  const privacy = [settings.privacy, valueAfter(fields.privacy)];
  const hasPassword = passwordSet ?? privacy[0] === PRIVACY.password;
  return !isSecret && !hasPassword && !privacy.includes(PRIVACY.password);
}

/** A declared password that is set already goes along until the service is known to keep it. */
function sendsSecret(change: Update, name: FieldName, { rule, knowledge, confirmed }: UpdateView): boolean {
  if (change.fields[name] !== undefined) return true;
  const field = change.alongside[name];
  if (field === undefined) return false;
  const isSet = isSecretChange(field) && field.set === true;
  const closes = valueAfter(change.fields.privacy) === PRIVACY.password;
  if (!isSet || closes || rule === 'full') return true;
  return rule === 'auto' && !(confirmed && keepsPasswords(knowledge));
}

function endangeredBy(change: Update, seen: Sighting, view: UpdateView): UpdateForm['endangers'] {
  const { rule, knowledge, confirmed } = view;
  if (rule === 'changed') return undefined;
  const isDeclared = (name: FieldName): boolean =>
    change.fields[name] !== undefined || change.alongside[name] !== undefined;
  const { privacy } = seen.settings;
  const after = valueAfter(change.fields.privacy) ?? privacy;
  const isBehindPassword = privacy === PRIVACY.password && after === PRIVACY.password;
  const keeps = rule === 'auto' && confirmed && keepsPasswords(knowledge);
  if (isBehindPassword && !isDeclared('password') && !keeps) return 'password';
  const mustBeSent = (name: FieldName): boolean =>
    !isDeclared(name) &&
    !isKept(change, name) &&
    !(rule === 'auto' && confirmed && !view.wary.has(name) && alwaysStays(knowledge, name));
  if (seen.unreadable?.some(mustBeSent)) return 'unreadable';
  const isPublic = privacy === PRIVACY.public && !isDeclared('privacy') && !isKept(change, 'privacy');
  return rule === 'auto' && isPublic && knowledge.reset.has('privacy') ? 'privacy' : undefined;
}

function valueAfter(field: Update['fields'][FieldName]): Value | undefined {
  return field === undefined || isSecretChange(field) ? undefined : field.after;
}

/**
 * Whether a record that is read by itself shows more than `settings`, which a list showed; `undefined` where none was
 * read yet, which could tell.
 */
function hides(settings: Settings, traits: UpdateView['traits']): boolean | undefined {
  const missing = READABLE_NAMES.filter((name) => settings[name] === undefined);
  if (missing.length === 0) return false;
  if (traits.read.size === 0) return undefined;
  return missing.some((name) => mayBeShown(name, traits));
}

/** Where records leave out what is empty, that others do not show a setting says nothing of this one. */
function mayBeShown(name: FieldName, { listed, read, readEmpty }: UpdateView['traits']): boolean {
  const isOpen = FIELDS[name].kind.empty !== undefined && !listed.has(name) && readEmpty.size === 0;
  return read.has(name) || isOpen;
}
