/** How an origin is reached: which connections are kept open to it, and by which proxy. */
import * as http from 'node:http';
import type { LookupFunction } from 'node:net';
import { bareHost, type Environment, proxyFor, proxyLogin } from './proxy.ts';

export interface WayOptions {
  /** Connections to one origin that are open at once. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Where the proxy variables are read from. */
  readonly environment: Environment;
  /** How host names become addresses; the system's way unless given. */
  readonly lookup?: LookupFunction;
  /** Certificate authorities to trust instead of the built-in ones, as PEM. */
  readonly ca?: string;
}

export interface Way {
  /**
   * Starts a request for `path` at the origin that the way leads to. `headers` are names and values by turns, as
   * Node checks and writes them fastest; that of a body's length is among them.
   */
  start(method: string, path: string, headers: readonly string[]): http.ClientRequest;
  close(): void;
}

/** Idle connections are given up before common servers (5 s and more) drop them under a request. */
const IDLE_MS = 4000;

export function openWay(url: URL, options: WayOptions): Promise<Way> {
  const proxy = proxyFor(url, options.environment);
  return url.protocol === 'https:' ? secureWay(url, proxy, options) : plainWay(url, proxy, options);
}

function poolOf({ connections }: WayOptions): http.AgentOptions {
  return { keepAlive: true, maxSockets: connections, maxFreeSockets: connections, timeout: IDLE_MS };
}

/** Http; a proxy is sent the whole address and passes the request on. */
async function plainWay(origin: URL, proxy: URL | undefined, options: WayOptions): Promise<Way> {
  const agent = new http.Agent(poolOf(options));
  const { lookup } = options;
  const { port } = proxy ?? origin;
  const hostname = bareHost(proxy ?? origin);
  const login = proxy && proxyLogin(proxy);
  const own = ['Host', origin.host, ...(login ? ['proxy-authorization', login] : [])];
  const before = proxy ? origin.origin : '';
  return {
    start(method, path, headers) {
      const all = [...headers, ...own];
      return http.request({ agent, hostname, port, lookup, method, path: `${before}${path}`, headers: all });
    },
    close: () => agent.destroy(),
  };
}

/** Https; loaded when it is needed, since it costs a noticeable part of the start. */
async function secureWay(url: URL, proxy: URL | undefined, options: WayOptions): Promise<Way> {
  const https = await import('node:https');
  const agent = new https.Agent({ ...poolOf(options), ...(options.ca && { ca: options.ca }) });
  if (proxy) (await import('./tunnel.ts')).tunnelThrough(agent, proxy, options.connectTimeoutMs);
  const { lookup } = options;
  const { port, host } = url;
  const hostname = bareHost(url);
  return {
    start(method, path, headers) {
      const all = [...headers, 'Host', host];
      return https.request({ agent, hostname, port, lookup, method, path, headers: all });
    },
    close: () => agent.destroy(),
  };
}
