/**
 * Lists all there is, and says whether that is known to be complete (decision: "Only a complete list is believed"). A walk goes
 * over the pages once: by number and in parallel where the first page tells the total, else from page to page.
 */
import type { Paging } from '../../model/doctor-findings.ts';
import { domainKey } from '../../model/domain.ts';
import { disputeText } from '../../model/identity.ts';
import { ServiceError } from '../../model/service.ts';
import type { Disputed, Website } from '../../model/website.ts';
import { type DecodedPage, SMALLEST_PAGE } from '../contract.ts';
import { inParallel } from '../parallel.ts';
import { MOST_PAGES, readBackward } from './backward-walk.ts';
import { startDistinct } from './dedupe.ts';

export interface Walk {
  /** Distinct by id, in the order of the pages, without those whose id is disputed. */
  readonly records: readonly Website[];
  /** Ids that came with several domains: they show that this is no list of the records. */
  readonly disputed: readonly Disputed[];
  readonly paging: Paging;
  /** Pages that came, and the records on the fullest. */
  readonly pages: number;
  readonly pageSize: number;
  /** What the service counts. */
  readonly total?: number;
  /**
   * `yes`: these are all. `repeat`: they are, unless records were deleted meanwhile and so moved others over
   * a page's edge unseen; a second walk that shows the same rules that out. `no`: nothing is known.
   */
  readonly proven: 'yes' | 'repeat' | 'no';
  /** Why, in words. */
  readonly reason: string;
}

export interface WalkOptions {
  /** Fetches one page; takes the path and query below the base address. */
  readonly fetch: (path: string) => Promise<DecodedPage>;
  /** Pages that are asked for at once. */
  readonly parallelism: number;
  /**
   * For look-ups: an answer with fewer rows than the smallest page is the whole, unless it says that there
   * are more.
   */
  readonly shortIsWhole?: true;
  /** More pages than these are not read, and then the list is not complete. */
  readonly mostPages?: number | undefined;
  /** Told after each page how many distinct records this walk has found, and what the service counts. */
  readonly onPage?: (records: number, total: number | undefined) => void;
}

const REASONS = {
  ended: 'the next links ended',
  empty: 'the page after the last is empty',
  short: 'fewer records than the smallest page',
  again: 'two listings in a row show the same records',
  changed: 'records were created or deleted while they were listed',
  backward: 'records came and went meanwhile, and it was read from its last page to its first',
  stuck: 'it serves the same records on every page',
  refused: 'it refuses further pages',
  broken: 'its next links stop before the end',
  endless: 'it is longer than a list can be',
} as const;

/**
 * Walks over the pages that begin at `path` until the list is known to be complete: once more where it is not,
 * and up to three times where two walks must agree, or where others never stop writing. `begun` is the first page,
 * where it was read already.
 */
export async function listAll(path: string, options: WalkOptions, begun?: DecodedPage): Promise<Walk> {
  let previous: Walk | undefined;
  let first = begun;
  for (let walks = 1; ; walks += 1) {
    // A walk that is repeated anyway ends where it is seen that others write.
    const found = await walk(path, options, first, walks < 3);
    first = undefined;
    if (found.proven === 'yes') return found;
    // What has no end is no list, and a part of it shows nothing.
    if (found.reason === REASONS.endless) return { ...found, records: [] };
    if (isAgain(found, previous)) return { ...found, proven: 'yes', reason: REASONS.again };
    if (found.proven === 'no' && walks >= 2) {
      const last = await lastOf(path, found, options, walks);
      if (last !== undefined) return last;
    }
    if (walks >= 3) return { ...found, proven: 'no', reason: REASONS.changed };
    previous = found;
  }
}

/** What comes of a list that no further walk shows more of; nothing where one that goes to the end does. */
async function lastOf(
  path: string,
  found: Walk,
  options: WalkOptions,
  walks: number,
): Promise<Walk | undefined> {
  const backward = await walkBackward(path, found, options);
  const showsMore = walks < 3 && found.reason === REASONS.changed;
  return backward ?? (showsMore ? undefined : found);
}

/** Whether two walks, of which each may be all, show the same records. */
function isAgain(b: Walk, a: Walk | undefined): boolean {
  if (b.proven !== 'repeat' || a?.proven !== 'repeat') return false;
  const names = new Map(a.records.map(({ id, domain }) => [id, domainKey(domain)]));
  const isThere = ({ id, domain }: Website): boolean => names.get(id) === domainKey(domain);
  return a.records.length === b.records.length && b.records.every(isThere);
}

