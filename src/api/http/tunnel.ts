/**
 * Https by a proxy: a tunnel (CONNECT, RFC 9110, section 9.3.6), so that the proxy sees neither key nor data. It is asked
 * for by `node:http`: undici takes 200 alone for a tunnel, and does not tell whether the proxy or the service failed.
 */
import * as http from 'node:http';
import type { Socket } from 'node:net';
import { late, proxyFailed, proxyRefused } from './network-errors.ts';
import { bareHost, proxyLogin } from './proxy.ts';

/** Makes a connection to `origin` through a proxy; rejects where that does not, or once the signal is aborted. */
type Tunnel = (closing: AbortSignal) => Promise<Socket>;

export function createTunnel(proxy: URL, origin: URL, timeoutMs: number): Tunnel {
  const authority = `${origin.hostname}:${origin.port || 443}`;
  const login = proxyLogin(proxy);
  const headers = { host: authority, ...(login && { 'proxy-authorization': login }) };
  return (signal) =>
    new Promise((resolve, reject) => {
      const connect = http.request({
        method: 'CONNECT',
        hostname: bareHost(proxy),
        port: proxy.port,
        path: authority,
        agent: false,
        timeout: timeoutMs,
        headers,
        signal,
      });
      connect.on('connect', (answer, socket) => {
        const { statusCode = 0 } = answer;
        if (statusCode >= 200 && statusCode < 300) return resolve(socket as Socket);
        socket.destroy();
        reject(proxyRefused(proxy.host, statusCode));
      });
      connect.on('timeout', () => connect.destroy(late(timeoutMs)));
      connect.on('error', (error) => reject(proxyFailed(proxy.host, error)));
      connect.end();
    });
}
