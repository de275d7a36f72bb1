import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret } from '../../src/model/secret.ts';
import { keepKey } from '../../src/util/key-filter.ts';
import { listen } from '../support/listen.ts';
import { type Dialect, type Fault, type FaultPlan, scripted } from '../support/scripted-service.ts';
import { connect, failureOf, OPERATIONS } from './support.ts';

const WORDS = 'This domain is already being used.';

test.each<[Dialect['errors'], object]>([
  ['fields', { domain: [WORDS] }],
  ['stock', { domain: [WORDS] }],
  ['text', {}],
  ['html', {}],
])('an error repeats the message of the service (form of the response: %s)', async (errors, fields) => {
  const service = await scripted({ dialect: { errors }, records: ['a.example'] });
  const error = await failureOf(connect(service).create('a.example', {}));
  expect(error).toMatchObject({
    code: 'service-refused',
    status: 422,
    outcome: 'refused',
    blame: 'record',
    fields,
    attempts: 1,
  });
  expect(error.message).toBe(
    `Cannot create a.example: POST ${service.url}/api/v1/websites answered 422: ${WORDS}`,
  );
  expect(error.remedy).toBeTruthy();
});

const body = JSON.stringify({ success: false, message: 'The database is gone', data: [] });
const failing = () => scripted({ faults: () => ({ kind: 'status', when: 'before', status: 200, body }) });

test('an error in a response with status 200 fails a list and a look-up', async () => {
  const client = connect(await failing());
  for (const operation of [() => client.list(), () => client.find('a.example')]) {
    const error = await failureOf(operation());
    expect(error).toMatchObject({ code: 'service-refused', status: 200, attempts: 1 });
    expect(error.message).toMatch(/ answered 200: The database is gone\.$/);
  }
});

test('an error in a response with status 200 leaves the outcome of a write unknown', async () => {
  const client = connect(await failing());
  const writes = [() => client.create('a.example', {}), () => client.update('1', 'a.example', {})];
  for (const write of writes) {
    expect(await failureOf(write())).toMatchObject({ status: 200, attempts: 1, outcome: 'ended' });
  }
});

test.each<[number, keyof typeof OPERATIONS, string, string, number]>([
  [401, 'list', 'key-refused', 'service', 3],
  [401, 'create', 'key-refused', 'service', 3],
  [403, 'list', 'key-refused', 'service', 3],
  [403, 'read', 'key-refused', 'service', 3],
  [403, 'create', 'key-refused', 'service', 3],
  [402, 'create', 'service-refused', 'service', 1],
  [404, 'list', 'base-url-invalid', 'service', 1],
  [404, 'find', 'base-url-invalid', 'service', 1],
  [404, 'create', 'service-refused', 'record', 1],
  [405, 'update', 'service-refused', 'service', 1],
  [409, 'create', 'service-refused', 'record', 1],
  [413, 'update', 'service-refused', 'record', 1],
  [415, 'create', 'service-refused', 'service', 1],
  [422, 'delete', 'service-refused', 'record', 1],
])('the status %i in response to %s is the error %s', async (status, operation, code, blame, exit) => {
  const service = await scripted({ faults: () => ({ kind: 'status', status, when: 'before' }) });
  const error = await failureOf(OPERATIONS[operation](connect(service)));
  expect(error).toMatchObject({ code, blame, exit, status, outcome: 'refused' });
});

test.each<[number, keyof typeof OPERATIONS, string, string]>([
  [409, 'update', 'service-refused', 'record'],
  [423, 'update', 'service-refused', 'record'],
  [423, 'delete', 'service-refused', 'record'],
  [522, 'read', 'service-failed', 'service'],
])('the remedy for status %i to %s does not blame the values', async (status, operation, code, blame) => {
  const body = '{"message":"No."}';
  const service = await scripted({ faults: () => ({ kind: 'status', status, when: 'before', body }) });
  const error = await failureOf(OPERATIONS[operation](connect(service)));
  expect(error).toMatchObject({ code, blame, status });
  expect(error.remedy).not.toMatch(/values|login page/);
});

test.each([
  ['{"message":"No."}', false],
  ['No.', true],
])('an error names a login page only if the response is not JSON: %s', async (body, isBlamed) => {
  const service = await scripted({ faults: () => ({ kind: 'status', status: 405, when: 'before', body }) });
  const error = await failureOf(OPERATIONS.update(connect(service)));
  expect(error.remedy?.includes('login page')).toBe(isBlamed);
});

test('status 403 to a write does not mean a rejected key if the key can list', async () => {
  const body = '{"message":"Your plan allows 10 websites."}';
  const refusal = { kind: 'status', status: 403, when: 'before', body } as const;
  const faults: FaultPlan = ({ method }) => (method === 'GET' ? undefined : refusal);
  const client = connect(await scripted({ faults }));
  await client.list();
  const error = await failureOf(client.create('a.example', {}));
  expect(error).toMatchObject({ code: 'service-refused', status: 403, blame: 'service' });
  expect(error.message).toContain('Your plan allows 10 websites');
});

test('status 403 to a read means a rejected key, even if the key could list before', async () => {
  const service = await scripted({
    records: ['a.example'],
    faults: ({ path }) => (path.endsWith('/1') ? { kind: 'status', status: 403, when: 'before' } : undefined),
  });
  const client = connect(service);
  await client.list();
  expect(await failureOf(client.read('1'))).toMatchObject({ code: 'key-refused', exit: 3 });
});

