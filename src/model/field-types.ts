/** Kinds of values: their form in YAML, in a request, in a response, in comparisons and on a screen. */
import * as z from 'zod/mini';
import { trimPlain } from '../util/look-alikes.ts';
import { SWITCH, switchOf } from '../util/yes-or-no.ts';
import { instantOf, parseInstant } from './instant.ts';
import { SENSITIVE, type SecretRef } from './secret.ts';

/** A setting's value in the one form in which it is compared; `null` is cleared. */
export type Value = boolean | number | string | readonly string[] | SecretRef | null;

export class Mismatch extends Error {}

export interface Kind {
  /** Turns a value of YAML into a Value. Messages end the sentence "NAME …". */
  readonly input: z.ZodMiniType<Value>;
  readonly words?: readonly string[];
  /** `undefined` means not shown. Throws a Mismatch. No schema, because lists of 100,000 records pass through it. */
  readAnswer(raw: unknown): Value | undefined;
  encode(value: Value, wire: string): string;
  /** The value of a setting that is empty; some services omit it from a record. */
  readonly empty?: Value;
  equal(desired: Value, current: Value): boolean;
  show(value: Value): string | readonly string[];
}

const same = (a: Value, b: Value): boolean => a === b;
const issue = (input: unknown, message: string): z.core.$ZodRawIssue => ({ code: 'custom', input, message });

/** JSON holds whole numbers up to 2^53 exactly (RFC 8259, section 6). */
export const TOO_LARGE = 'the number is too large to be exact';

/** Accepts a number that the service writes as text or as a boolean. */
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
 * A boolean. A number of the service other than 1 and 0 is kept, and so is `null`: it compares as false, but
 * a service may not accept it as false.
 */
export function flag(): Kind {
  return {
    input: yesOrNo(),
    words: SWITCH_WORDS,
    readAnswer(raw) {
      const number = answeredNumber(raw) ?? null;
      return number === 0 ? false : number === 1 ? true : number;
    },
    encode: (value) => String(Number(value)),
    equal: (desired, current) => (desired ?? false) === (current ?? false),
    show: (value) => String(value ?? false),
  };
}

/** One of several named numbers; other whole numbers from 0 up are passed on unchanged. */
export function choice(names: Readonly<Record<string, number>>): Kind {
  const nameOf = new Map<Value, string>(Object.entries(names).map(([name, value]) => [value, name]));
  const words = Object.keys(names);
  const error = `must be ${words.join(', ')} or a number (${Object.values(names).join(', ')})`;
  return {
    input: z.pipe(
      // A failed check in the one branch of fitting type gives the message of the whole union.
      z.union([z.enum(words), z.int({ error }).check(z.minimum(0, { error }))], { error }),
      z.transform((raw): Value => (typeof raw === 'string' ? (names[raw] ?? null) : raw)),
    ),
    words,
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

/** A set of texts, one per line on the wire. `canonical` returns the one form of an item; `what` names an item. */
export function set(what: string, canonical: (item: string) => string | undefined): Kind {
  const item = z.pipe(
    z.string({ error: `must be ${what}, as text` }),
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
        throw new Mismatch('expected text with one item per line');
      const items = (lines as readonly string[]).map(trimPlain).filter((line) => line !== '');
      return [...new Set(items.map((line) => canonical(line) ?? line))];
    },
    encode: (value) => asItems(value).join('\n'),
    empty,
    equal: (desired, current) => {
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

/** The last is what MySQL stores for no time in a column that must contain one. */
const ABSENT: readonly unknown[] = [null, '', false, 0, '0', '0000-00-00 00:00:00'];

/** A presence with a time: `true` is present at any time, `null` is absent. `booleanWire` has the presence alone. */
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
      // The interface's pattern is Y-m-dTH:i:s: no offset (specification, section 2).
      return value === null ? '' : String(value).replace(/Z$/, '');
    },
    empty: null,
    equal: (desired, current) =>
      desired === true || current === true ? (desired === null) === (current === null) : desired === current,
    show: String,
  };
}

export function secret(): Kind {
  const error = 'must be { env: NAME }, { file: PATH } or text';
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
      // A literal becomes the reference of its place; the reader of the file keeps the text.
      z.transform((raw): Value => (typeof raw === 'string' ? { yaml: '' } : raw)),
    ),
    readAnswer: () => undefined,
    // Only a removal has a text; a secret that is set is sent as a Secret.
    encode: () => '',
    equal: (desired, current) => JSON.stringify(desired) === JSON.stringify(current),
    show: (value) => (value === null ? 'null' : SENSITIVE),
  };
}
