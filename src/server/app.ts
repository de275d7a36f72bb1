/** The HTTP side of the service: limits, what every answer has, and the routes. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { boundConnections } from '../util/node/connections.ts';
import { access } from './access.ts';
import type { Limits } from './limits.ts';
import type { AccessLog } from './log.ts';
import { addPublicRoutes } from './public-routes.ts';
import { requestId } from './request-id.ts';
import { answerTo, failed, send } from './responses.ts';
import { addRoutes } from './routes.ts';
import type { Store } from './store.ts';

export interface AppOptions {
  readonly limits: Limits;
  /** Is told of every request and its answer. */
  readonly log: AccessLog;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Requests with the key a minute; 0 is no limit. */
  readonly rateLimit: number;
  /** Whether answers say what failed: where whoever asks runs the service, and has no other log. */
  readonly tellsFailures: boolean;
}

const BODY_BYTES = 1024 * 1024;
const HEADER_BYTES = 16 * 1024;

export function buildApp(
  store: Store,
  isKey: (presented: string) => boolean,
  options: AppOptions,
): FastifyInstance {
  const { limits, log, now, rateLimit, tellsFailures } = options;
  const { attach, refuseUnread, refuseAddress, noteEnded } = access(log, now);
  const app = Fastify({
    bodyLimit: BODY_BYTES,
    requestTimeout: limits.request,
    connectionTimeout: limits.silence,
    keepAliveTimeout: limits.idle,
    http: {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: limits.request,
      connectionsCheckingInterval: Math.min(1000, limits.request),
      // Refused below, where it gets an id and an entry in the log.
      requireHostHeader: false,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: HEADER_BYTES },
    // A request that comes on an open connection while the service closes is carried out.
    return503OnClosing: false,
    genReqId: requestId,
    requestIdHeader: false,
    clientErrorHandler: refuseUnread,
    frameworkErrors: (error, request, reply) =>
      refuseAddress(error, request as FastifyRequest, reply as unknown as FastifyReply),
  });
  boundConnections(app.server, limits, noteEnded);
  attach(app);
  app.addHook('onRequest', async (request, reply) => {
    const { httpVersion, headers } = request.raw;
    if (httpVersion !== '1.0' && headers.host === undefined) {
      return send(reply, failed(400, 'The request has no Host header.'));
    }
  });
  app.setErrorHandler((error, _request, reply) => send(reply, answerTo(error, tellsFailures)));
  let closing = false;
  const endSilent = silentConnections(app.server);
  app.addHook('preClose', (done) => {
    closing = true;
    endSilent();
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  addPublicRoutes(app, store, () => closing);
  addRoutes(app, store, isKey, now, rateLimit);
  return app;
}

/** Returns what ends the connections that have sent nothing yet: Node takes them for requests under way. */
function silentConnections(server: Server): () => void {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return () => {
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  };
}
