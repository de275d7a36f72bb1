/**
 * Lists all records, and decides if the list is complete (decision: "Only a complete list is believed"). If the
 * service returns a total, reads several pages at once. Otherwise follows next links, or reads page by page.
 */
import type { Paging } from '../model/doctor-findings.ts';
import { domainKey } from '../model/domain.ts';
import type { ListFact } from '../model/facts.ts';
import { sharedIdsText, startById } from '../model/identity.ts';
import { ServiceError } from '../model/service.ts';
import type { SharedId, Website } from '../model/website.ts';
import { inParallel } from '../util/parallel.ts';
import type { DecodedPage } from './decode.ts';

export interface Walk {
  /** One record per ID, in the order of the pages. Excludes records whose ID was shown for several domains. */
  readonly records: readonly Website[];
  /** IDs that were shown for several domains. Such a list cannot be trusted. */
  readonly sharedIds: readonly SharedId[];
  readonly paging: Paging;
  readonly pages: number;
  readonly pageSize: number;
  readonly total: number | undefined;
  /**
   * `repeat`: the list is complete if a second pass shows the same records, because then no record moved between
   * pages.
   */
  readonly completeness: 'yes' | 'repeat' | 'no';
  readonly reason: ListFact;
}

export interface WalkOptions {
  readonly fetch: (path: string) => Promise<DecodedPage>;
  readonly parallelism: number;
  /** For a search: a page with fewer rows than the smallest page size has all matches, unless it has a next link. */
  readonly shortIsWhole?: true;
  /** Stops after this number of pages. The list is then not complete. */
  readonly mostPages?: number | undefined;
  /** Called after each page with the number of distinct records so far, and the total of the service. */
  readonly onPage?: (records: number, total: number | undefined) => void;
}

const MAX_PAGES = 20_000;
/** A page with fewer records than any page size was not cut off. */
const MIN_PAGE_SIZE = 10;
/** Limits of one list: records, and characters of all responses, or 400 for each record if that is more. */
const MAX_LIST = { records: 1_000_000, size: 96_000_000 };
/** Limits of one search. They are lower, because many searches run at once. */
const MAX_LOOK_UP = { records: 10_000, size: 8_000_000 };

/**
 * Makes up to three passes, until one is complete or two consecutive passes show the same records. `firstPage` is the
 * first page.
 */
export async function listAll(path: string, options: WalkOptions, firstPage?: DecodedPage): Promise<Walk> {
  let before: Walk | undefined;
  for (let pass = 1; ; pass += 1) {
    const first = (pass === 1 && firstPage) || (await options.fetch(path));
    const found = await walk(path, first, options);
    if (found.completeness === 'yes') return found;
    // If the list never ends, no part of it can be trusted.
    if (found.reason.code === 'list-endless') return { ...found, records: [] };
    if (
      found.completeness === 'repeat' &&
      before?.completeness === 'repeat' &&
      namesOf(before) === namesOf(found)
    ) {
      return { ...found, completeness: 'yes', reason: { ...found.reason, code: 'list-again' } };
    }
    if (found.completeness === 'no' && pass === 2 && found.reason.code !== 'list-changed') return found;
    if (pass === 3)
      return { ...found, completeness: 'no', reason: { ...found.reason, code: 'list-changed' } };
    before = found;
  }
}

/** Returns all IDs and domains as one sorted text, to compare two passes. */
function namesOf({ records }: Walk): string {
  return records
    .map(({ id, domain }) => `${id} ${domainKey(domain)}`)
    .sort()
    .join('\n');
}

function walk(path: string, first: DecodedPage, options: WalkOptions): Promise<Walk> | Walk {
  const tally = startTally(path, first, options);
  const { next, total, records } = first;
  const saysMore = typeof next === 'string' || (total ?? 0) > records.length;
  if (options.shortIsWhole && records.length < MIN_PAGE_SIZE && !saysMore) {
    return tally.end('numbers', 'yes', 'list-short');
  }
  const link = typeof next === 'string' ? queryOf(next) : undefined;
  const isByNumber = link === undefined || (link.has('page') && records.length > 0);
  // If a page has a next link, its total may count only that page, so the next page is read, too.
  const isCounted = total !== undefined && (link === undefined || total > tally.count());
  if (isByNumber && isCounted) return walkByTotal(total, tally);
  if (next === undefined || (isByNumber && total !== undefined)) return walkOn('numbers', tally);
  return walkOn(link?.has('cursor') ? 'cursor' : 'links', tally);
}

/**
 * Reads the remaining pages in parallel. In a list sorted by descending ID, a new record comes first and changes the
 * total, so an unchanged total shows that no record moved between pages. In any other order, a delete and a create can
 * cancel out, so the list is read a second time.
 */
async function walkByTotal(total: number, tally: Tally): Promise<Walk> {
  const { path, options } = tally;
  const last = Math.ceil(total / Math.max(1, tally.count()));
  if (last > tally.mostPages) return tally.end('total', 'no', 'list-endless');
  let [isSteady, isStuck, isRefused, linksOn] = [true, tally.count() === 0, false, false];
  const goesOn = (): boolean => isSteady && !isStuck && !isRefused && !tally.isEndless();
  function* numbers(): Generator<number> {
    for (let number = 2; number <= last && goesOn(); number += 1) yield number;
  }
  await inParallel(numbers(), options.parallelism, async (number) => {
    const page = await options.fetch(linkedFrom(path, pageLink(number))).catch(unlessRefused);
    isRefused ||= page === undefined;
    if (page === undefined) return;
    isSteady &&= page.total === total;
    linksOn ||= number === last && typeof page.next === 'string';
    isStuck ||= tally.add(number, page) === 0;
  });
  const count = tally.count();
  if (!isSteady) return tally.end('total', 'no', 'list-changed');
  if (isRefused) return tally.end('total', 'no', 'list-refused');
  if (isStuck && count > 0 && count !== total) return tally.end('total', 'no', 'list-stuck');
  if (count !== total) return tally.end('total', 'no', 'list-miscounted');
  // The total may be capped, so one page after the last is read, too.
  if (linksOn) return walkOn('numbers', tally, last + 1);
  const isSure = tally.pages() === 1 || tally.isFalling();
  return tally.end('total', isSure ? 'yes' : 'repeat', 'list-counted');
}

