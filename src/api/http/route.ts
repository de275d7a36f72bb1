/** How an origin is reached: directly or by a proxy, in the clear or not. */
import * as net from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { Environment } from '../../util/environment.ts';
import { BROKEN, late, proxyFailed } from './network-errors.ts';
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
      const ready = whenReady(net.connect(address), 'connect', connectTimeoutMs, closing);
      return proxy ? ready.catch((error) => Promise.reject(proxyFailed(proxy.host, error))) : ready;
    },
    before: proxy ? origin.origin : '',
    headers: login ? ['proxy-authorization', login] : [],
  };
}

/** Https; loaded when it is needed, since it costs a noticeable part of the start. */
async function secureRoute(origin: URL, proxy: URL | undefined, options: RouteOptions): Promise<Route> {
  const { connect } = await import('node:tls');
  const tunnel = proxy && (await import('./tunnel.ts')).createTunnel(proxy, origin, options.connectTimeoutMs);
  const { lookup, ca, connectTimeoutMs } = options;
  const host = bareHost(origin);
  // An address is no server name (RFC 6066, section 3).
  const name = { servername: net.isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] };
  const to = { host, port: Number(origin.port || 443), lookup, ...name, ...(ca && { ca }) };
  let session: Buffer | undefined;
  return {
    async connect(closing) {
      const through = tunnel && { socket: await tunnel(closing) };
      const socket = connect({ ...to, session, ...through });
      const ready = await whenReady(socket, 'secureConnect', connectTimeoutMs, closing);
      // Only of a connection that was accepted: Node does not compare names where a session is resumed.
      session = socket.getSession();
      // TLS 1.3 has it afterwards.
      socket.on('session', (latest) => {
        session = latest;
      });
      return ready;
    },
    before: '',
    headers: [],
  };
}

/** Its errors are heard for good: one may come before whoever waits for it hears them. */
function whenReady(
  socket: net.Socket,
  event: string,
  timeoutMs: number,
  closing: AbortSignal,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(late(timeoutMs)), timeoutMs);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.setNoDelay(true);
      resolve(socket);
    });
    socket.on('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new Error(BROKEN));
    });
    addAbortSignal(closing, socket);
  });
}
