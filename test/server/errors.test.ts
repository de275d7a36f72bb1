import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { call, PATH } from './http.ts';

let service: TestService;
let id: number;

beforeAll(async () => {
  service = await startTestService();
  const { body } = await call(service.url, 'POST', PATH, {
    key: service.key,
    form: { domain: 'one.example' },
  });
  id = body.data.id;
});
afterAll(() => service.close());

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['another scheme', 'Basic d2ViOnNpdGVz'],
  ['no key', 'Bearer '],
  ['an unknown key', 'Bearer wsk_unknown'],
  ['two keys', 'Bearer wsk_one wsk_two'],
])('the service answers 401 on every operation without a valid API key: %s', async (_case, authorization) => {
  const operations = [
    ['GET', PATH],
    ['POST', PATH],
    ['GET', `${PATH}/${id}`],
    ['PUT', `${PATH}/${id}`],
    ['PATCH', `${PATH}/${id}`],
    ['DELETE', `${PATH}/${id}`],
  ] as const;
  for (const [method, path] of operations) {
    const answer = await call(service.url, method, path, {
      headers: authorization === undefined ? {} : { authorization },
      ...(method.startsWith('P') ? { form: { domain: 'two.example', privacy: '0' } } : {}),
    });
    expect([answer.status, answer.body]).toEqual([401, { message: 'Unauthenticated.' }]);
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  }
  expect(await service.records()).toMatchObject([{ domain: 'one.example', privacy: 1 }]);
});

test('the service accepts the Authorization scheme in lower case', async () => {
  const headers = { authorization: `bearer ${service.key}` };
  expect((await call(service.url, 'GET', PATH, { headers })).status).toBe(200);
});

const NO_DOMAIN = 'The domain field is required.';
const invalid = (name: string) => `The selected ${name} is invalid.`;
const PASSWORD = 'The password must be a string of 1 to 128 characters.';

test.each([
  [{}, { domain: [NO_DOMAIN] }],
  [{ domain: '' }, { domain: [NO_DOMAIN] }],
  [{ domain: '   ' }, { domain: [NO_DOMAIN] }],
  [
    { domain: '', privacy: '7' },
    { domain: [NO_DOMAIN], privacy: [invalid('privacy')] },
  ],
  [
    { domain: 'a.example', privacy: '2' },
    { password: ['The password field is required when privacy is 2.'] },
  ],
] as const)('the service answers 422 to a create with %j, and names each field', async (form, message) => {
  const { status, body } = await call(service.url, 'POST', PATH, { key: service.key, form });
  expect([status, body]).toEqual([422, { message, status: 422 }]);
});

test.each([
  ['exa mple.com', 'it contains white space'],
  ['example.com/path', 'the path is not part of a domain'],
  ['user@example.com', 'it contains an @, like an email address or credentials'],
  ['example.com.', 'it ends in a dot'],
  ['*.example.com', 'it contains a *, which is valid only in patterns'],
  ['http://www.', 'it is empty'],
  ['a\0b.example', 'it contains "\\u0000"'],
  [`${'a.'.repeat(130)}example`, 'it is longer than 253 characters'],
  ['“a.example”', 'it contains “ (U+201C) at position 1'],
])('the service answers 422 to a create of %j, with the reason: %s', async (domain, reason) => {
  const { status, body } = await call(service.url, 'POST', PATH, { key: service.key, form: { domain } });
  expect([status, body.message]).toEqual([422, { domain: [`The domain format is invalid: ${reason}.`] }]);
});

test.each([
  ['privacy', '', invalid('privacy')],
  ['privacy', '3', invalid('privacy')],
  ['privacy', '-1', invalid('privacy')],
  ['privacy', '1.0', invalid('privacy')],
  ['privacy', 'public', invalid('privacy')],
  ['privacy', '9'.repeat(400), invalid('privacy')],
  ['privacy', '\u0661', invalid('privacy')],
  ['email', '', invalid('email')],
  ['email', '2', invalid('email')],
  ['email', 'true', invalid('email')],
  ['exclude_bots', ' ', invalid('exclude bots')],
  ['exclude_bots', 'on', invalid('exclude bots')],
  ['exclude_params', 'a\0b', invalid('exclude params')],
  ['exclude_ips', '\0', invalid('exclude ips')],
  ['favorited_at', 'yesterday', invalid('favorited at')],
  ['favorited_at', '1', invalid('favorited at')],
  ['favorited_at', '0', invalid('favorited at')],
  ['favorited_at', '2026-02-30T00:00:00', invalid('favorited at')],
  ['favorite', '', invalid('favorite')],
  ['favorite', '2', invalid('favorite')],
  ['favorite', '2026-01-31T09:00:00', invalid('favorite')],
  ['password', 'x'.repeat(129), PASSWORD],
  ['password', 'a\0b', PASSWORD],
])('the service answers 422 to %s=%j on create and update, and for any ID', async (name, value, words) => {
  const form = { domain: 'two.example', [name]: value };
  for (const [method, path] of [
    ['POST', PATH],
    ['PUT', `${PATH}/${id}`],
    ['PATCH', `${PATH}/${id}`],
    ['PUT', `${PATH}/999999`],
  ] as const) {
    const { status, body } = await call(service.url, method, path, { key: service.key, form });
    expect([status, body]).toEqual([422, { message: { [name]: [words] }, status: 422 }]);
  }
  expect(await service.records()).toHaveLength(1);
});

