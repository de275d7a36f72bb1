/**
 * What every request gets, whatever becomes of it: an id in its answer, and one entry in the log. Also one that is
 * refused while it is read, before the framework knows of it. And a bound on what one connection has in flight.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withoutLogin } from '../util/redact.ts';
import type { AccessLog } from './log.ts';
import { answerTo, send, toJson } from './responses.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the service failed of. */
    failure: Error | null;
  }
}

interface Peer {
  readonly client: string | null;
  /** Requests without an answer, or whose answers are not read, and when they came. */
  readonly open: Map<FastifyRequest, number>;
  latest?: FastifyRequest;
  /** Answers what could not be read: after the whole requests before it, since answers go out in their order. */
  refuse?: () => void;
}

/** The status of a request whose sender went away before its answer: nobody is sent it. */
const GONE = 499;
const REQUEST_ID_HEADER = 'x-request-id';
/** Short, no key, and nothing that a log or a terminal would take for more than a name. */
const SANE_ID = /^(?!.*wsk_)[\w.:+/=@-]{1,128}$/;

/** The id that the sender, or a proxy before us, gave the request, if it is a sane one; otherwise a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
}

/** A connection with more than `maxPipelined` open requests is ended. */
export function access(log: AccessLog, now: () => number, maxPipelined: number) {
  const connections = new Map<Socket, Peer>();

  /** Logs an answer, of a request once. */
  function end(status: number, { client, open }: Peer, id: string, request?: FastifyRequest): void {
    const since = request && open.get(request);
    if (request && !open.delete(request)) return;
    const failure = status < 500 ? null : request?.failure;
    const error = failure?.[status === 500 ? 'stack' : 'message'];
    log({
      time: new Date(now()).toISOString(),
      level: failure ? 'error' : 'info',
      status,
      request: id,
      client,
      method: request?.method ?? null,
      path: shownPath(request?.url),
      milliseconds: since ? Math.max(0, now() - since) : null,
      ...(error === undefined ? {} : { error }),
    });
  }

  function follow(request: FastifyRequest, reply: FastifyReply, connection: Peer): void {
    connection.open.set(request, now());
    connection.latest = request;
    reply.header(REQUEST_ID_HEADER, request.id);
    reply.raw.once('close', () => {
      end(reply.raw.writableFinished ? reply.statusCode : GONE, connection, request.id, request);
      refuseIfDue(connection);
    });
  }

  /** For what is not HTTP, too large in its headers, or too slow (Fastify's `clientErrorHandler`). */
  function refuseUnread(error: Error & { code?: string }, socket: Socket): void {
    const connection = connections.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || connection === undefined) {
      socket.destroy();
      return;
    }
    connection.refuse ??= () => {
      if (!socket.writable) return;
      const [begun] = connection.open.keys();
      // The rest of a request that was answered already, as one without a key is.
      if (begun === undefined && connection.latest?.raw.complete === false) {
        socket.destroySoon();
        return;
      }
      const id = begun?.id ?? randomUUID();
      end(statusOf(error), connection, id, begun);
      writeRefusal(socket, statusOf(error), id);
    };
    refuseIfDue(connection);
  }

  function begin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const { socket } = request.raw;
    const connection = connections.get(socket);
    // What was parsed before its connection ended still comes here.
    if (connection === undefined || socket.destroyed) return;
    follow(request, reply, connection);
    if (connection.open.size <= maxPipelined) {
      done();
      return;
    }
    for (const unanswered of connection.open.keys()) end(GONE, connection, unanswered.id, unanswered);
    stopParsing(socket);
    socket.destroy();
  }

  return {
    refuseUnread,
    /** For an address that cannot be read (Fastify's `frameworkErrors`). */
    refuseAddress(error: Error, request: FastifyRequest, reply: FastifyReply): void {
      const connection = connections.get(request.raw.socket);
      if (connection !== undefined) follow(request, reply, connection);
      send(reply, answerTo(error));
    },
    /** Adds hooks and listeners to `app`; to be called before others are added. */
    attach(app: FastifyInstance): void {
      app.decorateRequest('failure', null);
      app.addHook('onRequest', begin);
      app.addHook('onError', (request, _reply, error, done) => {
        request.failure = error;
        done();
      });
      app.server.on('connection', (socket: Socket) => {
        // A connection that has ended no longer knows its address.
        connections.set(socket, { client: socket.remoteAddress ?? null, open: new Map() });
        socket.once('close', () => connections.delete(socket));
      });
      // Node would answer these by itself, and the log would not have them.
      app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
      // Node takes connections that have sent nothing yet for requests in flight.
      app.addHook('preClose', (done) => {
        for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
        done();
      });
    },
  };
}

function refuseIfDue({ open, refuse }: Peer): void {
  // A delete does not wait for its payload.
  if (![...open.keys()].some(({ raw }) => raw.complete || raw.method === 'DELETE')) refuse?.();
}

/**
 * Node would make objects of thousands of requests more that have come in the same piece: gigabytes. 2 says that what
 * follows is no HTTP, so that the parser stops. Node does not promise `onIncoming`; without it, this only costs memory.
 */
function stopParsing(socket: Socket & { parser?: { onIncoming?: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
}

/** As long as a key at the least, and longer than any part of a path that is served. */
const MAY_BE_KEY = /[^/]{16,}/g;

/** Without query, without login if it is a whole address, and without what may be a key. */
function shownPath(url: string | undefined): string | null {
  if (url === undefined) return null;
  const [path = ''] = withoutLogin(url).split(/[?#]/, 1);
  return path.replaceAll(MAY_BE_KEY, '…');
}

function statusOf({ code }: { code?: string }): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

/** There is no request to reply to, so the answer is written by hand. */
function writeRefusal(socket: Socket, status: number, id: string): void {
  const text = toJson(answerTo({ statusCode: status }).body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `${REQUEST_ID_HEADER}: ${id}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
      `Connection: close\r\n\r\n${text}`,
  );
  socket.destroySoon();
}
