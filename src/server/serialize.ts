/** The shapes of answers: those of Laravel's resources and its paginator. */
import { FIELD_NAMES, FIELDS } from '../model/field-table.ts';
import type { Form } from './form.ts';
import type { ListedPage } from './listing.ts';
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
export function page(
  listed: ListedPage,
  { number: current, size }: { readonly number: number; readonly size: number },
  path: string,
  form: Form,
): object {
  const { total, websites } = listed;
  const last = Math.max(1, Math.ceil(total / size));
  const kept = new URLSearchParams([...form].filter(([name]) => name !== 'page'));
  const prefix = `${path}?${kept}${kept.size > 0 ? '&' : ''}page=`;
  const url = (number: number): string => `${prefix}${number}`;
  const first = websites.length === 0 ? null : (current - 1) * size + 1;
  const prev = current > 1 ? url(current - 1) : null;
  const next = current < last ? url(current + 1) : null;
  return {
    data: websites.map(resource),
    links: { first: url(1), last: url(last), prev, next },
    meta: {
      current_page: current,
      from: first,
      last_page: last,
      path,
      per_page: size,
      to: first === null ? null : first + websites.length - 1,
      total,
    },
    status: 200,
  };
}
