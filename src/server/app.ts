import Fastify, { type FastifyInstance } from 'fastify';
import { access, requestId } from './access.ts';
import type { AccessLog } from './log.ts';
import { failed, sendError } from './responses.ts';
import { type ApiOptions, addRoutes } from './routes.ts';
import { BUSY_TIMEOUT } from './store.ts';

/** Limits of the service. Times are in milliseconds. */
export const LIMITS = {
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
  busy: BUSY_TIMEOUT,
  drain: 10_000,
  connections: 1000,
  /** Maximum number of requests on one connection whose response is not sent or not yet read by the client. */
  pipelined: 16,
};

export interface AppOptions extends ApiOptions {
  readonly limits: Readonly<typeof LIMITS>;
  readonly log: AccessLog;
  /** If true, a response contains the error of the service, for a user who sees no log. */
  readonly showsFailures: boolean;
}

const BODY_BYTES = 1024 * 1024;
const HEADER_BYTES = 16 * 1024;

export function buildApp({ limits, log, showsFailures, ...options }: AppOptions): FastifyInstance {
  const { attach, refuseUnread, refuseAddress } = access(log, options.now, limits.pipelined);
  const app = Fastify({
    bodyLimit: BODY_BYTES,
    requestTimeout: limits.request,
    connectionTimeout: limits.silence,
    keepAliveTimeout: limits.idle,
    http: {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: limits.request,
      connectionsCheckingInterval: Math.min(1000, limits.request),
      // Requests without a host are refused below instead, with an ID and a log entry.
      requireHostHeader: false,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: HEADER_BYTES },
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
  app.setErrorHandler((error, _request, reply) => sendError(reply, error, showsFailures));
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!app.server.listening) reply.header('connection', 'close');
    done(null, payload);
  });
  addRoutes(app, options);
  return app;
}