async function walk(
  path: string,
  options: WalkOptions,
  begun: DecodedPage | undefined,
  isRepeated: boolean,
): Promise<Walk> {
  const first = begun ?? (await options.fetch(path));
  const tally = startTally(first, options);
  const { next, total, records } = first;
  if (options.shortIsWhole && records.length < SMALLEST_PAGE && !tellsOfMore(first)) {
    return tally.end('numbers', 'yes', REASONS.short);
  }
  const link = typeof next === 'string' ? queryOf(next) : undefined;
  const isLinkedEmpty = link !== undefined && records.length === 0;
  if (total !== undefined && !isLinkedEmpty && (link === undefined || link.has('page'))) {
    // It counts the page alone, or links to one that is empty: only asking tells.
    const isDoubtful = link !== undefined && total <= tally.distinct();
    return isDoubtful
      ? walkByNumbers(path, tally, options)
      : walkByTotal(path, total, tally, options, isRepeated);
  }
  if (next === undefined) return walkByNumbers(path, tally, options);
  return walkByLinks(path, first, link?.has('cursor') ? 'cursor' : 'links', tally, options);
}

/** Whether a first page itself says that it is not all. */
function tellsOfMore({ next, total = 0, records }: DecodedPage): boolean {
  return typeof next === 'string' || total > records.length;
}

/**
 * All further pages at once, as many as the total says. Where ids fall as they are asked for, what is created
 * comes first, and no total can stand still while a record moves over a page's edge unseen; in another order one
 * that is deleted and one that is created may cancel out.
 */
async function walkByTotal(
  path: string,
  total: number,
  tally: Tally,
  options: WalkOptions,
  isRepeated: boolean,
): Promise<Walk> {
  const last = Math.min(MOST_PAGES, Math.ceil(total / Math.max(1, tally.distinct())));
  if (last > mostPagesOf(options)) return tally.end('total', 'no', REASONS.endless);
  let isStuck = tally.distinct() === 0;
  let isSteady = true;
  let linksOn = false;
  function* numbers(): Generator<number> {
    const isOver = (): boolean => isStuck || (isRepeated && !isSteady) || tally.isEndless();
    for (let number = 2; number <= last && !isOver(); number += 1) yield number;
  }
  await inParallel(numbers(), options.parallelism, async (number) => {
    const page = await options.fetch(withPage(path, number));
    isSteady &&= page.total === total;
    linksOn ||= number === last && typeof page.next === 'string';
    isStuck ||= tally.add(number, page) === 0;
  });
  const listed = tally.distinct();
  if (!isSteady) return tally.end('total', 'no', REASONS.changed);
  if (listed === total) {
    // It may count no further than a limit: only asking tells.
    if (linksOn) return walkByNumbers(path, tally, options, last + 1);
    const isSure = tally.pages() === 1 || tally.isFalling();
    return tally.end('total', isSure ? 'yes' : 'repeat', `it counts ${total} and lists as many`);
  }
  if (isStuck && listed > 0) return tally.end('total', 'no', REASONS.stuck);
  return tally.end('total', 'no', `it counts ${total} records and lists ${listed}`);
}

/** A last try where the total never stands still; nothing where that shows nothing either. */
async function walkBackward(path: string, found: Walk, options: WalkOptions): Promise<Walk | undefined> {
  const { paging, reason, total = 0, pageSize } = found;
  if (paging !== 'total' || reason !== REASONS.changed) return undefined;
  const fetch = (number: number): Promise<DecodedPage> =>
    options.fetch(overlay(path, `?sort=asc&page=${number}`));
  const records = await readBackward(fetch, pageSize, total);
  return records && { ...found, records, proven: 'yes', reason: REASONS.backward };
}

/** From link to link until there is none. A cursor holds its place by itself; page numbers do not. */
async function walkByLinks(
  path: string,
  first: DecodedPage,
  paging: 'links' | 'cursor',
  tally: Tally,
  options: WalkOptions,
): Promise<Walk> {
  let next = first.next;
  for (let number = 2; typeof next === 'string'; number += 1) {
    if (number > mostPagesOf(options) || tally.isEndless()) return tally.end(paging, 'no', REASONS.endless);
    const page = await options.fetch(overlay(path, next));
    next = page.next;
    if (tally.add(number, page) === 0 && typeof next === 'string') {
      return tally.end(paging, 'no', REASONS.stuck);
    }
  }
  if (next === undefined) return tally.end(paging, 'no', REASONS.broken);
  const isSure = paging === 'cursor' || tally.pages() === 1;
  return tally.end(paging, isSure ? 'yes' : 'repeat', REASONS.ended);
}

