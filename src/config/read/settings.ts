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
import type { Finding, Path } from './source.ts';
import {
  isRow,
  type Mapping,
  placeOf,
  putVariables,
  readValue,
  type Scope,
  tell,
  tellOdd,
  type Valid,
} from './validate.ts';

export interface ReadSettings {
  readonly settings: Settings;
  /** Fields that are declared with a value of no use. */
  readonly failed: ReadonlySet<FieldName>;
}

const NO_FIELDS: ReadonlySet<FieldName> = new Set();
const NO_SETTINGS: ReadSettings = { settings: {}, failed: NO_FIELDS };

/** Reads every setting of a map, under which `defaults` hold; its other keys are left to the caller. */
export function readSettings(
  scope: Scope,
  path: Path,
  map: Mapping,
  defaults: ReadSettings = NO_SETTINGS,
): ReadSettings {
  const settings: SettingsDraft = {};
  let failed = NO_FIELDS;
  for (const name of Object.keys(map)) {
    const field = fieldOf(name);
    if (field === undefined) continue;
    const valid = readSetting(scope, [...path, name], name, field, map, defaults);
    if (valid === undefined) failed = new Set([...failed, field]);
    else settings[field] = valid.value;
  }
  return { settings, failed };
}

function readSetting(
  scope: Scope,
  path: Path,
  name: string,
  field: FieldName,
  map: Mapping,
  defaults: ReadSettings,
): Valid<Value> | undefined {
  if (name !== field && map[field] !== undefined) {
    const message = `${name} and ${field} cannot be declared together`;
    tell(scope, path, { message, remedy: `Keep ${name} for any time, or ${field} for that time.` }, 'key');
    return undefined;
  }
  const key = SETTING_KEYS[name];
  if (key === undefined) return undefined;
  if (map[name] === null && name === field && FIELDS[field].cleared === undefined) {
    const isInherited = defaults.settings[field] !== undefined || defaults.failed.has(field);
    const otherwise = isInherited ? 'then the default applies' : 'what is not declared is not managed';
    tell(scope, path, {
      message: `${name} cannot be cleared`,
      remedy: `Give it a value, or omit it: ${otherwise}.`,
    });
    return undefined;
  }
  const refused = isRow(scope) ? whyNoCell(name, map[name]) : undefined;
  if (refused !== undefined) {
    tell(scope, path, refused);
    return undefined;
  }
  if (FIELDS[field].secret) return readSecret(scope, path, key, map[name]);
  const valid = readValue(scope, path, key, map[name]);
  if (valid !== undefined && isUnnamedChoice(FIELDS[field].kind, valid.value)) {
    tell(scope, path, {
      code: 'value-unnamed',
      message: `${name} ${valid.value} is not a known value and is sent unchanged`,
      remedy: 'Its meaning is up to the service.',
    });
  }
  if (Array.isArray(valid?.value)) warnOfInvisible(scope, path, map[name], valid.value);
  return valid;
}

/**
 * Why the text of a cell is not taken: bulk files hold references to secrets alone, and whether a comma stands between
 * items of a list or in one is not to be guessed.
 */
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

/** The service may have such an item, so it can be declared; whoever typed it meant another. */
function warnOfInvisible(scope: Scope, path: Path, raw: unknown, items: readonly string[]): void {
  for (const item of items) {
    const oddity = firstInvisible(item);
    if (oddity === undefined) continue;
    const index = Array.isArray(raw) ? raw.findIndex((one) => String(one).includes(oddity.character)) : -1;
    const message = `an item of ${path.at(-1)} may not be what it looks like: ${contains(oddity)}`;
    tellOdd(scope, index === -1 ? path : [...path, index], oddity, message, { code: 'invisible-character' });
  }
}

function readSecret(scope: Scope, path: Path, key: Key<Value>, raw: unknown): Valid<Value> | undefined {
  const name = typeof raw === 'string' ? wholeReference(raw) : undefined;
  if (name !== undefined) return readPassword(scope, path, { env: name });
  if (typeof raw === 'string' && raw !== '') return readLiteral(scope, path, raw);
  const valid = readValue(scope, path, key, raw);
  return valid !== undefined && isSecretRef(valid.value) ? readPassword(scope, path, valid.value) : valid;
}

