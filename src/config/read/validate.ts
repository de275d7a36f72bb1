import type * as z from 'zod/mini';
import type { Place, Problem } from '../../model/errors.ts';
import type { WarningCode } from '../../model/warning.ts';
import { isObject } from '../../util/json.ts';
import {
  contains,
  firstInvisible,
  firstOfNoName,
  type Oddity,
  TYPE_IT_PLAIN,
} from '../../util/look-alikes.ts';
import type { Allowed } from '../files/allowed-paths.ts';
import type { ConfigFile } from '../files/files.ts';
import { ALL_SECRET_KEYS, type Key, type KeyRow } from '../schema/keys.ts';
import type { SecretBook } from '../secrets/resolve.ts';
import { hasReference, substitute, type Variables } from '../secrets/substitute.ts';
import { SECRET_WORD, withoutSecret } from '../secrets/words.ts';
import { gluedKey, homeOf, itemMeant, keyMeant, valueMeant } from './meant.ts';
import type { ConfigPart, ParsedDocument, Path } from './source.ts';
import { type Finding, problemAt } from './source.ts';

export interface FileDocument {
  readonly file: ConfigFile;
  readonly document: ParsedDocument;
}

export interface Scope extends FileDocument {
  readonly secrets: { readonly sources: Allowed; readonly book: SecretBook };
  readonly variables: Variables;
  readonly problems: Problem[];
}

export class Spot {
  readonly scope: Scope;
  readonly path: Path;

  constructor(scope: Scope, path: Path) {
    this.scope = scope;
    this.path = path;
  }

  in(...way: Path): Spot {
    return new Spot(this.scope, [...this.path, ...way]);
  }

  get name(): string {
    return String(this.path.at(-1));
  }

  get place(): Place {
    const { source, locate } = this.scope.document;
    return source.placeAt(locate(this.path).start);
  }

  report(finding: Finding, part?: ConfigPart): void {
    this.reportPart('', finding, part);
  }

  /** Reports a part of its text, if the text is written without escapes. */
  reportPart(token: string, finding: Finding, part: ConfigPart = 'value'): void {
    const { document, problems } = this.scope;
    const { start, end } = document.locate(this.path, part);
    const at = token === '' ? -1 : document.source.text.slice(start, end).indexOf(token);
    const range = at === -1 ? { start, end } : { start: start + at, end: start + at + token.length };
    problems.push(problemAt(document.source, range, finding, document.hidden));
  }

  reportOdd({ character }: Oddity, message: string, code?: WarningCode, part?: ConfigPart): void {
    this.reportPart(character, { code, message, remedy: TYPE_IT_PLAIN }, part);
  }
}

export interface Declared<T> {
  readonly value: T;
  readonly at: Spot;
}

export type Mapping = Readonly<Record<string, unknown>>;

export function isRow({ document }: FileDocument): boolean {
  return document.value === undefined;
}

export interface Valid<T> {
  readonly value: T;
}

export const isMap: (raw: unknown) => raw is Mapping = isObject;

export function readValue<T>(at: Spot, key: Key<T>, raw: unknown): Valid<T> | undefined {
  const { value, unusable } = ALL_SECRET_KEYS.includes(at.name)
    ? { value: raw, unusable: NONE }
    : putVariables(at, raw);
  const result = parse(key.schema, value, value !== raw);
  if (result.success && unusable.size === 0) return { value: result.data };
  // Text that contains values of variables is not shown.
  const isShown = typeof raw !== 'string' || value === raw;
  for (const issue of result.error?.issues ?? []) {
    if (!unusable.has(issue.path[0])) reportIssue(at, key, value, issue, isShown);
  }
  return undefined;
}

function reportIssue<T>(
  at: Spot,
  key: Key<T>,
  value: unknown,
  issue: z.core.$ZodIssue,
  isShown: boolean,
): void {
  const { name } = at;
  const [index] = issue.path as Path;
  const own = index === undefined ? at : at.in(...(issue.path as Path));
  const wrong = index === undefined ? value : Array.isArray(value) ? value[Number(index)] : undefined;
  const message = sentence(name, issue);
  const oddity = typeof wrong === 'string' ? (firstInvisible(wrong) ?? firstOfNoName(wrong)) : undefined;
  if (oddity !== undefined) own.reportOdd(oddity, `${message}: ${contains(oddity)}`);
  else if (index !== undefined) own.report({ message, remedy: itemMeant(key, wrong) });
  else own.report({ message, remedy: isShown ? valueMeant(name, key, value) : undefined });
}

export function readOptional<T>(at: Spot, key: Key<T>, raw: unknown): T | undefined {
  return raw === undefined ? undefined : readValue(at, key, raw)?.value;
}

