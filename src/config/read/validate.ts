/** Reading values by their keys, and saying what is wrong with them. */

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
import type { Key } from '../schema/keys.ts';
import type { SecretBook } from '../secrets/resolve.ts';
import { hasReference, type ReferenceFault, substitute, type Variables } from '../secrets/substitute.ts';
import { SECRET_WORD, withoutSecret } from '../secrets/words.ts';
import { itemMeant, valueMeant } from './meant-value.ts';
import { gluedKey, homeOf, keyMeant } from './other-names.ts';
import type { ConfigPart, Document, Path } from './source.ts';
import { type Finding, problemAt, type Range } from './source.ts';

/** What a file holds. */
export interface FileDocument {
  readonly file: ConfigFile;
  readonly document: Document;
}

/** What is at hand while a document is read. */
export interface Scope extends FileDocument {
  readonly secrets: { readonly sources: Allowed; readonly book: SecretBook };
  readonly variables: Variables;
  readonly problems: Problem[];
}

/** A value of one file, and where it is written. */
export interface Declared<T> {
  readonly value: T;
  readonly scope: Scope;
  readonly path: Path;
}

/** What is at hand where something is to be told. */
export type Told = Pick<Scope, 'document' | 'problems'>;

export type Mapping = Readonly<Record<string, unknown>>;

/** Whether it is a bulk file that is read: its rows take no variables, as what writes them knows none. */
export function isRow({ document }: Told): boolean {
  return document.value === undefined;
}

export function placeOf({ document }: Told, path: Path): Place {
  return document.source.placeAt(document.locate(path).start);
}

/** A value that is of use; `undefined` in its place says that what is wrong with it has been told. */
export interface Valid<T> {
  readonly value: T;
}

export const isMap: (raw: unknown) => raw is Mapping = isObject;

/** Tells of the value at `path`, or of its key. */
export function tell(scope: Told, path: Path, finding: Finding, part: ConfigPart = 'value'): void {
  const { source, hidden, locate } = scope.document;
  scope.problems.push(problemAt(source, locate(path, part), finding, hidden));
}

/** The same of one character of a text, at its own place where the text stands as it was written. */
export function tellOdd(
  scope: Told,
  path: Path,
  { character }: Oddity,
  message: string,
  { part = 'value', code }: { part?: ConfigPart; code?: WarningCode } = {},
): void {
  const { source, hidden, locate } = scope.document;
  const range = partOf(source.text, locate(path, part), character);
  scope.problems.push(problemAt(source, range, { code, message, remedy: TYPE_IT_PLAIN }, hidden));
}

/** Where `token` first stands in a range of a text; all of the range where it does not. */
function partOf(text: string, { start, end }: Range, token: string): Range {
  const at = text.slice(start, end).indexOf(token);
  return at === -1 ? { start, end } : { start: start + at, end: start + at + token.length };
}

/** Reads the value of a key: variables put in, checked by the key's schema. */
export function readValue<T>(scope: Scope, path: Path, key: Key<T>, raw: unknown): Valid<T> | undefined {
  const { value, unusable } = putVariables(scope, path, raw);
  const result = parse(key.schema, value, value !== raw);
  if (result.success && unusable.size === 0) return { value: result.data };
  for (const issue of result.error?.issues ?? []) {
    if (unusable.has(issue.path.join())) continue;
    tellIssue(scope, path, key, { raw, value }, issue);
  }
  return undefined;
}

/** Tells what is wrong with a value, or with an item of it, and what may have been meant. */
function tellIssue<T>(
  scope: Scope,
  path: Path,
  key: Key<T>,
  { raw, value }: { readonly raw: unknown; readonly value: unknown },
  issue: z.core.$ZodIssue,
): void {
  const name = String(path.at(-1));
  const way = issue.path as (string | number)[];
  const wrong = way.length === 0 ? value : itemAt(value, way);
  const oddity = typeof wrong === 'string' ? (firstInvisible(wrong) ?? firstOfNoName(wrong)) : undefined;
  const message = sentence(name, issue);
  if (oddity !== undefined) {
    tellOdd(scope, [...path, ...way], oddity, `${message}: ${contains(oddity)}`);
    return;
  }
  // What variables put into a text is not shown.
  const whole = typeof raw === 'string' && value !== raw ? undefined : value;
  const remedy = way.length > 0 ? itemMeant(key, wrong) : valueMeant(name, key, whole);
  tell(scope, [...path, ...way], { message, remedy });
}

function itemAt(value: unknown, [index]: Path): unknown {
  return Array.isArray(value) && typeof index === 'number' ? value[index] : undefined;
}

/** Reads the value of a key that may be left out. */
export function readOptional<T>(scope: Scope, path: Path, key: Key<T>, raw: unknown): T | undefined {
  return raw === undefined ? undefined : readValue(scope, path, key, raw)?.value;
}

