/** Decides what a response means, by a table of statuses, and makes the errors of failed operations. */

import type { ErrorCode } from '../model/errors.ts';
import { SENSITIVE, Secret } from '../model/secret.ts';
import { type Blame, type RequestOutcome, ServiceError, type ServiceErrorDetails } from '../model/service.ts';
import { parseJson } from '../util/json.ts';
import { holdsKey } from '../util/key-filter.ts';
import { searchFor } from '../util/secret-forms.ts';
import { withoutKey } from './decode.ts';
import { decodeFailure, isPage, isStandIn, standInNames, tellsOfError } from './error-body.ts';
import type { NoAnswer } from './http/network-errors.ts';
import type { Address, Answer } from './http/transport.ts';
import type { Call } from './request.ts';
import type { RequestProgress } from './retry.ts';

export const METHODS = {
  list: 'GET',
  find: 'GET',
  read: 'GET',
  create: 'POST',
  update: 'PUT',
  delete: 'DELETE',
} as const;

export type Operation = keyof typeof METHODS;

interface Meaning {
  readonly code: ErrorCode;
  readonly blame: Blame;
  readonly remedy: string;
  /** `any`: every operation is retried. `safe`: every operation except a create. */
  readonly again?: 'any' | 'safe' | undefined;
}

const serviceMeaning = (code: ErrorCode, remedy: string, again?: Meaning['again']): Meaning => {
  return { code, blame: 'service', remedy, again };
};
const recordMeaning = (remedy: string, again?: Meaning['again']): Meaning => {
  return { code: 'service-refused', blame: 'record', remedy, again };
};

export const KEY_REFUSED = serviceMeaning(
  'key-refused',
  'Check that the API key belongs to this service. It is read from --api-key-file or WEBSITES_API_KEY (for a target: WEBSITES_API_KEY_NAME or api_key).',
);
const LIMITED = serviceMeaning(
  'service-refused',
  'Check the permissions of the API key, and the limit of the account.',
);
const NO_INTERFACE = 'Check the service URL: the API is expected at /api/v1 below it.';
const NO_SERVICE = 'Check the service URL, and that no proxy or login page responds instead of the service.';
const REFUSED = 'Check the service URL, and that the API key has permission for this request.';
const AGAIN_LATER = 'Run again later. If it fails again, check the log of the service.';

const FAILED = serviceMeaning('service-failed', AGAIN_LATER, 'safe');
const TOO_LARGE = serviceMeaning('service-failed', AGAIN_LATER);
const UNREACHABLE = serviceMeaning(
  'service-unreachable',
  'Check the service URL, and that the service is running.',
  'any',
);
const NOT_BY_PROXY = serviceMeaning(
  'service-unreachable',
  'Check the proxy and its credentials in HTTPS_PROXY or HTTP_PROXY. To bypass it, add the host to NO_PROXY.',
);
/** By kind of failure. Other kinds count as UNREACHABLE. */
const UNSENT: Readonly<Record<string, Meaning>> = {
  proxy: { ...NOT_BY_PROXY, again: 'any' },
  tls: serviceMeaning(
    'service-unreachable',
    'Check the service URL. To trust your own certificate authority, set NODE_EXTRA_CA_CERTS.',
  ),
};
export const REDIRECTED = serviceMeaning(
  'redirect-refused',
  'Set the service URL to the address of the service itself.',
);
const STAND_IN = serviceMeaning(
  'answer-invalid',
  'A proxy, challenge or login page responded. Allow requests through it, or use a URL that reaches the service directly.',
);
const NOT_JSON = serviceMeaning('answer-invalid', NO_SERVICE, 'safe');
export const OTHER_SHAPE = serviceMeaning('answer-invalid', NO_INTERFACE);

const ANY = Object.keys(METHODS) as readonly Operation[];
const REJECTED = [400, 404, 409, 410, 413, 414, 422];

