/** A connection to one of the addresses of a website, directly or through a proxy. */
import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { type SecureContext, connect as startTls } from 'node:tls';
import { late } from '../../client/http/network-errors.ts';
import { bareHost, proxyFor } from '../../client/http/proxy.ts';
import { createTunnel } from '../../client/http/tunnel.ts';
import { listen } from '../../util/abort.ts';
import type { Environment } from '../../util/environment.ts';
import { dial } from '../../util/node/dial.ts';

export interface Way {
  /** Those that may be connected to; nothing else is. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Where the proxy variables are read from. */
  readonly environment: Environment;
  readonly secureContext: SecureContext;
  /** Bounds the making of the connection, TLS included, in milliseconds; beside the signal. */
  readonly withinMs: number | undefined;
}

export interface Connection {
  readonly socket: Socket;
  /** The one of `addresses` that it leads to. */
  readonly address: string;
}

/** Connects for a request to `url`. Rejects with what hinders it, or with the reason of `closing`. */
export async function connect(url: URL, way: Way, closing: AbortSignal): Promise<Connection> {
  const proxy = proxyFor(url, way.environment);
  const connected = await within(way.withinMs, closing, async (signal) => {
    const reached = await (proxy === undefined ? directly(way, signal) : through(proxy, way, signal));
    if (url.protocol !== 'https:') return reached;
    return { ...reached, socket: await secured(reached.socket, url, way, signal) };
  });
  // One that comes after the last listener is gone ends the program.
  connected.socket.on('error', () => undefined);
  return connected;
}

/** Gives `work` a signal that aborts with `closing`, or when the time is over. */
async function within<T>(
  ms: number | undefined,
  closing: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (ms === undefined) return work(closing);
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(late(ms)), ms);
  const unlisten = listen(closing, () => ending.abort(closing.reason));
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    unlisten();
  }
}

/** No name is looked up: what was checked is what is connected to. */
async function directly({ addresses, port }: Way, signal: AbortSignal): Promise<Connection> {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const socket = await dial({ host: '', port, lookup: (_host, _options, done) => done(null, found) }, signal);
  const [first = ''] = addresses;
  return { socket, address: addresses.find((address) => address === socket.remoteAddress) ?? first };
}

/** A proxy is asked for an address, never for a name, which it would look up by itself. */
async function through(proxy: URL, { addresses, port }: Way, signal: AbortSignal): Promise<Connection> {
  let failure: unknown;
  for (const address of addresses) {
    const host = isIP(address) === 6 ? `[${address}]` : address;
    const tunnel = createTunnel(proxy, new URL(`https://${host}:${port}`));
    try {
      return { socket: await tunnel(signal), address };
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

async function secured(
  socket: Socket,
  url: URL,
  { secureContext }: Way,
  signal: AbortSignal,
): Promise<Socket> {
  const host = bareHost(url);
  const servername = isIP(host) === 0 ? host : '';
  const secure = startTls({ socket, host, servername, secureContext, ALPNProtocols: ['http/1.1'] });
  const unlisten = listen(signal, () => secure.destroy(signal.reason));
  try {
    await once(secure, 'secureConnect');
  } catch (error) {
    secure.destroy();
    throw error;
  } finally {
    unlisten();
  }
  return secure;
}
