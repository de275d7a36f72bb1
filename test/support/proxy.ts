/** A proxy for http and https that records everything it sees. */
import * as http from 'node:http';
import * as net from 'node:net';
import { listen } from './listen.ts';

interface Proxied {
  readonly line: string;
  readonly headers: http.IncomingHttpHeaders;
}

export interface TestProxy {
  readonly seen: readonly Proxied[];
  /** Every byte that went through tunnels to the service, as Latin-1. */
  tunnelled(): string;
  /** Contains a user name and a password. */
  readonly url: string;
  close(): void;
}

export const PROXY_PASSWORD = 'se cret';

/**
 * Sends every request to `port` of this machine. Answers tunnel requests with `status`, and opens the
 * tunnel if it is 200.
 */
export async function startProxy(port: number, status = 200): Promise<TestProxy> {
  const seen: Proxied[] = [];
  const bytes: Buffer[] = [];
  const server = http.createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    const { pathname, search } = new URL(request.url ?? '');
    const onward = http.request({
      port,
      host: '127.0.0.1',
      path: pathname + search,
      method: request.method,
      headers: request.headers,
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
    seen.push({ line: `CONNECT ${request.url}`, headers: request.headers });
    if (status >= 300) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const onward = net.connect(port, '127.0.0.1', () => {
      socket.write(`HTTP/1.1 ${status} Connection established\r\n\r\n`);
      socket.on('data', (chunk: Buffer) => bytes.push(chunk));
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) {
      end.on('error', () => {
        socket.destroy();
        onward.destroy();
      });
    }
    return undefined;
  });
  const at = await listen(server);
  return {
    seen,
    tunnelled: () => Buffer.concat(bytes).toString('latin1'),
    url: `http://me:${encodeURIComponent(PROXY_PASSWORD)}@127.0.0.1:${at}`,
    close: () => server.close(),
  };
}
