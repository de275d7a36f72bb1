import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { type Call, call, PATH, type Reply } from './http.ts';

let service: TestService;
let clock = Date.UTC(2026, 0, 31, 9, 0, 0);

beforeAll(async () => {
  service = await startTestService({ now: () => clock });
});
afterAll(() => service.close());

function send(method: string, path: string, form?: Call['form']): Promise<Reply> {
  return call(service.url, method, path, { key: service.key, ...(form === undefined ? {} : { form }) });
}

async function created(form: Readonly<Record<string, string>>): Promise<number> {
  const { status, body } = await send('POST', PATH, form);
  expect(status).toBe(201);
  return body.data.id;
}

test('a create that sends only a domain gets the default settings of the service', async () => {
  const answer = await send('POST', PATH, { domain: 'defaults.example' });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    data: {
      id: expect.any(Number),
      domain: 'defaults.example',
      privacy: 1,
      password: false,
      email: 0,
      exclude_bots: 1,
      exclude_params: null,
      exclude_ips: null,
      favorited_at: null,
      created_at: '2026-01-31T09:00:00.000000Z',
      updated_at: '2026-01-31T09:00:00.000000Z',
    },
    status: 200,
  });
});

test('the service stores every field of a create as sent, with the password hashed', async () => {
  const form = {
    domain: 'full.example',
    privacy: '2',
    password: ' pass word ',
    email: '1',
    exclude_bots: '0',
    exclude_params: 'utm_source\r\nutm_medium',
    exclude_ips: '192.0.2.0/24\n2001:db8::1',
    favorited_at: '2024-02-03T04:05:06',
  };
  const { body } = await send('POST', PATH, form);
  expect(body.data).toMatchObject({
    privacy: 2,
    password: true,
    email: 1,
    exclude_bots: 0,
    exclude_params: 'utm_source\r\nutm_medium',
    exclude_ips: '192.0.2.0/24\n2001:db8::1',
    favorited_at: '2024-02-03 04:05:06',
  });
  const row = (await service.records()).find(({ id }) => id === body.data.id);
  expect(row?.password).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(JSON.stringify(row)).not.toContain('pass word');
});

test.each([
  ['favorite', '1', '2026-01-31 09:00:00'],
  ['favorite', '0', null],
  ['favorited_at', '', null],
  ['favorited_at', '2024-02-03', '2024-02-03 00:00:00'],
  ['favorited_at', '2024-02-03 04:05:06', '2024-02-03 04:05:06'],
  ['favorited_at', '2024-02-03T04:05:06+02:00', '2024-02-03 02:05:06'],
])('the service sets favorited_at for a create with %s=%s to %s', async (name, value, shown) => {
  const { body } = await send('POST', PATH, {
    domain: `${name}-${value.replace(/\W/g, '')}x.example`,
    [name]: value,
  });
  expect(body.data.favorited_at).toBe(shown);
});

test.each([
  ['Upper.Example', 'upper.example'],
  ['https://scheme.example', 'scheme.example'],
  ['HTTP://WWW.Both.Example', 'both.example'],
  ['www.label.example', 'label.example'],
  [' spaced.example ', 'spaced.example'],
  ['MÜNCHEN.example', 'münchen.example'],
  ['ΟΔΟΣ-2.example', 'οδοσ-2.example'],
  ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
  ['192.0.2.1', '192.0.2.1'],
  ['intranet', 'intranet'],
])('the service stores a create of %j as the domain %j', async (sent, kept) => {
  const { status, body } = await send('POST', PATH, { domain: sent });
  expect([status, body.data.domain]).toEqual([201, kept]);
});

test('the service answers 422 to a create of an existing domain, in any spelling', async () => {
  await created({ domain: 'taken.example' });
  for (const domain of ['taken.example', 'TAKEN.example', 'https://www.taken.example']) {
    const { status, body } = await send('POST', PATH, { domain });
    expect([status, body]).toEqual([
      422,
      { message: { domain: ['This domain is already being used.'] }, status: 422 },
    ]);
  }
});

test('the service finds a record that was created in capitals by a search in capitals', async () => {
  const id = await created({ domain: 'ΝΟΜΟΣ.example' });
  const { body } = await send('GET', `${PATH}?search=${encodeURIComponent('ΝΟΜΟΣ')}`);
  expect(body.data.map((found: { id: number }) => found.id)).toEqual([id]);
});

test('the service creates one record for simultaneous creates of one domain', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => send('POST', PATH, { domain: 'race.example' })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 422)]);
  expect((await service.records()).filter(({ domain }) => domain === 'race.example')).toHaveLength(1);
});

