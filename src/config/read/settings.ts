/** The settings of a record or of the defaults: YAML values → values of the field table. */
import { dirname, resolve } from 'node:path';
import { FIELDS, type FieldName, type Settings, type SettingsDraft } from '../../model/field-table.ts';
import { isUnnamedChoice, type Value } from '../../model/field-types.ts';
import { formatSecretRef, isSecretRef, Secret, type SecretRef } from '../../model/secret.ts';
import { contains, firstInvisible } from '../../util/look-alikes.ts';
import { DOUBTS, type Doubt, doubtsOf, fatalDoubt, withoutLineEnd } from '../../util/secret-text.ts';
import { fieldOf, type Key, LIST_KEYS, SECRET_KEYS, SETTING_KEYS } from '../schema/keys.ts';
import { literalRef, secretPath } from '../secrets/resolve.ts';
import { hasReference, refuseSecretName, variable, wholeReference } from '../secrets/substitute.ts';
import type { Finding } from './source.ts';
import { isRow, type Mapping, putVariables, readValue, Spot, type Valid } from './validate.ts';

export interface ReadSettings {
  readonly settings: Settings;
  readonly failed: ReadonlySet<FieldName>;
}

const NO_FIELDS: ReadonlySet<FieldName> = new Set();
const NO_SETTINGS: ReadSettings = { settings: {}, failed: NO_FIELDS };

/** Reads every setting of a map, under which `defaults` hold; the caller reads its other keys. */
export function readSettings(at: Spot, map: Mapping, defaults: ReadSettings = NO_SETTINGS): ReadSettings {
  const settings: SettingsDraft = {};
  let failed = NO_FIELDS;
  for (const name in map) {
    const field = fieldOf(name);
    if (field === undefined) continue;
    const valid = readSetting(at.in(name), field, map, defaults);
    if (valid === undefined) failed = new Set([...failed, field]);
    else settings[field] = valid.value;
  }
  return { settings, failed };
}

function readSetting(
  at: Spot,
  field: FieldName,
  map: Mapping,
  defaults: ReadSettings,
): Valid<Value> | undefined {
  const { name } = at;
  const [key, raw] = [SETTING_KEYS[name], map[name]];
  if (key === undefined) return undefined;
  if (name !== field && map[field] !== undefined) {
    const message = `${name} and ${field} cannot be declared together`;
    at.report({ message, remedy: `Keep ${name} for any time, or ${field} for that time.` }, 'key');
    return undefined;
  }
  const refused =
    raw === null ? whyNotCleared(name, field, defaults) : isRow(at.scope) ? whyNoCell(name, raw) : undefined;
  if (refused !== undefined) {
    at.report(refused);
    return undefined;
  }
  if (FIELDS[field].secret) return readSecret(at, key, raw);
  const valid = readValue(at, key, raw);
  if (valid !== undefined) warnOfValue(at, field, raw, valid.value);
  return valid;
}

function whyNotCleared(name: string, field: FieldName, defaults: ReadSettings): Finding | undefined {
  if (name !== field || FIELDS[field].cleared !== undefined) return undefined;
  const isInherited = defaults.settings[field] !== undefined || defaults.failed.has(field);
  const otherwise = isInherited ? 'then the default applies' : 'what is not declared is not managed';
  return { message: `${name} cannot be cleared`, remedy: `Give it a value, or omit it: ${otherwise}.` };
}

/** Rejects a literal, since bulk files hold only references to secrets, and an ambiguous comma. */
function whyNoCell(name: string, cell: unknown): Finding | undefined {
  if (typeof cell !== 'string') return undefined;
  if (SECRET_KEYS.includes(name))
    return { message: `${name} is stored in plain text`, remedy: 'Write env:NAME or file:PATH.' };
  if (!LIST_KEYS.includes(name) || !cell.includes(',')) return undefined;
  return {
    message: `${name} contains a comma, and lists are split at white space or ";"`,
    remedy: 'Put a space or ";" between the items.',
  };
}

/** The service may have such a value, so it is allowed; it may still be a typing error. */
function warnOfValue(at: Spot, field: FieldName, raw: unknown, value: Value): void {
  if (isUnnamedChoice(FIELDS[field].kind, value)) {
    const message = `${at.name} ${value} is not a known value and is sent unchanged`;
    at.report({ code: 'value-unnamed', message, remedy: 'Its meaning is up to the service.' });
  }
  for (const item of Array.isArray(value) ? value : []) {
    const oddity = firstInvisible(item);
    if (oddity === undefined) continue;
    const index = Array.isArray(raw) ? raw.findIndex((one) => String(one).includes(oddity.character)) : -1;
    const message = `an item of ${at.name} may not be what it looks like: ${contains(oddity)}`;
    (index === -1 ? at : at.in(index)).reportOdd(oddity, message, 'invisible-character');
  }
}

