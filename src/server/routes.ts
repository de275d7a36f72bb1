/** The five operations (specification, section 4), and the answers of every other address. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FORM_TYPE, WEBSITES_PATH } from '../model/contract.ts';
import { formatInstant } from '../model/instant.ts';
import { trimPlain } from '../util/look-alikes.ts';
import { collect } from '../util/node/collect.ts';
import { acceptDomain } from './domain.ts';
import { type Form, parseForm } from './form.ts';
import { PUBLIC_PATHS } from './public-routes.ts';
import { readQuery } from './query.ts';
import { rateLimiter } from './rate-limit.ts';
import {
  failed,
  invalid,
  NO_RECORD,
  NO_ROUTE,
  type ServerAnswer,
  send,
  TOO_MANY_REQUESTS,
  UNAUTHENTICATED,
  wrongMethod,
} from './responses.ts';
import { deleted, one, page } from './serialize.ts';
import { DEFAULTS, type Refusals, readSettings, seal, settle } from './settings.ts';
import type { Store, StoredSettings } from './store.ts';

const READING = ['GET', 'HEAD'];
const COLLECTION_METHODS = [...READING, 'POST'];
const RECORD_METHODS = [...READING, 'PUT', 'PATCH', 'DELETE'];

/**
 * Adds the operations on `store` to `app`. `clock` gives the time in milliseconds since 1970; `rateLimit` is the number
 * of requests a minute, 0 for no limit. Every handler is a function from the request to its answer.
 */
export function addRoutes(
  app: FastifyInstance,
  store: Store,
  isKey: (presented: string) => boolean,
  clock: () => number,
  rateLimit: number,
): void {
  const now = (): string => formatInstant(clock());
  const countRequest = rateLimiter(rateLimit);
  const answering =
    (handle: (request: FastifyRequest) => Promise<ServerAnswer>) =>
    async (request: FastifyRequest, reply: FastifyReply) =>
      send(reply, await handle(request));

  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return send(reply, elsewhere(request));
    if (request.routeOptions.config.public) return;
    const presented = bearer(request.headers.authorization);
    if (presented === undefined || !isKey(presented)) return send(reply, UNAUTHENTICATED);
    if (rateLimit === 0) return;
    const { headers, exceeded } = countRequest(clock());
    reply.headers(headers);
    if (exceeded) return send(reply, TOO_MANY_REQUESTS);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORM_TYPE, readForm);

  // A delete has no payload (specification, section 4), whatever type its sender names.
  app.addHttpMethod('DELETE', { overrideExisting: true });

  app.get(WEBSITES_PATH, answering(list));
  app.post(WEBSITES_PATH, answering(withForm(create)));
  app.get(`${WEBSITES_PATH}/:id`, answering(read));
  app.put(`${WEBSITES_PATH}/:id`, answering(withForm(update)));
  app.patch(`${WEBSITES_PATH}/:id`, answering(withForm(update)));
  app.delete(`${WEBSITES_PATH}/:id`, answering(remove));

  async function list(request: FastifyRequest): Promise<ServerAnswer> {
    const form = parseForm(Buffer.from(request.url.split('?').slice(1).join('?')));
    if ('reason' in form) return failed(400, `The query ${form.reason}.`);
    const wanted = readQuery(form);
    if ('refusals' in wanted) return invalid(wanted.refusals);
    const offset = (wanted.page - 1) * wanted.perPage;
    const found = await store.list(wanted.listed, { offset, limit: wanted.perPage });
    const address = `${request.protocol}://${request.host || 'localhost'}${WEBSITES_PATH}`;
    return { status: 200, body: page(found, wanted, address, form) };
  }

  async function create(request: FastifyRequest, form: Form): Promise<ServerAnswer> {
    const { submitted, refusals } = readSettings(form);
    const named = readDomain(form);
    if ('refusals' in named) return invalid({ ...named.refusals, ...refusals });
    if (Object.keys(refusals).length > 0) return invalid(refusals);
    const time = now();
    const settled = settle(DEFAULTS, await seal(submitted, hasSender(request)), time);
    if ('refused' in settled) return invalid(settled.refused);
    const website = await store.create(named.domain, settled.settings, time);
    if (website === 'taken') return invalid({ domain: ['This domain is already being used.'] });
    return { status: 201, body: one(website) };
  }

  async function read(request: FastifyRequest): Promise<ServerAnswer> {
    const id = recordId(request);
    const website = id === undefined ? undefined : await store.read(id);
    return website === undefined ? NO_RECORD : { status: 200, body: one(website) };
  }

  async function update(request: FastifyRequest, form: Form): Promise<ServerAnswer> {
    const { submitted, refusals } = readSettings(form);
    if (Object.keys(refusals).length > 0) return invalid(refusals);
    if (Object.keys(submitted).length === 0) return read(request);
    const id = recordId(request);
    if (id === undefined) return NO_RECORD;
    const sealed = await seal(submitted, hasSender(request));
    const time = now();
    const decide = (current: StoredSettings) => settle(current, sealed, time);
    const website = await store.update(id, decide, time);
    if (website === undefined) return NO_RECORD;
    return 'refused' in website ? invalid(website.refused) : { status: 200, body: one(website) };
  }

  async function remove(request: FastifyRequest): Promise<ServerAnswer> {
    const id = recordId(request);
    const found = id !== undefined && (await store.remove(id));
    return found ? { status: 200, body: deleted(id) } : NO_RECORD;
  }
}

