import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startDistinct } from '../../../src/client/pagination/dedupe.ts';
import type { Website } from '../../../src/model/website.ts';

const withId = (id: string): Website => ({ id, domain: `d${id}.example`, settings: {} });

interface Page {
  readonly number: number;
  readonly records: readonly Website[];
}

/** What a map of all ids would say. */
function byTheMap(pages: readonly Page[]) {
  const seen = new Map<string, Set<string>>();
  const fresh = pages.map(({ number, records }) => {
    const own = records.filter(({ id, domain }) => {
      const isNew = !seen.has(id);
      seen.set(id, (seen.get(id) ?? new Set()).add(domain));
      return isNew;
    });
    return { number, records: own };
  });
  const disputed = [...seen].filter(([, domains]) => domains.size > 1).map(([id]) => id);
  const all = [...fresh].sort((a, b) => a.number - b.number).flatMap(({ records }) => records);
  return {
    counts: fresh.map(({ records }) => records.length),
    size: seen.size,
    all: all.filter(({ id }) => !disputed.includes(id)),
    disputed: disputed.sort(),
  };
}

function byDistinct(pages: readonly Page[]) {
  const distinct = startDistinct();
  const counts = pages.map(({ number, records }) => distinct.add(number, records));
  const disputed = distinct.disputed().map(({ id }) => id);
  return { counts, size: distinct.size, all: distinct.all(), disputed: disputed.sort() };
}

/**
 * Pages of a falling list, asked for nearly in order, in which some ids come again, for the same website or another, or
 * are no numbers.
 */
const pages = fc
  .record({
    sizes: fc.array(fc.nat(4), { minLength: 1, maxLength: 8 }),
    odd: fc.array(fc.tuple(fc.nat(20), fc.constantFrom('7', '007', '12', 'a', '1e1', '10'), fc.boolean()), {
      maxLength: 3,
    }),
    order: fc.array(fc.nat(100), { minLength: 8, maxLength: 8 }),
  })
  .map(({ sizes, odd, order }): Page[] => {
    let next = 20;
    const falling = sizes.map((size) => Array.from({ length: size }, () => withId(String(next--))));
    for (const [at, id, isOther] of odd) {
      const page = falling[at % falling.length] ?? [];
      const record = isOther ? { ...withId(id), domain: 'other.example' } : withId(id);
      page.splice(at % (page.length + 1), 0, record);
    }
    return falling
      .map((records, index) => ({ number: index + 1, records }))
      .sort((a, b) => (order[a.number - 1] ?? 0) - (order[b.number - 1] ?? 0));
  });

test('counts and lists just what a map of all ids would', () => {
  fc.assert(
    fc.property(pages, (some) => {
      expect(byDistinct(some)).toEqual(byTheMap(some));
    }),
    { numRuns: 2000 },
  );
});

test('a page that comes again brings nothing new', () => {
  const page = ['3', '2', '1'].map(withId);
  const distinct = startDistinct();
  expect([1, 2, 3].map((number) => distinct.add(number, page))).toEqual([3, 0, 0]);
  expect(distinct.all()).toEqual(page);
});

test('an id that comes with two domains is neither of them, not the www variant either', () => {
  const distinct = startDistinct();
  const named = (id: string, domain: string): Website => ({ id, domain, settings: {} });
  distinct.add(1, [named('3', 'a.example'), named('2', 'b.example')]);
  distinct.add(2, [named('3', 'www.a.example'), named('2', 'B.example'), named('1', 'c.example')]);
  expect(distinct.all().map(({ domain }) => domain)).toEqual(['b.example', 'c.example']);
  expect(distinct.disputed()).toEqual([{ id: '3', domains: ['a.example', 'www.a.example'] }]);
});
