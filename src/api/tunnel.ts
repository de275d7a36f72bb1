/** Https by a proxy: a tunnel (CONNECT, RFC 9110, section 9.3.6), so that the proxy sees neither key nor data. */
import * as http from 'node:http';
import type { Agent } from 'node:https';
import type { Socket } from 'node:net';
import * as tls from 'node:tls';
import { bareHost, proxyLogin } from './proxy.ts';

type Opened = (error: Error | null, socket?: tls.TLSSocket) => void;

/** Makes `agent` open each of its connections as a tunnel through `proxy`. */
export function tunnelThrough(agent: Agent, proxy: URL, timeoutMs: number): void {
  const open = (options: tls.ConnectionOptions, opened: Opened): void => {
    const login = proxyLogin(proxy);
    const host = options.host?.includes(':') ? `[${options.host}]` : options.host;
    const authority = `${host}:${options.port}`;
    const connect = http.request({
      method: 'CONNECT',
      hostname: bareHost(proxy),
      port: proxy.port,
      path: authority,
      agent: false,
      timeout: timeoutMs,
      headers: { host: authority, ...(login && { 'proxy-authorization': login }) },
    });
    connect.on('connect', (answer, socket: Socket) => {
      if (answer.statusCode === 200) return secure(socket, options, opened);
      socket.destroy();
      opened(new Error(`the proxy ${proxy.host} answered ${answer.statusCode}`));
    });
    connect.on('timeout', () => connect.destroy(new Error(`the proxy ${proxy.host} did not answer`)));
    connect.on('error', (error) => opened(new Error(`the proxy ${proxy.host} failed: ${error.message}`)));
    connect.end();
  };
  Object.assign(agent, { createConnection: open });
}

function secure(socket: Socket, options: tls.ConnectionOptions, opened: Opened): void {
  const secured = tls.connect({ ...options, socket });
  secured.once('error', opened);
  secured.once('secureConnect', () => {
    secured.off('error', opened);
    opened(null, secured);
  });
}
