/** The five operations (specification, section 4), what anybody may ask, and the answers of every other address. */
import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import document from '../../docs/openapi.json' with { type: 'json' };
import { FORM_TYPE, WEBSITES_PATH } from '../model/contract.ts';
import { FIELD_NAMES, type FieldName, PRIVACY } from '../model/field-table.ts';
import { formatInstant } from '../model/instant.ts';
import { Secret } from '../model/secret.ts';
import { type Form, parseForm } from './form.ts';
import { rateLimiter } from './rate-limit.ts';
import {
  deleted,
  failed,
  invalid,
  NO_RECORD,
  NO_ROUTE,
  one,
  page,
  type ServerAnswer,
  send,
  TOO_MANY_REQUESTS,
  UNAUTHENTICATED,
  wrongMethod,
} from './responses.ts';
import {
  checkForm,
  createSchema,
  DEFAULTS,
  listSchema,
  type Refusals,
  type Submitted,
  settingsOf,
  updateSchema,
} from './schema.ts';
import type { Store, StoredCell, StoredSettings } from './store.ts';

const PUBLIC_PATHS = ['/healthz', '/readyz', '/openapi.json'];
const RECORD_PATH = `${WEBSITES_PATH}/:id`;

/** The methods of each address that has some. */
const METHODS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(?:${PUBLIC_PATHS.join('|')})$`), 'GET, HEAD'],
  [new RegExp(`^${WEBSITES_PATH}$`), 'GET, HEAD, POST'],
  [new RegExp(`^${WEBSITES_PATH}/[^/]*$`), 'GET, HEAD, PUT, PATCH, DELETE'],
];

export interface RouteOptions {
  readonly store: Store;
  readonly isKey: (presented: string) => boolean;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Requests with the key a minute; 0 is no limit. */
  readonly rateLimit: number;
}

/** Adds the operations to `app`. Every handler is a function from the request to its answer. */
export function addRoutes(app: FastifyInstance, { store, isKey, now: clock, rateLimit }: RouteOptions): void {
  const countRequest = rateLimiter(rateLimit);

  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return send(reply, elsewhere(request));
    if (PUBLIC_PATHS.includes(request.routeOptions.url ?? '')) return;
    // RFC 6750, section 2.1.
    const presented = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (presented === undefined || !isKey(presented)) return send(reply, UNAUTHENTICATED);
    if (rateLimit === 0) return;
    const { headers, isExceeded } = countRequest(clock());
    reply.headers(headers);
    if (isExceeded) return send(reply, TOO_MANY_REQUESTS);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // A delete has no payload (specification, section 4), whatever type its sender names.
  app.addHttpMethod('DELETE', { overrideExisting: true });

  type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  const route = (method: Method, url: string, answer: (request: FastifyRequest) => Promise<ServerAnswer>) =>
    app.route({ method, url, handler: async (request, reply) => send(reply, await answer(request)) });
  route('GET', WEBSITES_PATH, list);
  route('POST', WEBSITES_PATH, withForm(create));
  route('GET', RECORD_PATH, read);
  route('PUT', RECORD_PATH, withForm(update));
  route('PATCH', RECORD_PATH, withForm(update));
  route('DELETE', RECORD_PATH, remove);
  route('GET', '/healthz', health);
  route('GET', '/readyz', async (request) => {
    const healthy = await health(request);
    return app.server.listening ? healthy : { status: 503, body: { status: 'closing' } };
  });
  // The same bytes for every answer, however many wait to be read.
  const openApi = Buffer.from(JSON.stringify(document));
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(openApi));

  async function list(request: FastifyRequest): Promise<ServerAnswer> {
    const query = parseForm(Buffer.from(request.url.split('?').slice(1).join('?')));
    if ('reason' in query) return failed(400, `The query ${query.reason}.`);
    const given = [...query].map(([name, text]) => [name, text.trim()] as const);
    const checked = checkForm(listSchema, new Map(given.filter(([, text]) => text !== '')));
    if ('refusals' in checked) return invalid(checked.refusals);
    const { search, favorite, sort_by: sortBy, sort, per_page: limit, page: number } = checked.values;
    const isFavorite = favorite === undefined ? undefined : favorite === 1;
    const listed = { search, favorite: isFavorite, sortBy, descending: sort === 'desc' };
    const stretch = { offset: (number - 1) * limit, limit };
    const address = `${request.protocol}://${request.host || 'localhost'}${WEBSITES_PATH}`;
    return page(await store.list(listed, stretch), stretch, address, query);
  }

  async function create(form: Form): Promise<ServerAnswer> {
    const checked = checkForm(createSchema, form);
    if ('refusals' in checked) return invalid(checked.refusals);
    const sealed = await seal(settingsOf(checked.values));
    const now = formatInstant(clock());
    const settled = settle(DEFAULTS, sealed, now);
    if ('refused' in settled) return invalid(settled.refused);
    const website = await store.create(checked.values.domain, settled.settings, now);
    if (website === 'taken') return invalid({ domain: ['This domain is already being used.'] });
    return one(website, 201);
  }

  async function read(request: FastifyRequest): Promise<ServerAnswer> {
    const id = recordId(request);
    const website = id === undefined ? undefined : await store.read(id);
    return website === undefined ? NO_RECORD : one(website);
  }

  async function update(form: Form, request: FastifyRequest): Promise<ServerAnswer> {
    const checked = checkForm(updateSchema, form);
    if ('refusals' in checked) return invalid(checked.refusals);
    const submitted = settingsOf(checked.values);
    if (Object.keys(submitted).length === 0) return read(request);
    const id = recordId(request);
    if (id === undefined) return NO_RECORD;
    const sealed = await seal(submitted);
    const now = formatInstant(clock());
    const website = await store.update(id, (current) => settle(current, sealed, now), now);
    if (website === undefined) return NO_RECORD;
    return 'refused' in website ? invalid(website.refused) : one(website);
  }

  async function remove(request: FastifyRequest): Promise<ServerAnswer> {
    const id = recordId(request);
    const found = id !== undefined && (await store.remove(id));
    return found ? deleted(id) : NO_RECORD;
  }

  async function health(request: FastifyRequest): Promise<ServerAnswer> {
    try {
      await store.check();
      return { status: 200, body: { status: 'ok' } };
    } catch (error) {
      request.failure = error as Error;
      return { status: 503, body: { status: 'unavailable' } };
    }
  }
}

