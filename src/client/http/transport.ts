/**
 * Sends one request and returns its response. Never retries, never follows a redirect, and never throws for a network
 * failure: the result shows if the request was sent. undici calls `onRequestStart` right before it writes the first
 * byte. A create that ends before that was certainly not carried out.
 */
import { isUtf8 } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { type Body, startBody } from './body.ts';
import { Broken, brokenOff, type Head, MAX_BODY, type NoAnswer, notConnected } from './network-errors.ts';
import { openRoute, type RouteOptions } from './route.ts';

export interface Answer extends Head {
  readonly kind: 'answer';
  readonly body: string;
  /** False if the bytes are not UTF-8. Then `body` differs from what was sent. */
  readonly isUtf8: boolean;
}

export interface Address {
  readonly origin: string;
  readonly path: string;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly to: Address;
  readonly headers: readonly string[];
  /** `undefined` for a request without a body. A POST or PUT always has one, even if it is empty. */
  readonly body: string | undefined;
  /** Limit in milliseconds from the call to the end of the response. */
  readonly timeoutMs: number;
  readonly onSent?: (() => void) | undefined;
}

export type Transport = ReturnType<typeof createTransport>;

export interface TransportOptions extends RouteOptions {
  readonly connections: number;
}

/** Limits of undici. Its own timeouts are off (0), because its timers are too coarse. */
const LIMITS = {
  pipelining: 1,
  maxResponseSize: MAX_BODY,
  maxHeaderSize: 64 * 1024,
  headersTimeout: 0,
  bodyTimeout: 0,
  // Milliseconds. Many servers close an idle connection after 5 s, so this client closes it earlier, and half a
  // second before the time that the service announces.
  keepAliveTimeout: 4000,
  keepAliveMaxTimeout: 4000,
  keepAliveTimeoutThreshold: 500,
};

export function createTransport(options: TransportOptions) {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const origins = new Map<string, ReturnType<typeof openOrigin>>();
  const budget = { takenBytes: 0 };
  return {
    async send(request: Request): Promise<Answer | NoAnswer> {
      const { method, to, body = null } = request;
      const opened = origins.get(to.origin) ?? openOrigin(to.origin, options, closing.signal);
      origins.set(to.origin, opened);
      const { pool, route } = await opened;
      const headers = [...request.headers, ...route.headers];
      return dispatch({ method, path: route.before + to.path, headers, body }, request, pool, budget);
    },
    /** Closes every connection. Requests in flight fail as `broken`, and nothing more is sent. */
    close: (): void => closing.abort(new Error('the client was closed')),
  };
}

/** Loads undici on demand, because not every command sends requests. */
async function openOrigin(origin: string, options: TransportOptions, closing: AbortSignal) {
  const route = await openRoute(new URL(origin), options);
  const { Pool } = await import('undici');
  const pool = new Pool(origin, {
    ...LIMITS,
    connections: options.connections,
    connect(_to, done) {
      route.connect(closing).then(
        (socket) => done(null, socket),
        (error) => done(notConnected(error), null),
      );
    },
  });
  // After a failed connection, undici's own listener would remove it from the pool and then exceed the limit of
  // connections.
  pool.removeAllListeners('connectionError');
  const close = (): void => void pool.destroy();
  if (closing.aborted) close();
  else closing.addEventListener('abort', close);
  return { pool, route };
}

/**
 * Sends one request. Resolves at the end of its response; rejects if the request is invalid, in which case it was not
 * sent.
 */
function dispatch(
  request: Dispatcher.DispatchOptions,
  { timeoutMs, onSent }: Request,
  pool: Dispatcher,
  budget: { takenBytes: number },
): Promise<Answer | NoAnswer> {
  return new Promise((resolve, reject) => {
    let sending: Dispatcher.DispatchController | undefined;
    let head: Head | undefined;
    let isLate = false;
    let body: Body | undefined;

    function replyOf(error?: Error): Answer | NoAnswer {
      try {
        if (error !== undefined) throw error;
        const bytes = (body as Body).end();
        const text = bytes.toString('utf8').replace(/^\ufeff/, '');
        return { kind: 'answer', ...(head as Head), body: text, isUtf8: isUtf8(bytes) };
      } catch (failure) {
        const sent = sending !== undefined;
        const judge = sent ? brokenOff : notConnected;
        const { kind, message: reason } = judge(failure as Error, head !== undefined);
        return { kind, sent, ...head, reason };
      }
    }

    function end(error?: Error): void {
      clearTimeout(timer);
      resolve(replyOf(error));
      body?.release();
      body = undefined;
    }

    const timer = setTimeout(() => {
      isLate = true;
      const what = head === undefined ? 'no response arrived' : 'the response did not end';
      end(new Broken('timeout', `${what} within ${timeoutMs} ms`));
      sending?.abort(new Error('time ran out'));
    }, timeoutMs);
    pool.dispatch(request, {
      /** Called right before the first byte is written. If the request ends before this call, it was not sent. */
      onRequestStart(controller) {
        // Throwing drops the request and keeps the connection; an abort would close it. Nothing is sent twice.
        if (isLate || sending !== undefined) throw new Error('this request is over');
        sending = controller;
        onSent?.();
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200) return;
        head = headOf(status, headers);
        body = startBody(head, budget);
      },
      onResponseData(controller, part) {
        try {
          if (body?.add(part) !== false) return;
          end();
          controller.abort(new Error('enough was read'));
        } catch (error) {
          controller.abort(error as Error);
        }
      },
      onResponseEnd() {
        // The pool needs one `setImmediate` to see that the connection is free. Without it, the pool would open
        // another one.
        queueMicrotask(() => setImmediate(end));
      },
      onResponseError(_controller, error: NodeJS.ErrnoException) {
        if (error.code === 'UND_ERR_INVALID_ARG') reject(error);
        end(error);
      },
    });
  });
}

/** If one of these headers is repeated, only its first value counts: joined values would be invalid. */
const SINGLE: ReadonlySet<string> = new Set(['content-type', 'location', 'retry-after']);

function headOf(status: number, came: Readonly<Record<string, string | string[] | undefined>>): Head {
  const headers = { ...came };
  for (const name in came) {
    const value = came[name];
    if (Array.isArray(value)) headers[name] = SINGLE.has(name) ? value[0] : value.join(', ');
  }
  return { status, headers: headers as Head['headers'] };
}
