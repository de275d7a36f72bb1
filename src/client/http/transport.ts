/**
 * One request, one answer, over connections that are kept open. It never repeats, never follows a redirect, and never
 * throws for what happens on the route: that comes back as a value which tells how far the request got.
 *
 * undici carries the requests. It writes nothing before a connection is ready, and calls `onRequestStart` right before
 * it does: that is how a create is known that cannot have been carried out (`attempt.ts`).
 */
import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import type { ServiceAddress } from '../base-url.ts';
import type { Answer } from './answer.ts';
import { attempt, type Terms } from './attempt.ts';
import type { BodyBudget } from './body.ts';
import { type Failure, LARGEST_BODY, NotConnected } from './network-errors.ts';
import { openRoute, type Route, type RouteOptions } from './route.ts';

export interface Request extends Terms {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly to: ServiceAddress;
  /** Names and values by turns. */
  readonly headers: readonly string[];
  /** Undefined where there is none; a POST or PUT has one, be it empty. */
  readonly body: string | undefined;
}

export interface Transport {
  send(request: Request): Promise<Answer | Failure>;
  /** Closes every connection: what is under route ends as broken, and nothing more is sent. */
  close(): void;
}

export interface TransportOptions extends RouteOptions {
  /** Connections to one origin that are open at once. */
  readonly connections: number;
}

/** Whatever is not said here is left to undici; its own timers are too coarse, and off. */
const LIMITS = {
  pipelining: 1,
  maxResponseSize: LARGEST_BODY,
  maxHeaderSize: 64 * 1024,
  headersTimeout: 0,
  bodyTimeout: 0,
  // Idle connections are given up before common servers (5 s and more) drop them under a request, and half a second
  // before the service says that it will; in milliseconds.
  keepAliveTimeout: 4000,
  keepAliveMaxTimeout: 4000,
  keepAliveTimeoutThreshold: 500,
};

export function createTransport(options: TransportOptions): Transport {
  const closing = new AbortController();
  // Each connection listens.
  setMaxListeners(0, closing.signal);
  const origins = new Map<string, Promise<Origin>>();
  const budget: BodyBudget = { takenBytes: 0 };

  function openOnce(origin: string): Promise<Origin> {
    const opened = origins.get(origin) ?? openOrigin(origin, options, closing.signal);
    origins.set(origin, opened);
    return opened;
  }

  return {
    async send(request) {
      const { method, to, body = null } = request;
      const { pool, route } = await openOnce(to.origin);
      const headers = [...request.headers, ...route.headers];
      return attempt(request, { pool, budget }, { method, path: route.before + to.path, headers, body });
    },
    close: () => closing.abort(),
  };
}

/** One origin: the connections to it, and what every request to it begins with. */
interface Origin {
  readonly pool: Dispatcher;
  readonly route: Route;
}

/** undici is loaded when it is needed: not every command sends something. */
async function openOrigin(origin: string, options: TransportOptions, closing: AbortSignal): Promise<Origin> {
  const route = await openRoute(new URL(origin), options);
  const { Pool } = await import('undici');
  const pool = new Pool(origin, {
    ...LIMITS,
    connections: options.connections,
    connect(_to, done) {
      route.connect(closing).then(
        (socket) => done(null, socket),
        (error) => done(new NotConnected(error), null),
      );
    },
  });
  // undici's own would strike off the part of the pool that failed to connect, which goes on beyond the bound.
  pool.removeAllListeners('connectionError');
  const close = (): void => void pool.destroy();
  if (closing.aborted) close();
  else closing.addEventListener('abort', close);
  return { pool, route };
}
