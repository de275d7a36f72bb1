import type { ErrorCode } from '../model/errors.ts';
import type { Blame, RequestOutcome } from '../model/service.ts';

export const METHODS = {
  list: 'GET',
  find: 'GET',
  read: 'GET',
  create: 'POST',
  update: 'PUT',
  delete: 'DELETE',
} as const;

export type Operation = keyof typeof METHODS;

export interface Meaning {
  readonly code: ErrorCode;
  readonly blame: Blame;
  readonly remedy: string;
  /** `any`: every operation is retried. `safe`: every operation except a create. */
  readonly again?: 'any' | 'safe' | undefined;
}

const service = (code: ErrorCode, remedy: string, again?: Meaning['again']): Meaning => {
  return { code, blame: 'service', remedy, again };
};
const record = (remedy: string, again?: Meaning['again']): Meaning => {
  return { code: 'service-refused', blame: 'record', remedy, again };
};

export const KEY_REFUSED = service(
  'key-refused',
  'Check that the API key belongs to this service. It is read from --api-key-file or WEBSITES_API_KEY (for a target: WEBSITES_API_KEY_NAME or api_key).',
);
const LIMITED = service(
  'service-refused',
  'Check the permissions of the API key, and the limit of the account.',
);
const NO_INTERFACE = 'Check the service URL: the API is expected at /api/v1 below it.';
const NO_SERVICE = 'Check the service URL, and that no proxy or login page responds instead of the service.';
const REFUSED = 'Check the service URL, and that the API key may do this.';
const AGAIN_LATER = 'Run again later. If it fails again, check the log of the service.';

export const FAILED = service('service-failed', AGAIN_LATER, 'safe');
export const TOO_LARGE = service('service-failed', AGAIN_LATER);
export const UNREACHABLE = service(
  'service-unreachable',
  'Check the service URL, and that the service is running.',
  'any',
);
const NOT_BY_PROXY = service(
  'service-unreachable',
  'Check the proxy and its credentials in HTTPS_PROXY or HTTP_PROXY. To bypass it, add the host to NO_PROXY.',
);
/** By kind of failure. Other kinds count as UNREACHABLE. */
export const UNSENT: Readonly<Record<string, Meaning>> = {
  proxy: { ...NOT_BY_PROXY, again: 'any' },
  tls: service(
    'service-unreachable',
    'Check the service URL. To trust your own certificate authority, set NODE_EXTRA_CA_CERTS.',
  ),
};
export const REDIRECTED = service(
  'redirect-refused',
  'Set the service URL to the address of the service itself.',
);
export const STAND_IN = service(
  'answer-invalid',
  'A proxy, challenge or login page responded. Allow requests through it, or use a URL that reaches the service directly.',
);
export const NOT_JSON = service('answer-invalid', NO_SERVICE, 'safe');
export const OTHER_SHAPE = service('answer-invalid', NO_INTERFACE);

const ANY = Object.keys(METHODS) as readonly Operation[];
const REJECTED = [400, 404, 409, 410, 413, 414, 422];

/** The first matching row applies. */
const TABLE: readonly (readonly [readonly number[], readonly Operation[], Meaning])[] = [
  [[401, 403], ANY, KEY_REFUSED],
  [[402], ANY, LIMITED],
  [[404], ['list', 'find'], service('base-url-invalid', NO_INTERFACE)],
  [[407], ANY, NOT_BY_PROXY],
  [[408], ANY, FAILED],
  [[409, 423], ['update', 'delete'], record('Something else changes or uses the record. Plan again.')],
  [REJECTED, ['create', 'update'], record('Fix the values that the service rejected, then run again.')],
  [REJECTED, ANY, record(REFUSED)],
  [
    [429],
    ANY,
    service('service-failed', 'Run again later, or send fewer requests at a time (--parallelism).'),
  ],
];

/**
 * `keyWorks`: the service accepted the key before, so a 403 concerns only this write. `isJson`: the service itself
 * responded.
 */
export function meaningOf(operation: Operation, status: number, keyWorks: boolean, isJson: boolean): Meaning {
  if (status === 403 && METHODS[operation] !== 'GET' && keyWorks) return LIMITED;
  const row = TABLE.find(
    ([statuses, operations]) => statuses.includes(status) && operations.includes(operation),
  );
  if (row !== undefined) return row[2];
  return status >= 500 ? FAILED : service('service-refused', isJson ? REFUSED : NO_SERVICE);
}

/**
 * Returns the outcome of a failed request from its status. 202 means accepted and not done yet (RFC 9110, section
 * 15.3.3). A redirect does not show if the request was processed.
 */
export function outcomeOf(status: number | undefined): RequestOutcome {
  if (status === undefined || status === 202 || status === 408) return 'unknown';
  if (status === 500 || status < 300) return 'ended';
  return status < 400 || status > 500 ? 'unknown' : 'refused';
}
