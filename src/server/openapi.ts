/** The interface as an OpenAPI 3.1 document. */
import { FORM_TYPE, WEBSITES_PATH } from '../model/contract.ts';
import {
  closed,
  createForm,
  listParameters,
  type OpenApiJson,
  pageSchema,
  reference,
  updateForm,
  websiteSchema,
} from './openapi-schemas.ts';

const DESCRIPTION = `Website records, each with a domain and settings. Every operation needs an API key as
\`Authorization: Bearer KEY\`, and writes are forms. Every response has an \`X-Request-Id\`: that of the request, if it
has one. With a rate limit, responses also have \`X-RateLimit-Limit\` and \`X-RateLimit-Remaining\`.`.replaceAll(
  '\n',
  ' ',
);

export interface OpenApi {
  readonly openapi: string;
  readonly info: OpenApiJson & { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiJson>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: OpenApiJson;
  };
  readonly [name: string]: unknown;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly OpenApiJson[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
  /** Empty: no key is asked for. */
  readonly security?: readonly [];
}

export interface Response {
  readonly description: string;
  readonly headers?: OpenApiJson;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: OpenApiJson }>>;

/** What every operation with a key may answer; what one that writes may besides; and one with a form. */
const ANY = { 401: 'Unauthenticated', 429: 'TooManyRequests', 500: 'Failed', 503: 'Unavailable' };
const ANY_WRITE = { ...ANY, 504: 'Unknown' };
const ANY_FORM = { ...ANY_WRITE, 400: 'Malformed', 413: 'TooLarge', 415: 'WrongType', 422: 'Invalid' };

export function openApi(): OpenApi {
  return {
    openapi: '3.1.0',
    info: { title: 'Website records', version: '1', description: DESCRIPTION },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths: {
      [WEBSITES_PATH]: { get: list(), post: create() },
      [`${WEBSITES_PATH}/{id}`]: {
        get: read(),
        put: update('updateWebsite', 'Update a website; omitted fields are kept'),
        patch: update('patchWebsite', 'The same as PUT'),
        delete: remove(),
      },
      '/healthz': { get: health('health', 'Health check') },
      '/readyz': { get: health('readiness', 'Readiness check') },
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Website: websiteSchema(),
        One: closed({ data: reference('Website'), status: { type: 'integer' } }),
        Page: pageSchema(),
        Deleted: closed({
          id: { type: 'integer' },
          object: { const: 'website' },
          deleted: { const: true },
          status: { type: 'integer' },
        }),
        Create: createForm(),
        Update: updateForm(),
        Message: {
          type: 'object',
          properties: { message: { type: 'string' }, status: { type: 'integer' } },
          required: ['message'],
        },
        Refusals: closed({
          message: {
            type: 'object',
            description: 'What is wrong, by the name of the field or parameter.',
            additionalProperties: { type: 'array', items: { type: 'string' } },
          },
          status: { type: 'integer' },
        }),
        Health: closed({ status: { enum: ['ok', 'unavailable', 'closing'] } }),
      },
      responses: {
        Malformed: json('The form or the query cannot be read.', 'Message'),
        Unauthenticated: json('The API key is missing or invalid.', 'Message'),
        NotFound: json('Record not found.', 'Message'),
        TooLarge: json('The form is larger than 1 MiB.', 'Message'),
        WrongType: json(`The body is not ${FORM_TYPE}.`, 'Message'),
        Invalid: json('Fields or parameters are not valid, or the domain is taken.', 'Refusals'),
        TooManyRequests: {
          ...json('Rate limit exceeded. Nothing was changed.', 'Message'),
          headers: {
            'Retry-After': header('Seconds to wait.'),
            'X-RateLimit-Limit': header('Requests a minute.'),
            'X-RateLimit-Remaining': header('0.'),
            'X-RateLimit-Reset': header('The end of the minute, in seconds since 1970.'),
          },
        },
        Failed: json('The service failed. A write may have completed.', 'Message'),
        Unavailable: {
          ...json('The database is busy. Nothing was changed.', 'Message'),
          headers: { 'Retry-After': header('Seconds.') },
        },
        Unknown: json('The database did not answer. A write may still complete.', 'Message'),
      },
    },
  };
}

/** The document as text. */
export function openApiText(): string {
  return `${JSON.stringify(openApi(), null, 2)}\n`;
}

function list(): ApiOperation {
  return {
    operationId: 'listWebsites',
    summary: 'List websites, page by page',
    parameters: listParameters(),
    responses: {
      200: json('A page of the list; an empty one beyond the end.', 'Page'),
      ...references({ ...ANY, 400: 'Malformed', 422: 'Invalid' }),
    },
  };
}

function create(): ApiOperation {
  return {
    operationId: 'createWebsite',
    summary: 'Create a website',
    requestBody: form('Create'),
    responses: { 201: json('The record.', 'One'), ...references(ANY_FORM) },
  };
}

function read(): ApiOperation {
  return {
    operationId: 'readWebsite',
    summary: 'Read one website',
    parameters: [ID],
    responses: { 200: json('The record.', 'One'), ...references({ ...ANY, 404: 'NotFound' }) },
  };
}

function update(operationId: string, summary: string): ApiOperation {
  return {
    operationId,
    summary,
    parameters: [ID],
    requestBody: form('Update'),
    responses: { 200: json('The record.', 'One'), ...references({ ...ANY_FORM, 404: 'NotFound' }) },
  };
}

function remove(): ApiOperation {
  return {
    operationId: 'deleteWebsite',
    summary: 'Delete a website',
    parameters: [ID],
    responses: { 200: json('It is deleted.', 'Deleted'), ...references({ ...ANY_WRITE, 404: 'NotFound' }) },
  };
}

function health(operationId: string, summary: string): ApiOperation {
  return {
    operationId,
    summary,
    security: [],
    responses: { 200: json('Healthy.', 'Health'), 503: json('Not healthy.', 'Health') },
  };
}

const ID: OpenApiJson = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } };

function json(description: string, schema: string): Response {
  return { description, content: { 'application/json': { schema: reference(schema) } } };
}

function form(schema: string): NonNullable<ApiOperation['requestBody']> {
  return { required: schema === 'Create', content: { [FORM_TYPE]: { schema: reference(schema) } } };
}

function header(description: string): OpenApiJson {
  return { description, schema: { type: 'integer' } };
}

function references(responses: Readonly<Record<string, string>>): ApiOperation['responses'] {
  const entries = Object.entries(responses).map(([status, name]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ]);
  return Object.fromEntries(entries);
}