function answering(body: unknown): Fault {
  return {
    kind: 'status',
    status: 200,
    when: 'after',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

test.each<[unknown, string]>([
  [{ message: 'ok' }, 'data: expected a list'],
  [7, 'the response: expected a list'],
  [{ data: [{ id: 1, domain: 'a.example' }, { id: 2 }] }, 'data.1.domain: expected a string'],
  [[{ id: {}, domain: 'a.example' }], '0.id: expected an id'],
])('a response to a list with the unexpected shape %j is an error', async (body, place) => {
  const service = await scripted({ faults: () => answering(body) });
  const error = await failureOf(connect(service).list());
  expect(error).toMatchObject({ code: 'answer-invalid', status: 200, blame: 'service' });
  const url = `${service.url}/api/v1/websites?per_page=100&sort_by=id&sort=desc`;
  expect(error.message).toBe(
    `Cannot list the websites: GET ${url} answered 200 with an unexpected value at ${place}.`,
  );
  expect(service.requests).toHaveLength(1);
});

test('a response of unexpected shape leaves the outcome of a create unknown', async () => {
  const service = await scripted({ faults: () => answering({ status: 200 }) });
  const error = await failureOf(connect(service).create('a.example', {}));
  expect(error).toMatchObject({ code: 'answer-invalid', outcome: 'ended' });
});

test('an update with a response of unexpected shape counts as carried out', async () => {
  const service = await scripted({ records: ['a.example'], faults: () => answering({ status: 200 }) });
  expect(await connect(service).update('1', 'a.example', {})).toEqual({
    id: '1',
    domain: 'a.example',
    settings: {},
  });
});

test('a response that is not UTF-8 is an error, because its domains could be wrong', async () => {
  const body = Buffer.from('{"data":[{"id":1,"domain":"m\u00fcnchen.example"}]}', 'latin1');
  const server = createServer((_request, response) => response.end(body));
  const url = `http://127.0.0.1:${await listen(server)}`;
  const error = await failureOf(connect({ url, key: 'a-key' }).list());
  expect(error).toMatchObject({ code: 'answer-invalid', attempts: 5 });
  expect(error.message).toMatch(/answered 200 with text that is not UTF-8 \(after 5 attempts\)\.$/);
});

const KEY = 'marked-key-7Zq';
const PASSWORD = 'marked p&ssword "ü"';
const marks = /marked/;
const escaped = PASSWORD.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const twice = escaped.replaceAll('&', '&amp;');

const bodies: [string, string][] = [
  ['text', `Header: Bearer ${KEY}; form: ${PASSWORD}`],
  ['JSON', JSON.stringify({ message: `Bearer ${KEY}`, errors: { password: [`${PASSWORD} is too weak`] } })],
  ['escaped JSON', `{"message":"password marked p&ssword \\"\\u00fc\\" is too weak"}`],
  ['a form', new URLSearchParams({ password: PASSWORD }).toString()],
  ['HTML', JSON.stringify({ message: `The password ${escaped} is too weak` })],
  ['HTML by numbers', `<title>${PASSWORD.replaceAll('&', '&#38;').replaceAll('"', '&#x22;')}</title>`],
  ['HTML escaped twice', JSON.stringify({ message: { password: [`${twice} is too weak`] } })],
  ['a page', `<html><title>Error for ${KEY}</title></html>`],
];

test.each(bodies)('an error hides secrets that the service repeats as %s', async (_what, body) => {
  const service = await scripted({ key: KEY });
  for (const status of [401, 422, 500]) {
    service.faults = () => ({ kind: 'status', status, when: 'before', body });
    const client = connect(service);
    const error = await failureOf(client.create('a.example', { privacy: 2, password: new Secret(PASSWORD) }));
    expect(inspect(error, { depth: 9 })).not.toMatch(marks);
    expect(JSON.stringify(error)).not.toMatch(marks);
    expect(error.message).toContain('is not shown');
  }
});

test('a response of 200,000 backslashes does not stop the search for secrets', async () => {
  const body = '\\'.repeat(200_000);
  const service = await scripted({ faults: () => ({ kind: 'status', status: 422, when: 'before', body }) });
  const error = await failureOf(connect(service).create('a.example', { password: new Secret(PASSWORD) }));
  expect(error).toMatchObject({ code: 'service-refused' });
});

test('an error hides secrets that the service puts in a redirect URL', async () => {
  const service = await scripted({ key: KEY });
  for (const location of [`/${KEY}`, `/${KEY}/login`, `http://${KEY}.example/`]) {
    const headers = { location };
    service.faults = () => ({ kind: 'status', status: 302, when: 'before', headers, body: '' });
    const error = await failureOf(connect(service).list());
    expect(inspect(error, { depth: 9 })).not.toMatch(marks);
  }
});

test('no error, event or inspected client contains a secret', async () => {
  const service = await scripted({
    key: KEY,
    faults: ({ number }) => (number === 0 ? { kind: 'reset', when: 'before' } : undefined),
  });
  const told: unknown[] = [];
  const client = connect(service, { onRequest: (event) => told.push(event) });
  await client.update('1', 'a.example', { password: new Secret(PASSWORD) });
  await failureOf(client.create('', { password: new Secret(PASSWORD) }));
  expect(inspect([client, client.seen, told], { depth: 9, showHidden: true })).not.toMatch(marks);
});

test('a response that repeats the API key in its member "status" is not an error', async () => {
  const key = 'repeated-key-4Xw';
  keepKey(key);
  const body = JSON.stringify({ status: `Bearer ${key}`, data: [], total: 0 });
  const service = await scripted({
    key,
    faults: () => ({ kind: 'status', status: 200, when: 'before', body }),
  });
  expect(await connect(service).list()).toMatchObject({ websites: [] });
});
