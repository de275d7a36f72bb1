/** Builds docs/openapi.json, the OpenAPI 3.1 document of the embedded service. */
import * as z from 'zod/mini';
import { FORM_TYPE, WEBSITES_PATH } from '../../src/model/contract.ts';
import { FIELD_NAMES, FIELDS } from '../../src/model/field-table.ts';
import { CREATE, DEFAULTS, LIST, type Parameters, UPDATE } from '../../src/server/schema.ts';

type Json = { readonly [name: string]: unknown };

const DESCRIPTION = [
  'Website records, each with a domain and settings.',
  'Every operation needs an API key as `Authorization: Bearer KEY`, and writes are forms.',
  'Every response has an `X-Request-Id`: that of the request, if it has one.',
  'With a rate limit, responses also have `X-RateLimit-Limit` and `X-RateLimit-Remaining`.',
].join(' ');

/** Error responses: of every operation with a key, of an operation that writes, and of one with a form. */
const ANY = { 401: 'Unauthenticated', 429: 'TooManyRequests', 500: 'Failed', 503: 'Unavailable' };
const ANY_FORM = { ...ANY, 400: 'Malformed', 413: 'TooLarge', 415: 'WrongType', 422: 'Invalid' };

const text = z.string();
const textOrNull = z.nullable(z.string());
const count = z.int();
const countOrNull = z.nullable(z.int());
const described = (description: string) => z.meta({ description });

const website = z.strictObject({
  id: count.check(described('Never reused.')),
  domain: text,
  ...Object.fromEntries(
    FIELD_NAMES.map((name) => {
      const field = FIELDS[name];
      if (field.secret)
        return [name, z.boolean().check(described('True if a password is set. It is never returned.'))];
      const { numbers } = field.kind;
      const shown = numbers === undefined ? textOrNull : z.literal([...numbers]);
      return [name, shown.check(described(field.summary))];
    }),
  ),
  created_at: text.check(z.meta({ examples: ['2026-01-31T09:00:00.000000Z'] })),
  updated_at: text.check(z.meta({ examples: ['2026-01-31T09:00:00.000000Z'] })),
});

const SCHEMAS = {
  Website: website,
  One: z.strictObject({ data: website, status: count }),
  Page: z.strictObject({
    data: z.array(website),
    links: z.strictObject({ first: text, last: text, prev: textOrNull, next: textOrNull }),
    meta: z.strictObject({
      current_page: count,
      from: countOrNull,
      last_page: count,
      path: text,
      per_page: count,
      to: countOrNull,
      total: count,
    }),
    status: count,
  }),
  Deleted: z.strictObject({
    id: count,
    object: z.literal('website'),
    deleted: z.literal(true),
    status: count,
  }),
  Message: z.looseObject({ message: text, status: z.optional(count) }),
  Refusals: z.strictObject({
    message: z
      .record(z.string(), z.array(z.string()))
      .check(described('What is wrong, by the name of the field or parameter.')),
    status: count,
  }),
  Health: z.strictObject({ status: z.enum(['ok', 'unavailable', 'closing']) }),
};

