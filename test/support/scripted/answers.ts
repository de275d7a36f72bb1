/** Writes records, lists and errors in a dialect. */
import type { Dialect } from './dialect.ts';
import type { Complaint, StoredRecord } from './store.ts';

export interface Written {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function json(status: number, value: unknown, headers: Written['headers'] = {}): Written {
  // PHP escapes slashes.
  const body = JSON.stringify(value).replaceAll('/', '\\/');
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

export function page(status: number, title: string, headers: Written['headers'] = {}): Written {
  const body = `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status, headers: { 'content-type': 'text/html; charset=UTF-8', ...headers }, body };
}

function showRecord(record: StoredRecord, dialect: Dialect, hidden: readonly string[]): object {
  const favorite =
    dialect.favorite === 'favorite'
      ? { favorite: number(record.favorited_at === null ? 0 : 1, dialect) }
      : { favorited_at: record.favorited_at && time(record.favorited_at, dialect) };
  const shown = {
    id: dialect.ids === 'string' ? String(record.id) : record.id,
    domain: record.domain,
    privacy: dialect.numbers === 'boolean' ? record.privacy : number(record.privacy, dialect),
    password: record.password !== null,
    email: number(record.email, dialect),
    exclude_bots: number(record.exclude_bots, dialect),
    exclude_params: lines(record.exclude_params, dialect),
    exclude_ips: lines(record.exclude_ips, dialect),
    ...favorite,
    object: 'website',
    ...dialect.odd[record.domain],
  };
  const isLeftOut = (value: unknown): boolean => value === null && dialect.nulls !== 'shown';
  return Object.fromEntries(
    Object.entries(shown).filter(([name, value]) => !hidden.includes(name) && !isLeftOut(value)),
  );
}

function number(value: number, { numbers }: Dialect): number | string | boolean {
  if (numbers === 'string') return String(value);
  return numbers === 'boolean' ? value === 1 : value;
}

function lines(text: string | null, { lineEnd }: Dialect): string | null {
  return text === null ? null : text.replace(/\r?\n/g, lineEnd);
}

function time(text: string, { times }: Dialect): string {
  if (times === 'blank') return text;
  const instant = new Date(`${text.replace(' ', 'T')}Z`);
  if (times === 'micro') return instant.toISOString().replace('.000Z', '.000000Z');
  return `${new Date(instant.getTime() + 2 * 3_600_000).toISOString().slice(0, 19)}+02:00`;
}

/** Answers a list for `query` from these records, newest first. */
export function showList(
  records: readonly StoredRecord[],
  query: URLSearchParams,
  dialect: Dialect,
  url: string,
): Written {
  const size = Math.min(dialect.largestPage, Number(query.get('per_page') ?? dialect.defaultPage));
  const start = startOf(records, query, dialect, size);
  const rows = records.slice(start, start + size);
  const asListed: Dialect = dialect.nulls === 'listed' ? { ...dialect, nulls: 'shown' } : dialect;
  const shown = rows.map((record) => showRecord(record, asListed, dialect.hiddenInList));
  if (dialect.envelope === '') return json(200, shown);
  const more = start + size < records.length;
  return json(200, {
    [dialect.envelope]: shown,
    ...paging(rows, start, size, more, records.length, dialect, url),
    status: 200,
  });
}

function startOf(
  records: readonly StoredRecord[],
  query: URLSearchParams,
  dialect: Dialect,
  size: number,
): number {
  if (dialect.paging === 'ignored') return 0;
  if (dialect.paging !== 'cursor') return (Number(query.get('page') ?? 1) - 1) * size;
  // A cursor is the last ID that was shown; an unreadable one means the first page.
  const after = Number(query.get('cursor') ?? Number.NaN);
  const start = records.findIndex((record) => record.id < after);
  return Number.isNaN(after) ? 0 : start === -1 ? records.length : start;
}

function paging(
  rows: readonly StoredRecord[],
  start: number,
  size: number,
  more: boolean,
  total: number,
  { paging, linksTo }: Dialect,
  url: string,
): object {
  if (paging === 'numbers' || paging === 'ignored') return {};
  const current = start / size + 1;
  const link = (name: string, value: number | undefined): string => {
    const at = new URL(url);
    if (linksTo !== undefined) at.search = '';
    at.searchParams.set(name, String(value));
    return linksTo === undefined ? at.href : `${linksTo}${at.pathname}${at.search}`;
  };
  if (paging === 'cursor') {
    const next = more ? link('cursor', rows.at(-1)?.id) : null;
    return {
      links: { first: null, last: null, prev: null, next },
      meta: { path: url.split('?')[0], per_page: size },
    };
  }
  const last = Math.max(1, Math.ceil(total / size));
  const counted = paging === 'total';
  return {
    links: {
      first: link('page', 1),
      last: counted ? link('page', last) : null,
      prev: current > 1 ? link('page', current - 1) : null,
      next: more ? link('page', current + 1) : null,
    },
    meta: {
      current_page: current,
      per_page: size,
      from: rows.length === 0 ? null : start + 1,
      to: rows.length === 0 ? null : start + rows.length,
      ...(counted ? { last_page: last, total } : {}),
    },
  };
}

export function showOne(record: StoredRecord, dialect: Dialect, hidden: readonly string[]): object {
  const shown = showRecord(record, dialect, hidden);
  return dialect.one === '' ? shown : { [dialect.one]: shown, status: 200 };
}

export function showWritten(status: number, record: StoredRecord, dialect: Dialect): Written {
  if (dialect.writeAnswer === 'empty') return { status, headers: {}, body: '' };
  if (dialect.writeAnswer === 'id') return json(status, { id: record.id });
  return json(status, showOne(record, dialect, dialect.hiddenInRead));
}

export function showComplaint(complaint: Complaint, { errors }: Dialect): Written {
  const first = Object.values(complaint).flat()[0] ?? 'The given data was invalid.';
  if (errors === 'html') return page(422, first);
  if (errors === 'text') return json(422, { message: first });
  if (errors === 'stock') return json(422, { message: 'The given data was invalid.', errors: complaint });
  return json(422, { message: complaint, status: 422 });
}

export function showError(status: number, words: string, { errors }: Dialect): Written {
  return errors === 'html' ? page(status, words) : json(status, { message: words, status });
}
