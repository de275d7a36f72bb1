/**
 * What a service was seen to do with a setting that an update leaves out: keep it, or reset it. It is learned from
 * records, never from a table: deployments differ, and a service may reset some settings only.
 */
import { FIELDS, type FieldName } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';

/**
 * Numbers and booleans are known value by value (`email=0`): a service that resets to a default seems to keep it.
 * Of a text, a list or a time (`exclude_ips`), it is known for any value that is not empty.
 */
export interface Knowledge {
  /** An update left it out, and the record still showed it. */
  readonly stays: ReadonlySet<string>;
  /** An update left it out, and it changed. Overrules `stays`. `password` and `privacy` stand here only. */
  readonly reset: ReadonlySet<string>;
}

export const NOTHING_KNOWN: Knowledge = { stays: new Set(), reset: new Set() };

/** What is known of one value that an update leaves out. */
export type Behavior = 'stays' | 'reset' | 'unknown';

/** What `value` of a setting is known by. */
export function knowledgeKey(name: FieldName, value: Value): string {
  return isNumeric(name) ? `${name}=${Number(value)}` : name;
}

/** Whether a setting has no empty value: a number or a boolean. */
export function isNumeric(name: FieldName): boolean {
  return FIELDS[name].kind.empty === undefined && !FIELDS[name].secret;
}

/** Privacy is never known to stay: who can see a website is not left to a guess. */
export function behaviorOf({ stays, reset }: Knowledge, name: FieldName, value: Value): Behavior {
  const key = knowledgeKey(name, value);
  if (reset.has(key)) return 'reset';
  return name !== 'privacy' && stays.has(key) ? 'stays' : 'unknown';
}

/** Whether a setting stays whatever its value is. */
export function alwaysStays(knowledge: Knowledge, name: FieldName): boolean {
  const values: readonly Value[] = isNumeric(name) ? [false, true] : [true];
  return values.every((value) => behaviorOf(knowledge, name, value) === 'stays');
}

/** Whether even a password may be left out, which nobody can read back: a text and a number stayed, nothing was reset. */
export function keepsPasswords({ stays, reset }: Knowledge): boolean {
  const names = [...stays].map(nameIn);
  const isText = (name: FieldName): boolean => Array.isArray(FIELDS[name].kind.empty);
  return reset.size === 0 && names.some(isNumeric) && names.some(isText);
}

/** `knowledge` with more of it. */
export function withKnowledge(
  { stays, reset }: Knowledge,
  more: { readonly stays?: Iterable<string>; readonly reset?: Iterable<string> },
): Knowledge {
  return {
    stays: new Set([...stays, ...(more.stays ?? [])]),
    reset: new Set([...reset, ...(more.reset ?? [])]),
  };
}

/** `knowledge` without what was known to stay of the settings `names`. */
export function withoutKnowledge({ stays, reset }: Knowledge, names: readonly FieldName[]): Knowledge {
  const isForgotten = (key: string): boolean => names.includes(nameIn(key));
  return { stays: new Set([...stays].filter((key) => !isForgotten(key))), reset };
}

/** What a run learned, in words, with the pin that makes it unnecessary to learn it again. */
export function learnedText({ stays, reset }: Knowledge): string {
  const pin = (rule: string): string => `Set "service.update" to "${rule}" to pin this`;
  const lost = settingsIn(reset);
  if (lost.length > 0) return `This service resets ${omitted(lost)}. ${pin('full')}.`;
  return `This service keeps ${omitted(settingsIn(stays))}. ${pin('changed')}.`;
}

function omitted(names: readonly FieldName[]): string {
  return `${names.join(', ')} when an update omits ${names.length === 1 ? 'it' : 'them'}`;
}

/** The settings that `keys` are of. */
function settingsIn(keys: ReadonlySet<string>): readonly FieldName[] {
  return [...new Set([...keys].map(nameIn))];
}

function nameIn(key: string): FieldName {
  return key.replace(/=.*/, '') as FieldName;
}
