import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startDistinct } from '../../src/api/distinct.ts';
import type { Website } from '../../src/core/website.ts';

const withId = (id: string): Website => ({ id, domain: `d${id}.example`, settings: {} });

interface Page {
  readonly number: number;
  readonly records: readonly Website[];
}

/** What a set of all ids would say. */
function byTheSet(pages: readonly Page[]) {
  const seen = new Set<string>();
  const fresh = pages.map(({ number, records }) => {
    const own = records.filter(({ id }) => !seen.has(id) && seen.add(id));
    return { number, records: own };
  });
  const all = [...fresh].sort((a, b) => a.number - b.number).flatMap(({ records }) => records);
  return { counts: fresh.map(({ records }) => records.length), size: seen.size, all };
}

function byDistinct(pages: readonly Page[]) {
  const distinct = startDistinct();
  const counts = pages.map(({ number, records }) => distinct.add(number, records));
  return { counts, size: distinct.size, all: distinct.all() };
}

/** Pages of a falling list, asked for nearly in order, in which some records come again or are no numbers. */
const pages = fc
  .record({
    sizes: fc.array(fc.nat(4), { minLength: 1, maxLength: 8 }),
    odd: fc.array(fc.tuple(fc.nat(20), fc.constantFrom('7', '007', '12', 'a', '1e1', '10')), {
      maxLength: 3,
    }),
    order: fc.array(fc.nat(100), { minLength: 8, maxLength: 8 }),
  })
  .map(({ sizes, odd, order }): Page[] => {
    let next = 20;
    const falling = sizes.map((size) => Array.from({ length: size }, () => String(next--)));
    for (const [at, id] of odd) {
      const page = falling[at % falling.length] ?? [];
      page.splice(at % (page.length + 1), 0, id);
    }
    return falling
      .map((ids, index) => ({ number: index + 1, records: ids.map(withId) }))
      .sort((a, b) => (order[a.number - 1] ?? 0) - (order[b.number - 1] ?? 0));
  });

test('counts and lists just what a set of all ids would', () => {
  fc.assert(
    fc.property(pages, (some) => {
      expect(byDistinct(some)).toEqual(byTheSet(some));
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
