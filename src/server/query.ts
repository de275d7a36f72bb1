/** The parameters of the list operation (specification, section 4). */
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '../model/contract.ts';
import { lowerCase } from '../model/domain.ts';
import type { Form } from './form.ts';
import type { ListedRecord } from './listing.ts';
import type { Refusals } from './settings.ts';

export interface PageQuery {
  readonly listed: ListedRecord;
  readonly perPage: number;
  /** From 1. */
  readonly page: number;
}

/** What each parameter with few values may be; the first is the default of `sort_by` and `sort`. */
export const ALLOWED = {
  search_by: ['domain'],
  favorite: ['0', '1'],
  sort_by: ['id', 'domain'],
  sort: ['desc', 'asc'],
  per_page: PAGE_SIZES.map(String),
} as const satisfies Record<string, readonly string[]>;

/** Of ten digits: where its records would begin is still a number that is held exactly. */
export const LAST_PAGE = 9_999_999_999;

/** Reads a list's query. An empty parameter counts as not given; unknown ones are passed over. */
export function readQuery(form: Form): PageQuery | { refusals: Refusals } {
  const given = new Map([...form].map(([name, text]) => [name, text.trim()]));
  for (const [name, text] of given) if (text === '') given.delete(name);
  const refusals = refuse(given);
  if (Object.keys(refusals).length > 0) return { refusals };
  const [search, favorite] = [given.get('search'), given.get('favorite')];
  return {
    listed: {
      ...(search === undefined ? {} : { search: lowerCase(search) }),
      ...(favorite === undefined ? {} : { favorite: favorite === '1' }),
      sortBy: given.get('sort_by') === 'domain' ? 'domain' : 'id',
      descending: given.get('sort') !== 'asc',
    },
    perPage: Number(given.get('per_page') ?? DEFAULT_PAGE_SIZE),
    page: Number(given.get('page') ?? 1),
  };
}

function refuse(given: Form): Refusals {
  const refusals: Record<string, readonly string[]> = {};
  for (const [name, allowed] of Object.entries<readonly string[]>(ALLOWED)) {
    const text = given.get(name);
    if (text !== undefined && !allowed.includes(text)) refusals[name] = [`The selected ${name} is invalid.`];
  }
  if (!/^[1-9]\d{0,9}$/.test(given.get('page') ?? '1')) {
    refusals.page = [`The page must be a whole number from 1 to ${LAST_PAGE}.`];
  }
  if (given.get('search')?.includes('\0')) refusals.search = ['The search is invalid.'];
  return refusals;
}