/** A text with variables put in also counts as the number or boolean that it reads as. */
function parse<T>(schema: z.ZodMiniType<T>, value: unknown, put: boolean): z.core.util.SafeParseResult<T> {
  const result = schema.safeParse(value);
  if (result.success || !put || typeof value !== 'string') return result;
  const plain = schema.safeParse(plainOf(value));
  return plain.success ? plain : result;
}

/** What a text reads as: a boolean, a number that is written in one way only, or itself. */
export function plainOf(text: string): unknown {
  return /^(?:true|false|0|[1-9]\d{0,14})$/.test(text) ? JSON.parse(text) : text;
}

function sentence(name: string, { path, message }: z.core.$ZodIssue): string {
  if (message.startsWith('"')) return `${name}: ${message}`;
  return path.length > 0 ? `an item of ${name} ${message}` : `${name} ${message}`;
}

/**
 * Puts variables into a text, or into the texts of a list. `unusable` holds the paths, below this
 * value, of texts whose variables cannot be had; that has been told.
 */
export function putVariables(
  scope: Scope,
  path: Path,
  raw: unknown,
): { value: unknown; unusable: ReadonlySet<string> } {
  const unusable = new Set<string>();
  const put = (item: unknown, way: Path): unknown => {
    if (typeof item !== 'string' || !hasReference(item) || isRow(scope)) return item;
    const text = putIntoText(scope, [...path, ...way], item);
    if (text === undefined) unusable.add(way.join());
    return text ?? item;
  };
  const value = Array.isArray(raw) ? raw.map((item, index) => put(item, [index])) : put(raw, []);
  return { value, unusable };
}

function putIntoText(scope: Scope, path: Path, raw: string): string | undefined {
  const { text, faults } = substitute(raw, scope.variables);
  if (faults.length === 0) return text;
  tellFaults(scope, path, faults);
  return undefined;
}

/** Points at the references themselves, each at its first, where the text stands as it was written. */
function tellFaults({ document, problems }: Scope, path: Path, faults: readonly ReferenceFault[]): void {
  const { source, hidden } = document;
  const whole = document.locate(path);
  let { start } = whole;
  for (const { token, message, remedy } of new Map(faults.map((fault) => [fault.token, fault])).values()) {
    const at = source.text.indexOf(token, start);
    const isThere = at !== -1 && at < whole.end;
    const range = isThere ? { start: at, end: at + token.length } : whole;
    // In a long text they are not all looked for from its beginning.
    if (isThere) start = at;
    problems.push(problemAt(source, range, { message, remedy }, hidden));
  }
}

/** Reads a map with no other keys than `known`; an empty value is an empty map. */
export function readMap(
  scope: Told,
  path: Path,
  raw: unknown,
  known: readonly string[],
): { map: Mapping; unknown: readonly string[] } | undefined {
  if (raw === null || raw === undefined) return { map: {}, unknown: [] };
  if (!isMap(raw)) {
    tell(scope, path, { message: `${path.at(-1)} must be a map with the keys ${known.join(', ')}` });
    return undefined;
  }
  const unknown = Object.keys(raw).filter((key) => !known.includes(key));
  for (const key of unknown) {
    if (mayBeSecret(key, raw)) tell(scope, [...path, key], REST, 'key');
    // What is there already is not what was meant.
    else
      tellUnknown(
        scope,
        [...path, key],
        known,
        known.filter((one) => !(one in raw)),
      );
  }
  return { map: raw, unknown };
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

/** Tells of a key that is none, with the one of `missing` that was probably meant. */
export function tellUnknown(
  scope: Told,
  path: Path,
  known: readonly string[],
  missing: readonly string[] = known,
): void {
  const key = String(path.at(-1));
  const glued = gluedKey(key);
  if (glued !== undefined) {
    tell(scope, path, missingSpace(glued), 'key');
    return;
  }
  const message = `unknown key ${/^[\w.-]+$/.test(key) ? key : JSON.stringify(withoutSecret(key))}`;
  const oddity = firstOfNoName(key);
  if (oddity !== undefined) {
    tellOdd(scope, path, oddity, `${message}: ${contains(oddity)}`, { part: 'key' });
    return;
  }
  const finding: Finding = {
    message,
    remedy: key === 'api_key' ? API_KEY : remedyOfKey(key, known, missing),
  };
  tell(scope, path, finding, 'key');
}

/** What is to be said of a text that begins with a key and has no space behind its colon. */
export function missingSpace(key: string): Finding {
  return {
    message: `a space is missing after the colon of ${key}`,
    remedy: `Write "${key}: …".`,
  };
}

function remedyOfKey(key: string, known: readonly string[], missing: readonly string[]): string {
  const home = homeOf(key);
  if (home !== undefined) return `Put it ${home}.`;
  const meant = keyMeant(key, missing);
  return meant === undefined ? `The keys here are ${known.join(', ')}.` : `Did you mean ${meant}?`;
}