/** What is doubtful about a variable is told where the first reference to it is. */
function readPassword(scope: Scope, path: Path, ref: SecretRef): Valid<SecretRef> | undefined {
  const isKnown = scope.secrets.book.places.has(formatSecretRef(ref));
  const valid = readReference(scope, path, ref);
  if (valid !== undefined && !isKnown && 'env' in ref) {
    const text = variable(scope.variables.env, ref.env) ?? '';
    for (const doubt of doubtsOf(text)) tellDoubt(scope, [...path, 'env'], `the value of ${ref.env}`, doubt);
  }
  return valid;
}

function tellDoubt(scope: Scope, path: Path, what: string, doubt: Doubt, isRefused = false): void {
  const { message, remedy } = DOUBTS[doubt];
  const told = { message: `${what} ${message}`, remedy };
  tell(scope, path, isRefused ? told : { ...told, code: 'password-doubtful' });
}

/** Checks a reference to a secret, of which `path` is the place. */
export function readReference(scope: Scope, path: Path, ref: SecretRef): Valid<SecretRef> | undefined {
  if ('env' in ref) return readVariable(scope, [...path, 'env'], ref.env);
  return 'file' in ref ? readFileRef(scope, [...path, 'file'], ref.file) : { value: ref };
}

function readVariable(scope: Scope, path: Path, name: string): Valid<SecretRef> | undefined {
  const refused = refuseSecretName(name);
  if (refused === undefined) return note(scope, path, { env: name });
  tell(scope, path, refused);
  return undefined;
}

function readFileRef(scope: Scope, path: Path, raw: string): Valid<SecretRef> | undefined {
  const { value, unusable } = putVariables(scope, path, raw);
  if (unusable.size > 0) return undefined;
  const file = resolve(dirname(scope.file.absolute), String(value));
  const found = secretPath(file, scope.secrets.sources);
  if ('path' in found) return note(scope, path, { file: found.path });
  tell(scope, path, found);
  return undefined;
}

/** A text stays where it is: what goes on is the reference to its place. */
function readLiteral(scope: Scope, path: Path, raw: string): Valid<Value> | undefined {
  // The variables of a secret may be those of others.
  const variables = { env: scope.variables.env, secretNames: new Set<string>() };
  const { value, unusable } = putVariables({ ...scope, variables }, path, raw);
  if (unusable.size > 0) return undefined;
  const { sources, book } = scope.secrets;
  const ref = literalRef(scope.file.absolute, placeOf(scope, path), sources);
  const text = String(value);
  if (!isLiteral(scope, path, raw, text)) return undefined;
  book.literals.set(formatSecretRef(ref), new Secret(withoutLineEnd(text)));
  if (!hasReference(raw)) {
    tell(
      scope,
      path,
      {
        code: 'password-in-file',
        message: `${path.at(-1)} is stored in plain text`,
        remedy: 'Use { env: NAME } or { file: PATH }.',
      },
      'key',
    );
  }
  return note(scope, path, ref);
}

/** What a reference to a secret looks like in a bulk file. */
const BULK_REFERENCE = /^(env|file):\s*\S/;

/** Whether a text, which was written as `raw`, can be a secret; what is wrong with it, or doubtful, is told. */
function isLiteral(scope: Scope, path: Path, raw: string, text: string): boolean {
  const name = String(path.at(-1));
  const [, kind] = BULK_REFERENCE.exec(text) ?? [];
  if (kind !== undefined || withoutLineEnd(text) === '') {
    const message = kind === undefined ? `${name} is empty` : `${name} is a string that starts with ${kind}:`;
    tell(scope, path, {
      message,
      remedy: `Write { ${kind ?? 'env'}: ${kind === 'file' ? 'PATH' : 'NAME'} }.`,
    });
    return false;
  }
  // Whoever doubles the $ means what it says.
  const doubts = raw.includes('$${') ? [] : doubtsOf(text);
  for (const doubt of doubts) tellDoubt(scope, path, name, doubt, DOUBTS[doubt].isFatal);
  return fatalDoubt(doubts) === undefined;
}

function note(scope: Scope, path: Path, ref: SecretRef): Valid<SecretRef> {
  const { places } = scope.secrets.book;
  const name = formatSecretRef(ref);
  if (!places.has(name)) places.set(name, placeOf(scope, path));
  return { value: ref };
}
