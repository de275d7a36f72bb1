/** How an origin is reached: directly or by a proxy, in the clear or not. */
import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { Environment } from '../../util/environment.ts';
import { late, proxyFailed, proxyRefused } from './network-errors.ts';
import { bareHost, proxyFor, proxyLogin } from './proxy.ts';

export interface RouteOptions {
  /** Bounds the making of one connection, TLS included; in milliseconds. */
  readonly connectTimeoutMs: number;
  /** The proxy variables are read from it. */
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
  /** Stands before the path in the first line of a request. */
  readonly before: string;
  /** Headers that every request on this way has besides, as names and values by turns. */
  readonly headers: readonly string[];
}

/** Makes a connection; rejects if that fails, or once the signal is aborted. */
type Dial = (signal: AbortSignal) => Promise<net.Socket>;

/** Throws `usage` if the environment names a proxy that is none. */
export function openRoute(origin: URL, options: RouteOptions): Route | Promise<Route> {
  const proxy = proxyFor(origin, options.environment);
  return origin.protocol === 'https:'
    ? secureRoute(origin, proxy, options)
    : plainRoute(origin, proxy, options);
}

/** Http; a proxy is sent the whole address and passes the request on. */
function plainRoute(origin: URL, proxy: URL | undefined, options: RouteOptions): Route {
  const reach = proxy === undefined ? dialTo(origin, options) : dialProxy(proxy, options);
  const login = proxy && proxyLogin(proxy);
  return {
    connect: (closing) => inTime(reach, options.connectTimeoutMs, closing),
    before: proxy ? origin.origin : '',
    headers: login ? ['proxy-authorization', login] : [],
  };
}

/** Https; loaded when it is needed, since it costs a noticeable part of the start. */
async function secureRoute(origin: URL, proxy: URL | undefined, options: RouteOptions): Promise<Route> {
  const { connect } = await import('node:tls');
  const { ca, connectTimeoutMs } = options;
  const host = bareHost(origin);
  const reach = proxy === undefined ? dialTo(origin, options) : tunnelTo(origin, proxy, options);
  // An address is no server name (RFC 6066, section 3).
  const name = { servername: net.isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] };
  let session: Buffer | undefined;

  async function secured(signal: AbortSignal): Promise<net.Socket> {
    const socket = connect({ host, socket: await reach(signal), session, ...name, ...(ca && { ca }) });
    await isReady(socket, 'secureConnect', signal);
    // Only of a connection that was accepted: Node does not compare names if a session is resumed.
    session = socket.getSession();
    // TLS 1.3 has it afterwards.
    socket.on('session', (latest) => {
      session = latest;
    });
    return socket;
  }

  return { connect: (closing) => inTime(secured, connectTimeoutMs, closing), before: '', headers: [] };
}

/**
 * Each address of a host has a quarter of the time: Node's 250 ms are too short for one that is far away, if another
 * cannot be reached at all.
 */
function dialTo(to: URL, { lookup, connectTimeoutMs }: RouteOptions): Dial {
  const port = Number(to.port || (to.protocol === 'https:' ? 443 : 80));
  const families = {
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(10, connectTimeoutMs / 4),
  };
  return async (signal) => {
    const socket = net.connect({ host: bareHost(to), port, ...families, ...(lookup && { lookup }) });
    await isReady(socket, 'connect', signal);
    return socket;
  };
}

async function isReady(socket: net.Socket, event: string, signal: AbortSignal): Promise<void> {
  const stop = (): void => void socket.destroy(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  await once(socket, event).finally(() => signal.removeEventListener('abort', stop));
}

function dialProxy(proxy: URL, options: RouteOptions): Dial {
  const reach = dialTo(proxy, options);
  return (signal) => reach(signal).catch((error) => Promise.reject(proxyFailed(proxy.host, error)));
}

/**
 * A tunnel (CONNECT, RFC 9110, section 9.3.6), in which a proxy sees neither key nor data. It is asked for by `node:http`:
 * undici takes 200 alone for a tunnel, and does not say if the proxy or the service failed.
 */
function tunnelTo(origin: URL, proxy: URL, options: RouteOptions): Dial {
  const authority = `${origin.hostname}:${origin.port || 443}`;
  const login = proxyLogin(proxy);
  const headers = { host: authority, ...(login && { 'proxy-authorization': login }) };
  const reach = dialProxy(proxy, options);
  return async (signal) => {
    const socket = await reach(signal);
    const asked = { method: 'CONNECT', path: authority, headers, signal, createConnection: () => socket };
    const status = await new Promise<number>((resolve, reject) => {
      const request = http.request(asked);
      request.on('connect', ({ statusCode = 0 }) => resolve(statusCode));
      request.on('error', (error) => reject(proxyFailed(proxy.host, signal.aborted ? signal.reason : error)));
      request.end();
    });
    if (status >= 200 && status < 300) return socket;
    socket.destroy();
    throw proxyRefused(proxy.host, status);
  };
}

/** A socket that `make` makes ready within the time. Its errors are heard for good: one may come before undici hears them. */
async function inTime(make: Dial, timeoutMs: number, closing: AbortSignal): Promise<net.Socket> {
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
