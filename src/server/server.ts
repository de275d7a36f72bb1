import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { reasonOf, WebsitesError } from '../model/errors.ts';
import { access, requestId } from './access.ts';
import { authenticator, ensureKeyFile } from './key.ts';
import type { AccessLog } from './log.ts';
import { failed, sendError } from './responses.ts';
import { type ApiOptions, addRoutes } from './routes.ts';
import { MAX_BUSY_MS, openStore } from './store.ts';

/** Limits of the service. Times are in milliseconds. */
const LIMITS = {
  /**
   * `request`: a request must arrive completely in this time. `silence`: a connection with a request in flight may be
   * silent this long.
   */
  request: 30_000,
  silence: 120_000,
  /** An idle connection is closed after this time. A proxy in front of the service should close it earlier. */
  idle: 75_000,
  /**
   * `busy`: maximum wait for a write of another process. `drain`: maximum wait for requests in flight when the
   * service closes.
   */
  busy: MAX_BUSY_MS,
  drain: 10_000,
  connections: 1000,
  /** Maximum number of requests on one connection whose response is not sent or not yet read by the client. */
  pipelined: 16,
};

interface AppOptions extends ApiOptions {
  readonly limits: Readonly<typeof LIMITS>;
  readonly log: AccessLog;
  /** If true, a response contains the error of the service, for a user who sees no log. */
  readonly showsFailures: boolean;
}

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

function buildApp({ limits, log, showsFailures, ...options }: AppOptions): FastifyInstance {
  const { attach, refuseUnread, refuseAddress } = access(log, options.now, limits.pipelined);
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: limits.request,
    connectionTimeout: limits.silence,
    keepAliveTimeout: limits.idle,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.request,
      connectionsCheckingInterval: Math.min(1000, limits.request),
      // Requests without a host are refused below instead, with an ID and a log entry.
      requireHostHeader: false,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_HEADER_BYTES },
    // While the service closes, requests on open connections are still carried out.
    return503OnClosing: false,
    genReqId: requestId,
    requestIdHeader: false,
    clientErrorHandler: refuseUnread,
    frameworkErrors: refuseAddress as never,
  });
  app.server.maxConnections = limits.connections;
  attach(app);
  app.addHook('onRequest', async ({ raw: { httpVersion, headers } }) => {
    if (httpVersion !== '1.0' && headers.host === undefined)
      throw failed(400, 'The request has no Host header.');
  });
  // Escapes slashes like PHP.
  app.setReplySerializer((body) => JSON.stringify(body).replaceAll('/', '\\/'));
  app.setErrorHandler<Error>((error, request, reply) => {
    request.failure = error;
    return sendError(reply, error, showsFailures);
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!app.server.listening) reply.header('connection', 'close');
    done(null, payload);
  });
  addRoutes(app, options);
  return app;
}

export interface ServiceOptions
  extends Partial<Pick<AppOptions, 'log' | 'now' | 'rateLimit' | 'showsFailures'>> {
  readonly db: string;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly key: string;
  readonly limits?: Partial<typeof LIMITS>;
}

const DEFAULTS = { log: () => undefined, now: Date.now, rateLimit: 0, showsFailures: false };

/**
 * Throws a WebsitesError: `store-failed`, `address-in-use`, or `usage` for an address that is not available or an
 * invalid key.
 */
export async function startService(options: ServiceOptions) {
  const { port } = options;
  const host = addressOf(options.host ?? '127.0.0.1');
  const limits = { ...LIMITS, ...options.limits };
  const isKey = authenticator(options.key);
  const store = await openStore(options.db, limits.busy);
  try {
    const app = buildApp({ ...DEFAULTS, ...options, store, isKey, limits });
    const url = await app.listen({ host, port }).catch(listenFailed(host, port));
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      const deadline = setTimeout(() => app.server.closeAllConnections(), limits.drain);
      await app.close();
      clearTimeout(deadline);
      await store.close();
    };
    /** `close` refuses new connections, finishes requests in flight, and closes the database. */
    return { url, store, close: () => (closed ??= close()) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Starts the embedded service of one project (decision: "The service ships with the tool") on any free port of
 * 127.0.0.1. Its database is `folder`/local.db, its key is in `folder`/local.key; missing files are created, also by
 * several processes at once. `identity` stays the same while the database exists. Throws a WebsitesError:
 * `file-failed` or `store-failed`.
 */
export async function startLocal(folder: string, warn?: (text: string) => void) {
  const key = await ensureKeyFile(join(folder, 'local.key'), warn);
  const db = join(folder, 'local.db');
  const { url, store, close } = await startService({ db, port: 0, key, showsFailures: true });
  return { url, key, identity: `local:${store.id}`, close };
}

/**
 * Replaces `localhost`: Fastify would start a second server for it, without limits or log, and not wait for its end.
 */
function addressOf(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** Throws like startService, before anything is written. */
export async function checkPort(host: string, port: number): Promise<void> {
  const probe = Fastify();
  await probe.listen({ host: addressOf(host), port }).catch(listenFailed(host, port));
  await probe.close();
}

function listenFailed(host: string, port: number): (error: unknown) => never {
  return (error) => {
    const isUsed = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const text = isUsed
      ? `Port ${port} of ${host} is in use by another program.`
      : `Cannot listen on port ${port} of ${host}: ${reasonOf(error)}.`;
    const remedy = isUsed
      ? 'End that program, or pass another port with --port. 0 means any free port.'
      : 'Pass a host and a port of this machine with --host and --port.';
    throw new WebsitesError(isUsed ? 'address-in-use' : 'usage', text, { remedy, cause: error });
  };
}
