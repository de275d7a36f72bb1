import { once } from 'node:events';
import * as net from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { Environment } from '../../util/environment.ts';
import { Broken, proxyFailed } from './network-errors.ts';
import { bareHost, proxyFor, proxyLogin } from './proxy.ts';

export interface RouteOptions {
  readonly connectTimeoutMs: number;
  readonly environment: Environment;
  readonly lookup?: net.LookupFunction;
  /** Certificate authorities to trust instead of the built-in ones, in PEM format. */
  readonly ca?: string;
}

type Dial = (signal: AbortSignal) => Promise<net.Socket>;

export async function openRoute(origin: URL, options: RouteOptions) {
  const isSecure = origin.protocol === 'https:';
  const proxy = proxyFor(origin, options.environment);
  const direct = dialTo(proxy ?? origin, options);
  const reach: Dial = async (signal) =>
    direct(signal).catch((error) => Promise.reject(proxy ? proxyFailed(proxy.host, error) : error));
  const way = proxy !== undefined && isSecure ? tunnelTo(origin, proxy, reach) : reach;
  const dial = isSecure ? await secured(origin, way, options.ca) : way;
  // Without TLS, the proxy gets the whole URL and forwards the request.
  const login = proxy && !isSecure && proxyLogin(proxy);
  return {
    /**
     * Connects. The connection is ready to write, and an abort of `closing` ends it. Rejects if the connection fails.
     */
    connect: (closing: AbortSignal) => inTime(dial, options.connectTimeoutMs, closing),
    before: proxy && !isSecure ? origin.origin : '',
    /** Headers to add to each request, as alternating names and values. */
    headers: login ? ['proxy-authorization', login] : [],
  };
}

/** Loads TLS on demand, because loading it takes a noticeable part of the start time. */
async function secured(origin: URL, reach: Dial, ca: string | undefined): Promise<Dial> {
  const { connect } = await import('node:tls');
  const host = bareHost(origin);
  // A server name must not be an IP address (RFC 6066, section 3).
  const name = { servername: net.isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] };
  return async (signal) =>
    ready(connect({ host, socket: await reach(signal), ...name, ca }), 'secureConnect', signal);
}

/**
 * Each address gets a quarter of the time. Node's default of 250 ms is too short for a distant address if another is
 * down.
 */
function dialTo(to: URL, { lookup, connectTimeoutMs }: RouteOptions): Dial {
  const port = Number(to.port || (to.protocol === 'https:' ? 443 : 80));
  const families = {
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(10, connectTimeoutMs / 4),
  };
  return (signal) =>
    ready(net.connect({ host: bareHost(to), port, noDelay: true, ...families, lookup }), 'connect', signal);
}

/** Resolves when the socket emits `event`. Ignores later errors, because one may occur before undici listens. */
async function ready(socket: net.Socket, event: string, signal: AbortSignal): Promise<net.Socket> {
  socket.on('error', () => undefined);
  addAbortSignal(signal, socket);
  await once(socket, event).catch((error) => Promise.reject(signal.aborted ? signal.reason : error));
  return socket;
}

/**
 * Opens a tunnel (CONNECT, RFC 9110, section 9.3.6), so that the proxy sees neither key nor data. Uses `node:http`,
 * because undici accepts only status 200 and does not report if the proxy or the service failed.
 */
function tunnelTo(origin: URL, proxy: URL, reach: Dial): Dial {
  const authority = `${origin.hostname}:${origin.port || 443}`;
  const login = proxyLogin(proxy);
  const headers = { host: authority, ...(login && { 'proxy-authorization': login }) };
  return async (signal) => {
    const socket = await reach(signal);
    const { request } = await import('node:http');
    const asked = { method: 'CONNECT', path: authority, headers, createConnection: () => socket };
    const sent = request(asked)
      .on('error', () => undefined)
      .end();
    const [{ statusCode = 0 }] = await once(sent, 'connect').catch((error) =>
      Promise.reject(proxyFailed(proxy.host, signal.aborted ? signal.reason : error)),
    );
    if (statusCode >= 200 && statusCode < 300) return socket;
    socket.destroy();
    throw new Broken('proxy', `the proxy ${proxy.host} answered ${statusCode}`);
  };
}

async function inTime(dial: Dial, timeoutMs: number, closing: AbortSignal): Promise<net.Socket> {
  const ending = new AbortController();
  const late = new Broken('timeout', `not connected within ${timeoutMs} ms`);
  const timer = setTimeout(() => ending.abort(late), timeoutMs);
  try {
    return await dial(AbortSignal.any([closing, ending.signal]));
  } finally {
    clearTimeout(timer);
  }
}