/** A text from variables also counts as the number or boolean that it reads as. */
function parse<T>(schema: z.ZodMiniType<T>, value: unknown, put: boolean): z.core.util.SafeParseResult<T> {
  const result = schema.safeParse(value);
  if (result.success || !put || typeof value !== 'string') return result;
  const plain = schema.safeParse(plainOf(value));
  return plain.success ? plain : result;
}

/** The plain value of a text: a boolean, a number in its only spelling, or the text itself. */
export function plainOf(text: string): unknown {
  return /^(?:true|false|0|[1-9]\d{0,14})$/.test(text) ? JSON.parse(text) : text;
}

function sentence(name: string, { path, message }: z.core.$ZodIssue): string {
  if (message.startsWith('"')) return `${name}: ${message}`;
  return path.length > 0 ? `an item of ${name} ${message}` : `${name} ${message}`;
}

const NONE: ReadonlySet<unknown> = new Set();
const MAX_FAULTS = 20;

/**
 * Puts variables into a text or a list of texts. `unusable` holds the indices of items whose variables are not
 * available, or `undefined` for a text itself; those are reported.
 */
export function putVariables(at: Spot, raw: unknown): { value: unknown; unusable: ReadonlySet<unknown> } {
  const unusable = new Set<unknown>();
  const put = (item: unknown, index?: number): unknown => {
    if (typeof item !== 'string' || !hasReference(item) || isRow(at.scope)) return item;
    const { text, faults } = substitute(item, at.scope.variables);
    if (faults.length === 0) return text;
    unusable.add(index);
    const distinct = new Map(faults.map((fault) => [fault.token, fault]));
    for (const { token, ...finding } of [...distinct.values()].slice(0, MAX_FAULTS)) {
      (index === undefined ? at : at.in(index)).reportPart(token, finding);
    }
    return item;
  };
  return { value: Array.isArray(raw) ? raw.map(put) : put(raw), unusable };
}

type KeyValues<K> = { -readonly [Name in keyof K]?: K[Name] extends Key<infer T> ? T : unknown };

export function readKeys<const K extends Readonly<Record<string, KeyRow>>>(
  at: Spot,
  raw: unknown,
  keys: K,
): { map: Mapping; values: KeyValues<K> } | undefined {
  const map = readMap(at, raw, Object.keys(keys));
  if (map === undefined) return undefined;
  const values: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(keys)) {
    if (key.schema === undefined) continue;
    const value = readOptional(at.in(name), key as Key, map[name]);
    if (value !== undefined) values[name] = value;
  }
  return { map, values: values as KeyValues<K> };
}

/** Reads a map with no other keys than `known`; an empty value is an empty map. */
export function readMap(at: Spot, raw: unknown, known: readonly string[]): Mapping | undefined {
  if (raw === null || raw === undefined) return {};
  if (!isMap(raw)) {
    at.report({ message: `${at.name} must be a map with the keys ${known.join(', ')}` });
    return undefined;
  }
  // Keys that are present cannot be what the user meant.
  const missing = known.filter((one) => !(one in raw));
  for (const key of Object.keys(raw)) {
    if (known.includes(key)) continue;
    if (mayBeSecret(key, raw)) at.in(key).report(REST, 'key');
    else reportUnknown(at.in(key), known, missing);
  }
  return raw;
}

const REST: Finding = {
  message: 'unknown key without a value, which is not shown: it may be the rest of a secret',
  remedy: 'Put a secret with a comma in it into quotes, or use { env: NAME }.',
};

/** `{ password: one,two }` is a password `one` and a key `two`. */
function mayBeSecret(key: string, map: Mapping): boolean {
  const isSecret = (name: string): boolean => typeof map[name] === 'string' && SECRET_WORD.test(name);
  return map[key] === null && Object.keys(map).some(isSecret);
}

const API_KEY = 'Remove it. Set the API key with WEBSITES_API_KEY or --api-key-file.';

function reportUnknown(at: Spot, known: readonly string[], missing: readonly string[]): void {
  const { name } = at;
  const message = `unknown key ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(withoutSecret(name))}`;
  const [glued, oddity] = [gluedKey(name), firstOfNoName(name)];
  if (glued !== undefined) at.report(missingSpace(glued), 'key');
  else if (oddity !== undefined) at.reportOdd(oddity, `${message}: ${contains(oddity)}`, undefined, 'key');
  else at.report({ message, remedy: remedyOfKey(name, known, missing) }, 'key');
}

export function missingSpace(key: string): Finding {
  return { message: `a space is missing after the colon of ${key}`, remedy: `Write "${key}: …".` };
}

function remedyOfKey(key: string, known: readonly string[], missing: readonly string[]): string {
  const [home, meant] = [homeOf(key), keyMeant(key, missing)];
  if (key === 'api_key') return API_KEY;
  if (home !== undefined) return `Put it ${home}.`;
  return meant === undefined ? `The keys here are ${known.join(', ')}.` : `Did you mean ${meant}?`;
}
