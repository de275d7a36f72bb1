/** Responses in the shapes of Laravel's resources and paginator, and its errors. */
import type { FastifyReply } from 'fastify';
import { FIELD_NAMES, FIELDS } from '../model/field-table.ts';
import type { Form, ListQuery, Refusals } from './schema.ts';
import type { ListedPage, StoredWebsite } from './store.ts';

export interface ServerAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Refused extends Error {
  readonly answer: ServerAnswer;
  constructor(answer: ServerAnswer) {
    super('refused');
    this.answer = answer;
  }
}

export const NO_RECORD: ServerAnswer = failed(404, 'Resource not found.');

export function failed(status: number, message: string): ServerAnswer {
  return { status, body: { message, status } };
}

export function invalid(refusals: Refusals): ServerAnswer {
  return { status: 422, body: { message: refusals, status: 422 } };
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

export function answerTo(error: unknown, showsFailure = false): ServerAnswer {
  if (error instanceof Refused) return error.answer;
  const status = Number((error as { statusCode?: unknown } | null)?.statusCode ?? 500);
  const words = WORDS[status];
  if (words === undefined) {
    const reason = showsFailure && error instanceof Error ? `: ${error.message}` : '';
    return { status: 500, body: { message: `Server Error${reason}` } };
  }
  // The retry-after header makes clear that nothing was carried out.
  return { ...failed(status, words), ...(status === 503 ? { headers: { 'retry-after': '1' } } : {}) };
}

/** Escapes slashes like PHP. */
export function toJson(body: object): string {
  return JSON.stringify(body).replaceAll('/', '\\/');
}

export function send(reply: FastifyReply, { status, body, headers = {} }: ServerAnswer): FastifyReply {
  return reply.code(status).headers(headers).type('application/json').send(toJson(body));
}

export function one(website: StoredWebsite, status = 200): ServerAnswer {
  return { status, body: { data: resource(website), status: 200 } };
}

/** Links keep the other query parameters in `form`. */
export function page(listed: ListedPage, query: ListQuery, path: string, form: Form): ServerAnswer {
  const { total, websites } = listed;
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
  return { status: 200, body: { data: websites.map(resource), links, meta, status: 200 } };
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
