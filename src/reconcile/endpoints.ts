/** The loop over HTTP: `/healthz`, `/readyz` and `/metrics`. It takes nothing and tells no domain and no secret. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebsitesError } from '../model/errors.ts';
import { boundConnections } from '../util/node/connections.ts';
import type { Health, Verdict } from './health.ts';
import type { Metrics } from './metrics.ts';

export interface ListenAddress {
  /** A name or an address, IPv6 without brackets; every address of this machine where there is none. */
  readonly host?: string;
  /** 0 takes any free one. */
  readonly port: number;
}

export interface Endpoints {
  readonly url: string;
  close(): Promise<void>;
}

/** For a request to arrive, in milliseconds. */
const PATIENCE_MS = 10_000;
const LIMITS = { connections: 100, pipelined: 16 };

/** Reads `HOST:PORT`, `[IPv6]:PORT` or `:PORT`; `undefined` where it is none of them. */
export function parseAddress(text: string): ListenAddress | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]/\s]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return undefined;
  const host = bracketed ?? plain;
  return host === undefined || host === '' ? { port } : { host, port };
}

/** Serves until it is closed. Throws `address-in-use`, or `usage` for an address that cannot be had. */
export async function startEndpoints(
  address: ListenAddress,
  health: Health,
  metrics: Metrics,
): Promise<Endpoints> {
  const read = shared(() => metrics.text());
  const server = createServer(
    // Node looks for what is late every 30 s, unless it is told otherwise.
    { requestTimeout: PATIENCE_MS, headersTimeout: PATIENCE_MS, connectionsCheckingInterval: 1000 },
    (request, response) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        return answer(response, 405, 'only GET and HEAD\n');
      }
      switch (request.url?.split('?')[0]) {
        case '/healthz':
          return judge(response, health.alive());
        case '/readyz':
          return judge(response, health.ready());
        case '/metrics':
          return void read().then(
            (text) => answer(response, 200, text, metrics.type),
            () => answer(response, 500, 'the metrics cannot be read\n'),
          );
        default:
          return answer(response, 404, 'there are /healthz, /readyz and /metrics\n');
      }
    },
  );
  boundConnections(server, LIMITS);
  await listen(server, address);
  const { port, address: host, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What is asked for while it is made is made once, for all who ask. */
function shared(make: () => Promise<string>): () => Promise<Buffer> {
  let making: Promise<Buffer> | undefined;
  return () => {
    making ??= make()
      .then((text) => Buffer.from(text))
      .finally(() => {
        making = undefined;
      });
    return making;
  };
}

function judge(response: ServerResponse, { ok, reason }: Verdict): void {
  answer(response, ok ? 200 : 503, `${ok ? 'ok' : 'not ok'}: ${reason}\n`);
}

function answer(
  response: ServerResponse,
  status: number,
  text: string | Buffer,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

function listen(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(address, error)));
    server.listen(address, resolve);
  });
}

function cannotListen({ host, port }: ListenAddress, cause: NodeJS.ErrnoException): WebsitesError {
  const where = `port ${port}${host === undefined ? '' : ` of ${host}`}`;
  if (cause.code === 'EADDRINUSE') {
    return new WebsitesError('address-in-use', `Another program listens on ${where}.`, {
      remedy: 'End that program, or choose another port with --listen; 0 takes any free one.',
      cause,
    });
  }
  return new WebsitesError('usage', `Cannot listen on ${where}: ${cause.message}.`, {
    remedy: 'Choose a host and a port of this machine with --listen.',
    cause,
  });
}
