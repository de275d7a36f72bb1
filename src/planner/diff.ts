import type { FieldChange, FieldChanges } from '../model/change.ts';
import { FIELD_NAMES, FIELDS, type FieldName, SECRET_NAMES, type Settings } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { SecretRef } from '../model/secret.ts';
import type { DesiredWebsite, Website } from '../model/website.ts';
import { shareMade } from '../util/memoize.ts';

export interface Comparison {
  readonly fields: FieldChanges;
  readonly alongside: FieldChanges;
  readonly kept: readonly FieldName[];
}

/**
 * A field that the service does not show is sent along with other changes, and is not a change itself. For a new
 * record, each declared field is a change. The service shows only if a password is set: with `resend`, a declared
 * password is always a change.
 */
export function compareWebsite(
  { settings }: Pick<DesiredWebsite, 'settings'>,
  website: Website | undefined,
  resend: boolean,
): Comparison {
  const found: ComparisonDraft = { fields: {}, alongside: {}, kept: [] };
  const isSet = website === undefined || (resend && settings.password !== null) ? false : website.passwordSet;
  for (const name of FIELD_NAMES) {
    const [before, after] = [website?.settings[name], settings[name]];
    if (after === undefined) continue;
    if (FIELDS[name].secret) addSecret(found, name, after as SecretRef | null, isSet);
    else if (website === undefined) found.fields[name] = { after };
    else if (before === undefined) found.alongside[name] = { after };
    else if (FIELDS[name].kind.equal(after, before)) found.kept.push(name);
    else found.fields[name] = { before, after };
  }
  return found;
}

interface ComparisonDraft extends Comparison {
  readonly fields: { [Name in FieldName]?: FieldChange };
  readonly alongside: ComparisonDraft['fields'];
  readonly kept: FieldName[];
}

function addSecret(
  { fields, alongside }: ComparisonDraft,
  name: FieldName,
  ref: SecretRef | null,
  isSet: boolean | undefined,
): void {
  const change = { sensitive: true, ref } as const;
  if (isSet === (ref === null)) fields[name] = change;
  else if (isSet === undefined || ref !== null) alongside[name] = isSet ? { ...change, set: true } : change;
}

const NOTHING: Settings = Object.freeze({});

/** Compares like `compareWebsite`. Records that share their settings and declare no secret are compared once. */
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