/**
 * Reads the bytes of a form. Fastify's own way would hold each chunk by itself: a mebibyte in chunks of one byte takes
 * fifty.
 */
function readForm(
  { headers, routeOptions: { bodyLimit } }: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const form = collect(bodyLimit);
  let isOver = false;
  const end = (error: Error | null): void => {
    if (!isOver) done(error, form.bytes());
    isOver = true;
  };
  const refuse = (statusCode: number): void => end(Object.assign(new Error('unread form'), { statusCode }));
  if (Number(headers['content-length']) > bodyLimit) refuse(413);
  payload.on('data', (part: Buffer) => {
    if (!form.add(part)) refuse(413);
  });
  payload.once('end', () => end(null));
  payload.once('error', () => refuse(400));
}

/** Hands the form of a write to `handle`; a write without a body has an empty one. */
function withForm(handle: (request: FastifyRequest, form: Form) => Promise<ServerAnswer>) {
  return async (request: FastifyRequest): Promise<ServerAnswer> => {
    const form = parseForm(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    return 'reason' in form ? failed(400, `The form ${form.reason}.`) : handle(request, form);
  };
}

function readDomain(form: Form): { domain: string } | { refusals: Refusals } {
  const text = trimPlain(form.get('domain') ?? '');
  if (text === '') return { refusals: { domain: ['The domain field is required.'] } };
  const accepted = acceptDomain(text);
  if ('domain' in accepted) return accepted;
  return { refusals: { domain: [`The domain format is invalid: ${accepted.reason}.`] } };
}

/** Tells whether the connection that the request came on is open. */
function hasSender({ raw }: FastifyRequest): () => boolean {
  return () => !raw.socket.destroyed;
}

/** The key of an `Authorization: Bearer KEY` header (RFC 6750, section 2.1). */
function bearer(header: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
}

/** The id that the address names; `undefined` where no record can have it. */
function recordId(request: FastifyRequest): number | undefined {
  const { id } = request.params as { id: string };
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/** What an address or method without an operation is answered. */
function elsewhere(request: FastifyRequest): ServerAnswer {
  const [path = ''] = request.url.split('?', 1);
  const rest = path.replace(/\/$/, '');
  if (PUBLIC_PATHS.includes(rest)) return wrongMethod(READING);
  if (rest === WEBSITES_PATH) return wrongMethod(COLLECTION_METHODS);
  return rest.startsWith(`${WEBSITES_PATH}/`) && !rest.slice(WEBSITES_PATH.length + 1).includes('/')
    ? wrongMethod(RECORD_METHODS)
    : NO_ROUTE;
}
