import { expect, test } from 'vitest';
import { type Dialect, scripted } from '../support/scripted-service.ts';
import { connect, domains, failureOf } from './support.ts';

test('a list uses no more connections than --parallelism', async () => {
  const service = await scripted({ records: domains(1000) });
  await connect(service, { parallelism: 3 }).list();
  expect(service.connections().peak).toBe(3);
});

test.each<Partial<Dialect>>([
  { envelope: 'websites' },
  { largestPage: 25 },
  { refusedParameters: ['per_page'] },
  { refusedParameters: ['sort_by', 'sort', 'per_page'], errors: 'stock' },
  { refusedParameters: ['sort'], errors: 'text' },
  { refusedParameters: ['sort_by'], errors: 'html' },
  { paging: 'links' },
  { paging: 'links', linksTo: 'http://internal:8000', largestPage: 25 },
  { paging: 'cursor' },
  { paging: 'cursor', linksTo: 'https://hidden.example', defaultPage: 10 },
  { paging: 'numbers' },
  { envelope: '', paging: 'numbers' },
  { envelope: '', paging: 'numbers', largestPage: 10 },
])('a list of 120 records is complete on a service with %j', async (dialect) => {
  const service = await scripted({ records: domains(120), dialect });
  const { websites, complete } = await connect(service).list();
  expect(complete).toBe(true);
  expect(websites.map(({ domain }) => domain)).toEqual(domains(120).reverse());
  expect(service.requests.every(({ host }) => host.startsWith('127.0.0.1'))).toBe(true);
});

test('parameters that the service rejects are omitted from later requests', async () => {
  const service = await scripted({
    records: domains(3),
    dialect: { refusedParameters: ['per_page', 'search_by'] },
  });
  const client = connect(service);
  await client.list();
  await client.list();
  expect(service.requests.map(({ query }) => 'per_page' in query)).toEqual([true, false, false]);
  expect(await client.find('site-1.example')).toMatchObject({
    websites: [{ domain: 'site-1.example' }],
    isCertain: true,
  });
});

test.each<[string, { status: number; always?: boolean; body?: string }, number]>([
  ['400 to a parameter', { status: 400 }, 2],
  ['422 to every request', { status: 422, always: true }, 2],
  ['422 to something else', { status: 422, always: true, body: '{"message":{"filter":["No."]}}' }, 1],
])(
  'after a %s, a list is requested at most once more, without parameters',
  async (_, { status, body, always }, requests) => {
    const service = await scripted({ records: domains(3) });
    service.faults = ({ query }) =>
      always || 'per_page' in query
        ? { kind: 'status', status, when: 'before', body: body ?? '{}' }
        : undefined;
    const listing = connect(service).list();
    if (always) expect(await failureOf(listing)).toMatchObject({ status });
    else expect((await listing).websites).toHaveLength(3);
    expect(service.requests).toHaveLength(requests);
  },
);

test('a list requests no further pages after a page with status 401', async () => {
  const service = await scripted({ records: domains(1000) });
  service.faults = ({ query }) =>
    query.page === '3' ? { kind: 'status', status: 401, when: 'before' } : undefined;
  expect(await failureOf(connect(service, { parallelism: 2 }).list())).toMatchObject({
    code: 'key-refused',
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(service.requests.length).toBeLessThan(6);
});

test('a look-up compares domains itself, because a search returns similar ones', async () => {
  const service = await scripted({ records: ['a.example', 'aa.example', 'a.example.org', 'x.a.example'] });
  const { websites, isCertain } = await connect(service).find('a.example');
  expect(websites).toMatchObject([{ id: '1', domain: 'a.example' }]);
  expect(isCertain).toBe(true);
  expect(service.requests.map(({ query }) => query)).toEqual([
    { search: 'a.example', search_by: 'domain', per_page: '100' },
  ]);
});

test('a look-up finds a non-ASCII domain that the service did not normalize', async () => {
  const service = await scripted({ records: ['müller.example'] });
  expect(await connect(service).find('xn--mller-kva.example')).toMatchObject({
    websites: [{ domain: 'müller.example' }],
    isCertain: true,
  });
});

test('a look-up finds a non-ASCII domain even if its ASCII form finds only a www variant', async () => {
  const records = ['www.xn--mller-kva.example', 'müller.example'];
  const service = await scripted({ dialect: { www: 'keep' }, records });
  const { websites } = await connect(service).find('xn--mller-kva.example');
  expect(websites.map(({ domain }) => domain)).toEqual(['müller.example', 'www.xn--mller-kva.example']);
});

test('a look-up of a domain with www. also searches for the form without it', async () => {
  const service = await scripted({ records: ['a.example'] });
  const client = connect(service);
  expect(await client.find('www.a.example')).toMatchObject({
    websites: [{ domain: 'a.example' }],
    isCertain: true,
  });
  expect(service.requests.map(({ query }) => query.search)).toEqual(['www.a.example', 'a.example']);
});

test('a look-up returns the exact domain before its www variant', async () => {
  const service = await scripted({ dialect: { www: 'keep' }, records: ['a.example', 'www.a.example'] });
  const found = async (domain: string) =>
    (await connect(service).find(domain)).websites.map((website) => website.domain);
  expect(await found('a.example')).toEqual(['a.example', 'www.a.example']);
  expect(await found('www.a.example')).toEqual(['www.a.example']);
});

test.each<[string, number, Partial<Dialect>, boolean]>([
  ['certain after few rows', 9, { paging: 'ignored' }, true],
  ['uncertain after many rows without an end', 10, { paging: 'ignored' }, false],
  ['certain after many rows with a total', 30, {}, true],
  ['certain after many pages with a total', 250, {}, true],
  ['certain after links to the last page', 30, { paging: 'links' }, true],
  ['certain after pages up to an empty one', 30, { envelope: '', paging: 'numbers' }, true],
  ['certain after few unfiltered rows', 9, { search: 'ignored', paging: 'ignored', envelope: '' }, true],
  ['uncertain after many unfiltered rows', 30, { search: 'ignored', paging: 'ignored', envelope: '' }, false],
])('in a look-up, the absence of a domain is %s', async (_what, count, dialect, isCertain) => {
  const records = Array.from({ length: count }, (_, index) => `${index}.a.example`);
  const service = await scripted({ records, dialect });
  expect(await connect(service).find('a.example')).toEqual({ websites: [], isCertain, sharedIds: [] });
});

test.each(['A.example', 'a.example.'])(
  'a look-up of a.example is uncertain if a list shows the domain as %s',
  async (domain) => {
    const records = ['b.example', domain];
    const service = await scripted({ records, dialect: { search: 'exact' } });
    const client = connect(service);
    await client.firstPage();
    expect(await client.find('a.example')).toMatchObject({ websites: [], isCertain: false });
    expect(await client.find('b.example')).toMatchObject({ websites: [{ id: '1' }], isCertain: true });
  },
);

test('a look-up is uncertain if one ID has two domains', async () => {
  const service = await scripted({
    records: ['a.example', 'aa.example', 'www.a.example'],
    dialect: { www: 'keep' },
  });
  service.dialect = {
    ...service.dialect,
    listedAs: (records) => records.map((record) => (record.id === 2 ? { ...record, id: 1 } : record)),
  };
  expect(await connect(service).find('a.example')).toMatchObject({
    websites: [{ domain: 'www.a.example' }],
    isCertain: false,
    sharedIds: [{ id: '1', domains: expect.arrayContaining(['a.example', 'aa.example']) }],
  });
});
