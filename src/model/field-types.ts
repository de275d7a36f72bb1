/** Types of fields. Each defines its form in YAML, in requests, in responses, in comparisons and on screen. */
import * as z from 'zod/mini';
import { trimPlain } from '../util/look-alikes.ts';
import { SWITCH, switchOf } from '../util/yes-or-no.ts';
import { instantOf, parseInstant } from './instant.ts';
import { SENSITIVE, type SecretRef } from './secret.ts';

/** The value of a setting in the form that is compared. `null` means cleared. */
export type Value = boolean | number | string | readonly string[] | SecretRef | null;

export class Mismatch extends Error {}

export interface Kind {
  /** Converts a YAML value into a Value. Its messages continue the sentence "NAME …". */
  readonly input: z.ZodMiniType<Value>;
  readonly words?: readonly string[];
  /** Numbers that stand for the known values in requests, such as 0 and 1 for a boolean. */
  readonly numbers?: readonly number[];
  /**
   * Returns `undefined` if the value is not shown. Throws a Mismatch. It is no zod schema, because a list may have
   * 100,000 records.
   */
  readAnswer(raw: unknown): Value | undefined;
  encode(value: Value, wire: string): string;
  /** The value of an empty setting. Some services omit such a setting from a record. */
  readonly empty?: Value;
  equal(desired: Value, current: Value): boolean;
  show(value: Value): string | readonly string[];
}

const same = (a: Value, b: Value): boolean => a === b;
const issue = (input: unknown, message: string): z.core.$ZodRawIssue => ({ code: 'custom', input, message });

/** JSON represents whole numbers exactly only up to 2^53 (RFC 8259, section 6). */
export const TOO_LARGE = 'the number is too large to be exact';

/** Also accepts a number that the service sends as a text or as a boolean. */
function answeredNumber(raw: unknown): number | undefined {
  if (typeof raw === 'boolean') return Number(raw);
  if (raw === null) return undefined;
  const text = typeof raw === 'string' ? raw.trim() : 'none';
  if (text === '') return undefined;
  if (typeof raw !== 'number' && !/^-?\d+$/.test(text)) throw new Mismatch('expected a number');
  const number = Number(raw);
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER) throw new Mismatch(TOO_LARGE);
  return number;
}

export const SWITCH_WORDS: readonly string[] = ['true', 'false'];

export function yesOrNo(): z.ZodMiniType<boolean> {
  const error = 'must be true or false';
  return z.pipe(
    z.union([z.boolean(), z.literal([0, 1]), z.string().check(z.regex(SWITCH, { error }))], { error }),
    z.transform((raw) => (typeof raw === 'string' ? switchOf(raw) === true : Boolean(raw))),
  );
}

/**
 * A boolean field. A number other than 1 and 0, or `null`, from the service stays as it is: it equals false in
 * comparisons, but a service may not accept it.
 */
export function flag(): Kind {
  return {
    input: yesOrNo(),
    words: SWITCH_WORDS,
    numbers: [0, 1],
    readAnswer(raw) {
      const number = answeredNumber(raw) ?? null;
      return number === 0 ? false : number === 1 ? true : number;
    },
    encode: (value) => String(Number(value)),
    equal: (desired, current) => (desired ?? false) === (current ?? false),
    show: (value) => String(value ?? false),
  };
}

/** A field with named numbers. Other whole numbers from 0 upwards are kept unchanged. */
export function choice(names: Readonly<Record<string, number>>): Kind {
  const nameOf = new Map<Value, string>(Object.entries(names).map(([name, value]) => [value, name]));
  const [words, numbers] = [Object.keys(names), Object.values(names)];
  const error = `must be ${words.join(', ')} or a number (${numbers.join(', ')})`;
  return {
    input: z.pipe(
      // If a value has the type of one branch and fails its check, zod would report that branch. The same message in
      // each check gives one message for the union.
      z.union([z.enum(words), z.int({ error }).check(z.minimum(0, { error }))], { error }),
      z.transform((raw): Value => (typeof raw === 'string' ? (names[raw] ?? null) : raw)),
    ),
    words,
    numbers,
    readAnswer: answeredNumber,
    encode: (value) => String(value),
    equal: same,
    show: (value) => nameOf.get(value) ?? String(value),
  };
}

export function isEmpty(value: Value): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

export function isUnnamedChoice(kind: Kind, value: Value): boolean {
  return typeof value === 'number' && kind.show(value) === String(value);
}

