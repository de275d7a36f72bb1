/**
 * What every request gets, whatever becomes of it: an id in its answer, and one entry in the log. Also
 * one that is refused while it is read, before the framework knows of it.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withoutLogin } from '../util/redact.ts';
import type { AccessLog, LogEntry } from './log.ts';
import { unanswered } from './pending-requests.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';
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
  /** Enters a connection that was ended for want of room. */
  noteEnded(socket: Socket, reason: string): void;
}

/** The status of a request whose sender went away before its answer: nobody is sent it. */
const GONE = 499;

/** `now` is the clock, in milliseconds since 1970. */
export function access(log: AccessLog, now: () => number): Access {
  const underway = unanswered();
  const entered = new WeakSet<FastifyRequest>();

  function enter(request: FastifyRequest, status: number): void {
    if (entered.has(request)) return;
    entered.add(request);
    log({
      ...outcome(status, request.failure),
      request: request.id,
      client: request.ip ?? null,
      method: request.method,
      path: shownPath(request.url),
      milliseconds: request.since === undefined ? null : Math.max(0, now() - request.since),
    });
  }

  function enterUnread(id: string, client: string | undefined, status: number | null, error?: Error): void {
    const unknown = { method: null, path: null, milliseconds: null };
    log({ ...outcome(status, error), request: id, client: client ?? null, ...unknown });
  }

  function outcome(
    status: number | null,
    failure?: Error | null,
  ): Pick<LogEntry, 'time' | 'level' | 'status' | 'error'> {
    const time = new Date(now()).toISOString();
    if (!failure) return { time, level: 'info', status };
    const { message, stack } = failure;
    // Nor is a flood of connections a failure of ours: it must not fill a log that nobody asked for.
    if (status === null) return { time, level: 'info', status, error: message };
    // Below 500 it is the sender's mistake.
    if (status < 500) return { time, level: 'info', status };
    return { time, level: 'error', status, error: status === 500 ? (stack ?? message) : message };
  }

  function refuseUnread(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    underway.afterAnswers(socket, () => {
      if (!socket.writable) return;
      if (underway.isRest(socket)) {
        socket.destroySoon();
        return;
      }
      const request = underway.begun(socket);
      const id = request?.id ?? randomUUID();
      const status = statusOf(error);
      if (request === undefined) enterUnread(id, socket.remoteAddress, status);
      else enter(request, status);
      writeRefusal(socket, status, id);
    });
  }

  return {
    refuseUnread,
    noteEnded: (socket, reason) => enterUnread(randomUUID(), socket.remoteAddress, null, new Error(reason)),
    refuseAddress: (error, request, reply) => {
      const answer = answerTo(error);
      enter(request, answer.status);
      send(reply.header(REQUEST_ID_HEADER, request.id), answer);
    },
    attach: (app) => {
      app.decorateRequest('since', 0);
      app.decorateRequest('failure', null);
      app.addHook('onRequest', (request, reply, done) => {
        request.since = now();
        underway.add(request);
        reply.raw.once('close', () => {
          if (!reply.raw.writableFinished) enter(request, GONE);
          underway.remove(request);
        });
        reply.header(REQUEST_ID_HEADER, request.id);
        done();
      });
      app.addHook('onError', (request, _reply, error, done) => {
        request.failure = error;
        done();
      });
      app.addHook('onResponse', (request, reply, done) => {
        enter(request, reply.statusCode);
        done();
      });
      // A connection that has ended no longer knows its address, unless it was asked for before.
      app.server.on('connection', (socket: Socket) => void socket.remoteAddress);
      // Node would answer or end these by itself, and nobody would learn of it.
      app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
      app.server.on('connect', (_request, socket: Socket) => {
        // Node hears its errors no more, and one that nobody hears would end the process.
        socket.on('error', () => {});
        refuseUnread(new Error('CONNECT'), socket);
      });
    },
  };
}

/** As long as a key at the least, and longer than any part of a path that is served. */
const MAY_BE_KEY = /[^/]{16,}/g;

/** Without query, without login where it is a whole address, and without what may be a key. */
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