/** The first matching row applies. */
const TABLE: readonly (readonly [readonly number[], readonly Operation[], Meaning])[] = [
  [[401, 403], ANY, KEY_REFUSED],
  [[402], ANY, LIMITED],
  [[404], ['list', 'find'], serviceMeaning('base-url-invalid', NO_INTERFACE)],
  [[407], ANY, NOT_BY_PROXY],
  [[408], ANY, FAILED],
  [[409, 423], ['update', 'delete'], recordMeaning('Another program is changing the record. Plan again.')],
  [
    REJECTED,
    ['create', 'update'],
    recordMeaning('Fix the values that the service rejected, then run again.'),
  ],
  [REJECTED, ANY, recordMeaning(REFUSED)],
  [
    [429],
    ANY,
    serviceMeaning('service-failed', 'Run again later, or send fewer requests at a time (--parallelism).'),
  ],
];

/**
 * `keyWorks`: the service accepted the key before, so a 403 concerns only this write. `isJson`: the service itself
 * responded.
 */
function meaningOf(operation: Operation, status: number, keyWorks: boolean, isJson: boolean): Meaning {
  if (status === 403 && METHODS[operation] !== 'GET' && keyWorks) return LIMITED;
  const row = TABLE.find(
    ([statuses, operations]) => statuses.includes(status) && operations.includes(operation),
  );
  if (row !== undefined) return row[2];
  return status >= 500 ? FAILED : serviceMeaning('service-refused', isJson ? REFUSED : NO_SERVICE);
}

/**
 * Returns the outcome of a failed request from its status. 202 means accepted and not done yet (RFC 9110, section
 * 15.3.3). A redirect does not show if the request was processed.
 */
function outcomeOf(status: number | undefined): RequestOutcome {
  if (status === undefined || status === 202 || status === 408) return 'unknown';
  if (status === 500 || status < 300) return 'ended';
  return status < 400 || status > 500 ? 'unknown' : 'refused';
}

export interface Attempt {
  readonly call: Call;
  readonly to: Address;
  readonly progress: RequestProgress;
  readonly secrets: readonly string[];
}

/** A successful response, or one that reports that the record does not exist (404, 410). */
export interface Good {
  readonly status: number;
  readonly isMissing: boolean;
  readonly json: unknown;
  readonly size: number;
}

export interface Setback
  extends Meaning,
    Pick<ServiceErrorDetails, 'outcome' | 'status' | 'fields' | 'asksTooMuch'> {
  /** Continues the sentence "GET URL …". */
  readonly what: string;
  /** Milliseconds that the service asks the client to wait; 0 if it names no time. */
  readonly throttledMs?: number;
}

/**
 * Decides what a response means. `waitMs`: the wait that the service asks for.
 * `keyWorks`: it accepted the key before.
 */
export function judge(
  attempt: Attempt,
  reply: Answer | NoAnswer,
  waitMs: number | undefined,
  keyWorks: boolean,
): Good | Setback {
  const { status } = reply;
  const verdict = reply.kind === 'answer' ? judgeAnswer(attempt, reply, keyWorks) : unanswered(reply);
  const isAsked = status === 503 && waitMs !== undefined && reply.kind === 'answer';
  if (status !== 429 && !isAsked) return verdict;
  const setback = { ...(verdict as Setback), throttledMs: waitMs ?? 0 };
  // A 503 that is a page or cut off may come from a proxy, after the service carried out the write.
  return isAsked && parseJson(reply.body) === undefined ? setback : { ...setback, outcome: 'refused' };
}

function judgeAnswer(attempt: Attempt, answer: Answer, keyWorks: boolean): Good | Setback {
  const { status, body } = answer;
  if (status < 300) {
    const parsed = parseBody(attempt, answer);
    if ('problem' in parsed) return misshapen(status, parsed.problem, NOT_JSON);
    if (!tellsOfError(parsed.json)) return { status, isMissing: false, json: parsed.json, size: body.length };
  }
  const mayBeMissing = ['read', 'update', 'delete'].includes(attempt.call.operation);
  if (mayBeMissing && (status === 404 || status === 410) && !isStandIn(answer)) {
    return { status, isMissing: true, json: undefined, size: 0 };
  }
  return refused(attempt, answer, keyWorks);
}

