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
    'Check the API key: it must be one of this service. It is what was given (--api-key-file), or else WEBSITES_API_KEY; of a target, WEBSITES_API_KEY_NAME or its api_key.',
};

const LIMITED: Meaning = {
  code: 'service-refused',
  blame: 'service',
  remedy: 'The key may read but not do this: its rights, or the limit of its plan, stand in the way.',
};

const NO_INTERFACE: Meaning = {
  code: 'base-url-invalid',
  blame: 'service',
  remedy: 'Check the base address: the interface is expected at /api/v1 below it.',
};

const THROTTLED: Meaning = {
  code: 'service-failed',
  blame: 'service',
  remedy: 'Try again later, or with fewer requests at once (--parallelism).',
};

export const FAILED: Meaning = {
  code: 'service-failed',
  blame: 'service',
  remedy: 'Try again later; if it goes on, look at the log of the service.',
};

const RECORD_REFUSED: Meaning = {
  code: 'service-refused',
  blame: 'record',
  remedy: 'Mend what the service names, then try again.',
};

const REFUSED: Meaning = {
  code: 'service-refused',
  blame: 'service',
  remedy:
    'Check that the base address is that of the service itself, and that nothing on the way answers in its place.',
};

/** Something between this machine and the service answered. */
export const STAND_IN: Meaning = {
  code: 'answer-invalid',
  blame: 'service',
  remedy:
    'Something between this machine and the service answered: let the requests pass there, or use an address that leads to the service itself.',
};

export const MISSHAPEN: Meaning = { ...REFUSED, code: 'answer-invalid' };

export const UNREACHABLE: Meaning = {
  code: 'service-unreachable',
  blame: 'service',
  remedy: 'Check the base address, and that the service runs.',
};

export const UNTRUSTED: Meaning = {
  ...UNREACHABLE,
  remedy: 'Check the base address; trust a certificate authority of your own with NODE_EXTRA_CA_CERTS.',
};

export const NOT_BY_PROXY: Meaning = {
  ...UNREACHABLE,
  remedy: 'Check the proxy, and its login: HTTPS_PROXY or HTTP_PROXY names it, NO_PROXY what goes past it.',
};

export const REDIRECTED: Meaning = {
  code: 'redirect-refused',
  blame: 'service',
  remedy: 'Give the address that the service itself is reached by as the base address.',
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
