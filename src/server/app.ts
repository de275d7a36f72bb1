import Fastify, { type FastifyInstance } from 'fastify';
import { access, requestId } from './access.ts';
import type { AccessLog } from './log.ts';
import { answerTo, failed, send } from './responses.ts';
import { type ApiOptions, addRoutes } from './routes.ts';
import { BUSY_TIMEOUT } from './store.ts';

/** Limits of the service; times in milliseconds. */
export const LIMITS = {
  /** A request has to arrive in this time. Also limits silence while one is in flight. */
  request: 30_000,
  silence: 120_000,
  /** A connection without a request ends after a proxy in front would end it. */
  idle: 75_000,
  /** Waits for a write of another process, and for requests in flight at the end. */
  busy: BUSY_TIMEOUT,
  drain: 10_000,
  connections: 1000,
  /** Requests of one connection without a response, or with an unread one. */
  pipelined: 16,
};

export interface AppOptions extends ApiOptions {
  readonly limits: Readonly<typeof LIMITS>;
  readonly log: AccessLog;
  /** Responses contain failures, for a user without another log. */
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
      // Refused below, with an ID and an entry in the log.
      requireHostHeader: false,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: HEADER_BYTES },
    // Requests on open connections are carried out while the service closes.
    return503OnClosing: false,
    genReqId: requestId,
    requestIdHeader: false,
    clientErrorHandler: refuseUnread,
    frameworkErrors: refuseAddress as never,
  });
  app.server.maxConnections = limits.connections;
  attach(app);
  app.addHook('onRequest', async (request, reply) => {
    const { httpVersion, headers } = request.raw;
    if (httpVersion !== '1.0' && headers.host === undefined) {
      return send(reply, failed(400, 'The request has no Host header.'));
    }
  });
  app.setErrorHandler((error, _request, reply) => send(reply, answerTo(error, showsFailures)));
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!app.server.listening) reply.header('connection', 'close');
    done(null, payload);
  });
  addRoutes(app, options);
  return app;
}
