/** zod schemas of requests, made from the field table. `npm run generate` makes docs/openapi.json from them. */
import * as z from 'zod/mini';
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '../model/contract.ts';
import { lowerCase, normaliseDomain } from '../model/domain.ts';
import { FIELD_NAMES, FIELDS, type Field, PRIVACY } from '../model/field-table.ts';
import { isUnnamedChoice } from '../model/field-types.ts';
import { parseInstant } from '../model/instant.ts';
import { trimPlain } from '../util/look-alikes.ts';
import { hashSecret } from './key.ts';
import { failed } from './responses.ts';
import type { StoredCell } from './sqlite.ts';
import type { StoredSettings } from './store.ts';

/** The last value of each name in `name=value&…`, percent-encoded UTF-8 (WHATWG URL, section 5), like PHP. */
export type Form = ReadonlyMap<string, string>;

const MAX_FIELDS = 100;

/** Throws Refused. `what` is the name of the input in the message. */
export function parseForm(what: 'form' | 'query', bytes: Buffer): Form {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // Throws on invalid percent-encoding, which URLSearchParams would accept.
    decodeURIComponent(text);
    if (text.split('&', MAX_FIELDS + 1).length <= MAX_FIELDS) return new Map(new URLSearchParams(text));
  } catch {
    throw failed(400, `The ${what} is not percent-encoded UTF-8.`);
  }
  throw failed(400, `The ${what} holds more than ${MAX_FIELDS} fields.`);
}

/** A value of a form. A secret is already hashed. `true` is a presence without a time, and keeps an existing time. */
export type Submitted = StoredCell | true;

export type Refusals = Readonly<Record<string, readonly string[]>>;

/** Defaults for settings that a create omits (specification, section 2). */
export const DEFAULTS: StoredSettings = {
  privacy: PRIVACY.private,
  password: null,
  email: 0,
  exclude_bots: 1,
  exclude_params: null,
  exclude_ips: null,
  favorited_at: null,
};

const MAX_SECRET = 128;
/** The largest page for which the offset of the first record is an exact number. */
const MAX_PAGE = 9_999_999_999;

const invalid = (name: string): string => `The selected ${name} is invalid.`;

/** Returns `undefined` for an invalid text. */
type Read<T> = (text: string) => T | undefined | Promise<T | undefined>;

function textOf<T>(read: Read<T>, error: string, meta: z.core.GlobalMeta) {
  const checked = z.transform(async (text: string, context: z.core.ParsePayload): Promise<T> => {
    const value = text.includes('\0') ? undefined : await read(text);
    if (value === undefined) context.issues.push({ code: 'custom', input: text, message: error });
    return value as T;
  });
  return z.pipe(z.string(), checked).check(z.meta({ type: 'string', ...meta }));
}

function oneOf<const T extends number>(values: readonly T[], error: string, description: string) {
  const read = (text: string) => values.find((value) => value === readNumber(text));
  return textOf(read, error, { type: 'integer', enum: [...values], description });
}

function readNumber(text: string): number | undefined {
  return /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}

const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

export function numbersOf({ kind }: Field): readonly number[] {
  if (kind.words === undefined) return [];
  return DIGITS.filter((digit) => !isUnnamedChoice(kind, kind.readAnswer(digit) ?? null));
}

function settingSchema(field: Field, wire: string): z.ZodMiniType<Submitted> {
  const { summary, cleared, secret, presenceKey, wire: wires } = field;
  const description = cleared === undefined ? summary : `${summary} An empty string ${cleared}.`;
  const error = invalid(wire.replaceAll('_', ' '));
  // The second name of a field is its boolean form.
  if (wire !== wires[0]) {
    const about = `${wires[0]} as a boolean: 1 keeps the time, or sets the current one.`;
    return z.pipe(
      oneOf([0, 1], error, about),
      z.transform((number) => (number === 1 ? true : null)),
    );
  }
  if (secret) {
    const more = { format: 'password', writeOnly: true, maxLength: MAX_SECRET, description };
    const tooLong = `The ${wire} must be text of 1 to ${MAX_SECRET} characters.`;
    const hash = async (text: string) => (text === '' ? null : hashSecret(text));
    return textOf((text) => ([...text].length > MAX_SECRET ? undefined : hash(text)), tooLong, more);
  }
  const numbers = numbersOf(field);
  if (numbers.length > 0) return oneOf(numbers, error, description);
  if (presenceKey !== undefined) {
    return textOf((text) => (text.trim() === '' ? null : parseInstant(text.trim())), error, { description });
  }
  // Stored as sent, so that responses keep line ends and order.
  return textOf((text) => text.trim() || null, error, { description: `${description} One item a line.` });
}