function readSecret(at: Spot, key: Key<Value>, raw: unknown): Valid<Value> | undefined {
  const name = typeof raw === 'string' ? wholeReference(raw) : undefined;
  if (name === undefined && typeof raw === 'string' && raw !== '') return readLiteral(at, raw);
  const valid = name === undefined ? readValue(at, key, raw) : { value: { env: name } };
  if (valid === undefined || !isSecretRef(valid.value)) return valid;
  const ref = valid.value;
  const isKnown = at.scope.secrets.book.places.has(formatSecretRef(ref));
  const read = readReference(at, ref);
  // Doubts about a variable are reported at the first reference to it.
  if (read === undefined || isKnown || !('env' in ref)) return read;
  for (const doubt of doubtsOf(variable(at.scope.variables.env, ref.env) ?? '')) {
    reportDoubt(at.in('env'), `the value of ${ref.env}`, doubt);
  }
  return read;
}

function reportDoubt(at: Spot, what: string, doubt: Doubt, isRefused = false): void {
  const { message, remedy } = DOUBTS[doubt];
  at.report({ ...(!isRefused && { code: 'password-doubtful' }), message: `${what} ${message}`, remedy });
}

export function readReference(at: Spot, ref: SecretRef): Valid<SecretRef> | undefined {
  if ('env' in ref) {
    const refused = refuseSecretName(ref.env);
    if (refused === undefined) return note(at.in('env'), ref);
    at.in('env').report(refused);
    return undefined;
  }
  return 'file' in ref ? readFileRef(at.in('file'), ref.file) : { value: ref };
}

function readFileRef(at: Spot, raw: string): Valid<SecretRef> | undefined {
  const { value, unusable } = putVariables(at, raw);
  if (unusable.size > 0) return undefined;
  const { file, secrets } = at.scope;
  const found = secretPath(resolve(dirname(file.absolute), String(value)), secrets.sources);
  if ('path' in found) return note(at, { file: found.path });
  at.report(found);
  return undefined;
}

/** A text stays in the file: only the reference to its place is passed on. */
function readLiteral(at: Spot, raw: string): Valid<Value> | undefined {
  const { file, variables, secrets } = at.scope;
  // The names of secret variables may belong to others.
  const scope = { ...at.scope, variables: { env: variables.env, secretNames: new Set<string>() } };
  const { value, unusable } = putVariables(new Spot(scope, at.path), raw);
  const text = String(value);
  if (unusable.size > 0 || !isLiteral(at, raw, text)) return undefined;
  const ref = literalRef(file.absolute, at.place, secrets.sources);
  secrets.book.literals.set(formatSecretRef(ref), new Secret(withoutLineEnd(text)));
  if (!hasReference(raw)) {
    const message = `${at.name} is stored in plain text`;
    at.report({ code: 'password-in-file', message, remedy: 'Use { env: NAME } or { file: PATH }.' }, 'key');
  }
  return note(at, ref);
}

const BULK_REFERENCE = /^(env|file):\s*\S/;

/** Checks whether a text, written as `raw`, can be a secret; reports errors and doubts. */
function isLiteral(at: Spot, raw: string, text: string): boolean {
  const { name } = at;
  const [, kind] = BULK_REFERENCE.exec(text) ?? [];
  if (kind !== undefined || withoutLineEnd(text) === '') {
    const message = kind === undefined ? `${name} is empty` : `${name} is a string that starts with ${kind}:`;
    at.report({ message, remedy: `Write { ${kind ?? 'env'}: ${kind === 'file' ? 'PATH' : 'NAME'} }.` });
    return false;
  }
  // A doubled $ is deliberate.
  const doubts = raw.includes('$${') ? [] : doubtsOf(text);
  for (const doubt of doubts) reportDoubt(at, name, doubt, DOUBTS[doubt].isFatal);
  return fatalDoubt(doubts) === undefined;
}

function note(at: Spot, ref: SecretRef): Valid<SecretRef> {
  const { places } = at.scope.secrets.book;
  const name = formatSecretRef(ref);
  if (!places.has(name)) places.set(name, at.place);
  return { value: ref };
}
