/** What a request is answered with, and the answers that say no. */
import type { FastifyReply } from 'fastify';
import type { Refusals } from './schema.ts';

export interface ServerAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export const UNAUTHENTICATED: ServerAnswer = { status: 401, body: { message: 'Unauthenticated.' } };
export const NO_RECORD: ServerAnswer = failed(404, 'Resource not found.');
export const NO_ROUTE: ServerAnswer = { status: 404, body: { message: '' } };
export const TOO_MANY_REQUESTS: ServerAnswer = { status: 429, body: { message: 'Too Many Attempts.' } };

/** A refusal in the one sentence `message`. */
export function failed(status: number, message: string): ServerAnswer {
  return { status, body: { message, status } };
}

export function invalid(refusals: Refusals): ServerAnswer {
  return { status: 422, body: { message: refusals, status: 422 } };
}

export function wrongMethod(allowed: readonly string[]): ServerAnswer {
  const allow = allowed.join(', ');
  return { ...failed(405, `Allowed methods: ${allow}.`), headers: { allow } };
}

/** The words for what the framework refuses before a handler sees it, and what the store could not do. */
const WORDS: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  408: 'The request took too long to arrive.',
  413: 'The body is too large.',
  414: 'The address is too long.',
  415: 'The body must be application/x-www-form-urlencoded.',
  431: 'The headers are too large.',
  503: 'The database is busy.',
};

/** The answer to an error that the framework, the store or a bug of ours has thrown; `showsFailure`: in the error's own words. */
export function answerTo(error: unknown, showsFailure = false): ServerAnswer {
  const status = Number((error as { statusCode?: unknown } | null)?.statusCode ?? 500);
  const words = WORDS[status];
  if (words === undefined) {
    const message =
      showsFailure && error instanceof Error ? `Server Error: ${error.message}` : 'Server Error';
    return { status: 500, body: { message } };
  }
  // With it a client knows that nothing was carried out.
  return status === 503
    ? { ...failed(status, words), headers: { 'retry-after': '1' } }
    : failed(status, words);
}

/** The JSON text of a body, slashes escaped as PHP escapes them. */
export function toJson(body: object): string {
  return JSON.stringify(body).replaceAll('/', '\\/');
}

export function send(reply: FastifyReply, { status, body, headers = {} }: ServerAnswer): FastifyReply {
  return reply.code(status).headers(headers).type('application/json').send(toJson(body));
}