/** Settings by the name in the form. A create sets the default for each omitted setting. */
function settingsShape(isCreate: boolean) {
  const shape: Record<string, z.ZodMiniType<Submitted | undefined>> = {};
  for (const name of FIELD_NAMES) {
    for (const wire of FIELDS[name].wire) {
      const schema = settingSchema(FIELDS[name], wire);
      const standard = isCreate && wire === name ? DEFAULTS[name] : null;
      shape[wire] = standard === null ? z.optional(schema) : z._default(schema, standard);
    }
  }
  return shape;
}

const NO_DOMAIN = 'The domain field is required.';

/** Stored in lower case, without the http scheme and without one leading `www.`. */
const domainSchema = z
  .pipe(
    z.string({ error: NO_DOMAIN }),
    z.transform((text, context) => {
      const trimmed = trimPlain(text);
      const domain = lowerCase(trimmed).replace(/^(https?:\/\/)?(www\.)?/, '');
      const reason = whyNoDomain(domain);
      const message = trimmed === '' ? NO_DOMAIN : `The domain format is invalid: ${reason}.`;
      if (reason !== undefined) context.issues.push({ code: 'custom', input: text, message });
      return domain;
    }),
  )
  .check(
    z.meta({ type: 'string', description: 'Unique. Stored in lower case, without scheme and leading www.' }),
  );

function whyNoDomain(domain: string): string | undefined {
  const normalised = normaliseDomain(domain);
  if ('reason' in normalised) return normalised.reason;
  const [dropped] = normalised.dropped;
  if (dropped !== undefined) return `${dropped} is not part of a domain`;
  return /[.\u3002\uff0e\uff61]$/.test(domain) ? 'it ends in a dot' : undefined;
}

/** Settings that an update omits keep their values. */
export const updateSchema = z.object(settingsShape(false));
export const createSchema = z.object({ domain: domainSchema, ...settingsShape(true) });

const aWord = <const T extends readonly [string, ...string[]]>(
  name: string,
  values: T,
  description: string,
) => z.enum(values, { error: invalid(name) }).check(z.meta({ description }));

const readPage = (text: string): number | undefined => {
  const number = readNumber(text) ?? 0;
  return number >= 1 && number <= MAX_PAGE ? number : undefined;
};

/** Parameters of the list (specification, section 4). An empty parameter counts as omitted. */
export const listSchema = z.object({
  search: z.optional(
    textOf(lowerCase, invalid('search'), { description: 'A part of the domain, case-insensitive.' }),
  ),
  search_by: z.optional(aWord('search_by', ['domain'], 'The field to search.')),
  favorite: z.optional(oneOf([0, 1], invalid('favorite'), 'Only favorites (1), or only others (0).')),
  sort_by: z._default(aWord('sort_by', ['id', 'domain'], 'The field to sort by.'), 'id'),
  sort: z._default(aWord('sort', ['desc', 'asc'], 'The direction.'), 'desc'),
  per_page: z._default(oneOf(PAGE_SIZES, invalid('per_page'), 'Records per page.'), DEFAULT_PAGE_SIZE),
  page: z._default(
    textOf(readPage, `The page must be a whole number from 1 to ${MAX_PAGE}.`, {
      type: 'integer',
      minimum: 1,
      maximum: MAX_PAGE,
      description: 'The page number, from 1.',
    }),
    1,
  ),
});

export type ListQuery = z.infer<typeof listSchema>;

export async function checkForm<T>(schema: z.ZodMiniType<T>, form: Form): Promise<T> {
  const { data, error } = await z.safeParseAsync(schema, Object.fromEntries(form));
  if (error === undefined) return data as T;
  const refusals: Record<string, readonly string[]> = {};
  for (const { path, message } of error.issues) refusals[String(path[0])] ??= [message];
  throw failed(422, refusals);
}
