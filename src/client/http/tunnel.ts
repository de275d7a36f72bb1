/**
 * Https by a proxy: a tunnel (CONNECT, RFC 9110, section 9.3.6), so that the proxy sees neither key nor data. It is asked
 * for by `node:http`: undici takes 200 alone for a tunnel, and does not tell whether the proxy or the service failed.
 */
import * as http from 'node:http';
import type { Socket } from 'node:net';
import { dial } from '../../util/node/dial.ts';
import { proxyFailed, proxyRefused } from './network-errors.ts';
import { bareHost, proxyLogin } from './proxy.ts';

/** Makes a connection to `origin` through a proxy; rejects where that does not, or once the signal is aborted. */
type Tunnel = (closing: AbortSignal) => Promise<Socket>;

export function createTunnel(proxy: URL, origin: URL): Tunnel {
  const authority = `${origin.hostname}:${origin.port || 443}`;
  const login = proxyLogin(proxy);
  const headers = { host: authority, ...(login && { 'proxy-authorization': login }) };
  const to = { host: bareHost(proxy), port: Number(proxy.port || 80) };
  return async (signal) => {
    const socket = await dial(to, signal).catch((error) => Promise.reject(proxyFailed(proxy.host, error)));
    const asked = { method: 'CONNECT', path: authority, headers, signal, createConnection: () => socket };
    const status = await statusOf(http.request(asked)).catch((error) =>
      Promise.reject(proxyFailed(proxy.host, signal.aborted ? signal.reason : error)),
    );
    if (status >= 200 && status < 300) return socket;
    socket.destroy();
    throw proxyRefused(proxy.host, status);
  };
}

function statusOf(request: http.ClientRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    request.on('connect', ({ statusCode = 0 }) => resolve(statusCode));
    request.on('error', reject);
    request.end();
  });
}