/** What a service answers that takes no page numbers, or none past the last: that there is such a page was our guess. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([200, 400, 404, 422]);

/** An answer with 200 may also be cut off, or be no list: then there is such a page, or there may be. */
function isRefusal({ status, code }: ServiceError): boolean {
  return REFUSALS.has(status) && (status !== 200 || code === 'service-refused');
}

/** A page of which nothing says that it is there; `undefined` where it is refused. */
async function tryPage(path: string, { fetch }: WalkOptions): Promise<DecodedPage | undefined> {
  try {
    return await fetch(path);
  } catch (error) {
    if (error instanceof ServiceError && isRefusal(error)) return undefined;
    throw error;
  }
}

/** From number to number until a page is empty; the pages before `from` are in. */
async function walkByNumbers(path: string, tally: Tally, options: WalkOptions, from = 2): Promise<Walk> {
  if (tally.distinct() === 0) return tally.end('numbers', 'yes', REASONS.empty);
  // That the last one is empty has to be seen.
  for (let number = from; number <= mostPagesOf(options) + 1; number += 1) {
    const page = await tryPage(withPage(path, number), options);
    if (page === undefined) return tally.end('numbers', 'no', REASONS.refused);
    const isEmpty = page.records.length === 0;
    const fresh = tally.add(number, page);
    if (tally.isEndless()) break;
    if (fresh > 0) continue;
    return isEmpty
      ? tally.end('numbers', 'repeat', REASONS.empty)
      : tally.end('numbers', 'no', REASONS.stuck);
  }
  return tally.end('numbers', 'no', REASONS.endless);
}

function mostPagesOf({ mostPages = MOST_PAGES }: WalkOptions): number {
  return mostPages;
}

/** So many records, and characters of answers, are taken of one list; more where the records are small. */
const LIST_LIMITS = { records: 1_000_000, size: 96_000_000 };
/** The same of a look-up; many of these are under way at once. */
const LOOK_UP_LIMITS = { records: 10_000, size: 8_000_000 };

/** What the pages of one walk add up to. */
interface Tally {
  /** Takes a page in; returns how many of its records are new. */
  add(number: number, page: DecodedPage): number;
  distinct(): number;
  /** Whether their ids fall, newest first. */
  isFalling(): boolean;
  pages(): number;
  /** More came than is taken of one list. */
  isEndless(): boolean;
  end(paging: Paging, proven: Walk['proven'], reason: string): Walk;
}

function startTally(first: DecodedPage, { onPage, shortIsWhole }: WalkOptions): Tally {
  const limits = shortIsWhole ? LOOK_UP_LIMITS : LIST_LIMITS;
  const distinct = startDistinct();
  let pages = 0;
  let pageSize = 0;
  let size = 0;
  const tally: Tally = {
    add(number, { records, size: came = 0 }) {
      size += came;
      pageSize = Math.max(pageSize, records.length);
      pages = Math.max(pages, number);
      const fresh = distinct.add(number, records);
      onPage?.(distinct.size, first.total);
      return fresh;
    },
    distinct: () => distinct.size,
    isFalling: () => distinct.isFalling,
    pages: () => pages,
    isEndless: () => distinct.size > limits.records || size > Math.max(limits.size, 400 * distinct.size),
    end(paging, proven, reason) {
      const disputed = distinct.disputed();
      const standing =
        disputed.length === 0
          ? { proven, reason }
          : { proven: 'no' as const, reason: `it shows ${disputeText(disputed)}` };
      return {
        records: distinct.all(),
        disputed,
        paging,
        pages,
        pageSize,
        ...(first.total === undefined ? {} : { total: first.total }),
        ...standing,
      };
    },
  };
  tally.add(1, first);
  return tally;
}

/** Stands for our own address where only a query is of interest. */
const NOWHERE = 'http://nowhere.invalid';

function queryOf(link: string): URLSearchParams {
  return URL.canParse(link, NOWHERE) ? new URL(link, NOWHERE).searchParams : new URLSearchParams();
}

/** `path` ends in its query, which may be empty and names no page. */
function withPage(path: string, number: number): string {
  return `${path}${path.endsWith('?') ? '' : '&'}page=${number}`;
}

/**
 * Our own path with the query of `link` laid over its own: behind proxies, links name other hosts and
 * schemes and drop parameters.
 */
function overlay(path: string, link: string): string {
  const url = new URL(path, NOWHERE);
  for (const [name, value] of queryOf(link)) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}
