import type { FieldChange, FieldChanges } from '../model/change.ts';
import { FIELD_NAMES, FIELDS, type FieldName, SECRET_NAMES, type Settings } from '../model/field-table.ts';
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
 * A field that the service does not show is sent with other changes, but is not one itself; for a record to create, each
 * declared field is one. Only whether a password is set is shown: with `resend`, it is sent even if one is.
 */
export function compareWebsite(
  { settings }: Pick<DesiredWebsite, 'settings'>,
  website: Website | undefined,
  resend: boolean,
): Comparison {
  const found = { fields: {}, alongside: {}, kept: [] as FieldName[] };
  const isSet = website === undefined ? false : website.passwordSet;
  for (const name of FIELD_NAMES) {
    const after = settings[name];
    if (after === undefined) continue;
    if (FIELDS[name].secret) addSecret(found, name, after as SecretRef | null, { isSet, resend });
    else addValue(found, name, after, website);
  }
  const { fields, alongside, kept } = found;
  return kept.length === 0 ? { fields, alongside } : found;
}

interface Draft {
  readonly fields: { [Name in FieldName]?: FieldChange };
  readonly alongside: Draft['fields'];
  readonly kept: FieldName[];
}

function addSecret(
  { fields, alongside }: Draft,
  name: FieldName,
  ref: SecretRef | null,
  { isSet, resend }: { readonly isSet: boolean | undefined; readonly resend: boolean },
): void {
  const change = { sensitive: true, ref } as const;
  if (ref === null ? isSet === true : isSet === false || resend) fields[name] = change;
  else if (ref !== null) alongside[name] = isSet ? { ...change, set: true } : change;
  else if (isSet === undefined) alongside[name] = change;
}

function addValue(
  { fields, alongside, kept }: Draft,
  name: FieldName,
  after: Value,
  website: Website | undefined,
): void {
  const before = website?.settings[name];
  if (website === undefined) fields[name] = { after };
  else if (before === undefined) alongside[name] = { after };
  else if (FIELDS[name].kind.equal(after, before)) kept.push(name);
  else fields[name] = { before, after };
}

const NOTHING: Settings = Object.freeze({});

/** Compares as `compareWebsite` does; records that share their settings, and declare no secret, are compared once. */
export function createComparison(resend: boolean) {
  const shared = shareMade<Comparison>(Number.POSITIVE_INFINITY);
  return (desired: DesiredWebsite, website: Website | undefined): Comparison => {
    const compare = (): Comparison => compareWebsite(desired, website, resend);
    if (SECRET_NAMES.some((name) => desired.settings[name] !== undefined)) return compare();
    return shared([desired.settings, website?.settings ?? NOTHING], compare);
  };
}

export function areAlike(a: Settings = {}, b: Settings = {}, isSame = sameValue): boolean {
  const names = Object.keys({ ...a, ...b }) as FieldName[];
  return a === b || names.every((name) => isSame(name, a[name], b[name]));
}

export function sameValue(name: FieldName, a: Value | undefined, b: Value | undefined): boolean {
  return a !== undefined && b !== undefined && FIELDS[name].kind.equal(a, b);
}
