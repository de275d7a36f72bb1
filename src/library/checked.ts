/**
 * Options as a program gives them, which neither a command line nor a compiler need have read: what is not of its kind
 * must not pass for it. Only numbers are told in an error: a text may be a key.
 */
import * as z from 'zod/mini';
import { WebsitesError } from '../model/errors.ts';
import { nearest } from '../util/did-you-mean.ts';
import { isObject } from '../util/json.ts';

/** A schema whose messages follow the option's name. */
export type Check = z.ZodMiniType<unknown>;

/** A check for each option of `T`. */
export type Checks<T> = Readonly<Record<keyof T, Check>>;

export const yesOrNo: Check = z.boolean('must be true or false');
export const text: Check = z.string('must be text');
export const texts: Check = z.array(text, 'must be a list of strings');
export const listener: Check = z.custom((value) => typeof value === 'function', 'must be a function');
export const abortSignal: Check = z.instanceof(AbortSignal, { error: 'must be an AbortSignal' });
/** Not z.record: process.env is of a class of its own, which that takes for no object of texts. */
export const environment: Check = z.custom(
  (value) =>
    isObject(value) && Object.values(value).every((one) => one === undefined || typeof one === 'string'),
  'must be an object of strings',
);

export function oneOf(names: readonly string[]): Check {
  return z.enum(names, `must be one of ${names.join(', ')}`);
}

export function whole(least: number, most = Number.MAX_SAFE_INTEGER): Check {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} up` : `${least} to ${most}`;
  return z.custom((value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most, {
    error: ({ input }) =>
      `must be a whole number from ${range}${typeof input === 'number' ? `, not ${input}` : ''}`,
  });
}

/** An object with those members that are there, and no others; of an unknown one the message is the nearest, if one is near. */
export function object<T>(checks: Checks<T>): Check {
  return z.partial(
    z.strictObject(checks, {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? (nearest(`${issue.keys[0]}`, Object.keys(checks)) ?? '')
          : 'must be an object',
    }),
  );
}

/** Throws `usage`, beginning with the option's name, where `value` is not of the schema. */
export function check(name: string, schema: Check, value: unknown): void {
  const issue = z.safeParse(schema, value).error?.issues[0];
  if (issue === undefined) return;
  const path = z.core.toDotPath([name, ...issue.path]);
  if (issue.code !== 'unrecognized_keys') throw new WebsitesError('usage', `${path} ${issue.message}.`);
  const remedy = issue.message === '' ? undefined : `Did you mean ${path}.${issue.message}?`;
  throw new WebsitesError('usage', `Unknown option: ${path}.${issue.keys[0]}.`, { remedy });
}