/**
 * A field with a set of texts, which is sent as one per line. `canonical` normalizes an item, and `what` names an
 * item in errors.
 */
export function set(what: string, canonical: (item: string) => string | undefined): Kind {
  const item = z.pipe(
    z.string({ error: `must be ${what}, as a string` }),
    z.transform((raw, context) => {
      const value = canonical(raw);
      if (value === undefined) context.issues.push(issue(raw, `${JSON.stringify(raw)} is not ${what}`));
      return value ?? '';
    }),
  );
  const empty: readonly string[] = [];
  return {
    input: z.pipe(
      z.nullable(z.array(item, { error: 'must be a list' })),
      z.transform((raw): Value => (raw === null || raw.length === 0 ? empty : [...new Set(raw)])),
    ),
    readAnswer(raw) {
      if (raw === null || raw === '') return empty;
      const lines = typeof raw === 'string' ? raw.split(/\r\n|\n|\r/) : raw;
      if (!Array.isArray(lines) || lines.some((line) => typeof line !== 'string'))
        throw new Mismatch('expected a string with one item per line');
      const items = (lines as readonly string[]).map(trimPlain).filter((line) => line !== '');
      return [...new Set(items.map((line) => canonical(line) ?? line))];
    },
    encode: (value) => asItems(value).join('\n'),
    empty,
    equal: (desired, current) => {
      if (desired === current) return true;
      const [a, b] = [new Set(asItems(desired)), new Set(asItems(current))];
      return a.size === b.size && [...a].every((one) => b.has(one));
    },
    show: (value) => asItems(value),
  };
}

function asItems(value: Value): readonly string[] {
  return Array.isArray(value) ? value : [];
}

export function oneLine(text: string): string | undefined {
  const line = trimPlain(text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
  return line === '' || /[\x00-\x1f\x7f]/.test(line) ? undefined : line;
}

/** The last value is what MySQL stores for a missing time in a column that must not be empty. */
const ABSENT: readonly unknown[] = [null, '', false, 0, '0', '0000-00-00 00:00:00'];

/**
 * A field that is present since some time. `true` means present at any time, `null` means absent. `booleanWire` is
 * the name of its boolean form.
 */
export function presence(booleanWire: string): Kind {
  const example = 'such as 2026-01-31T09:00:00';
  return {
    input: z.pipe(
      z.nullable(z.string({ error: `must be a time, ${example}` })),
      z.transform((raw, context): Value => {
        const time = raw === null ? null : parseInstant(raw);
        if (time === undefined)
          context.issues.push(issue(raw, `${JSON.stringify(raw)} is not a time that exists, ${example}`));
        return time ?? null;
      }),
    ),
    readAnswer(raw) {
      if (ABSENT.includes(raw)) return null;
      if (raw === true || raw === 1 || raw === '1') return true;
      if (typeof raw !== 'number' && typeof raw !== 'string')
        throw new Mismatch('expected a time or a boolean');
      const isSeconds = typeof raw === 'number' || /^\d+$/.test(raw);
      const time = isSeconds ? instantOf(Number(raw) * 1000) : parseInstant(raw);
      if (time === undefined) throw new Mismatch('expected a time');
      return time;
    },
    encode: (value, wire) => {
      if (wire === booleanWire) return value === null ? '0' : '1';
      if (value === true) throw new Error('A presence is sent with a time.');
      // The format of the API is Y-m-dTH:i:s without an offset (specification, section 2).
      return value === null ? '' : String(value).replace(/Z$/, '');
    },
    empty: null,
    equal: (desired, current) =>
      desired === true || current === true ? (desired === null) === (current === null) : desired === current,
    show: String,
  };
}

export function secret(): Kind {
  const error = 'must be { env: NAME }, { file: PATH } or a string';
  return {
    input: z.pipe(
      z.nullable(
        z.union(
          [
            z.string().check(z.minLength(1, { error })),
            z.strictObject({ env: z.string() }, { error }),
            z.strictObject({ file: z.string() }, { error }),
          ],
          { error },
        ),
      ),
      // A plain-text secret becomes a reference to its location. The code that reads the file keeps the text.
      z.transform((raw): Value => (typeof raw === 'string' ? { yaml: '' } : raw)),
    ),
    readAnswer: () => undefined,
    // Only a removal is encoded here. A secret that is set is sent as a Secret.
    encode: () => '',
    equal: (desired, current) => JSON.stringify(desired) === JSON.stringify(current),
    show: (value) => (value === null ? 'null' : SENSITIVE),
  };
}
