/**
 * One request, one answer, over connections that are kept open. It never repeats, and never throws for what
 * happens on the way: that comes back as a value which says how far the request got.
 *
 * It is a client of our own for the little of HTTP/1.1 that the interface needs, since a run of thousands of
 * changes waits for its client and for nothing else (docs/performance.md), and since nothing may be written
 * before a connection is ready: that is how it knows that a create cannot have been carried out.
 */
import type { Address } from '../base-url.ts';
import { createPool, type Pool } from './pool.ts';
import type { Answer } from './reader.ts';
import type { Failure } from './reasons.ts';
import { openWay, type Way, type WayOptions } from './way.ts';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly to: Address;
  /** Names and values by turns; a list that serves many requests is best the same. */
  readonly headers: readonly string[];
  /** Undefined where there is none; a POST or PUT has one, be it empty. */
  readonly body: string | undefined;
  /** From the asking to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Told when it leaves, once there is a connection for it. */
  readonly onSent?: () => void;
}

export interface Transport {
  send(request: Request): Promise<Answer | Failure>;
  /** Closes every connection. */
  close(): void;
}

export interface TransportOptions extends WayOptions {
  /** Connections to one origin that are open at once. */
  readonly connections: number;
}

export function createTransport(options: TransportOptions): Transport {
  const routes = new Map<string, Transport>();
  const opening = new Map<string, Promise<Transport>>();
  let isClosed = false;

  async function open(origin: string): Promise<Transport> {
    const way = await openWay(new URL(origin), options);
    const route = createRoute(way, createPool(way, options.connections));
    routes.set(origin, route);
    if (isClosed) route.close();
    return route;
  }

  async function sendFirst(request: Request): Promise<Answer | Failure> {
    const { origin } = request.to;
    const route = opening.get(origin) ?? open(origin);
    opening.set(origin, route);
    return (await route).send(request);
  }

  return {
    send: (request) => routes.get(request.to.origin)?.send(request) ?? sendFirst(request),
    close() {
      isClosed = true;
      for (const route of routes.values()) route.close();
    },
  };
}

/** Sends by one way. */
function createRoute(way: Way, pool: Pool): Transport {
  const own = linesOf([...way.headers, 'Connection', 'keep-alive']);
  const written = new WeakMap<readonly string[], string>();

  function headOf({ method, to, headers }: Request): string {
    let lines = written.get(headers);
    if (lines === undefined) {
      lines = linesOf(headers);
      written.set(headers, lines);
    }
    if (!/^[!-~]+$/.test(to.path)) throw new Error('A path holds what no address does.');
    return `${method} ${way.before}${to.path} HTTP/1.1\r\n${lines}${own}`;
  }

  function textOf(request: Request): string {
    const { body } = request;
    if (body === undefined) return `${headOf(request)}\r\n`;
    return `${headOf(request)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  }

  return {
    send(request) {
      const text = textOf(request);
      return new Promise((resolve) => pool.send(text, request.timeoutMs, resolve, request.onSent));
    },
    close: pool.close,
  };
}

/** Throws where a value would end its line: what comes after it would be a header, or a request, of its own. */
function linesOf(headers: readonly string[]): string {
  const lines: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const line = `${headers[index]}: ${headers[index + 1]}`;
    if (!/^[ -~]+$/.test(line)) throw new Error(`The header ${headers[index]} holds what no header does.`);
    lines.push(`${line}\r\n`);
  }
  return lines.join('');
}
