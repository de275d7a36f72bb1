/** Reads YAML maps and checks the value of each key with its schema. */
import type * as z from 'zod/mini';
import { FIELDS, type FieldName, type Settings, type SettingsDraft } from '../../model/field-table.ts';
import { isUnnamedChoice, type Value } from '../../model/field-types.ts';
import type { SecretRef } from '../../model/secret.ts';
import { nearest, suggestion } from '../../util/did-you-mean.ts';
import { contains, firstInvisible } from '../../util/look-alikes.ts';
import {
  ALL_SECRET_KEYS,
  ANCHOR_KEY,
  fieldOf,
  type Key,
  type KeyRow,
  type KeyValues,
  LIST_KEYS,
  SETTING_KEYS,
} from '../schema/keys.ts';
import { readSecret, spelledOut } from '../secrets/secret.ts';
import { SECRET_WORD, withoutSecret } from '../secrets/words.ts';
import { isMap, isRow, type Mapping, type Path, putVariables, type Spot } from './source.ts';

type KeyRows = Readonly<Record<string, KeyRow>>;

/** Returns the valid values of a map. Reports keys that are not in `keys`. An empty value counts as an empty map. */
export function readMap<const K extends KeyRows>(at: Spot, raw: unknown, keys: K): KeyValues<K> {
  const values: Record<string, unknown> = {};
  if (isMap(raw)) {
    for (const name in raw) {
      if (!Object.hasOwn(keys, name)) reportUnknown(at.in(name), raw, keys);
    }
    for (const name in keys) {
      const key = keys[name] as KeyRow;
      if (key.schema !== undefined && Object.hasOwn(raw, name)) {
        values[name] = readValue(at.in(name), key as Key, raw[name]);
      }
    }
  } else if (raw !== null && raw !== undefined) {
    at.report({
      message: `${at.name} must be a map with the keys ${Object.keys(keys).join(', ')}`,
    });
  }
  return values as KeyValues<K>;
}

function readValue<T>(at: Spot, key: Key<T>, raw: unknown): T | undefined {
  const isSecret = ALL_SECRET_KEYS.includes(at.name);
  const value = isSecret ? spelledOut(at, raw) : putVariables(at, raw);
  if (value === undefined) return undefined;
  const result = parse(key.schema, value, isRow(at.scope) || (value !== raw && !isSecret));
  if (!result.success) {
    reportIssues(at, key, { value, raw }, result.error.issues);
    return undefined;
  }
  return isSecret ? (readSecret(at, result.data as SecretRef | null, raw) as T) : result.data;
}

function reportIssues(
  at: Spot,
  key: Key,
  { value, raw }: { readonly value: unknown; readonly raw: unknown },
  issues: readonly z.core.$ZodIssue[],
): void {
  const { name } = at;
  if (isRow(at.scope) && typeof value === 'string' && LIST_KEYS.includes(name)) {
    const message = `${name} contains a comma, and lists are split at white space or ";"`;
    at.report({ message, remedy: 'Put a space or ";" between the items.' });
    return;
  }
  for (const { path, message } of issues) {
    const [index] = path as Path;
    const subject = index === undefined ? name : `an item of ${name}`;
    const text = message.startsWith('"') ? `${name}: ${message}` : `${subject} ${message}`;
    if (index === undefined) at.reportText(value, { message: text, remedy: remedyOf(at, key, raw) });
    else at.in(...(path as Path)).reportText((value as Mapping)[index], { message: text });
  }
}

/** A text without a type, of a cell or with variables, also counts in lower case, and as a number or a boolean. */
export function parse<T>(schema: z.ZodMiniType<T>, value: unknown, isUntyped: boolean) {
  const result = schema.safeParse(value);
  if (result.success || !isUntyped || typeof value !== 'string') return result;
  const small = value.toLowerCase();
  const plain: unknown = /^(?:true|false|0|[1-9]\d{0,14})$/.test(small) ? JSON.parse(small) : small;
  return [small, plain].map((one) => schema.safeParse(one)).find(({ success }) => success) ?? result;
}

function remedyOf(at: Spot, { words, examples: [example] }: Key, raw: unknown): string | undefined {
  const meant = typeof raw === 'string' ? nearest(raw, words ?? []) : undefined;
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return words === undefined && !isRow(at.scope) ? `Write, for example, ${at.name}: ${example}.` : undefined;
}

const API_KEY = 'Remove it. Set the API key with WEBSITES_API_KEY or --api-key-file.';

function reportUnknown(at: Spot, map: Mapping, keys: KeyRows): void {
  const { name } = at;
  if (at.path.length === 1 && ANCHOR_KEY.test(name)) return;
  if (mayBeSecret(name, map)) {
    const message = 'unknown key without a value. It is not shown, because it may be part of a secret';
    const remedy = 'Put a secret with a comma in it into quotes, or use { env: NAME }.';
    at.report({ message, remedy }, 'key');
    return;
  }
  const known = Object.keys(keys);
  // Keys that the map already has are not suggested.
  const unused = known.filter((one) => !(one in map));
  const other = suggestion(name, unused, `Use one of ${known.join(', ')}.`);
  const message = `unknown key ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(withoutSecret(name))}`;
  at.reportText(name, { message, remedy: name === 'api_key' ? API_KEY : other }, 'key');
}

/** In `{ password: one,two }`, YAML reads a key `two`, so an unknown key may be part of a secret. */
function mayBeSecret(key: string, map: Mapping): boolean {
  const isSecret = (name: string): boolean => typeof map[name] === 'string' && SECRET_WORD.test(name);
  return map[key] === null && Object.keys(map).some(isSecret);
}

export function readSettings(at: Spot, raw: unknown): Settings {
  return settingsOf(at, readMap(at, raw, SETTING_KEYS));
}

/** Returns the settings among the `values` of a map. */
export function settingsOf(at: Spot, values: Mapping): Settings {
  const settings: SettingsDraft = {};
  for (const name in values) {
    const [field, value] = [fieldOf(name), values[name] as Value | undefined];
    if (field === undefined || value === undefined) continue;
    if (name !== field && field in values) {
      const message = `${name} and ${field} cannot be declared together`;
      at.in(name).report(
        { message, remedy: `Keep ${field} if the time matters. Otherwise keep ${name}.` },
        'key',
      );
    } else {
      settings[field] = value;
      warnOfValue(at.in(name), field, value);
    }
  }
  return settings;
}

/** Only warns about an unusual value: the service may have it, but it may be a typing error. */
function warnOfValue(at: Spot, field: FieldName, value: Value): void {
  if (isUnnamedChoice(FIELDS[field].kind, value)) {
    const message = `${at.name} ${value} is not a known value and is sent unchanged`;
    const remedy = 'Check the value: the service decides what it means.';
    at.report({ code: 'value-unnamed', message, remedy });
  }
  const oddity = (Array.isArray(value) ? value : []).map((item) => firstInvisible(item)).find(Boolean);
  if (oddity === undefined) return;
  const message = `an item of ${at.name} may not be what it looks like: ${contains(oddity)}`;
  at.reportOdd(oddity, message, 'invisible-character');
}