test('the service answers HEAD without a body, and accepts a URL that ends in a slash', async () => {
  const id = await created({ domain: 'head.example' });
  const head = await send('HEAD', `${PATH}/${id}`);
  expect([head.status, head.text]).toEqual([200, '']);
  expect((await send('GET', `${PATH}/${id}/`)).body.data.id).toBe(id);
  expect((await send('GET', `${PATH}/`)).status).toBe(200);
});

const ALL = {
  privacy: '2',
  password: 'secret',
  email: '1',
  exclude_bots: '0',
  exclude_params: 'a\nb',
  exclude_ips: '192.0.2.1',
  favorited_at: '2024-02-03T04:05:06',
};

test.each(['PUT', 'PATCH'])('a %s request keeps the domain and all fields that it omits', async (method) => {
  const id = await created({ domain: `${method}.example`, ...ALL });
  const before = (await send('GET', `${PATH}/${id}`)).body.data;
  clock += 60_000;
  const { status, body } = await send(method, `${PATH}/${id}`, { email: '0', domain: 'other.example' });
  expect(status).toBe(200);
  expect(body).toEqual({
    data: { ...before, email: 0, updated_at: new Date(clock).toISOString().replace('.000Z', '.000000Z') },
    status: 200,
  });
});

test('the service clears settings that an update sends as empty values', async () => {
  const id = await created({ domain: 'clear.example', ...ALL });
  const empty = { exclude_params: '', exclude_ips: '', favorited_at: '', password: '', privacy: '1' };
  const { body } = await send('PUT', `${PATH}/${id}`, empty);
  expect(body.data).toMatchObject({
    exclude_params: null,
    exclude_ips: null,
    favorited_at: null,
    password: false,
    privacy: 1,
  });
});

test('the service changes nothing for an update without fields or without a body', async () => {
  const id = await created({ domain: 'nothing.example', ...ALL });
  const before = (await send('GET', `${PATH}/${id}`)).body;
  clock += 60_000;
  for (const form of [{}, { unknown: '1' }, undefined]) {
    const { status, body } = await send('PUT', `${PATH}/${id}`, form);
    expect([status, body]).toEqual([200, before]);
  }
});

test('an update with favorite=1 keeps the time of a favorite, and favorite=0 removes it', async () => {
  const id = await created({ domain: 'favourite.example', favorited_at: '2024-02-03T04:05:06' });
  const shown = async (favorite: string) =>
    (await send('PUT', `${PATH}/${id}`, { favorite })).body.data.favorited_at;
  expect(await shown('1')).toBe('2024-02-03 04:05:06');
  expect(await shown('0')).toBe(null);
  expect(await shown('1')).toBe(new Date(clock).toISOString().slice(0, 19).replace('T', ' '));
});

test('an update to privacy=2 needs a password, and then cannot clear the password', async () => {
  const id = await created({ domain: 'password.example' });
  const update = (form: Record<string, string>) => send('PUT', `${PATH}/${id}`, form);
  const required = {
    message: { password: ['The password field is required when privacy is 2.'] },
    status: 422,
  };
  expect((await update({ privacy: '2' })).body).toEqual(required);
  expect((await update({ privacy: '2', password: 'x' })).status).toBe(200);
  expect((await update({ privacy: '2' })).status).toBe(200);
  expect((await update({ password: '' })).body).toEqual(required);
  expect((await update({ password: '', privacy: '1' })).body.data.password).toBe(false);
});

test('the service returns the ID of a deleted record, and never uses that ID again', async () => {
  const id = await created({ domain: 'delete.example' });
  const { status, body } = await send('DELETE', `${PATH}/${id}`);
  expect([status, body]).toEqual([200, { id, object: 'website', deleted: true, status: 200 }]);
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await send(method, `${PATH}/${id}`);
    expect([answer.status, answer.body]).toEqual([404, { message: 'Resource not found.', status: 404 }]);
  }
  expect(await created({ domain: 'delete.example' })).toBeGreaterThan(id);
});

test.each([
  ['that is empty', ''],
  ['of another type', '{}'],
  ['that is too large', 'x'.repeat(2_000_000)],
])('the service ignores the body of a delete %s', async (what, text) => {
  const id = await created({ domain: `${what.replaceAll(' ', '-')}.example` });
  const options = { key: service.key, headers: { 'content-type': 'application/json' }, form: text };
  expect((await call(service.url, 'DELETE', `${PATH}/${id}`, options)).status).toBe(200);
});
