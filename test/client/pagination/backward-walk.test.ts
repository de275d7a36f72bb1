/** Reading from the last page to the first, against a service made of a function. */
import { expect, test } from 'vitest';
import { type DecodedPage, decodePage } from '../../../src/client/contract.ts';
import { MOST_PAGES, readBackward } from '../../../src/client/pagination/backward-walk.ts';

const SIZE = 3;

/** A page of records with these ids, by a service that counts `total`, or nothing. */
function page(ids: readonly number[], total?: number): DecodedPage {
  const data = ids.map((id) => ({ id, domain: `${id}.example` }));
  return decodePage({ data, meta: total === undefined ? {} : { total } });
}

/** Reads records that were counted as 5 before, of which `pages` holds the ids of each page; newest first. */
async function read(pages: Readonly<Record<number, DecodedPage>>): Promise<number[] | undefined> {
  const records = await readBackward(async (number) => pages[number] ?? page([], 0), SIZE, 5);
  return records?.map(({ id }) => Number(id));
}

test('shows what was created before it began, too', async () => {
  const pages = { 1: page([1, 2, 3], 8), 2: page([4, 5, 6], 8), 3: page([7, 8], 8) };
  expect(await read(pages)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
});

test('shows a record once that moved onto an earlier page meanwhile', async () => {
  expect(await read({ 1: page([2, 3, 4], 4), 2: page([4, 5], 5) })).toEqual([5, 4, 3, 2]);
});

test.each<[string, Readonly<Record<number, DecodedPage>>]>([
  ['has fewer records than its own count leaves for it', { 1: page([1, 2], 5), 2: page([4, 5], 5) }],
  ['has more of them', { 1: page([1, 2, 3], 5), 2: page([4, 5, 6], 5) }],
  ['comes without a count', { 1: page([1, 2, 3]), 2: page([4, 5], 5) }],
  ['is not in the order of ids', { 1: page([1, 3, 2], 5), 2: page([4, 5], 5) }],
])('shows nothing where a page %s', async (_what, pages) => {
  expect(await read(pages)).toBeUndefined();
});

test('shows nothing where an id comes with two domains', async () => {
  const renamed = decodePage({
    data: [
      { id: 1, domain: '1.example' },
      { id: 2, domain: '2.example' },
      { id: 4, domain: 'other.example' },
    ],
    meta: { total: 5 },
  });
  expect(await read({ 1: page([1, 2, 4], 5), 2: page([4, 5], 5) })).toEqual([5, 4, 2, 1]);
  expect(await read({ 1: renamed, 2: page([4, 5], 5) })).toBeUndefined();
});

test('shows nothing of more pages than are ever read', async () => {
  const total = MOST_PAGES * SIZE + 1;
  const first = (number: number): number => (number - 1) * SIZE + 1;
  const fetch = async (number: number): Promise<DecodedPage> =>
    page([first(number), first(number) + 1, first(number) + 2], total);
  expect(await readBackward(fetch, SIZE, 5)).toBeUndefined();
});
