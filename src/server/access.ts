/**
 * What every request gets, whatever becomes of it: an id in its answer, and one entry in the log. Also one that is
 * refused while it is read, before the framework knows of it. And a bound on what one connection has in flight.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withoutLogin } from '../util/redact.ts';
import type { AccessLog, LogEntry } from './log.ts';
import { answerTo, send, toJson } from './responses.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** When it came, in milliseconds since 1970. */
    since: number;
    /** What the service failed of. */
    failure: Error | null;
  }
}

export interface Access {
  /** Adds hooks and listeners to `app`; to be called before others are added. */
  attach(app: FastifyInstance): void;
  /** Answers what has an address that cannot be read (Fastify's `frameworkErrors`). */
  refuseAddress(error: Error, request: FastifyRequest, reply: FastifyReply): void;
  /** Answers what is not HTTP, too large in its headers, or too slow (Fastify's `clientErrorHandler`). */
  refuseUnread(error: Error & { code?: string }, socket: Socket): void;
}

interface Connection {
  readonly client: string | null;
  /** Requests without an answer, or whose answers are not read. */
  readonly open: Set<FastifyRequest>;
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

/** `now` is the clock, in milliseconds since 1970. A connection with more than `maxPipelined` open requests is ended. */
export function access(log: AccessLog, now: () => number, maxPipelined: number): Access {
  const connections = new WeakMap<Socket, Connection>();
  const entered = new WeakSet<FastifyRequest>();

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    // A connection that has ended no longer knows its address.
    const connection = { client: socket.remoteAddress ?? null, open: new Set<FastifyRequest>() };
    connections.set(socket, connection);
    return connection;
  }

  function enter(request: FastifyRequest, status: number): void {
    if (entered.has(request)) return;
    entered.add(request);
    log({
      ...outcome(status, status < 500 ? null : request.failure),
      request: request.id,
      client: connectionOf(request.raw.socket).client,
      method: request.method,
      path: shownPath(request.url),
      milliseconds: request.since === undefined ? null : Math.max(0, now() - request.since),
    });
  }

  function outcome(
    status: number,
    failure?: Error | null,
  ): Pick<LogEntry, 'time' | 'level' | 'status' | 'error'> {
    const time = new Date(now()).toISOString();
    if (!failure) return { time, level: 'info', status };
    const { message, stack = message } = failure;
    return { time, level: 'error', status, error: status === 500 ? stack : message };
  }

  function refuseUnread(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const connection = connectionOf(socket);
    connection.refuse ??= () => {
      const { client, open, latest } = connection;
      if (!socket.writable) return;
      // The rest of a request that was answered already, as one without a key is.
      if (latest !== undefined && !latest.raw.complete && !open.has(latest)) {
        socket.destroySoon();
        return;
      }
      const begun = [...open].find((request) => !isWhole(request));
      const id = begun?.id ?? randomUUID();
      const status = statusOf(error);
      if (begun !== undefined) enter(begun, status);
      else log({ ...outcome(status), request: id, client, method: null, path: null, milliseconds: null });
      writeRefusal(socket, status, id);
    };
    refuseIfDue(connection);
  }

  function begin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const { socket } = request.raw;
    // What was parsed before its connection ended still comes here.
    if (socket.destroyed) return;
    const connection = connectionOf(socket);
    request.since = now();
    if (connection.open.size >= maxPipelined) {
      for (const unanswered of [...connection.open, request]) enter(unanswered, GONE);
      stopParsing(socket);
      socket.destroy();
      return;
    }
    connection.open.add(request);
    connection.latest = request;
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) enter(request, GONE);
      connection.open.delete(request);
      refuseIfDue(connection);
    });
    reply.header(REQUEST_ID_HEADER, request.id);
    done();
  }

  return {
    refuseUnread,
    refuseAddress: (error, request, reply) => {
      const answer = answerTo(error);
      enter(request, answer.status);
      send(reply.header(REQUEST_ID_HEADER, request.id), answer);
    },
    attach: (app) => {
      app.decorateRequest('since', 0);
      app.decorateRequest('failure', null);
      app.addHook('onRequest', begin);
      app.addHook('onError', (request, _reply, error, done) => {
        request.failure = error;
        done();
      });
      app.addHook('onResponse', (request, reply, done) => {
        enter(request, reply.statusCode);
        done();
      });
      // Node would answer these by itself, and the log would not have them.
      app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
    },
  };
}

/** A delete does not wait for its payload. */
function isWhole({ raw }: FastifyRequest): boolean {
  return raw.complete || raw.method === 'DELETE';
}

function refuseIfDue({ open, refuse }: Connection): void {
  if (refuse !== undefined && ![...open].some(isWhole)) refuse();
}

/**
 * Node would make objects of thousands of requests more that have come in the same piece, and keep them until it closes
 * connections, after it has read from all: gigabytes. 2 says that what follows is no HTTP, so that the parser stops.
 * Its `onIncoming` is nothing that Node promises; without it, this costs memory and breaks nothing.
 */
function stopParsing(socket: Socket & { parser?: { onIncoming?: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
}

/** As long as a key at the least, and longer than any part of a path that is served. */
const MAY_BE_KEY = /[^/]{16,}/g;

/** Without query, without login if it is a whole address, and without what may be a key. */
function shownPath(url: string): string {
  const [path = ''] = withoutLogin(url).split(/[?#]/, 1);
  return path.replaceAll(MAY_BE_KEY, '…');
}

function statusOf({ code }: { code?: string }): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

/** There is no request to reply to, so the answer is written by hand. */
function writeRefusal(socket: Socket, statusCode: number, id: string): void {
  const { status, body } = answerTo({ statusCode });
  const text = toJson(body);
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `${REQUEST_ID_HEADER}: ${id}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
      `Connection: close\r\n\r\n${text}`,
  );
  socket.destroySoon();
}
