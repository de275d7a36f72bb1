/** The five operations (specification, section 4), public paths, and responses to all other requests. */
import { dirname } from 'node:path/posix';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import document from '../../docs/openapi.json' with { type: 'json' };
import { FORM_TYPE, WEBSITES_PATH } from '../model/contract.ts';
import { FIELD_NAMES, FIELDS, type FieldName, PRIVACY } from '../model/field-table.ts';
import { formatInstant } from '../model/instant.ts';
import { failed, one, page, refused } from './responses.ts';
import {
  CREATE,
  checkForm,
  DEFAULTS,
  type Form,
  LIST,
  type ListQuery,
  parseForm,
  type Submitted,
  UPDATE,
} from './schema.ts';
import type { StoredCell } from './sqlite.ts';
import type { Store, StoredSettings } from './store.ts';

const PUBLIC_PATHS = ['/healthz', '/readyz', '/openapi.json'];
const RECORD_PATH = `${WEBSITES_PATH}/:id`;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export interface ApiOptions {
  readonly store: Store;
  readonly isKey: (presented: string) => boolean;
  readonly now: () => number;
  /** Maximum number of requests per minute; 0 means no limit. */
  readonly rateLimit: number;
}

export function addRoutes(app: FastifyInstance, { store, isKey, now: clock, rateLimit }: ApiOptions): void {
  const countRequest = rateLimiter(rateLimit);

  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) throw elsewhere(request, reply);
    if (PUBLIC_PATHS.includes(request.routeOptions.url ?? '')) return;
    // Syntax of the header: RFC 6750, section 2.1.
    const presented = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (presented === undefined || !isKey(presented)) throw refused(401, { message: 'Unauthenticated.' });
    if (rateLimit === 0) return;
    const headers = countRequest(clock());
    reply.headers(headers);
    if ('retry-after' in headers) throw refused(429, { message: 'Too Many Attempts.' });
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseForm('form', body),
  );
  // Makes Fastify ignore the body of a DELETE: it has none (specification, section 4), whatever its content type.
  app.addHttpMethod('DELETE', { overrideExisting: true });

  app.get(WEBSITES_PATH, list);
  app.post(WEBSITES_PATH, create);
  app.get(RECORD_PATH, read);
  app.put(RECORD_PATH, update);
  app.patch(RECORD_PATH, update);
  app.delete(RECORD_PATH, remove);
  app.get('/healthz', health);
  app.get('/readyz', (request, reply) =>
    app.server.listening ? health(request, reply) : reply.code(503).send({ status: 'closing' }),
  );
  app.get('/openapi.json', async () => document);

  async function list(request: FastifyRequest) {
    const query = parseForm('query', Buffer.from(request.url.split('?').slice(1).join('?')));
    const given = new Map(
      [...query].map(([name, text]) => [name, text.trim()] as const).filter(([, text]) => text !== ''),
    );
    const wanted = await checkForm<ListQuery>(LIST, given);
    const address = `${request.protocol}://${request.host || 'localhost'}${WEBSITES_PATH}`;
    return page(await store.list(wanted), wanted, address, query);
  }

  async function create({ body }: FastifyRequest<Write>, reply: FastifyReply) {
    // A missing domain counts as an empty one.
    const form = new Map([['domain', ''], ...(body ?? [])]);
    const { domain, ...values } = await checkForm<{ domain: string } & SubmittedValues>(CREATE, form);
    const now = formatInstant(clock());
    const settings = mergeSettings(DEFAULTS, values, now);
    if (settings === undefined) throw withoutPassword();
    const website = await store.create(domain, settings, now);
    if (website === 'taken') throw failed(422, { domain: ['This domain is already being used.'] });
    reply.code(201);
    return one(website);
  }

  async function read(request: Pick<FastifyRequest, 'params'>) {
    const website = await store.read(recordId(request));
    if (website === undefined) throw notFound();
    return one(website);
  }

  async function update(request: FastifyRequest<Write>) {
    const submitted = await checkForm<SubmittedValues>(UPDATE, request.body ?? new Map());
    if (Object.keys(submitted).length === 0) return read(request);
    const id = recordId(request);
    const now = formatInstant(clock());
    const website = await store.update(id, (current) => mergeSettings(current, submitted, now), now);
    if (website === 'missing') throw notFound();
    if (website === 'refused') throw withoutPassword();
    return one(website);
  }

  async function remove(request: FastifyRequest) {
    const id = recordId(request);
    if (!(await store.remove(id))) throw notFound();
    return { id, object: 'website', deleted: true, status: 200 };
  }

  async function health(request: FastifyRequest, reply: FastifyReply) {
    try {
      await store.check();
      return { status: 'ok' };
    } catch (error) {
      request.failure = error as Error;
      reply.code(503);
      return { status: 'unavailable' };
    }
  }
}

/** A write without a body counts as an empty form. */
interface Write {
  Body: Form | undefined;
}

type SubmittedValues = Readonly<Record<string, Submitted | undefined>>;

/**
 * Settings that were not submitted keep their values. `now` becomes the time of a new presence; an existing presence
 * keeps its time. Returns `undefined` if a password is required and missing.
 */
function mergeSettings(
  current: StoredSettings,
  submitted: SubmittedValues,
  now: string,
): StoredSettings | undefined {
  const settings: Record<FieldName, StoredCell> = { ...current };
  for (const name of FIELD_NAMES) {
    const value = FIELDS[name].wire.map((wire) => submitted[wire]).find((one) => one !== undefined);
    if (value !== undefined) settings[name] = value === true ? (current[name] ?? now) : value;
  }
  return settings.privacy === PRIVACY.password && settings.password === null ? undefined : settings;
}

const withoutPassword = () =>
  failed(422, { password: ['The password field is required when privacy is 2.'] });
const notFound = () => failed(404, 'Resource not found.');

/** Throws a 404 response if the ID in the URL is not a valid record ID. */
function recordId({ params }: Pick<FastifyRequest, 'params'>): number {
  const { id } = params as { id: string };
  if (!/^[1-9]\d{0,14}$/.test(id)) throw notFound();
  return Number(id);
}

const MINUTE = 60_000;

/** Counts requests in fixed windows of a minute, with the headers of Laravel's throttle. */
function rateLimiter(limit: number) {
  let [hits, endsAt] = [0, 0];
  return (now: number): Readonly<Record<string, string>> => {
    // If the clock was set back, the end of the window is too far in the future.
    if (now >= endsAt || endsAt > now + 2 * MINUTE) [hits, endsAt] = [0, now + MINUTE];
    hits += 1;
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - hits)),
      ...(hits > limit && {
        'retry-after': String(Math.max(1, Math.ceil((endsAt - now) / 1000))),
        'x-ratelimit-reset': String(Math.ceil(endsAt / 1000)),
      }),
    };
  };
}

function elsewhere({ url: address, server }: FastifyRequest, reply: FastifyReply) {
  const path = address.replace(/\/?(?:\?.*)?$/s, '');
  const url = dirname(path) === WEBSITES_PATH ? RECORD_PATH : path;
  const allow = METHODS.filter((method) => server.hasRoute({ method, url })).join(', ');
  if (allow === '') return refused(404, { message: '' });
  reply.header('allow', allow);
  return failed(405, `Allowed methods: ${allow}.`);
}
