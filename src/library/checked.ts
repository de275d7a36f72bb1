/**
 * Options as a program gives them, which neither a command line nor a compiler need have read: what is not of its kind
 * must not pass for it. A check throws `usage` and begins with the option's name. Only numbers are told in it: a text
 * may be a key.
 */

import { WebsitesError } from '../model/errors.ts';
import { parseShard, type Shard } from '../model/shard.ts';
import { nearest } from '../util/did-you-mean.ts';
import { isObject } from '../util/json.ts';

export type Check = (name: string, value: unknown) => void;

/** A check for each option of `T`. */
export type Checks<T> = Readonly<Record<keyof T, Check>>;

export const yesOrNo = must('be true or false', (value) => typeof value === 'boolean');
export const text = must('be text', isText);
export const texts = must('be a list of texts', (value) => Array.isArray(value) && value.every(isText));
export const listener = must('be a function', (value) => typeof value === 'function');
export const abortSignal = must('be an AbortSignal', (value) => value instanceof AbortSignal);

export const environment = must(
  'be an object of texts',
  (value) =>
    isObject(value) && Object.values(value).every((member) => member === undefined || isText(member)),
);

export function oneOf(names: readonly string[]): Check {
  return must(`be one of ${names.join(', ')}`, (value) => isText(value) && names.includes(value));
}

export function whole(least: number, most = Number.MAX_SAFE_INTEGER): Check {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} up` : `${least} to ${most}`;
  return (name, value) => {
    if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return;
    const said = typeof value === 'number' ? `is ${value}` : 'is no number';
    throw usage(`${name} ${said}.`, `Give a whole number from ${range}.`);
  };
}

/** An object whose members are checked, those that are there; it has no others. */
export function object<T>(checks: Checks<T>): Check {
  const known = Object.keys(checks);
  return (name, value) => {
    if (!isObject(value)) throw usage(`${name} must be an object.`);
    const unknown = Object.keys(value).find((key) => !known.includes(key));
    if (unknown !== undefined) {
      const near = nearest(unknown, known);
      throw usage(`There is no ${name}.${unknown}.`, near && `Did you mean ${name}.${near}?`);
    }
    for (const [key, check] of Object.entries<Check>(checks)) {
      if (value[key] !== undefined) check(`${name}.${key}`, value[key]);
    }
  };
}

const numbersOfShard = object<Shard>({ index: whole(0), count: whole(0) });

/** A part that there is: of another a plan would be empty. */
export function shard(name: string, value: unknown): void {
  numbersOfShard(name, value);
  const { index, count } = value as Shard;
  const read = parseShard(`${index}/${count}`);
  if ('reason' in read) throw usage(`${name} is ${index}/${count}: ${read.reason}.`);
}

function must(be: string, is: (value: unknown) => boolean): Check {
  return (name, value) => {
    if (!is(value)) throw usage(`${name} must ${be}.`);
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function usage(message: string, remedy?: string): WebsitesError {
  return new WebsitesError('usage', message, { remedy });
}
