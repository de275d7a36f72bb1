/** The shapes of answers: those of Laravel's resources and its paginator. */
import { FIELD_NAMES, FIELDS } from '../model/field-table.ts';
import type { Form } from './form.ts';
import type { ListedPage } from './listing.ts';
import type { PageQuery } from './query.ts';
import type { StoredWebsite } from './store.ts';

/** A record as answers show it. Of a secret they say whether one is set. */
function resource(website: StoredWebsite): Readonly<Record<string, unknown>> {
  const shown: Record<string, unknown> = { id: website.id, domain: website.domain };
  for (const name of FIELD_NAMES) {
    const { secret, presenceKey } = FIELDS[name];
    const value = website.settings[name];
    if (secret) shown[name] = value !== null;
    else shown[name] = presenceKey !== undefined && typeof value === 'string' ? dateTime(value) : value;
  }
  shown.created_at = timestamp(website.createdAt);
  shown.updated_at = timestamp(website.updatedAt);
  return shown;
}

/** `2024-02-03 04:05:06`, of an instant. */
function dateTime(instant: string): string {
  return instant.replace('T', ' ').slice(0, 19);
}

/** `2024-02-03T04:05:06.000000Z`, of an instant. */
function timestamp(instant: string): string {
  return `${instant.slice(0, 19)}.000000Z`;
}

export function one(website: StoredWebsite): object {
  return { data: resource(website), status: 200 };
}

export function deleted(id: number): object {
  return { id, object: 'website', deleted: true, status: 200 };
}

/**
 * A page of a list. `path` is the address of the list without its query, `form` that query: the
 * links keep its other parameters.
 */
export function page(listed: ListedPage, query: PageQuery, path: string, form: Form): object {
  const { total, websites } = listed;
  const current = query.page;
  const last = Math.max(1, Math.ceil(total / query.perPage));
  const kept = new URLSearchParams([...form].filter(([name]) => name !== 'page'));
  const prefix = `${path}?${kept}${kept.size > 0 ? '&' : ''}page=`;
  const url = (number: number): string => `${prefix}${number}`;
  const first = websites.length === 0 ? null : (current - 1) * query.perPage + 1;
  const prev = current > 1 ? url(current - 1) : null;
  const next = current < last ? url(current + 1) : null;
  return {
    data: websites.map(resource),
    links: { first: url(1), last: url(last), prev, next },
    meta: {
      current_page: current,
      from: first,
      last_page: last,
      links: [
        { url: prev, label: '&laquo; Previous', active: false },
        ...pageWindow(current, last).map((number) =>
          number === null
            ? { url: null, label: '...', active: false }
            : { url: url(number), label: String(number), active: number === current },
        ),
        { url: next, label: 'Next &raquo;', active: false },
      ],
      path,
      per_page: query.perPage,
      to: first === null ? null : first + websites.length - 1,
      total,
    },
    status: 200,
  };
}

/** The page numbers that Laravel's paginator offers, `null` for those left out: three on each side. */
function pageWindow(current: number, last: number): readonly (number | null)[] {
  if (last < 14) return range(1, last);
  if (current <= 7) return [...range(1, 10), null, last - 1, last];
  if (current > last - 7) return [1, 2, null, ...range(last - 9, last)];
  return [1, 2, null, ...range(current - 3, current + 3), null, last - 1, last];
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
