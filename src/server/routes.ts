/** The five operations (specification, section 4), public paths, and responses to all other requests. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import document from '../../docs/openapi.json' with { type: 'json' };
import { FORM_TYPE, WEBSITES_PATH } from '../model/contract.ts';
import { FIELD_NAMES, FIELDS, type FieldName, PRIVACY } from '../model/field-table.ts';
import { formatInstant } from '../model/instant.ts';
import { failed, invalid, NO_RECORD, one, page, Refused, type ServerAnswer, send } from './responses.ts';
import {
  checkForm,
  createSchema,
  DEFAULTS,
  type Form,
  listSchema,
  parseForm,
  type Refusals,
  type Submitted,
  updateSchema,
} from './schema.ts';
import type { StoredCell } from './sqlite.ts';
import type { Store, StoredSettings } from './store.ts';

const PUBLIC_PATHS = ['/healthz', '/readyz', '/openapi.json'];
const RECORD_PATH = `${WEBSITES_PATH}/:id`;

const METHODS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(?:${PUBLIC_PATHS.join('|')})$`), 'GET, HEAD'],
  [new RegExp(`^${WEBSITES_PATH}$`), 'GET, HEAD, POST'],
  [new RegExp(`^${WEBSITES_PATH}/[^/]*$`), 'GET, HEAD, PUT, PATCH, DELETE'],
];

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
    if (request.is404) return send(reply, elsewhere(request));
    if (PUBLIC_PATHS.includes(request.routeOptions.url ?? '')) return;
    // Syntax of the header: RFC 6750, section 2.1.
    const presented = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (presented === undefined || !isKey(presented)) {
      return send(reply, { status: 401, body: { message: 'Unauthenticated.' } });
    }
    if (rateLimit === 0) return;
    const { headers, isExceeded } = countRequest(clock());
    reply.headers(headers);
    if (isExceeded) return send(reply, { status: 429, body: { message: 'Too Many Attempts.' } });
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseForm('form', body),
  );
  // Needed because a delete has no body (specification, section 4), even if the client sends a content type.
  app.addHttpMethod('DELETE', { overrideExisting: true });

  const by = (answer: (request: FastifyRequest) => Promise<ServerAnswer>) => {
    return async (request: FastifyRequest, reply: FastifyReply) => send(reply, await answer(request));
  };
  app.get(WEBSITES_PATH, by(list));
  app.post(WEBSITES_PATH, by(create));
  app.get(RECORD_PATH, by(read));
  app.put(RECORD_PATH, by(update));
  app.patch(RECORD_PATH, by(update));
  app.delete(RECORD_PATH, by(remove));
  app.get('/healthz', by(health));
  app.get('/readyz', by(ready));
  const openApi = Buffer.from(JSON.stringify(document));
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(openApi));

  async function list(request: FastifyRequest): Promise<ServerAnswer> {
    const query = parseForm('query', Buffer.from(request.url.split('?').slice(1).join('?')));
    const given = new Map(
      [...query].map(([name, text]) => [name, text.trim()] as const).filter(([, text]) => text !== ''),
    );
    const wanted = await checkForm(listSchema, given);
    const address = `${request.protocol}://${request.host || 'localhost'}${WEBSITES_PATH}`;
    return page(await store.list(wanted), wanted, address, query);
  }

  async function create(request: FastifyRequest): Promise<ServerAnswer> {
    const values = await checkForm(createSchema, formOf(request));
    const now = formatInstant(clock());
    const settled = settle(DEFAULTS, values, now);
    if ('refused' in settled) return invalid(settled.refused);
    const website = await store.create(values.domain, settled.settings, now);
    if (website === 'taken') return invalid({ domain: ['This domain is already being used.'] });
    return one(website, 201);
  }

  async function read(request: FastifyRequest): Promise<ServerAnswer> {
    const website = await store.read(recordId(request));
    return website === undefined ? NO_RECORD : one(website);
  }

  async function update(request: FastifyRequest): Promise<ServerAnswer> {
    const submitted = await checkForm(updateSchema, formOf(request));
    if (Object.keys(submitted).length === 0) return read(request);
    const id = recordId(request);
    const now = formatInstant(clock());
    const website = await store.update(id, (current) => settle(current, submitted, now), now);
    if (website === undefined) return NO_RECORD;
    return 'refused' in website ? invalid(website.refused) : one(website);
  }

  async function remove(request: FastifyRequest): Promise<ServerAnswer> {
    const id = recordId(request);
    if (!(await store.remove(id))) return NO_RECORD;
    return { status: 200, body: { id, object: 'website', deleted: true, status: 200 } };
  }

  async function ready(request: FastifyRequest): Promise<ServerAnswer> {
    const healthy = await health(request);
    return app.server.listening ? healthy : { status: 503, body: { status: 'closing' } };
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

/** A write without a body counts as an empty form. */
function formOf({ body }: FastifyRequest): Form {
  return body instanceof Map ? body : new Map();
}

/**
 * Settings that were not submitted keep their values. `now` becomes the time of a new presence; an existing presence
 * keeps its time.
 */
function settle(
  current: StoredSettings,
  submitted: Readonly<Record<string, Submitted | undefined>>,
  now: string,
): { settings: StoredSettings } | { refused: Refusals } {
  const settings: Record<FieldName, StoredCell> = { ...current };
  for (const name of FIELD_NAMES) {
    const value = FIELDS[name].wire.map((wire) => submitted[wire]).find((one) => one !== undefined);
    if (value !== undefined) settings[name] = value === true ? (current[name] ?? now) : value;
  }
  return settings.privacy === PRIVACY.password && settings.password === null
    ? { refused: { password: ['The password field is required when privacy is 2.'] } }
    : { settings };
}

/** Throws Refused if the ID in the URL is not a valid record ID. */
function recordId(request: FastifyRequest): number {
  const { id } = request.params as { id: string };
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new Refused(NO_RECORD);
  return Number(id);
}

const MINUTE = 60_000;

/** Counts requests in fixed windows of a minute, with the headers of Laravel's throttle. */
function rateLimiter(limit: number) {
  let [hits, endsAt] = [0, 0];
  return (now: number): { isExceeded: boolean; headers: Readonly<Record<string, string>> } => {
    // If the clock was set back, the end of the window is too far in the future.
    if (now >= endsAt || endsAt > now + 2 * MINUTE) [hits, endsAt] = [0, now + MINUTE];
    hits += 1;
    const isExceeded = hits > limit;
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - hits)),
      ...(isExceeded && {
        'retry-after': String(Math.max(1, Math.ceil((endsAt - now) / 1000))),
        'x-ratelimit-reset': String(Math.ceil(endsAt / 1000)),
      }),
    };
    return { isExceeded, headers };
  };
}

function elsewhere({ url }: FastifyRequest): ServerAnswer {
  const path = url.replace(/\?.*$/s, '').replace(/\/$/, '');
  const [, allow] = METHODS.find(([pattern]) => pattern.test(path)) ?? [];
  return allow === undefined
    ? { status: 404, body: { message: '' } }
    : { ...failed(405, `Allowed methods: ${allow}.`), headers: { allow } };
}
