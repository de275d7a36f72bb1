/** What a request is called in its answer and in the log. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID_HEADER = 'x-request-id';

/** Short, no key, and nothing that a log or a terminal would take for more than a name. */
const SANE = /^(?!.*wsk_)[\w.:+/=@-]{1,128}$/;

/** The id that the sender, or a proxy before us, gave the request, where it is a sane one; else a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && SANE.test(given) ? given : randomUUID();
}
