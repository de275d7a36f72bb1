import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { call, PATH } from './http.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  const forms = Array.from({ length: 120 }, (_, index) => ({
    domain: `${'zyx'[index % 3]}-${String(index).padStart(3, '0')}.example`,
    ...(index % 12 === 0 ? { favorite: '1' } : {}),
  }));
  for (const form of [...forms, { domain: 'under_score.example' }]) {
    const { status } = await call(service.url, 'POST', PATH, { key: service.key, form });
    expect(status).toBe(201);
  }
});
afterAll(() => service.close());

async function list(query: string) {
  return call(service.url, 'GET', `${PATH}${query}`, { key: service.key });
}

async function domains(query: string): Promise<string[]> {
  const { body } = await list(query);
  return body.data.map((record: { domain: string }) => record.domain);
}

test('a list request without parameters returns the latest 50 records', async () => {
  const { status, body } = await list('');
  expect(status).toBe(200);
  expect(body.data.map((record: { id: number }) => record.id)).toEqual(
    Array.from({ length: 50 }, (_, index) => 121 - index),
  );
  expect(body.meta.total).toBe(121);
});

test.each([10, 25, 50, 100])('a list with per_page=%i has that many records per page', async (size) => {
  const { body } = await list(`?per_page=${size}`);
  expect([body.data.length, body.meta.per_page, body.meta.last_page]).toEqual([
    size,
    size,
    Math.ceil(121 / size),
  ]);
});

test('list requests return each page, and an empty page past the end', async () => {
  const pages = await Promise.all([1, 2, 3].map((page) => domains(`?per_page=50&page=${page}&sort=asc`)));
  expect(pages.map((page) => page.length)).toEqual([50, 50, 21]);
  expect(new Set(pages.flat()).size).toBe(121);
  const { status, body } = await list('?page=4');
  expect([status, body.data, body.meta.from, body.meta.to]).toEqual([200, [], null, null]);
  expect((await list('?page=9999999999')).body.data).toEqual([]);
});

test('list requests sort records with sort_by and sort', async () => {
  const ascending = [...(await domains('?sort_by=domain&sort=asc&per_page=100'))];
  expect(ascending).toEqual([...ascending].sort());
  expect(ascending[0]).toBe('under_score.example');
  const descending = await domains('?sort_by=domain&per_page=100');
  expect(descending).toEqual([...descending].sort().reverse());
  expect((await domains('?sort_by=id&sort=asc'))[0]).toBe('z-000.example');
});

test.each([
  ['x-0', 33],
  ['X-0', 33],
  ['-11', 10],
  ['.example', 121],
  ['under_score', 1],
  ['_', 1],
  ['%25', 0],
  ["' OR 1=1 --", 0],
  ['none', 0],
])('search=%s finds domains that contain it literally: %i', async (search, total) => {
  for (const suffix of ['', '&search_by=domain', '&sort_by=domain']) {
    const { body } = await list(`?search=${search.replaceAll(' ', '+')}${suffix}`);
    expect(body.meta.total).toBe(total);
    expect(body.data).toHaveLength(Math.min(total, 50));
  }
});

test('the list parameter favorite selects favorites or the rest', async () => {
  expect((await list('?favorite=1')).body.meta.total).toBe(10);
  expect((await list('?favorite=0')).body.meta.total).toBe(111);
  expect(await domains('?favorite=1&search=-09&sort=asc')).toEqual(['z-096.example']);
});

test('a list request ignores empty and unknown parameters', async () => {
  const { status, body } = await list('?search=&favorite=&sort_by=&sort=&per_page=&page=&colour=red');
  expect([status, body.meta.total]).toEqual([200, 121]);
});

test.each([
  ['search_by', 'id'],
  ['favorite', 'yes'],
  ['favorite', '2'],
  ['sort_by', 'privacy'],
  ['sort', 'up'],
  ['per_page', '20'],
  ['per_page', '1000000'],
  ['per_page', '10.0'],
  ['page', '0'],
  ['page', '-1'],
  ['page', '1.5'],
  ['page', 'two'],
  ['page', '99999999999999999999'],
  ['search', '%00'],
])('the service answers 422 to the list parameter %s=%s', async (name, value) => {
  const { status, body } = await list(`?${name}=${value}`);
  expect(status).toBe(422);
  expect(body).toEqual({ message: { [name]: [expect.any(String)] }, status: 422 });
});

test('the links of a list page keep the other parameters', async () => {
  const { body, text } = await list('?per_page=50&search=example&page=2&sort=asc');
  const url = (page: number) => `${service.url}${PATH}?per_page=50&search=example&sort=asc&page=${page}`;
  expect(body.links).toEqual({ first: url(1), last: url(3), prev: url(1), next: url(3) });
  expect(body.meta).toEqual({
    current_page: 2,
    from: 51,
    last_page: 3,
    path: `${service.url}${PATH}`,
    per_page: 50,
    to: 100,
    total: 121,
  });
  expect(body.status).toBe(200);
  expect(text).toContain('http:\\/\\/127.0.0.1');
});

test('the first list page links to no previous page, and the last to no next page', async () => {
  const [first, last] = [await list('?page=1'), await list('?page=3')];
  expect([first.body.links.prev, last.body.links.next]).toEqual([null, null]);
  expect([last.body.meta.from, last.body.meta.to]).toEqual([101, 121]);
});

test('an empty list of records has one page', async () => {
  const { body } = await list('?search=none');
  expect(body.links).toMatchObject({ prev: null, next: null });
  expect(body.meta).toMatchObject({ current_page: 1, last_page: 1, from: null, to: null, total: 0 });
});

test('the links of a list page use the host of the request', async () => {
  const { body } = await call(service.url, 'GET', PATH, {
    key: service.key,
    headers: { host: 'websites.example' },
  });
  expect(body.links.first).toBe(`http://websites.example${PATH}?page=1`);
});
