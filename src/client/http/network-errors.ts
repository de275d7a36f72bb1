/** By lower-case name. The values of a repeated header are joined. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Head {
  readonly status: number;
  readonly headers: Headers;
}

/** Maximum size of a response in bytes. Enough for a page of 100 records with 80 kB each. */
export const MAX_BODY = 8 * 1024 * 1024;

/**
 * `connect`: no connection. `proxy`: no connection through the proxy. `tls`: an invalid certificate or protocol.
 * `broken`: the connection was lost, or the response is not HTTP.
 */
type FailureKind = 'connect' | 'proxy' | 'tls' | 'timeout' | 'broken' | 'too-large';

export interface NoAnswer {
  readonly kind: FailureKind;
  /** False if certainly no part of the request was sent. */
  readonly sent: boolean;
  readonly status?: number;
  readonly headers?: Headers;
  /** Continues the sentence "GET URL: …". */
  readonly reason: string;
}

/** An error without a `code` property: undici would take some codes for its own, and never end the request. */
export class Broken extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, reason: string) {
    super(reason);
    this.kind = kind;
  }
}

const BROKEN = 'the connection broke';

const CLOSED = 'UND_ERR_DESTROYED';
const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: BROKEN,
  EPIPE: BROKEN,
  ECONNABORTED: BROKEN,
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not use TLS',
  UND_ERR_SOCKET: BROKEN,
  [CLOSED]: 'the client was closed',
};

/** Errors of certificates and protocols. A retry would fail in the same way. */
const TLS_CODES = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

interface CodedError extends NodeJS.ErrnoException {
  /** The short reason of OpenSSL. `message` is a long trace that contains it. */
  readonly reason?: string;
  readonly errors?: readonly CodedError[];
}

function reasonOf({ code = '', message, reason: said }: CodedError): string {
  const reason = REASONS[code] ?? (code.startsWith('ERR_SSL_') ? said : undefined);
  if (reason !== undefined) return code.startsWith('UND_') ? reason : `${reason} (${code})`;
  // A message may have several lines. If several addresses failed, Node's message is empty.
  return message.split('\n')[0] || code || 'the connection failed';
}

export function notConnected(error: CodedError): Broken {
  if (error instanceof Broken) return error;
  // Uses the error of the last address: the first is often IPv6, which many networks do not support.
  const why = error.errors?.at(-1) ?? error;
  return new Broken(TLS_CODES.test(why.code ?? '') ? 'tls' : 'connect', reasonOf(why));
}

export function tooLarge(reason = `the response is larger than ${MAX_BODY / 1024 ** 2} MiB`): Broken {
  return new Broken('too-large', reason);
}

export function proxyFailed(host: string, error: CodedError): Broken {
  const kind = error instanceof Broken && error.kind === 'timeout' ? 'timeout' : 'proxy';
  return new Broken(kind, `the proxy ${host} failed: ${reasonOf(error)}`);
}

export function brokenOff(error: CodedError, hasHead: boolean): Broken {
  if (error instanceof Broken) return error;
  const { code, message } = error;
  if (code === TOO_LARGE) return tooLarge();
  if (isMalformed(error, hasHead)) {
    const [, said = message] = /\((.+)\)$/.exec(message) ?? [];
    return new Broken('broken', `the response is not HTTP: ${said.split('\n')[0]}`);
  }
  return new Broken('broken', hasHead && code !== CLOSED ? 'the response was cut off' : reasonOf(error));
}

/**
 * True if the response cannot be read as HTTP. undici also fails on an interim response (1xx) that was not requested.
 */
function isMalformed({ code = '', name, message }: CodedError, hasHead: boolean): boolean {
  if (name === 'HTTPParserError') return !message.includes('EOF');
  // undici reports this code also after a malformed head.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return !hasHead;
  return /^(?:UND_ERR_HEADERS_OVERFLOW|ERR_ASSERTION|UND_ERR_SOCKET bad )/.test(`${code} ${message}`);
}
