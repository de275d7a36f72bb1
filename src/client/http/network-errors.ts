/** Failures on the way, and the words for them. */

/** By lower-case name; a header that came several times is joined. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Head {
  readonly status: number;
  readonly headers: Headers;
}

/** Larger answers are not taken, in bytes: a page of 100 records that hold 80 kB each. */
export const MAX_BODY = 8 * 1024 * 1024;

/**
 * `connect`: no connection came about. `proxy`: none through the proxy. `tls`: the other side's certificate or protocol
 * is not acceptable. `timeout`: time ran out. `broken`: the connection failed, or what came is no HTTP answer.
 * `too-large`: the answer outgrew what is taken.
 */
export interface Failure {
  readonly kind: 'connect' | 'proxy' | 'tls' | 'timeout' | 'broken' | 'too-large';
  /** False when nothing of the request can have left. */
  readonly sent: boolean;
  /** The head of the answer, where that had come. */
  readonly head?: Head;
  /** What happened, as the end of the sentence "GET URL: …". */
  readonly reason: string;
}

/** The connection broke, or merely ended. */
const BROKEN = 'the connection broke';

/** Codes of undici for what this side ends. */
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
  [TOO_LARGE]: `the answer is larger than ${MAX_BODY / 1024 ** 2} MiB`,
};

/** Certificates and protocol mismatches: another attempt would meet the same. */
const TLS_CODES = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

interface ToldError extends NodeJS.ErrnoException {
  /** What an error of OpenSSL says; its message is a trace around that. */
  readonly reason?: string;
}

function reasonOf({ code = '', message, reason: said }: ToldError): string {
  const reason = REASONS[code] ?? (code.startsWith('ERR_SSL_') ? said : undefined);
  if (reason !== undefined) return code.startsWith('UND_') ? reason : `${reason} (${code})`;
  // Messages may go on for several lines; with several addresses tried, Node's is empty.
  return message.split('\n')[0] || code || 'the connection failed';
}

/** Why no connection came about, without a code: undici takes some for its own, and then loses the request. */
export class NotConnected extends Error {
  readonly why: NodeJS.ErrnoException;

  constructor(why: NodeJS.ErrnoException) {
    super('not connected');
    this.why = why;
  }
}

/** Why the body of an answer is not taken. */
export class BadBody extends Error {
  readonly kind: 'too-large' | 'broken';

  constructor(kind: BadBody['kind'], message: string = REASONS[TOO_LARGE] ?? '') {
    super(message);
    this.kind = kind;
  }
}

const NO_WAY: ReadonlySet<string | undefined> = new Set(['ENETUNREACH', 'EADDRNOTAVAIL']);

/** Nothing was sent. */
export function notSent(error: NodeJS.ErrnoException): Failure {
  const failed = error instanceof NotConnected ? error.why : error;
  // Of several addresses, one that this machine has no way to says little about the host.
  const { errors = [] }: { errors?: NodeJS.ErrnoException[] } =
    failed instanceof AggregateError ? failed : {};
  const why = errors.find((one) => !NO_WAY.has(one.code)) ?? failed;
  const { code = '' } = why;
  const kind = KINDS[code] ?? (TLS_CODES.test(code) ? 'tls' : 'connect');
  return { kind, sent: false, reason: reasonOf(why) };
}

/** Time ran out. Only what was sent can have had a head. */
export function timedOut(timeoutMs: number, sent: boolean, head: Head | undefined): Failure {
  const what = head === undefined ? 'no answer arrived' : 'the answer did not end';
  return { kind: 'timeout', sent, ...(head && { head }), reason: `${what} within ${timeoutMs} ms` };
}

/** There was no whole answer to what was sent. */
export function brokenOff(error: NodeJS.ErrnoException, head: Head | undefined): Failure {
  const why = { sent: true, ...(head && { head }) };
  if (error instanceof BadBody) return { ...why, kind: error.kind, reason: error.message };
  const kind = error.code === TOO_LARGE ? 'too-large' : 'broken';
  return { ...why, kind, reason: whyBroken(error, head !== undefined) };
}

function whyBroken(error: NodeJS.ErrnoException, hasHead: boolean): string {
  const { code, message } = error;
  if (isMalformed(error, hasHead)) {
    const [, said = message] = /\((.+)\)$/.exec(message) ?? [];
    return `the response is not HTTP: ${said.split('\n')[0]}`;
  }
  return hasHead && code !== CLOSED && code !== TOO_LARGE ? 'the answer was cut off' : reasonOf(error);
}

/** Whether what came could not be read. An interim answer that nobody asked for is bad to undici, or surprises it. */
function isMalformed({ code = '', name, message }: NodeJS.ErrnoException, hasHead: boolean): boolean {
  if (name === 'HTTPParserError') return !message.includes('EOF');
  // It counts bytes of a body also where it stumbled over the head.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return !hasHead;
  return /^(?:UND_ERR_HEADERS_OVERFLOW|ERR_ASSERTION|UND_ERR_SOCKET bad )/.test(`${code} ${message}`);
}

/** The code of an error that says that there was no connection in time. */
const LATE = 'LATE';
/** Of one that a proxy is at fault for. */
const PROXY = 'PROXY';

const KINDS: Readonly<Record<string, Failure['kind']>> = { [LATE]: 'timeout', [PROXY]: 'proxy' };

export function late(timeoutMs: number): Error {
  return Object.assign(new Error(`not connected within ${timeoutMs} ms`), { code: LATE });
}

/** An error of connecting to a proxy as one of the proxy: the service was not asked. */
export function proxyFailed(host: string, error: NodeJS.ErrnoException): Error {
  const told = new Error(`the proxy ${host} failed: ${reasonOf(error)}`, { cause: error });
  return Object.assign(told, { code: error.code === LATE ? LATE : PROXY });
}

export function proxyRefused(host: string, status: number): Error {
  return Object.assign(new Error(`the proxy ${host} answered ${status}`), { code: PROXY, status });
}
