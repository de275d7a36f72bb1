/**
 * One request, one answer, over node:http(s) with kept-open connections. It never repeats, and never
 * throws for what happens on the way: that comes back as a value which says how far the request got.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Address } from './origin.ts';
import { openWay, type Way, type WayOptions } from './way.ts';

/** By lower-case name; a header that came several times is joined. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly to: Address;
  /** Names and values by turns. */
  readonly headers: readonly string[];
  /** Undefined where there is none; a POST or PUT has one, be it empty. */
  readonly body: string | undefined;
  /** From the sending to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
}

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * `connect`: no connection came about. `tls`: the other side's certificate or protocol is not acceptable.
 * `timeout`: time ran out. `broken`: the connection failed, or what came is no HTTP answer. `too-large`: the
 * answer outgrew what is taken.
 */
export interface Failure {
  readonly kind: 'connect' | 'tls' | 'timeout' | 'broken' | 'too-large';
  /** False when nothing of the request can have left. */
  readonly sent: boolean;
  /** The status, where the answer had begun. */
  readonly status?: number;
  /** What happened, as the end of the sentence "GET URL: …". */
  readonly reason: string;
}

export interface Transport {
  send(request: Request): Promise<Answer | Failure>;
  /** Closes every connection. */
  close(): void;
}

/** Larger answers are not taken, in bytes. */
const LARGEST_BODY = 64 * 1024 * 1024;

export function createTransport(options: WayOptions): Transport {
  const ways = new Map<string, Way>();
  const opening = new Map<string, Promise<Way>>();

  function open(origin: string): Promise<Way> {
    const known = opening.get(origin);
    if (known !== undefined) return known;
    const way = openWay(new URL(origin), options);
    opening.set(origin, way);
    return way;
  }

  async function sendFirst(request: Request): Promise<Answer | Failure> {
    const { origin } = request.to;
    const way = await open(origin);
    ways.set(origin, way);
    return sendBy(way, request);
  }

  function sendBy(way: Way, request: Request): Promise<Answer | Failure> {
    return transfer(startOn(way, request), request, options.connectTimeoutMs);
  }

  return {
    send(request) {
      const way = ways.get(request.to.origin);
      return way === undefined ? sendFirst(request) : sendBy(way, request);
    },
    close() {
      for (const way of opening.values()) void way.then((open) => open.close());
    },
  };
}

function startOn({ start }: Way, { method, to, headers, body }: Request): ClientRequest {
  if (body === undefined) return start(method, to.path, headers);
  return start(method, to.path, [...headers, 'Content-Length', String(Buffer.byteLength(body))]);
}

/** Waits for the end of the answer, of the connection, or of the time for them. */
function transfer(
  outgoing: ClientRequest,
  { body, timeoutMs }: Request,
  connectTimeoutMs: number,
): Promise<Answer | Failure> {
  return new Promise((resolve) => {
    let sent = false;
    let status: number | undefined;
    let connecting: NodeJS.Timeout | undefined;

    const settle = (reply: Answer | Failure): void => {
      clearTimeout(connecting);
      clearTimeout(answering);
      resolve(reply);
    };
    const fail = (kind: Failure['kind'], reason: string): void => {
      settle({ kind, sent, reason, ...(status === undefined ? {} : { status }) });
      outgoing.destroy();
    };
    const failWith = (error: NodeJS.ErrnoException): void => {
      fail(kindOf(error, sent), status === undefined ? reasonOf(error) : 'the answer was cut off');
    };
    const answering = setTimeout(() => {
      const what = status === undefined ? 'there was no answer' : 'the answer did not end';
      fail('timeout', `${what} within ${timeoutMs} ms`);
    }, timeoutMs);

    outgoing.on('socket', (socket) => {
      sent = outgoing.reusedSocket || isReady(socket);
      if (sent) return;
      connecting = setTimeout(() => {
        fail('timeout', `there was no connection within ${connectTimeoutMs} ms`);
      }, connectTimeoutMs);
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        sent = true;
        clearTimeout(connecting);
      });
    });
    outgoing.on('error', failWith);
    outgoing.on('response', (incoming) => {
      const code = incoming.statusCode ?? 0;
      const headers = incoming.headers as Headers;
      status = code;
      incoming.on('error', failWith);
      readBody(incoming, (text) => {
        if (text === undefined)
          fail('too-large', `the answer is larger than ${LARGEST_BODY / 1024 ** 2} MiB`);
        else settle({ kind: 'answer', status: code, headers, body: text });
      });
    });
    outgoing.end(body);
  });
}

/** Whether what is written to a socket leaves at once: it is connected, TLS included. */
function isReady(socket: Socket): boolean {
  const isSecuring = (socket as { secureConnecting?: boolean }).secureConnecting === true;
  return !socket.connecting && !isSecuring && !socket.destroyed;
}

/** Reads a body to its end; `undefined` when it is too large. A redirect's is left, with its connection. */
function readBody(incoming: IncomingMessage, done: (text: string | undefined) => void): void {
  if (incoming.statusCode !== undefined && incoming.statusCode >= 300 && incoming.statusCode < 400) {
    done('');
    incoming.destroy();
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size > LARGEST_BODY) done(undefined);
  });
  incoming.on('end', () => {
    const [first, ...more] = chunks;
    const bytes = first === undefined || more.length > 0 ? Buffer.concat(chunks) : first;
    done(withoutMark(bytes.toString('utf8')));
  });
}

/** Without a byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Certificates and protocol mismatches: another attempt would meet the same. */
const TLS_CODES = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

function kindOf(error: NodeJS.ErrnoException, sent: boolean): Failure['kind'] {
  if (sent) return 'broken';
  return TLS_CODES.test(error.code ?? '') ? 'tls' : 'connect';
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  ECONNABORTED: 'the connection broke',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
};

function reasonOf({ code = '', message }: NodeJS.ErrnoException): string {
  if (code.startsWith('HPE_')) return `what came back is no HTTP answer (${code})`;
  const reason = REASONS[code];
  if (reason !== undefined) return `${reason} (${code})`;
  // OpenSSL's messages go on for several lines; with several addresses tried, Node's is empty.
  return message.split('\n')[0] || code || 'the connection failed';
}
