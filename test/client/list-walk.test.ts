/** Completeness of lists whose records change while they are read. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DecodedPage, decodePage } from '../../src/client/decode.ts';
import { listAll, type Walk, type WalkOptions } from '../../src/client/list-walk.ts';
import type { ErrorCode } from '../../src/model/errors.ts';
import { ServiceError } from '../../src/model/service.ts';

type Way = 'total' | 'links' | 'cursor' | 'numbers';

/** An edit by another client between two pages. */
type Act = { readonly act: 'create' } | { readonly act: 'delete'; readonly nth: number };

interface Shelf {
  readonly fetch: WalkOptions['fetch'];
  readonly paths: string[];
  /** Current IDs, newest first. */
  ids(): readonly number[];
}

/** The order of IDs in the list. */
type Order = 'falling' | 'rising';

/**
 * A service with records 1 to `count`, `size` per page; `acts` happen before the response of that number.
 * `turns` delays responses, so that a later page may arrive first.
 */
function shelf(
  way: Way,
  count: number,
  size: number,
  acts: ReadonlyMap<number, readonly Act[]> = new Map(),
  order: Order = 'falling',
  turns: readonly number[] = [],
): Shelf {
  let ids = Array.from({ length: count }, (_, index) => count - index);
  let last = count;
  let asked = 0;
  const paths: string[] = [];

  function happen({ length }: readonly string[]): void {
    for (const one of acts.get(length) ?? []) {
      if (one.act === 'create') ids = [++last, ...ids];
      else ids = ids.filter((_, index) => index !== one.nth % ids.length);
    }
  }

  const inOrder = (): readonly number[] => (order === 'rising' ? [...ids].reverse() : ids);

  function show(path: string): DecodedPage {
    const query = new URL(path, 'http://x').searchParams;
    const number = Number(query.get('page') ?? 1);
    const cursor = query.get('cursor');
    const start =
      way === 'cursor'
        ? ids.filter((id) => cursor !== null && id >= Number(cursor)).length
        : (number - 1) * size;
    const rows = inOrder().slice(start, start + size);
    const more = start + size < ids.length;
    const data = rows.map((id) => ({ id, domain: `${id}.example` }));
    if (way === 'numbers') return decodePage(data);
    if (way === 'cursor')
      return decodePage({ data, links: { next: more ? `?cursor=${rows.at(-1)}` : null } });
    const next = more ? `/elsewhere?page=${number + 1}` : null;
    return decodePage({ data, links: { next }, meta: way === 'total' ? { total: ids.length } : {} });
  }

  return {
    paths,
    ids: () => ids,
    async fetch(path) {
      asked += 1;
      for (let left = turns[asked % turns.length] ?? 0; left > 0; left -= 1) await Promise.resolve();
      happen(paths);
      paths.push(path);
      const page = show(path);
      await Promise.resolve();
      return page;
    },
  };
}

function listed({ records }: Walk): number[] {
  return records.map(({ id }) => Number(id));
}

const PATH = '/websites?per_page=100';

const ways = fc.constantFrom<Way>('total', 'links', 'cursor', 'numbers');

test('a list that does not change is complete and in order with any paging', async () => {
  await fc.assert(
    fc.asyncProperty(
      ways,
      fc.nat(60),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 5 }),
      async (way, count, size, parallelism) => {
        const there = shelf(way, count, size);
        const walk = await listAll(PATH, { fetch: there.fetch, parallelism });
        expect(walk).toMatchObject({ completeness: 'yes' });
        expect(listed(walk)).toEqual(there.ids());
      },
    ),
  );
});

test.each<[Way, number, number, number]>([
  ['total', 0, 100, 1],
  ['total', 100, 100, 1],
  ['total', 101, 100, 2],
  ['total', 1000, 100, 10],
  ['total', 100, 25, 4],
  ['cursor', 250, 100, 3],
  // Without a total, more than one page is read twice.
  ['links', 100, 100, 1],
  ['links', 250, 100, 6],
  ['numbers', 0, 100, 1],
  ['numbers', 250, 100, 8],
])('by %s paging, %i records at %i per page take %i requests', async (way, count, size, requests) => {
  const there = shelf(way, count, size);
  await listAll(PATH, { fetch: there.fetch, parallelism: 4 });
  expect(there.paths).toHaveLength(requests);
});

