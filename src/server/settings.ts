/** Settings on their way from a form into the store, as the field table describes them. */
import { FIELD_NAMES, FIELDS, type FieldName, PRIVACY } from '../model/field-table.ts';
import { isUnnamedChoice, type Kind, Mismatch, type Value } from '../model/field-types.ts';
import { Secret } from '../model/secret.ts';
import type { Form } from './form.ts';
import { hashPassword } from './passwords.ts';
import type { StoredCell } from './sqlite.ts';
import type { StoredSettings } from './store.ts';

/** What is wrong, by the name of the form field or parameter. */
export type Refusals = Readonly<Record<string, readonly string[]>>;

/** Valid values of a form; `true` is a presence without a time of its own, which may be there already. */
type Submitted = Partial<Record<FieldName, StoredCell | true | Secret>>;

/** The same with secrets hashed. */
type Sealed = Partial<Record<FieldName, StoredCell | true>>;

/** What a record has where its create says nothing (specification, section 2). */
export const DEFAULTS: StoredSettings = {
  privacy: PRIVACY.private,
  password: null,
  email: 0,
  exclude_bots: 1,
  exclude_params: null,
  exclude_ips: null,
  favorited_at: null,
};

/** In characters. */
export const LONGEST_SECRET = 128;

/** Reads the settings of a form and, by wire name, what is wrong with it. Other fields are passed over. */
export function readSettings(form: Form): { submitted: Submitted; refusals: Refusals } {
  const submitted: Submitted = {};
  const refusals: Record<string, readonly string[]> = {};
  for (const name of FIELD_NAMES) {
    const wire = FIELDS[name].wire.find((candidate) => form.has(candidate));
    if (wire === undefined) continue;
    const value = readSetting(name, wire, form.get(wire) ?? '');
    if (value === undefined) refusals[wire] = [reasonOf(name, wire)];
    else submitted[name] = value;
  }
  return { submitted, refusals };
}

/** The value that the text of form field `wire` stands for; `undefined` where it is not valid. */
export function readSetting(
  name: FieldName,
  wire: string,
  text: string,
): StoredCell | true | Secret | undefined {
  const { kind, cleared, secret, presenceKey, wire: wires } = FIELDS[name];
  // The other names of a field are its boolean form.
  const presenceAlone = wire !== wires[0];
  if (text.includes('\0')) return undefined;
  if (secret) return readSecret(text);
  const trimmed = text.trim();
  if (trimmed === '') return cleared === undefined || presenceAlone ? undefined : null;
  const value = meaningOf(kind, trimmed);
  // Lists are kept as they were sent: their line ends and order come back in answers.
  if (Array.isArray(value)) return trimmed;
  if (presenceKey !== undefined) return readPresence(value, presenceAlone);
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' && !isUnnamedChoice(kind, value) ? value : undefined;
}

/** What a text stands for, as answers hold it too. */
function meaningOf(kind: Kind, text: string): Value | undefined {
  try {
    return kind.readAnswer(text);
  } catch (error) {
    if (error instanceof Mismatch) return undefined;
    throw error;
  }
}

/** A presence is sent as a time, or `alone`: as 0 or 1. */
function readPresence(value: unknown, alone: boolean): string | true | null | undefined {
  if (alone) return value === true || value === null ? value : undefined;
  return typeof value === 'string' ? value : undefined;
}

function readSecret(text: string): Secret | null | undefined {
  if (text === '') return null;
  return [...text].length > LONGEST_SECRET ? undefined : new Secret(text);
}

function reasonOf(name: FieldName, wire: string): string {
  const label = wire.replaceAll('_', ' ');
  return FIELDS[name].secret
    ? `The ${label} must be text of 1 to ${LONGEST_SECRET} characters.`
    : `The selected ${label} is invalid.`;
}

/**
 * Hashes the secrets, which takes its time and happens off the main thread. Throws where that is not `isWanted` any
 * more.
 */
export async function seal(submitted: Submitted, isWanted: () => boolean): Promise<Sealed> {
  const sealed: Sealed = {};
  for (const name of FIELD_NAMES) {
    const value = submitted[name];
    if (value !== undefined)
      sealed[name] = value instanceof Secret ? await hashPassword(value.reveal(), isWanted) : value;
  }
  return sealed;
}

/**
 * Lays `sealed` over the settings that a record has; what was not sent stays. `now` is the time of a
 * new presence; one that is there keeps its own.
 */
export function settle(
  current: StoredSettings,
  sealed: Sealed,
  now: string,
): { settings: StoredSettings } | { refused: Refusals } {
  const settings: Record<FieldName, StoredCell> = { ...current };
  for (const name of FIELD_NAMES) {
    const value = sealed[name];
    if (value !== undefined) settings[name] = value === true ? (current[name] ?? now) : value;
  }
  return settings.privacy === PRIVACY.password && settings.password === null
    ? { refused: { password: ['The password field is required when privacy is 2.'] } }
    : { settings };
}
