/** Responses in the shapes of Laravel's resources and paginator, and its errors. */
import type { FastifyReply } from 'fastify';
import { FIELD_NAMES, FIELDS } from '../model/field-table.ts';
import type { Form, ListQuery, Refusals } from './schema.ts';
import type { ListedPage, StoredWebsite } from './store.ts';

/** Returns an error that becomes this response when it is thrown. */
export function refused(statusCode: number, body: object) {
  return Object.assign(new Error('refused'), { statusCode, body });
}

export function failed(status: number, message: string | Refusals) {
  return refused(status, { message, status });
}

const WORDS: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  408: 'The request took too long to arrive.',
  413: 'The body is too large.',
  414: 'The address is too long.',
  415: 'The body must be application/x-www-form-urlencoded.',
  431: 'The headers are too large.',
  503: 'The database is busy.',
};

type Thrown = Partial<ReturnType<typeof refused>>;

export function answerTo({ statusCode: status = 500, body, message }: Thrown, showsFailure = false) {
  if (body !== undefined) return { status, body };
  const words = WORDS[status];
  if (words !== undefined) return { status, body: { message: words, status } };
  return { status: 500, body: { message: `Server Error${showsFailure ? `: ${message}` : ''}` } };
}

export function sendError(reply: FastifyReply, error: Thrown, showsFailure?: boolean): FastifyReply {
  const { status, body } = answerTo(error, showsFailure);
  if (status === 503) reply.header('retry-after', '1');
  return reply.code(status).send(body);
}

export function one(website: StoredWebsite) {
  return { data: resource(website), status: 200 };
}

/** Links keep the other query parameters in `form`. */
export function page({ total, websites }: ListedPage, query: ListQuery, path: string, form: Form) {
  const { page: current, per_page } = query;
  const before = (current - 1) * per_page;
  const last = Math.max(1, Math.ceil(total / per_page));
  const kept = new URLSearchParams([...form].filter(([name]) => name !== 'page'));
  const prefix = `${path}?${kept}${kept.size > 0 ? '&' : ''}page=`;
  const url = (number: number): string => `${prefix}${number}`;
  const links = {
    first: url(1),
    last: url(last),
    prev: current > 1 ? url(current - 1) : null,
    next: current < last ? url(current + 1) : null,
  };
  const meta = {
    current_page: current,
    from: websites.length === 0 ? null : before + 1,
    last_page: last,
    path,
    per_page,
    to: websites.length === 0 ? null : before + websites.length,
    total,
  };
  return { data: websites.map(resource), links, meta, status: 200 };
}

/** For a secret, the response shows only if it is set. */
function resource(website: StoredWebsite): Readonly<Record<string, unknown>> {
  const shown: Record<string, unknown> = { id: website.id, domain: website.domain };
  for (const name of FIELD_NAMES) {
    const { secret, presenceKey } = FIELDS[name];
    const value = website[name];
    const isTime = presenceKey !== undefined && typeof value === 'string';
    shown[name] = secret ? value !== null : isTime ? value.replace('T', ' ').slice(0, 19) : value;
  }
  // Format of Laravel: `2024-02-03T04:05:06.000000Z`.
  const [created_at, updated_at] = [website.created_at, website.updated_at].map(
    (one) => `${one.slice(0, 19)}.000000Z`,
  );
  return { ...shown, created_at, updated_at };
}