test.each(['x', 'x'.repeat(128), '🔑'.repeat(128)])(
  'the service accepts a password of 1 to 128 characters',
  async (password) => {
    const form = { privacy: '2', password };
    const { status } = await call(service.url, 'PUT', `${PATH}/${id}`, { key: service.key, form });
    expect(status).toBe(200);
  },
);

const IDS = "0 -1 1.5 abc 1e3 999999 99999999999999999999 %00 a%2Fb 1'%20OR%201=1";

test.each(IDS.split(' '))('the service answers 404 for the record ID %s', async (name) => {
  const { status, body } = await call(service.url, 'GET', `${PATH}/${name}`, { key: service.key });
  expect([status, body]).toEqual([404, { message: 'Resource not found.', status: 404 }]);
});

test.each(['/', '/api', '/api/v1', '/api/v2/websites', '/API/V1/WEBSITES', `${PATH}x`, `${PATH}/1/stats`])(
  'the service answers 404 for the path %s, with an API key or without',
  async (path) => {
    for (const key of [service.key, 'no']) {
      const { status, body } = await call(service.url, 'GET', path, { key });
      expect([status, body]).toEqual([404, { message: '' }]);
    }
  },
);

test.each([
  ['PUT', PATH, 'GET, HEAD, POST'],
  ['PATCH', PATH, 'GET, HEAD, POST'],
  ['DELETE', `${PATH}/`, 'GET, HEAD, POST'],
  ['OPTIONS', PATH, 'GET, HEAD, POST'],
  ['POST', `${PATH}/1`, 'GET, HEAD, PUT, PATCH, DELETE'],
  ['PROPFIND', `${PATH}/1?x=/y`, 'GET, HEAD, PUT, PATCH, DELETE'],
])('the service answers 405 to %s %s, with the allowed methods', async (method, path, allowed) => {
  const { status, headers, body } = await call(service.url, method, path, { key: service.key });
  expect([status, headers.allow, body.status]).toEqual([405, allowed, 405]);
});

test.each([
  ['application/json', '{"privacy":0}'],
  [
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="privacy"\r\n\r\n0\r\n--x--',
  ],
  ['text/plain', 'privacy=0'],
  ['nonsense', 'privacy=0'],
  ['', 'privacy=0'],
])('the service answers 415 to a write with Content-Type %j', async (type, form) => {
  for (const [method, path] of [
    ['POST', PATH],
    ['PUT', `${PATH}/${id}`],
  ] as const) {
    const options = { key: service.key, form, headers: { 'content-type': type } };
    const { status, body } = await call(service.url, method, path, options);
    expect([status, body.status]).toEqual([415, 415]);
  }
});

test('the service accepts a charset in the Content-Type of a form', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
  const options = { key: service.key, form: 'exclude_params=ü+%26', headers };
  const { body } = await call(service.url, 'PUT', `${PATH}/${id}`, options);
  expect(body.data.exclude_params).toBe('ü &');
});

test.each([
  ['half an escape', 'domain=%E'],
  ['an invalid escape', 'domain=%zz'],
  ['escaped bytes that are not UTF-8', 'domain=%FF%FE'],
  ['an escaped surrogate', 'domain=%ED%A0%80'],
  ['bytes that are not UTF-8', Buffer.from([...Buffer.from('domain='), 0xff, 0xfe])],
  ['a bad name', '%=1&domain=two.example'],
  ['a thousand fields', Array.from({ length: 1000 }, (_, index) => `f${index}=1`).join('&')],
  ['a million ampersands', '&'.repeat(1_000_000)],
])('the service answers 400 to a form with %s', async (_case, form) => {
  const { status, body } = await call(service.url, 'POST', PATH, { key: service.key, form });
  expect([status, body.status]).toEqual([400, 400]);
  expect(body.message).toMatch(/^The form (is not percent-encoded UTF-8|contains more than 100 fields)\.$/);
});

test('the service answers 400 to a malformed query or path', async () => {
  for (const path of [`${PATH}?search=%E0%A4%A`, `${PATH}?search=%FF`, `${PATH}/%E0%A4%A`]) {
    expect((await call(service.url, 'GET', path, { key: service.key })).status).toBe(400);
  }
});

test('the service uses the last value of a repeated form field', async () => {
  const form = 'email=1&email=0&exclude_params&=&&exclude_ips=a=b';
  const { body } = await call(service.url, 'PUT', `${PATH}/${id}`, { key: service.key, form });
  expect(body.data).toMatchObject({ email: 0, exclude_params: null, exclude_ips: 'a=b' });
});

test('the service ignores form fields that are named like JavaScript properties', async () => {
  const form = '__proto__=1&constructor=1&toString=1&email=1';
  const { status, body } = await call(service.url, 'PUT', `${PATH}/${id}`, { key: service.key, form });
  expect([status, body.data.email]).toEqual([200, 1]);
});
