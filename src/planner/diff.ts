import type { FieldChange, FieldChanges } from '../model/change.ts';
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  PRIVACY,
  SECRET_NAMES,
  type Settings,
} from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { SecretRef } from '../model/secret.ts';
import type { DesiredWebsite, Website } from '../model/website.ts';
import { shareMade } from '../util/memoize.ts';

export interface Comparison {
  readonly fields: FieldChanges;
  readonly alongside: FieldChanges;
  readonly kept?: readonly FieldName[];
}

/**
 * A field that the service does not show is sent with other changes, but is not one itself. With `resend`, passwords
 * are sent even if one is set.
 */
export function compareWebsite(desired: DesiredWebsite, website: Website, resend: boolean): Comparison {
  const draft: DiffDraft = { fields: {}, alongside: {}, kept: [] };
  for (const name of FIELD_NAMES) {
    const after = desired.settings[name];
    if (after === undefined) continue;
    if (FIELDS[name].secret) {
      addSecret(draft, name, after, compareSecret(after, website.passwordSet, resend), website.passwordSet);
    } else addValue(draft, name, after, website.settings[name]);
  }
  const { fields, alongside, kept } = draft;
  return kept.length === 0 ? { fields, alongside } : draft;
}

interface DiffDraft {
  readonly fields: Mutable;
  readonly alongside: Mutable;
  readonly kept: FieldName[];
}

function addSecret(
  { fields, alongside }: DiffDraft,
  name: FieldName,
  after: Value,
  verdict: SecretVerdict,
  isSet: boolean | undefined,
): void {
  const change = { sensitive: true, ref: after as SecretRef | null } as const;
  if (verdict === 'differs') fields[name] = change;
  if (verdict === 'unknown') alongside[name] = isSet && after !== null ? { ...change, set: true } : change;
}

function addValue(
  { fields, alongside, kept }: DiffDraft,
  name: FieldName,
  after: Value,
  before: Value | undefined,
): void {
  if (before === undefined) alongside[name] = { after };
  else if (FIELDS[name].kind.equal(after, before)) kept.push(name);
  else fields[name] = { before, after };
}

export type Compare = (desired: DesiredWebsite, website: Website | undefined) => Comparison;

/** Compares as `compareWebsite` and `createFields` do; records that share their settings are compared once. */
export function createComparison(resend: boolean): Compare {
  const shared = shareMade<Comparison>(Number.POSITIVE_INFINITY);
  const compare: Compare = (desired, website) =>
    website === undefined
      ? { fields: createFields(desired), alongside: {} }
      : compareWebsite(desired, website, resend);
  return (desired, website) => {
    // Each record decides whether its secret is sent.
    if (holdsSecret(desired.settings)) return compare(desired, website);
    const of = [desired.settings, website === undefined ? NOTHING : website.settings];
    return shared(of, () => compare(desired, website));
  };
}

function holdsSecret(settings: Settings): boolean {
  for (const name of SECRET_NAMES) if (settings[name] !== undefined) return true;
  return false;
}

type Mutable = { [Name in FieldName]?: FieldChange };

type SecretVerdict = 'same' | 'differs' | 'unknown';

/** A service shows only whether a password is set. */
function compareSecret(after: Value, isSet: boolean | undefined, resend: boolean): SecretVerdict {
  if (after === null) return isSet === true ? 'differs' : isSet === false ? 'same' : 'unknown';
  return isSet === false || resend ? 'differs' : 'unknown';
}

const NOTHING: Settings = Object.freeze({});

/** The fields of a create: all declared ones; a new record has no password to remove. */
export function createFields({ settings }: Pick<DesiredWebsite, 'settings'>): FieldChanges {
  const fields: Mutable = {};
  for (const name of FIELD_NAMES) {
    const after = settings[name];
    if (after === undefined || (after === null && FIELDS[name].secret)) continue;
    fields[name] = FIELDS[name].secret ? { sensitive: true, ref: after as SecretRef } : { after };
  }
  return fields;
}

export function areAlike(a: Settings = {}, b: Settings = {}, isSame = sameValue): boolean {
  const names = Object.keys({ ...a, ...b }) as FieldName[];
  return a === b || names.every((name) => isSame(name, a[name], b[name]));
}

export function sameValue(name: FieldName, a: Value | undefined, b: Value | undefined): boolean {
  return a !== undefined && b !== undefined && FIELDS[name].kind.equal(a, b);
}

/** True for a record that needs a password that is not declared. */
export function lacksPassword({ settings }: DesiredWebsite): boolean {
  return settings.privacy === PRIVACY.password && !settings.password;
}
