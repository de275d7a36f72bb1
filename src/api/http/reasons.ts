/** What went wrong on the way, and how to say it. */
import type { Head } from './head.ts';

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
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS is spoken there',
};

/** Certificates and protocol mismatches: another attempt would meet the same. */
const TLS_CODES = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

interface Told extends NodeJS.ErrnoException {
  /** What an error of OpenSSL says; its message is a trace around that. */
  readonly reason?: string;
}

export function reasonOf({ code = '', message, reason: said }: Told): string {
  const reason = REASONS[code] ?? (code.startsWith('ERR_SSL_') ? said : undefined);
  if (reason !== undefined) return `${reason} (${code})`;
  // Messages may go on for several lines; with several addresses tried, Node's is empty.
  return message.split('\n')[0] || code || 'the connection failed';
}

/** The connection broke, as the system would tell it, where it merely ended. */
export const BROKEN = `${REASONS.ECONNRESET} (ECONNRESET)`;

/** That no connection came about. */
export function notConnected(error: NodeJS.ErrnoException): Failure {
  const { code = '' } = error;
  const kind = KINDS[code] ?? (TLS_CODES.test(code) ? 'tls' : 'connect');
  return { kind, sent: false, reason: reasonOf(error) };
}

export const CLOSED: Failure = { kind: 'connect', sent: false, reason: 'the client was closed' };

/** Time ran out before there was a connection to send it on. */
export function unsent(timeoutMs: number): Failure {
  return { kind: 'timeout', sent: false, reason: `there was no answer within ${timeoutMs} ms` };
}

/** The code of an error that says that there was no connection in time. */
const LATE = 'LATE';
/** Of one that a proxy is at fault for. */
const PROXY = 'PROXY';

const KINDS: Readonly<Record<string, Failure['kind']>> = { [LATE]: 'timeout', [PROXY]: 'proxy' };

export function late(timeoutMs: number): Error {
  return Object.assign(new Error(`there was no connection within ${timeoutMs} ms`), { code: LATE });
}

/** An error of connecting to a proxy as one of the proxy: the service was not asked. */
export function proxyFailed(host: string, error: NodeJS.ErrnoException): Error {
  const told = new Error(`the proxy ${host} failed: ${reasonOf(error)}`, { cause: error });
  return Object.assign(told, { code: error.code === LATE ? LATE : PROXY });
}

export function proxyRefused(host: string, status: number): Error {
  return Object.assign(new Error(`the proxy ${host} answered ${status}`), { code: PROXY });
}
