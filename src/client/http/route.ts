/** How an origin is reached: directly or by a proxy, in the clear or not. */
import { once } from 'node:events';
import * as net from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { Environment } from '../../util/environment.ts';
import { dial } from '../../util/node/dial.ts';
import { late, proxyFailed } from './network-errors.ts';
import { bareHost, proxyFor, proxyLogin } from './proxy.ts';

export interface RouteOptions {
  /** Bounds the making of one connection, TLS included; in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Where the proxy variables are read from. */
  readonly environment: Environment;
  /** How host names become addresses; the system's way unless given. */
  readonly lookup?: net.LookupFunction;
  /** Certificate authorities to trust instead of the built-in ones, as PEM. */
  readonly ca?: string;
}

export interface Route {
  /**
   * Makes a connection that is ready to be written to. Rejects with what hinders it. Aborted, `closing` ends it,
   * whether it is ready by then or not.
   */
  connect(closing: AbortSignal): Promise<net.Socket>;
  /** What stands before the path in the first line of a request. */
  readonly before: string;
  /** Headers that every request on this way has besides, as names and values by turns. */
  readonly headers: readonly string[];
}

/** Throws `usage` where the environment names a proxy that is none. */
export function openRoute(origin: URL, options: RouteOptions): Route | Promise<Route> {
  const proxy = proxyFor(origin, options.environment);
  return origin.protocol === 'https:'
    ? secureRoute(origin, proxy, options)
    : plainRoute(origin, proxy, options);
}

/** Http; a proxy is sent the whole address and passes the request on. */
function plainRoute(origin: URL, proxy: URL | undefined, { lookup, connectTimeoutMs }: RouteOptions): Route {
  const to = proxy ?? origin;
  const address = { host: bareHost(to), port: Number(to.port || 80), lookup };
  const login = proxy && proxyLogin(proxy);
  return {
    connect(closing) {
      const ready = inTime((signal) => dial(address, signal), connectTimeoutMs, closing);
      return proxy ? ready.catch((error) => Promise.reject(proxyFailed(proxy.host, error))) : ready;
    },
    before: proxy ? origin.origin : '',
    headers: login ? ['proxy-authorization', login] : [],
  };
}

/** Https; loaded when it is needed, since it costs a noticeable part of the start. */
async function secureRoute(origin: URL, proxy: URL | undefined, options: RouteOptions): Promise<Route> {
  const { connect } = await import('node:tls');
  const { lookup, ca, connectTimeoutMs } = options;
  const host = bareHost(origin);
  const reach =
    proxy === undefined
      ? (signal: AbortSignal) => dial({ host, port: Number(origin.port || 443), lookup }, signal)
      : (await import('./tunnel.ts')).createTunnel(proxy, origin);
  // An address is no server name (RFC 6066, section 3).
  const name = { servername: net.isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] };
  let session: Buffer | undefined;

  async function secured(signal: AbortSignal): Promise<net.Socket> {
    const socket = connect({ host, socket: await reach(signal), session, ...name, ...(ca && { ca }) });
    const stop = (): void => void socket.destroy(signal.reason);
    signal.addEventListener('abort', stop);
    await once(socket, 'secureConnect').finally(() => signal.removeEventListener('abort', stop));
    // Only of a connection that was accepted: Node does not compare names where a session is resumed.
    session = socket.getSession();
    // TLS 1.3 has it afterwards.
    socket.on('session', (latest) => {
      session = latest;
    });
    return socket;
  }

  return {
    connect: (closing) => inTime(secured, connectTimeoutMs, closing),
    before: '',
    headers: [],
  };
}

/** A socket that `make` makes ready within the time. Its errors are heard for good: one may come before undici hears them. */
async function inTime(
  make: (signal: AbortSignal) => Promise<net.Socket>,
  timeoutMs: number,
  closing: AbortSignal,
): Promise<net.Socket> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(late(timeoutMs)), timeoutMs);
  const close = (): void => ending.abort(closing.reason);
  closing.addEventListener('abort', close);
  try {
    if (closing.aborted) close();
    const socket = await make(ending.signal);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    return addAbortSignal(closing, socket);
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', close);
  }
}