test.each([
  [10, 1],
  [25, 6],
])('a list of %i records with string IDs, ten per page, takes %i requests', async (count, requests) => {
  const options = pages((number) => {
    const data = rows(1, count).slice((number - 1) * 10, number * 10);
    return { data: data.map((row) => ({ ...row, id: `w-${row.id}` })), meta: { total: count } };
  });
  const walk = await listAll(PATH, options);
  expect(walk).toMatchObject({ completeness: 'yes' });
  expect(walk.records).toHaveLength(count);
  expect(options.count()).toBe(requests);
});

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.constant({ act: 'create' } as const),
  fc.nat(100).map((nth) => ({ act: 'delete', nth }) as const),
);
const acts = fc.array(fc.tuple(fc.nat(12), act), { maxLength: 4 }).map((list) => {
  const byRequest = new Map<number, Act[]>();
  for (const [at, one] of list) byRequest.set(at, [...(byRequest.get(at) ?? []), one]);
  return byRequest;
});

test.each<[Way, Order]>([
  ['total', 'falling'],
  ['total', 'rising'],
  ['links', 'falling'],
  ['cursor', 'falling'],
  ['numbers', 'falling'],
])('with paging by %s and %s IDs, an incomplete list never counts as complete', async (way, order) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 8 }),
      acts,
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.nat(20), { minLength: 7, maxLength: 7 }),
      async (count, size, changes, parallelism, turns) => {
        const there = shelf(way, count, size, changes, order, turns);
        const walk = await listAll(PATH, { fetch: there.fetch, parallelism });
        expect(new Set(listed(walk)).size).toBe(walk.records.length);
        if (walk.completeness !== 'yes') return;
        const survivors = there.ids().filter((id) => id <= count);
        expect(listed(walk)).toEqual(expect.arrayContaining(survivors));
      },
    ),
    { numRuns: 200 },
  );
});

test('a list with a total follows next links that contain no page number', async () => {
  const options = pages(() => ({ data: rows(1, 3), meta: { total: 6 }, links: { next: '?after=3' } }));
  const fetch: WalkOptions['fetch'] = (path) =>
    path.includes('after=3')
      ? Promise.resolve(decodePage({ data: rows(4, 6), meta: { total: 6 }, links: { next: null } }))
      : options.fetch(path);
  const walk = await listAll(PATH, { ...options, fetch });
  expect(walk).toMatchObject({ completeness: 'yes', paging: 'links' });
  expect(walk.records).toHaveLength(6);
});

test.each<[string, (number: number) => object, number]>([
  ['a total of each page', (number) => ({ data: rows(5 * number - 4, Math.min(12, 5 * number)) }), 12],
  ['an empty last page', (number) => ({ data: number === 1 ? rows(1, 5) : [] }), 5],
  [
    'an empty first page',
    (number) => ({ data: number === 1 ? [] : rows(4 * number - 7, 4 * number - 4) }),
    8,
  ],
])('a list with next links and %s is read to its end', async (_what, page, count) => {
  const options = pages((number) => {
    const { data } = page(number) as { data: object[] };
    const next = number < 3 || count === 5 ? `?page=${number + 1}` : null;
    return { data, meta: { total: data.length }, links: { next } };
  });
  const walk = await listAll(PATH, options);
  expect(walk).toMatchObject({ completeness: 'yes' });
  expect(walk.records).toHaveLength(count);
});

test('a list that changes while it is read is read again', async () => {
  const there = shelf('total', 30, 10, new Map([[1, [{ act: 'delete', nth: 0 }]]]));
  const walk = await listAll(PATH, { fetch: there.fetch, parallelism: 1 });
  expect(walk).toMatchObject({ completeness: 'yes' });
  expect(listed(walk)).toEqual(there.ids());
  // The first walk ends with the page that shows the change.
  expect(there.paths).toHaveLength(5);
});

test('a list with rising IDs is read until two passes agree', async () => {
  const acts = new Map([[1, [{ act: 'delete', nth: 29 }, { act: 'create' }] as const]]);
  const there = shelf('total', 30, 10, acts, 'rising');
  const walk = await listAll(PATH, { fetch: there.fetch, parallelism: 1 });
  expect(walk).toMatchObject({ completeness: 'yes', reason: { code: 'list-again' } });
  expect(listed(walk)).toEqual([...there.ids()].reverse());
  expect(there.paths).toHaveLength(9);
});

test.each<[Way, number]>([
  ['total', 9],
  ['links', 9],
  ['numbers', 13],
])('with paging by %s, a list that keeps changing is incomplete after %i requests', async (way, requests) => {
  const always = new Map(Array.from({ length: 20 }, (_, at) => [at, [{ act: 'create' }] as const]));
  const there = shelf(way, 21, 10, always);
  const walk = await listAll(PATH, { fetch: there.fetch, parallelism: 1 });
  expect(walk).toMatchObject({
    completeness: 'no',
    reason: { code: 'list-changed' },
  });
  expect(there.paths.length).toBeLessThanOrEqual(requests);
});