/**
 * Reads page by page: along next links, or by number until a page is empty. Only an empty page shows the end. A
 * cursor keeps its position if records change; a page number does not. The pages before `from` were read already.
 */
async function walkOn(paging: Exclude<Paging, 'total'>, tally: Tally, from = 2): Promise<Walk> {
  const { path, options, first, end } = tally;
  const isByNumber = paging === 'numbers';
  const most = tally.mostPages + Number(isByNumber);
  const linkTo = (number: number, { records, next }: DecodedPage) =>
    !isByNumber ? next : records.length === 0 ? null : pageLink(number);
  let next = linkTo(from, first);
  for (let number = from; typeof next === 'string'; number += 1) {
    if (number > most || tally.isEndless()) return end(paging, 'no', 'list-endless');
    const page = await options.fetch(linkedFrom(path, next)).catch(isByNumber ? unlessRefused : undefined);
    if (page === undefined) return end(paging, 'no', 'list-refused');
    const fresh = tally.add(number, page);
    next = linkTo(number + 1, page);
    if (fresh === 0 && typeof next === 'string') return end(paging, 'no', 'list-stuck');
  }
  if (next === undefined) return end(paging, 'no', 'list-broken');
  const isSure = paging === 'cursor' || tally.pages() === 1;
  return end(paging, isSure ? 'yes' : 'repeat', isByNumber ? 'list-empty' : 'list-ended');
}

/** Returns `undefined` if the service refuses a page by its number. A 200 response that is not a list is an error. */
function unlessRefused(error: unknown): undefined {
  const { status = 0, code } = error instanceof ServiceError ? error : {};
  const isRefused = [400, 404, 422].includes(status) || (status === 200 && code === 'service-refused');
  if (!isRefused) throw error;
}

type Tally = ReturnType<typeof startTally>;

function startTally(path: string, first: DecodedPage, options: WalkOptions) {
  const { onPage, shortIsWhole, mostPages = MAX_PAGES } = options;
  const max = shortIsWhole ? MAX_LOOK_UP : MAX_LIST;
  const pages: (readonly Website[])[] = [];
  /** Empty while IDs fall from page to page, because then no ID can repeat. */
  const byId = startById();
  let [pageSize, size, rows, isFalling] = [0, 0, 0, true];
  const count = (): number => (isFalling ? rows : byId.records.size);

  function add(number: number, page: DecodedPage): number {
    const { records } = page;
    // The nearest pages that were read already: pages arrive in any order.
    const before = pages.findLast((one, at) => one !== undefined && at < number - 1);
    const after = pages.slice(number).find((one) => one !== undefined);
    const around = [before?.at(-1), ...records, after?.[0]];
    if (isFalling && (records.length === 0 || !areFalling(around.filter((one) => one !== undefined)))) {
      isFalling = false;
      pages.flat().forEach(byId.add);
    }
    const fresh = isFalling ? records : records.filter(byId.add);
    pages[number - 1] = fresh;
    pageSize = Math.max(pageSize, records.length);
    size += page.size ?? 0;
    rows += records.length;
    onPage?.(count(), first.total);
    return fresh.length;
  }

  function end(paging: Paging, completeness: Walk['completeness'], code: ListFact['code']): Walk {
    const [records, sharedIds] = [pages.flat(), byId.shared()];
    const reason = { code, total: first.total, count: count() };
    const known = { records, sharedIds, paging, pages: pages.length, pageSize, total: first.total };
    if (sharedIds.length === 0) return { ...known, completeness, reason };
    const ids = new Set(sharedIds.map(({ id }) => id));
    const sharing = { code: 'list-shares-ids', shared: sharedIdsText(sharedIds) } as const;
    const sure = records.filter(({ id }) => !ids.has(id));
    return { ...known, records: sure, completeness: 'no', reason: sharing };
  }

  add(1, first);
  return {
    ...{ path, first, options, mostPages, add, count, end },
    pages: () => pages.length,
    isFalling: () => isFalling,
    isEndless: () => count() > max.records || size > Math.max(max.size, 400 * count()),
  };
}

/** True if IDs are numbers and fall from record to record, newest first. This is the order that the client requests. */
export function areFalling(records: readonly Website[]): boolean {
  return records.every(({ id }, at) => Number(id) < Number(records[at - 1]?.id ?? Number.POSITIVE_INFINITY));
}

const NOWHERE = 'http://nowhere.invalid';

/** Behind a proxy, links may name another host, so only their query is used. */
function linkedFrom(path: string, link: string): string {
  const to = new URL(path, NOWHERE);
  for (const [name, value] of queryOf(link)) to.searchParams.set(name, value);
  return `${to.pathname}${to.search}`;
}

function queryOf(link: string): URLSearchParams {
  return URL.canParse(link, NOWHERE) ? new URL(link, NOWHERE).searchParams : new URLSearchParams();
}

function pageLink(number: number): string {
  return `?page=${number}`;
}