export function openApiText(): string {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Website records', version: '1', description: DESCRIPTION },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths: {
      [WEBSITES_PATH]: {
        get: {
          operationId: 'listWebsites',
          summary: 'List websites, page by page',
          parameters: parameters(),
          responses: {
            200: answer('A page of the list; an empty one beyond the end.', 'Page'),
            ...references({ ...ANY, 400: 'Malformed', 422: 'Invalid' }),
          },
        },
        post: {
          operationId: 'createWebsite',
          summary: 'Create a website',
          requestBody: form('Create'),
          responses: { 201: answer('The record.', 'One'), ...references(ANY_FORM) },
        },
      },
      [`${WEBSITES_PATH}/{id}`]: {
        get: {
          operationId: 'readWebsite',
          summary: 'Read one website',
          parameters: [ID],
          responses: { 200: answer('The record.', 'One'), ...references({ ...ANY, 404: 'NotFound' }) },
        },
        put: update('updateWebsite', 'Update a website; omitted fields are kept'),
        patch: update('patchWebsite', 'The same as PUT'),
        delete: {
          operationId: 'deleteWebsite',
          summary: 'Delete a website',
          parameters: [ID],
          responses: { 200: answer('It is deleted.', 'Deleted'), ...references({ ...ANY, 404: 'NotFound' }) },
        },
      },
      '/healthz': { get: health('health', 'Health check') },
      '/readyz': { get: health('readiness', 'Readiness check') },
      '/openapi.json': {
        get: {
          operationId: 'document',
          summary: 'This document',
          security: [],
          responses: { 200: { description: 'The document.' } },
        },
      },
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: schemas(),
      responses: {
        Malformed: answer('The form or the query cannot be read.', 'Message'),
        Unauthenticated: answer('The API key is missing or invalid.', 'Message'),
        NotFound: answer('Record not found.', 'Message'),
        TooLarge: answer('The form is larger than 1 MiB.', 'Message'),
        WrongType: answer(`The body is not ${FORM_TYPE}.`, 'Message'),
        Invalid: answer('Fields or parameters are not valid, or the domain is taken.', 'Refusals'),
        TooManyRequests: {
          ...answer('Rate limit exceeded. Nothing was changed.', 'Message'),
          headers: {
            'Retry-After': header('Seconds to wait.'),
            'X-RateLimit-Limit': header('Requests a minute.'),
            'X-RateLimit-Remaining': header('0.'),
            'X-RateLimit-Reset': header('The end of the minute, in seconds since 1970.'),
          },
        },
        Failed: answer('The service failed. A write may have completed.', 'Message'),
        Unavailable: {
          ...answer('The database is busy. Nothing was changed.', 'Message'),
          headers: { 'Retry-After': header('Seconds.') },
        },
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const ID: Json = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } };

/** Removes the bounds that all integers have. */
const OPTIONS = {
  unrepresentable: 'any',
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;

function schemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas: made } = z.toJSONSchema(registry, { uri, ...OPTIONS });
  const named = Object.entries(made).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]);
  return { ...Object.fromEntries(named), ...FORMS };
}

/** Forms, by the name of their schema. */
const FORMS = {
  Create: { type: 'object', properties: propertiesOf(CREATE, DEFAULTS), required: ['domain'] },
  Update: { type: 'object', properties: propertiesOf(UPDATE, {}) },
};

function propertiesOf(parameters: Parameters, defaults: Json): Json {
  const withDefault = ([name, { schema }]: [string, Parameters[string]]) => {
    const standard = defaults[name] ?? undefined;
    return [name, standard === undefined ? schema : { ...schema, default: standard }];
  };
  return Object.fromEntries(Object.entries(parameters).map(withDefault));
}

function parameters(): readonly Json[] {
  return Object.entries(LIST).map(([name, parameter]) => {
    const { description, ...schema } = parameter.schema;
    const { default: standard } = parameter;
    const own = standard === undefined ? schema : { ...schema, default: standard };
    return { name, in: 'query', description, schema: own };
  });
}

function update(operationId: string, summary: string): Json {
  return {
    operationId,
    summary,
    parameters: [ID],
    requestBody: form('Update'),
    responses: { 200: answer('The record.', 'One'), ...references({ ...ANY_FORM, 404: 'NotFound' }) },
  };
}

function health(operationId: string, summary: string): Json {
  return {
    operationId,
    summary,
    security: [],
    responses: { 200: answer('Healthy.', 'Health'), 503: answer('Not healthy.', 'Health') },
  };
}

function answer(description: string, schema: keyof typeof SCHEMAS): Json {
  return { description, content: { 'application/json': { schema: reference(schema) } } };
}

function form(schema: keyof typeof FORMS): Json {
  return { required: schema === 'Create', content: { [FORM_TYPE]: { schema: reference(schema) } } };
}

function header(description: string): Json {
  return { description, schema: { type: 'integer' } };
}

function reference(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` };
}

function references(responses: Readonly<Record<string, string>>): Json {
  const entries = Object.entries(responses).map(([status, name]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ]);
  return Object.fromEntries(entries);
}