/** Options whose responses depend on the requested page number. */
function pages(answer: (number: number) => unknown): WalkOptions & { count(): number } {
  let requests = 0;
  return {
    parallelism: 1,
    count: () => requests,
    async fetch(path) {
      requests += 1;
      return decodePage(answer(Number(new URL(path, 'http://x').searchParams.get('page') ?? 1)));
    },
  };
}

function rows(from: number, to: number): { id: number; domain: string }[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    id: from + index,
    domain: `${from + index}.example`,
  }));
}

function refusal(status: number, code: ErrorCode = 'service-refused'): ServiceError {
  return new ServiceError(code, 'refused', { outcome: 'refused', blame: 'service', attempts: 1, status });
}

/** `there` records, ten per page, with a total of 20; `linksOn` selects the pages with a next link. */
const limited = (linksOn: (number: number) => boolean, there = 25) =>
  pages((number) => {
    const data = rows(1, there)
      .reverse()
      .slice((number - 1) * 10, number * 10);
    return { data, meta: { total: 20 }, links: { next: linksOn(number) ? `?page=${number + 1}` : null } };
  });

test('a list with a total that is too low is read to its last next link', async () => {
  const walk = await listAll(
    PATH,
    limited((number) => number < 3),
  );
  expect(walk).toMatchObject({ completeness: 'yes' });
  expect(walk.records).toHaveLength(25);
});

test('a list is complete at its total if the page after it is empty', async () => {
  const walk = await listAll(
    PATH,
    limited(() => true, 20),
  );
  expect(walk).toMatchObject({ completeness: 'yes' });
  expect(walk.records).toHaveLength(20);
});

test.each<[string, (number: number) => unknown, string]>([
  ['serves the first page forever', () => rows(1, 50), 'list-stuck'],
  [
    'serves the first page forever and counts more',
    () => ({ data: rows(1, 50), meta: { total: 500 } }),
    'list-stuck',
  ],
  ['counts more than it lists', () => ({ data: rows(1, 5), meta: { total: 9 } }), 'list-stuck'],
  ['counts less than it lists', () => ({ data: rows(1, 5), meta: { total: 3 } }), 'list-miscounted'],
  ['counts records and lists none', () => ({ data: [], meta: { total: 3 } }), 'list-miscounted'],
  ['links to the same page forever', () => ({ data: rows(1, 5), links: { next: '?page=2' } }), 'list-stuck'],
  [
    'stops its next links before the end',
    (number) => ({
      data: rows(number * 5, number * 5 + 4),
      links: number === 1 ? { next: '?page=2' } : {},
    }),
    'list-broken',
  ],
  ['has an invalid next link', () => ({ data: rows(1, 5), links: { next: 'http://[' } }), 'list-stuck'],
])('a list is incomplete if the service %s', async (_what, answer, code) => {
  const options = pages(answer);
  expect(await listAll(PATH, options)).toMatchObject({ completeness: 'no', reason: { code } });
  expect(options.count()).toBeLessThanOrEqual(4);
});

test.each([
  [200, {}],
  [400, {}],
  [404, {}],
  [422, {}],
  [400, { meta: { total: 9 } }],
  [404, { meta: { total: 9 } }],
  [422, { meta: { total: 9 }, links: { next: '?page=2' } }],
])('a list is incomplete if its second page has status %i (first page: %j)', async (status, more) => {
  const options = pages((number) => {
    if (number > 1) throw refusal(status);
    return { data: rows(1, 5), ...more };
  });
  expect(await listAll(PATH, options)).toMatchObject({
    completeness: 'no',
    reason: { code: 'list-refused' },
  });
  expect(options.count()).toBe(4);
});

test.each<[string, number, unknown, number]>([
  ['its first page has status 404', 1, [], 404],
  ['a linked page has status 404', 2, { data: rows(1, 5), links: { next: '?page=2' } }, 404],
  ['a counted page has status 401', 2, { data: rows(1, 5), meta: { total: 9 } }, 401],
  ['its second page has status 401', 2, rows(1, 5), 401],
  ['its second page has status 500', 2, rows(1, 5), 500],
])('a list is an error if %s', async (_what, from, answer, status) => {
  const options = pages((number) => {
    if (number >= from) throw refusal(status);
    return answer;
  });
  await expect(listAll(PATH, options)).rejects.toThrow('refused');
});

