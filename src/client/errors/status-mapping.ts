/** What a status says about a failed operation: whose failure it is, and what can be done about it. */
import type { ErrorCode } from '../../model/errors.ts';
import type { Blame } from '../../model/service.ts';
import type { Call } from '../operations.ts';

export interface Meaning {
  readonly code: ErrorCode;
  readonly blame: Blame;
  readonly remedy: string;
}

export const KEY_REFUSED: Meaning = {
  code: 'key-refused',
  blame: 'service',
  remedy:
    'Check that the API key belongs to this service. It is read from --api-key-file or WEBSITES_API_KEY (for a target: WEBSITES_API_KEY_NAME or api_key).',
};

const LIMITED: Meaning = {
  code: 'service-refused',
  blame: 'service',
  remedy: 'The API key may read but not do this. Check its permissions, and the limit of the account.',
};

const NO_INTERFACE: Meaning = {
  code: 'base-url-invalid',
  blame: 'service',
  remedy: 'Check the service URL: the API is expected at /api/v1 below it.',
};

const THROTTLED: Meaning = {
  code: 'service-failed',
  blame: 'service',
  remedy: 'Run again later, or send fewer requests at a time (--parallelism).',
};

export const FAILED: Meaning = {
  code: 'service-failed',
  blame: 'service',
  remedy: 'Run again later. If it fails again, check the log of the service.',
};

const RECORD_REFUSED: Meaning = {
  code: 'service-refused',
  blame: 'record',
  remedy: 'Fix the values that the service rejected, then run again.',
};

const REFUSED: Meaning = {
  code: 'service-refused',
  blame: 'service',
  remedy: 'Check the service URL, and that no proxy or login page responds instead of the service.',
};

/** Something between this machine and the service answered. */
export const STAND_IN: Meaning = {
  code: 'answer-invalid',
  blame: 'service',
  remedy:
    'A proxy, challenge or login page responded. Allow requests through it, or use a URL that reaches the service directly.',
};

export const MISSHAPEN: Meaning = { ...REFUSED, code: 'answer-invalid' };

export const UNREACHABLE: Meaning = {
  code: 'service-unreachable',
  blame: 'service',
  remedy: 'Check the service URL, and that the service is running.',
};

export const UNTRUSTED: Meaning = {
  ...UNREACHABLE,
  remedy: 'Check the service URL. To trust your own certificate authority, set NODE_EXTRA_CA_CERTS.',
};

export const NOT_BY_PROXY: Meaning = {
  ...UNREACHABLE,
  remedy:
    'Check the proxy and its credentials in HTTPS_PROXY or HTTP_PROXY. To bypass it, add the host to NO_PROXY.',
};

export const REDIRECTED: Meaning = {
  code: 'redirect-refused',
  blame: 'service',
  remedy: 'Set the service URL to the address of the service itself.',
};

/** A proxy wants a login (RFC 9110, section 15.5.8). */
const PROXY_LOGIN = 407;

/** Answers about what was sent for one record. */
const OF_A_RECORD: ReadonlySet<number> = new Set([400, 404, 409, 410, 413, 414, 422]);

/**
 * The meaning of an answer other than a good one. `keyWorks` says whether the key has been accepted before:
 * then a 403 to a write is about the write, not about the key (decision: "A failed record does not stop the others").
 */
export function meaningOf({ operation, method }: Call, status: number, keyWorks: boolean): Meaning {
  if (status === PROXY_LOGIN) return NOT_BY_PROXY;
  if (status === 403) return method !== 'GET' && keyWorks ? LIMITED : KEY_REFUSED;
  if (status === 401) return KEY_REFUSED;
  if (status === 402) return LIMITED;
  if (status === 429) return THROTTLED;
  if (status === 404 && (operation === 'list' || operation === 'find')) return NO_INTERFACE;
  if (OF_A_RECORD.has(status)) return RECORD_REFUSED;
  return status === 408 || status >= 500 ? FAILED : REFUSED;
}
