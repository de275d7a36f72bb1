/** By lower-case name; a header that came several times is joined. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Head {
  readonly status: number;
  readonly headers: Headers;
}

/** Bytes of the largest accepted response: a page of 100 records with 80 kB each. */
export const MAX_BODY = 8 * 1024 * 1024;

/**
 * `connect`: no connection. `proxy`: none through the proxy. `tls`: the certificate or protocol of the other
 * side is not acceptable. `broken`: the connection failed, or the response is not HTTP.
 */
type FailureKind = 'connect' | 'proxy' | 'tls' | 'timeout' | 'broken' | 'too-large';

export interface NoAnswer {
  readonly kind: FailureKind;
  /** False if no part of the request can have been sent. */
  readonly sent: boolean;
  readonly status?: number;
  readonly headers?: Headers;
  /** The end of the sentence "GET URL: …". */
  readonly reason: string;
}

/** Has no code: undici takes some codes for its own, and then loses the request. */
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

/** Certificates and protocol mismatches: a retry would fail in the same way. */
const TLS_CODES = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

interface CodedError extends NodeJS.ErrnoException {
  /** OpenSSL's short reason. `message` is a long trace that contains it. */
  readonly reason?: string;
  readonly errors?: readonly CodedError[];
}

function reasonOf({ code = '', message, reason: said }: CodedError): string {
  const reason = REASONS[code] ?? (code.startsWith('ERR_SSL_') ? said : undefined);
  if (reason !== undefined) return code.startsWith('UND_') ? reason : `${reason} (${code})`;
  // Messages may have several lines; with several addresses, Node's is empty.
  return message.split('\n')[0] || code || 'the connection failed';
}

export function notConnected(error: CodedError): Broken {
  if (error instanceof Broken) return error;
  // Takes the last of several addresses: the first is of IPv6, which many networks do not have.
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

/** True if the response cannot be read. undici rejects an interim response that was not requested, or fails on it. */
function isMalformed({ code = '', name, message }: CodedError, hasHead: boolean): boolean {
  if (name === 'HTTPParserError') return !message.includes('EOF');
  // undici counts bytes of a body even if the head was malformed.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return !hasHead;
  return /^(?:UND_ERR_HEADERS_OVERFLOW|ERR_ASSERTION|UND_ERR_SOCKET bad )/.test(`${code} ${message}`);
}
