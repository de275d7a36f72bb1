/**
 * JSON Schemas of forms, parameters and answers, out of what validates and shows them: the field table,
 * the readers of forms and queries.
 */
import { DEFAULT_PAGE_SIZE } from '../model/contract.ts';
import { FIELD_NAMES, FIELDS, type FieldName } from '../model/field-table.ts';
import { ALLOWED, LAST_PAGE } from './query.ts';
import { DEFAULTS, LONGEST_SECRET, readSetting } from './settings.ts';

export type OpenApiJson = { readonly [name: string]: unknown };

const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const TEXT_OR_NULL: OpenApiJson = { type: ['string', 'null'] };
const TIME: OpenApiJson = { type: 'string', examples: ['2026-01-31T09:00:00.000000Z'] };

/** The form of a create: the domain, and every setting under each of its names. */
export function createForm(): OpenApiJson {
  const domain = {
    type: 'string',
    description: 'Unique. Stored in lower case, without scheme and leading www.',
    examples: ['shop.example.com'],
  };
  return { type: 'object', properties: { domain, ...formFields(true) }, required: ['domain'] };
}

/** The form of an update; what is not sent stays. */
export function updateForm(): OpenApiJson {
  return { type: 'object', properties: formFields(false) };
}

function formFields(creating: boolean): OpenApiJson {
  const fields = FIELD_NAMES.flatMap((name) =>
    FIELDS[name].wire.map((wire) => {
      const standard = creating && wire === name ? DEFAULTS[name] : null;
      return [wire, { ...formField(name, wire), ...(standard === null ? {} : { default: standard }) }];
    }),
  );
  return Object.fromEntries(fields);
}

function formField(name: FieldName, wire: string): OpenApiJson {
  const { summary, cleared, secret, wire: wires } = FIELDS[name];
  if (wire !== wires[0]) {
    const description = `${wires[0]} as a boolean: 1 keeps the time, or sets the current one.`;
    return { type: 'integer', enum: numbersOf(name, wire), description };
  }
  const numbers = numbersOf(name, wire);
  const words = [summary];
  // A list alone takes any text as it is.
  if (!secret && readSetting(name, wire, 'any text') === 'any text') words.push('One item a line.');
  if (cleared !== undefined) words.push(`An empty string ${cleared}.`);
  const description = words.join(' ');
  if (numbers.length > 0) return { type: 'integer', enum: numbers, description };
  return secret
    ? { type: 'string', format: 'password', writeOnly: true, maxLength: LONGEST_SECRET, description }
    : { type: 'string', description };
}

/** The numbers that a form field takes, as its reader says; none where it takes text. */
function numbersOf(name: FieldName, wire: string): readonly number[] {
  return DIGITS.filter((digit) => {
    const value = readSetting(name, wire, String(digit));
    return value === true || value === null || typeof value === 'number';
  });
}

/** The parameters of the list. */
export function listParameters(): readonly OpenApiJson[] {
  const words: Readonly<Record<keyof typeof ALLOWED, string>> = {
    search_by: 'The field to search.',
    favorite: 'Only favorites (1), or only others (0).',
    sort_by: 'The field to sort by.',
    sort: 'The direction.',
    per_page: 'Records per page.',
  };
  const standards: { readonly [name: string]: unknown } = {
    sort_by: ALLOWED.sort_by[0],
    sort: ALLOWED.sort[0],
    per_page: DEFAULT_PAGE_SIZE,
  };
  const choices = Object.entries<readonly string[]>(ALLOWED).map(([name, values]) => {
    const numeric = values.every((value) => /^\d+$/.test(value));
    return parameter(name, words[name as keyof typeof ALLOWED], {
      type: numeric ? 'integer' : 'string',
      enum: numeric ? values.map(Number) : values,
      ...(name in standards ? { default: standards[name] } : {}),
    });
  });
  return [
    parameter('search', 'A part of the domain, case-insensitive.', { type: 'string' }),
    ...choices,
    parameter('page', 'The page number, from 1.', {
      type: 'integer',
      minimum: 1,
      maximum: LAST_PAGE,
      default: 1,
    }),
  ];
}

function parameter(name: string, description: string, schema: OpenApiJson): OpenApiJson {
  return { name, in: 'query', description, schema };
}

/** A record as answers show it. */
export function websiteSchema(): OpenApiJson {
  const shown = FIELD_NAMES.map((name) => [name, shownField(name)]);
  const properties = {
    id: { type: 'integer', description: 'Never reused.' },
    domain: { type: 'string' },
    ...Object.fromEntries(shown),
    created_at: TIME,
    updated_at: TIME,
  };
  return closed(properties);
}

function shownField(name: FieldName): OpenApiJson {
  const { secret, summary, wire } = FIELDS[name];
  if (secret) return { type: 'boolean', description: 'Whether a password is set. It is never returned.' };
  const numbers = numbersOf(name, wire[0]);
  return {
    ...(numbers.length > 0 ? { type: 'integer', enum: numbers } : TEXT_OR_NULL),
    description: summary,
  };
}

/** A page of the list (serialize.ts). */
export function pageSchema(): OpenApiJson {
  const url = TEXT_OR_NULL;
  const count = { type: 'integer' };
  const countOrNull = { type: ['integer', 'null'] };
  const link = closed({ url, label: { type: 'string' }, active: { type: 'boolean' } });
  return closed({
    data: { type: 'array', items: reference('Website') },
    links: closed({ first: { type: 'string' }, last: { type: 'string' }, prev: url, next: url }),
    meta: closed({
      current_page: count,
      from: countOrNull,
      last_page: count,
      links: { type: 'array', items: link },
      path: { type: 'string' },
      per_page: count,
      to: countOrNull,
      total: count,
    }),
    status: count,
  });
}

/** An object with these members and no others. */
export function closed(properties: OpenApiJson): OpenApiJson {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export function reference(name: string): OpenApiJson {
  return { $ref: `#/components/schemas/${name}` };
}