/** JSON must be UTF-8 (RFC 8259, section 8.1). Other encodings would change the letters of domains. */
function parseBody(attempt: Attempt, answer: Answer): { json: unknown } | { problem: string } {
  const { body, isUtf8 } = answer;
  const { operation } = attempt.call;
  if (isPage(answer)) {
    return { problem: unlessSecret(`a page instead of JSON${standInNames(answer)}`, attempt) };
  }
  if (!isUtf8) return { problem: 'text that is not UTF-8' };
  if ((operation === 'update' || operation === 'delete') && body.trim() === '') return { json: undefined };
  const json = parseJson(body);
  return json === undefined
    ? { problem: 'no JSON' }
    : { json: holdsKey(body) ? JSON.parse(body, withoutKey) : json };
}

function unanswered({ kind, sent, status, reason }: NoAnswer): Setback {
  const what = `failed: ${reason}`;
  if (!sent) return { ...(UNSENT[kind] ?? UNREACHABLE), what, outcome: 'refused' };
  const outcome = kind === 'timeout' ? 'unknown' : outcomeOf(status);
  const meaning = kind === 'too-large' ? TOO_LARGE : FAILED;
  // Keeps a success status: it shows that the write was applied, even if the response was cut off.
  return { ...meaning, what, outcome, ...(status !== undefined && status < 300 && { status }) };
}

export function misshapen(status: number, held: string, meaning: Meaning): Setback {
  return { ...meaning, what: `answered ${status} with ${held}`, status, outcome: outcomeOf(status) };
}

function refused(attempt: Attempt, answer: Answer, keyWorks: boolean): Setback {
  const { operation } = attempt.call;
  const { status, body } = answer;
  const meaning = meaningOf(operation, status, keyWorks, parseJson(body) !== undefined);
  const outcome = outcomeOf(status);
  if (isStandIn(answer)) {
    const who = unlessSecret(standInNames(answer), attempt);
    const what = `was answered by something other than the service: ${status}${who}`;
    return { ...meaning, ...STAND_IN, what, status, outcome };
  }
  const said = decodeFailure(body);
  const text = `${body}\n${JSON.stringify(said)}`;
  // A service in debug mode may repeat a secret in a message. The whole message is dropped then.
  const isSafe = unlessSecret(text, attempt) === text;
  const { message, fields } = isSafe
    ? said
    : { message: 'its message repeats a secret and is not shown', fields: {} };
  const words = message === '' ? '' : `: ${message.replace(/\.$/, '')}`;
  return { ...meaning, what: `answered ${status}${words}`, status, fields, outcome };
}

export function unlessSecret(text: string, { call: { values = {} }, secrets }: Attempt): string {
  const written = Object.values(values).flatMap((value) => (value instanceof Secret ? [value.reveal()] : []));
  const holds = (secret: string): boolean => secret !== '' && searchFor(secret).isIn(text);
  return [...written, ...secrets].some(holds) ? SENSITIVE : text;
}

/**
 * Returns the error `Cannot create shop.example.com: POST https://… WHAT`. Its outcome is the most uncertain one of
 * all attempts.
 */
export function errorOf(
  { call: { operation, subject }, to, progress: { outcome, attempts, sentAt } }: Attempt,
  { code, what, ...details }: Omit<Setback, 'outcome' | 'remedy'> & Partial<ServiceErrorDetails>,
): ServiceError {
  const verb = operation === 'list' ? 'list the websites' : operation === 'find' ? 'look up' : operation;
  const tried = subject === undefined ? verb : `${verb} ${subject}`;
  const after = attempts > 1 ? ` (after ${attempts} attempts)` : '';
  const message = `Cannot ${tried}: ${METHODS[operation]} ${to.origin}${to.path} ${what}${after}.`;
  return new ServiceError(code, message, { ...details, outcome, attempts, sentAt });
}
