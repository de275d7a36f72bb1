/** Gives every request an ID and one log entry, and limits the requests in flight on one connection. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withoutLogin } from '../util/redact.ts';
import type { AccessLog } from './log.ts';
import { answerTo, sendError } from './responses.ts';

declare module 'fastify' {
  interface FastifyRequest {
    failure?: Error;
  }
}

interface Peer {
  readonly client: string | null;
  /** Requests whose response is not sent or not yet read by the client, with their arrival times. */
  readonly open: Map<FastifyRequest, number>;
  latest?: FastifyRequest;
  /** Responds to an unreadable request after the requests before it: responses must keep the order of requests. */
  refuse?: () => void;
}

/** Status in the log if the client disconnected before the response. */
const GONE = 499;
const REQUEST_ID_HEADER = 'x-request-id';
/** Characters that are safe in a log and in a terminal. Excludes API keys. */
const SANE_ID = /^(?!.*wsk_)[\w.:+/=@-]{1,128}$/;

/** Returns the ID that the client or a proxy sent, if it is valid; otherwise a new ID. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
}

/** Logs each request, including unreadable ones, and closes a connection with more than `maxPipelined` open requests. */
export function access(log: AccessLog, now: () => number, maxPipelined: number) {
  const connections = new Map<Socket, Peer>();

  function end(status: number, { client, open }: Peer, id: string, request?: FastifyRequest): void {
    const since = request && open.get(request);
    if (request && !open.delete(request)) return;
    const failure = status < 500 ? null : request?.failure;
    log({
      time: new Date(now()).toISOString(),
      level: failure ? 'error' : 'info',
      status,
      request: id,
      client,
      method: request?.method ?? null,
      path: shownPath(request?.url),
      milliseconds: since ? Math.max(0, now() - since) : null,
      error: failure?.[status === 500 ? 'stack' : 'message'],
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

  /** Handles requests that are not HTTP, too slow, or have too large headers (Fastify's `clientErrorHandler`). */
  function refuseUnread(error: Error & { code?: string }, socket: Socket): void {
    const connection = connections.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || connection === undefined) {
      socket.destroy();
      return;
    }
    connection.refuse ??= () => {
      if (!socket.writable) return;
      const [openRequest] = connection.open.keys();
      // This is the rest of a request that already got a response, for example because it had no key.
      if (openRequest === undefined && connection.latest?.raw.complete === false) {
        socket.destroySoon();
        return;
      }
      const id = openRequest?.id ?? randomUUID();
      end(statusOf(error), connection, id, openRequest);
      writeRefusal(socket, statusOf(error), id);
    };
    refuseIfDue(connection);
  }

  function begin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const { socket } = request.raw;
    const connection = connections.get(socket);
    // A request may arrive here after its connection was closed.
    if (connection === undefined || socket.destroyed) return;
    follow(request, reply, connection);
    if (connection.open.size <= maxPipelined) {
      done();
      return;
    }
    for (const unanswered of connection.open.keys()) end(GONE, connection, unanswered.id, unanswered);
    // Makes Node's parser stop (2 means "not HTTP"). Otherwise Node would create objects for thousands of requests in
    // the same chunk and use gigabytes. If Node removes the undocumented `onIncoming`, only the saving is lost.
    const { parser } = socket as Socket & { parser?: { onIncoming?: () => number } | null };
    if (parser) parser.onIncoming = () => 2;
    socket.destroy();
  }

  return {
    refuseUnread,
    /** Handles an invalid URL (Fastify's `frameworkErrors`). */
    refuseAddress(error: Error, request: FastifyRequest, reply: FastifyReply): void {
      const connection = connections.get(request.raw.socket);
      if (connection !== undefined) follow(request, reply, connection);
      sendError(reply, error);
    },
    /** Adds hooks and listeners to `app`. Must be called before other hooks are added. */
    attach(app: FastifyInstance): void {
      app.addHook('onRequest', begin);
      app.server.on('connection', (socket: Socket) => {
        // Stored now, because a closed connection no longer has an address.
        connections.set(socket, { client: socket.remoteAddress ?? null, open: new Map() });
        socket.once('close', () => connections.delete(socket));
      });
      // Node would answer these requests itself, without a log entry.
      app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
      // Node waits for connections that have sent nothing as if they had a request in flight.
      app.addHook('preClose', (done) => {
        for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
        done();
      });
    },
  };
}

function refuseIfDue({ open, refuse }: Peer): void {
  // Waits for open requests that arrived completely, and for deletes, which are answered before their body arrives.
  if (![...open.keys()].some(({ raw }) => raw.complete || raw.method === 'DELETE')) refuse?.();
}

/** A key has at least 16 characters. No part of a valid path is that long. */
const MAY_BE_KEY = /[^/]{16,}/g;

/** Removes the query, credentials, and parts of the path that may be an API key. */
function shownPath(url: string | undefined): string | null {
  if (url === undefined) return null;
  const [path = ''] = withoutLogin(url).split(/[?#]/, 1);
  return path.replaceAll(MAY_BE_KEY, '…');
}

function statusOf({ code }: { code?: string }): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

/** Writes the response directly to the socket, because no request was parsed. */
function writeRefusal(socket: Socket, status: number, id: string): void {
  const text = JSON.stringify(answerTo({ statusCode: status }).body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `${REQUEST_ID_HEADER}: ${id}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
      `Connection: close\r\n\r\n${text}`,
  );
  socket.destroySoon();
}
