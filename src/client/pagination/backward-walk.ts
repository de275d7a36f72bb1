/**
 * Listing while others write. Oldest first, a record that is created comes after all that are
 * there, and one that is deleted moves later ones towards the first page: whoever reads from the last page to
 * the first may see a record twice, and misses none that was there all the while.
 */
import { startDisputes } from '../../model/identity.ts';
import type { Website } from '../../model/website.ts';
import type { DecodedPage } from '../contract.ts';

/** Pages without an end are not followed further than this, in any walk. */
export const MOST_PAGES = 20_000;

/**
 * Reads the pages, oldest records first, from the last to the first, one after the other; `size` is that of a
 * page and `total` what the service counted before. Returns the records newest first, or `undefined` where the
 * pages are not what they would have to be: whole by their own count, in the order of ids, and each id of one domain.
 */
export async function readBackward(
  fetch: (number: number) => Promise<DecodedPage>,
  size: number,
  total: number,
): Promise<readonly Website[] | undefined> {
  const seen = new Map<string, Website>();
  const disputes = startDisputes(() => 'distinct');
  // Pages of one record do not show an order.
  if (size < 2) return undefined;
  let number = pagesOf(total, size);
  let page = await fetch(number);
  // What was created since then is on further pages: the walk begins behind them.
  while (number < MOST_PAGES && pagesOf(page.total, size) > number) {
    number = Math.min(MOST_PAGES, pagesOf(page.total, size));
    page = await fetch(number);
  }
  for (;;) {
    if (!isWhole(page, number, size)) return undefined;
    for (const record of page.records) {
      if (!disputes.agree(seen.get(record.id), record)) return undefined;
      seen.set(record.id, record);
    }
    if (number === 1) break;
    number -= 1;
    page = await fetch(number);
  }
  return [...seen.values()].sort((a, b) => Number(b.id) - Number(a.id));
}

function pagesOf(total: number | undefined, size: number): number {
  return Math.max(1, Math.ceil((total ?? 0) / size));
}

/** Whether a page has as many records as its own count leaves for it, each newer than the one before. */
function isWhole({ records, total }: DecodedPage, number: number, size: number): boolean {
  if (total === undefined || total > MOST_PAGES * size) return false;
  const expected = Math.min(size, Math.max(0, total - (number - 1) * size));
  const ids = records.map(({ id }) => Number(id));
  return ids.length === expected && ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id));
}
