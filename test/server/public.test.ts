import { readFile } from 'node:fs/promises';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiText } from '../../scripts/reference/openapi.ts';
import { addRoutes } from '../../src/server/routes.ts';
import { schemaOf } from '../support/documented.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call, PATH } from './http.ts';

const api: OpenApi = JSON.parse(openApiText());

let service: TestService;
let id: number;

beforeAll(async () => {
  service = await startTestService();
  const form = { domain: 'one.example', exclude_ips: '192.0.2.1', favorite: '1' };
  id = (await call(service.url, 'POST', PATH, { key: service.key, form })).body.data.id;
});
afterAll(() => service.close());

const ask = (method: string, path: string, form?: Record<string, string>) =>
  call(service.url, method, path, { key: service.key, ...(form === undefined ? {} : { form }) });

test.each(['/openapi.json', '/healthz', '/readyz'])('%s can be read without an API key', async (path) => {
  expect((await call(service.url, 'GET', path)).status).toBe(200);
  expect((await call(service.url, 'GET', `${path}/`)).status).toBe(200);
  expect((await call(service.url, 'HEAD', path)).text).toBe('');
  const { status, headers } = await call(service.url, 'POST', path);
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
});

test('/openapi.json is an OpenAPI 3.1 document with valid references', async () => {
  const { headers, text } = await call(service.url, 'GET', '/openapi.json');
  expect(headers['content-type']).toMatch(/^application\/json/);
  const document: OpenApi = JSON.parse(text);
  expect(document.openapi).toBe('3.1.0');
  for (const [, pointer = ''] of text.matchAll(/"\$ref": "#\/([^"]+)"/g)) {
    const at = pointer
      .split('/')
      .reduce<unknown>((node, name) => (node as Record<string, unknown>)?.[name], document);
    expect(at, pointer).toBeTypeOf('object');
  }
  const names = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(names).size).toBe(names.length);
});

test('/openapi.json equals docs/openapi.json and the output of npm run generate', async () => {
  const { text } = await call(service.url, 'GET', '/openapi.json');
  const file = JSON.parse(await readFile('docs/openapi.json', 'utf8'));
  expect(JSON.parse(text)).toEqual(file);
  expect(file).toEqual(api);
});

test('/openapi.json documents every route of the service, and no other', () => {
  const routes: string[] = [];
  const app = Fastify();
  app.addHook('onRoute', ({ method, url }) => {
    if (method !== 'HEAD') routes.push(`${method} ${url.replace(':id', '{id}')}`);
  });
  const { store } = service;
  addRoutes(app, { store, isKey: () => true, now: Date.now, rateLimit: 0 });
  const documented = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.toSorted()).toEqual(documented.toSorted());
});

test.each(Object.entries(properties('Update')))(
  'the field %s accepts the values in /openapi.json, and no other',
  async (name, schema) => {
    const base = name === 'privacy' ? { password: 'x' } : {};
    const status = async (value: string) =>
      (await ask('PUT', `${PATH}/${id}`, { ...base, [name]: value })).status;
    for (const value of schema.enum ?? []) expect(await status(String(value)), String(value)).toBe(200);
    if (schema.enum !== undefined) {
      expect(await status(String(Math.max(...(schema.enum as number[])) + 1))).toBe(422);
      expect(await status('x')).toBe(422);
    }
    if (schema.maxLength !== undefined) {
      expect(await status('x'.repeat(schema.maxLength))).toBe(200);
      expect(await status('x'.repeat(schema.maxLength + 1))).toBe(422);
    }
  },
);

test('/openapi.json documents the default settings of a create', async () => {
  const { body } = await ask('POST', PATH, { domain: 'defaults.example' });
  const standards = Object.entries(properties('Create')).filter(([, schema]) => schema.default !== undefined);
  expect(standards.map(([name]) => name)).toEqual(['privacy', 'email', 'exclude_bots']);
  for (const [name, schema] of standards) expect(body.data[name], name).toBe(schema.default);
});

test('list parameters accept the values in /openapi.json, and no other', async () => {
  const plain = (await ask('GET', PATH)).body;
  for (const { name, schema } of api.paths[PATH]?.get?.parameters ?? []) {
    const list = (value: unknown) => ask('GET', `${PATH}?${name}=${value}`);
    for (const value of schema.enum ?? []) expect((await list(value)).status, `${name}=${value}`).toBe(200);
    if (schema.enum !== undefined) expect((await list('x')).status, name).toBe(422);
    if (schema.default !== undefined) expect((await list(schema.default)).body.data).toEqual(plain.data);
  }
});

test('the page parameter accepts the range in /openapi.json, and no other', async () => {
  const page = api.paths[PATH]?.get?.parameters?.find(({ name }) => name === 'page');
  const { minimum = Number.NaN, maximum = Number.NaN } = (page?.schema ?? {}) as Schema;
  const answers = [minimum - 1, minimum, maximum, maximum + 1].map((at) => ask('GET', `${PATH}?page=${at}`));
  const [below, first, last, above] = await Promise.all(answers);
  expect([first?.status, last?.status]).toEqual([200, 200]);
  const message = { page: [`The page must be a whole number from ${minimum} to ${maximum}.`] };
  for (const beyond of [below, above]) expect(beyond?.body).toEqual({ message, status: 422 });
});

test('responses of the service match the schemas in /openapi.json', async () => {
  const created = await ask('POST', PATH, { domain: 'shape.example', privacy: '2', password: 'x' });
  const own = `${PATH}/${created.body.data.id}`;
  const answers = [
    ['One', created],
    ['One', await ask('GET', own)],
    ['One', await ask('PUT', own, { favorited_at: '2026-01-31' })],
    ['Page', await ask('GET', PATH)],
    ['Page', await ask('GET', `${PATH}?page=9`)],
    ['Page', await ask('GET', `${PATH}?per_page=10&search=shape&favorite=1`)],
    ['Refusals', await ask('POST', PATH, { domain: 'shape.example', email: '7' })],
    ['Message', await ask('GET', `${PATH}/999`)],
    ['Message', await call(service.url, 'GET', PATH)],
    ['Deleted', await ask('DELETE', own)],
    ['Health', await ask('GET', '/readyz')],
  ] as const;
  for (const [name, { body, status }] of answers) {
    expect(schemaOf(name).safeParse(body), `${status} ${name}`).toMatchObject({ success: true });
  }
});

test('/healthz and /readyz return 200 while the database responds', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const { status, body } = await call(service.url, 'GET', path);
    expect([status, body]).toEqual([200, { status: 'ok' }]);
  }
});

test('/healthz and /readyz return 503 without a database, and log the reason', async () => {
  const errors: unknown[] = [];
  const failing = await startTestService({ log: ({ error }) => errors.push(error) });
  await failing.store.close();
  for (const path of ['/healthz', '/readyz']) {
    const { status, body } = await call(failing.url, 'GET', path);
    expect([status, body]).toEqual([503, { status: 'unavailable' }]);
  }
  expect(errors).toEqual(['the database is closed', 'the database is closed']);
  await failing.close().catch(() => {});
});

interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
}

interface Schema {
  readonly enum?: readonly (number | string)[];
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

function properties(name: string): Record<string, Schema> {
  return (api.components.schemas[name] as { properties: Record<string, Schema> }).properties;
}
