/** The parameters of requests, made from the field table. `npm run generate` makes docs/openapi.json from them. */
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '../model/contract.ts';
import { lowerCase, normaliseDomain } from '../model/domain.ts';
import { FIELD_NAMES, FIELDS, type Field, PRIVACY } from '../model/field-table.ts';
import { parseInstant } from '../model/instant.ts';
import { trimPlain } from '../util/look-alikes.ts';
import { hashSecret } from './key.ts';
import { failed } from './responses.ts';
import type { StoredCell } from './sqlite.ts';
import type { StoredSettings } from './store.ts';

/** The last value of each name in `name=value&…`, percent-encoded UTF-8 (WHATWG URL, section 5), like PHP. */
export type Form = ReadonlyMap<string, string>;

const MAX_FIELDS = 100;

/** Throws a 400 response. `what` is the name of the input in its message. */
export function parseForm(what: 'form' | 'query', bytes: Buffer): Form {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // Throws on invalid percent-encoding, which URLSearchParams would accept.
    decodeURIComponent(text);
    if (text.split('&', MAX_FIELDS + 1).length <= MAX_FIELDS) return new Map(new URLSearchParams(text));
  } catch {
    throw failed(400, `The ${what} is not percent-encoded UTF-8.`);
  }
  throw failed(400, `The ${what} contains more than ${MAX_FIELDS} fields.`);
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

type ParameterReader = (text: string) => Submitted | undefined | Promise<Submitted>;

interface Parameter {
  /** JSON Schema, for the OpenAPI document. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly error: string | ((text: string) => string);
  /** Returns `undefined` for an invalid text. */
  readonly read: ParameterReader;
  readonly default?: string | number;
}

export type Parameters = Readonly<Record<string, Parameter>>;

const invalid = (name: string): string => `The selected ${name} is invalid.`;

function textOf(description: string, error: Parameter['error'], read: ParameterReader): Parameter {
  return { schema: { type: 'string', description }, error, read };
}

function oneOf(values: readonly (number | string)[], error: string, description: string): Parameter {
  const type = typeof values[0] === 'number' ? 'integer' : 'string';
  const read = (text: string) => values.find((value) => String(value) === text.trim());
  return { schema: { type, enum: values, description }, error, read };
}

/** Values of the boolean form of a field, which is its second name. */
const PRESENCE = new Map([
  ['0', null],
  ['1', true],
] as const);

function settingOf(field: Field, wire: string): Parameter {
  const { kind, summary, cleared, secret, presenceKey, wire: wires } = field;
  const description = cleared === undefined ? summary : `${summary} An empty string ${cleared}.`;
  const error = invalid(wire.replaceAll('_', ' '));
  if (wire !== wires[0]) {
    const about = `${wires[0]} as a boolean: 1 keeps the time, or sets the current one.`;
    return { ...oneOf([0, 1], error, about), read: (text) => PRESENCE.get(text.trim() as '0' | '1') };
  }
  if (secret) {
    const hash = async (text: string) => (text === '' ? null : hashSecret(text));
    return {
      schema: { type: 'string', format: 'password', writeOnly: true, maxLength: MAX_SECRET, description },
      error: `The ${wire} must be a string of 1 to ${MAX_SECRET} characters.`,
      read: (text) => ([...text].length > MAX_SECRET ? undefined : hash(text)),
    };
  }
  if (kind.numbers !== undefined) return oneOf(kind.numbers, error, description);
  if (presenceKey !== undefined)
    return textOf(description, error, (text) => (text.trim() === '' ? null : parseInstant(text.trim())));
  // Stored as sent, so that responses keep line ends and order.
  return textOf(`${description} One item a line.`, error, (text) => text.trim() || null);
}

/** Settings by the name in the form. Settings that an update omits keep their values. */
export const UPDATE: Parameters = Object.fromEntries(
  FIELD_NAMES.flatMap((name) => FIELDS[name].wire.map((wire) => [wire, settingOf(FIELDS[name], wire)])),
);

export const CREATE: Parameters = {
  domain: textOf(
    'Unique. Stored in lower case, without scheme and leading www.',
    (text) =>
      trimPlain(text) === ''
        ? 'The domain field is required.'
        : `The domain format is invalid: ${whyNoDomain(shortened(text))}.`,
    (text) => (whyNoDomain(shortened(text)) === undefined ? shortened(text) : undefined),
  ),
  ...UPDATE,
};

/** Returns the domain in lower case, without the http scheme and without one leading `www.`. */
function shortened(text: string): string {
  return lowerCase(trimPlain(text)).replace(/^(https?:\/\/)?(www\.)?/, '');
}

function whyNoDomain(domain: string): string | undefined {
  const normalised = normaliseDomain(domain);
  if ('reason' in normalised) return normalised.reason;
  const [dropped] = normalised.dropped;
  if (dropped !== undefined) return `${dropped} is not part of a domain`;
  return /[.\u3002\uff0e\uff61]$/.test(domain) ? 'it ends in a dot' : undefined;
}

function readPage(text: string): number | undefined {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= MAX_PAGE ? number : undefined;
}

export interface ListQuery {
  readonly search?: string;
  readonly favorite?: number;
  readonly sort_by: 'id' | 'domain';
  readonly sort: 'desc' | 'asc';
  readonly per_page: number;
  readonly page: number;
}

/** Parameters of the list (specification, section 4). An empty parameter counts as omitted. */
export const LIST: Parameters = {
  search: textOf('A part of the domain, case-insensitive.', invalid('search'), lowerCase),
  search_by: oneOf(['domain'], invalid('search_by'), 'The field to search.'),
  favorite: oneOf([0, 1], invalid('favorite'), 'Only favorites (1), or only others (0).'),
  sort_by: { ...oneOf(['id', 'domain'], invalid('sort_by'), 'The field to sort by.'), default: 'id' },
  sort: { ...oneOf(['desc', 'asc'], invalid('sort'), 'The direction.'), default: 'desc' },
  per_page: {
    ...oneOf(PAGE_SIZES, invalid('per_page'), 'Records per page.'),
    default: DEFAULT_PAGE_SIZE,
  },
  page: {
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE, description: 'The page number, from 1.' },
    error: `The page must be a whole number from 1 to ${MAX_PAGE}.`,
    read: readPage,
    default: 1,
  },
};

/** Throws a 422 response with a message for each invalid parameter. Ignores other fields of the form. */
export async function checkForm<Values>(parameters: Parameters, form: Form): Promise<Values> {
  const values: Record<string, Submitted> = {};
  const refusals: Record<string, readonly string[]> = {};
  for (const [name, { read, error, default: standard }] of Object.entries(parameters)) {
    const text = form.get(name);
    const value = text === undefined ? standard : text.includes('\0') ? undefined : await read(text);
    if (value !== undefined) values[name] = value;
    else if (text !== undefined) refusals[name] = [typeof error === 'string' ? error : error(text)];
  }
  if (Object.keys(refusals).length > 0) throw failed(422, refusals);
  return values as Values;
}