/** Hands the form of a write to `handle`; a write without a body has an empty one. */
function withForm(handle: (form: Form, request: FastifyRequest) => Promise<ServerAnswer>) {
  return async (request: FastifyRequest): Promise<ServerAnswer> => {
    const form = parseForm(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    return 'reason' in form ? failed(400, `The form ${form.reason}.`) : handle(form, request);
  };
}

/** Settings of a form with secrets hashed. */
type Sealed = Partial<Record<FieldName, StoredCell | true>>;

async function seal(submitted: Partial<Record<FieldName, Submitted>>): Promise<Sealed> {
  const sealed: Sealed = {};
  for (const name of FIELD_NAMES) {
    const value = submitted[name];
    if (value instanceof Secret) sealed[name] = await hashPassword(value.reveal());
    else if (value !== undefined) sealed[name] = value;
  }
  return sealed;
}

const COST = { N: 16384, r: 8, p: 1 };
const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

/** Hashes a password with a salt of its own, off the main thread: `scrypt$N$r$p$SALT$HASH` in base64url. */
async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const derived = await derive(password, salt, 32, COST);
  const { N, r, p } = COST;
  return ['scrypt', N, r, p, salt.toString('base64url'), derived.toString('base64url')].join('$');
}

/**
 * Lays `sealed` over the settings that a record has; what was not sent stays. `now` is the time of a new presence; one
 * that is there keeps its own.
 */
function settle(
  current: StoredSettings,
  sealed: Sealed,
  now: string,
): { settings: StoredSettings } | { refused: Refusals } {
  const settings: Record<FieldName, StoredCell> = { ...current };
  for (const name of FIELD_NAMES) {
    const value = sealed[name];
    if (value !== undefined) settings[name] = value === true ? (current[name] ?? now) : value;
  }
  return settings.privacy === PRIVACY.password && settings.password === null
    ? { refused: { password: ['The password field is required when privacy is 2.'] } }
    : { settings };
}

/** The id that the address names; `undefined` if no record can have it. */
function recordId(request: FastifyRequest): number | undefined {
  const { id } = request.params as { id: string };
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/** The answer of an address or method without an operation. */
function elsewhere({ url }: FastifyRequest): ServerAnswer {
  const path = url.replace(/\?.*$/s, '').replace(/\/$/, '');
  const [, methods] = METHODS.find(([pattern]) => pattern.test(path)) ?? [];
  return methods === undefined ? NO_ROUTE : wrongMethod(methods);
}
