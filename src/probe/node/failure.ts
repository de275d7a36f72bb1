/** What hindered a connection, or broke it. */
import { brokenOff, notSent } from '../../client/http/network-errors.ts';
import type { Failure } from '../verdict.ts';

interface NetworkError extends NodeJS.ErrnoException {
  /** What a proxy answered to a CONNECT. */
  readonly status?: number;
}

/** Codes of a certificate that is not accepted; others of TLS are of its protocol. */
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH_|CRL_)/;

/** Why there is no connection. */
export function notConnected(error: NetworkError): Failure {
  const { kind, reason } = notSent(error);
  const { code = '', status = 0 } = error;
  if (CERTIFICATE.test(code)) return { kind: 'certificate', reason: `certificate not accepted: ${reason}` };
  // From 500 on, the proxy could not reach the address: that is about the website. Below, it does not allow the connection.
  if (kind === 'proxy') return { kind: status >= 500 ? 'lost' : 'blocked', reason };
  return { kind: code === 'ECONNREFUSED' ? 'refused' : 'lost', reason };
}

/** Why a request over a connection came to nothing, or its response broke off. */
export function broken(error: NodeJS.ErrnoException, hasHead: boolean): Failure {
  const head = hasHead ? { status: 0, headers: {} } : undefined;
  return { kind: 'lost', reason: error.code === LATE ? error.message : brokenOff(error, head).reason };
}

/** As a connection that was not made in time has it. */
const LATE = 'LATE';

export function outOfTime(timeoutMs: number): Error {
  return Object.assign(new Error(`there was no response within ${timeoutMs / 1000} s`), { code: LATE });
}