test('a list is read again if its last page no longer exists', async () => {
  let isGone = false;
  const options = pages((number) => {
    if (number === 3) {
      isGone = true;
      throw refusal(404);
    }
    const data = rows(1, 25).reverse();
    return { data: data.slice((number - 1) * 10, number * 10), meta: { total: isGone ? 20 : 25 } };
  });
  const walk = await listAll(PATH, options);
  expect(walk).toMatchObject({ completeness: 'yes' });
  expect(walk.records).toHaveLength(20);
});

test('records that a later page repeats count once, even if that page arrives first', async () => {
  const options = pages(() => ({ data: rows(1, 5).reverse(), meta: { total: 15 } }));
  const fetch: WalkOptions['fetch'] = async (path) => {
    if (path.includes('page=2')) for (let left = 20; left > 0; left -= 1) await Promise.resolve();
    return options.fetch(path);
  };
  const walk = await listAll(PATH, { fetch, parallelism: 2 });
  expect(walk).toMatchObject({ completeness: 'no', reason: { code: 'list-stuck' } });
  expect(walk.records).toHaveLength(5);
});

test('an endless list is reported as incomplete after a maximum number of pages', async () => {
  const options = pages((number) => ({
    data: rows(number, number),
    links: { next: `?page=${number + 1}` },
  }));
  expect(await listAll(PATH, options)).toMatchObject({
    completeness: 'no',
    reason: { code: 'list-endless' },
  });
});

test.each<[string, (number: number) => object]>([
  ['a total', () => ({ meta: { total: 8 } })],
  ['a next link', (number) => ({ links: { next: number === 1 ? '?page=2' : null } })],
  ['both of them', (number) => ({ meta: { total: 8 }, links: { next: number === 1 ? '?page=2' : null } })],
])('a look-up reads further pages because of %s', async (_what, more) => {
  const options = pages((number) => ({
    data: number === 1 ? rows(4, 8).reverse() : rows(1, 3).reverse(),
    ...more(number),
  }));
  const walk = await listAll(PATH, { ...options, shortIsWhole: true });
  expect(walk).toMatchObject({ completeness: 'yes' });
  expect(walk.records).toHaveLength(8);
});

const row = (id: number, domain: string) => ({ id, domain });
const [keep, other] = [row(1, 'keep.example'), row(1, 'other.example')];

test.each<[string, (number: number) => unknown]>([
  ['on one page that says it is the last', () => ({ data: [keep, other], links: { next: null } })],
  ['on one page with a total of the IDs', () => ({ data: [keep, other], meta: { total: 1 } })],
  ['on one page with a total of the rows', () => ({ data: [keep, other], meta: { total: 2 } })],
  ['on one page before an empty one', (number) => (number === 1 ? [keep, other] : [])],
  [
    'over linked pages',
    (number) => ({ data: [number === 1 ? keep : other], links: { next: number === 1 ? '?page=2' : null } }),
  ],
  [
    'over pages with a total of the IDs',
    (number) => ({
      data: number === 1 ? [row(2, 'b.example'), keep] : [other, row(0, 'c.example')],
      meta: { total: 3 },
    }),
  ],
])('a list is incomplete if one ID has two domains %s', async (_what, answer) => {
  const walk = await listAll(PATH, pages(answer));
  expect(walk).toMatchObject({
    completeness: 'no',
    reason: { code: 'list-shares-ids', shared: '#1 for keep.example and other.example' },
    sharedIds: [{ id: '1', domains: ['keep.example', 'other.example'] }],
  });
  expect(walk.records.map(({ domain }) => domain)).not.toContain('keep.example');
  expect(walk.records.map(({ domain }) => domain)).not.toContain('other.example');
});

test('a list is incomplete if a domain differs each time it is read', async () => {
  let listings = 0;
  const options = pages((number) => {
    if (number === 1) listings += 1;
    return number > 1 ? [] : [row(2, `${listings}.example`), keep];
  });
  expect(await listAll(PATH, options)).toMatchObject({
    completeness: 'no',
    reason: { code: 'list-changed' },
  });
});

test('an ID with two domains counts as renamed if a second reading confirms it', async () => {
  let listings = 0;
  const options = pages((number) => {
    if (number === 1) listings += 1;
    const renamed = listings === 1 && number === 1 ? keep : other;
    return {
      data: [renamed, row(number + 1, `${number}.example`)],
      links: { next: number === 1 ? '?page=2' : null },
    };
  });
  const walk = await listAll(PATH, options);
  expect(walk).toMatchObject({ completeness: 'yes', sharedIds: [] });
  expect(walk.records.map(({ domain }) => domain)).toContain('other.example');
});
