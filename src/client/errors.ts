/** Failed operations as errors: what was tried, at which address, and the service's own words. */
import { SENSITIVE, Secret } from '../model/secret.ts';
import { ServiceError, type ServiceErrorDetails } from '../model/service.ts';
import { parseJson } from '../util/json.ts';
import { searchFor } from '../util/secret-forms.ts';
import { decodeFailure, isStandIn, standInNames } from './error-body.ts';
import type { Failure } from './http/network-errors.ts';
import type { Address, Answer } from './http/transport.ts';
import type { Call } from './request.ts';
import { graver, type Progress } from './retry.ts';
import {
  FAILED,
  KEY_REFUSED,
  type Meaning,
  meaningOf,
  misshapenMeaning,
  NOT_BY_PROXY,
  REDIRECTED,
  STAND_IN,
  UNREACHABLE,
  UNTRUSTED,
} from './statuses.ts';

/** One request of an operation. */
export interface Asked {
  readonly call: Call;
  readonly to: Address;
  readonly progress: Progress;
  /** No error may show these, nor those of the call. */
  readonly secrets: readonly string[];
}

const VERBS = {
  list: 'list the websites',
  find: 'look up',
  read: 'read',
  create: 'create',
  update: 'update',
  delete: 'delete',
} as const;

/** `Cannot create shop.example.com: POST https://… WHAT`. */
function errorOf(
  { call: { operation, subject, method }, to, progress: { outcome, attempts, sentAt } }: Asked,
  { code, blame, remedy }: Omit<Meaning, 'remedy'> & { readonly remedy?: string },
  what: string,
  more: Partial<ServiceErrorDetails> = {},
): ServiceError {
  const tried = [VERBS[operation], ...(subject === undefined ? [] : [subject])].join(' ');
  const message = `Cannot ${tried}: ${method} ${to.origin}${to.path} ${what}`;
  return new ServiceError(code, message, { outcome, attempts, sentAt, blame, remedy, ...more });
}

function afterAttempts({ progress: { attempts } }: Asked): string {
  return attempts > 1 ? ` (after ${attempts} attempts)` : '';
}

/** No answer, or none that could be taken. */
export function unanswered(asked: Asked, failure: Failure): ServiceError {
  const byKind: { [Kind in Failure['kind']]?: Meaning } = { tls: UNTRUSTED, proxy: NOT_BY_PROXY };
  const meaning = byKind[failure.kind] ?? (failure.sent ? FAILED : UNREACHABLE);
  // Of an answer that was cut off, a good status says that the write was carried out all the same.
  const { status = 0 } = failure.head ?? {};
  const more = status >= 200 && status < 300 ? { status } : {};
  return errorOf(asked, meaning, `failed: ${failure.reason}${afterAttempts(asked)}.`, more);
}

/** A good status whose body is not what it should be: `what` it holds instead. */
export function misshapen(asked: Asked, status: number, what: string, isJson: boolean): ServiceError {
  const text = `answered ${status} with ${unlessSecret(what, asked)}${afterAttempts(asked)}.`;
  return errorOf(asked, misshapenMeaning(isJson), text, { status });
}

/** A login page, `to`, instead of an answer: the key was not taken. */
export function sentToLogin(asked: Asked, to: string): ServiceError {
  return errorOf(asked, KEY_REFUSED, `was sent to the login page ${unlessSecret(to, asked)}.`);
}

/** A redirect that is not followed: it does not say if a write was carried out. */
export function redirectRefused(asked: Asked, status: number, to: string, reason: string): ServiceError {
  const { outcome } = asked.progress;
  const what = `was redirected to ${unlessSecret(to, asked)} (${status}): ${reason}; the key was not sent there.`;
  const more = { outcome: asked.call.method === 'GET' ? outcome : graver(outcome, 'ended') };
  return errorOf(asked, REDIRECTED, what, more);
}

/** The same, of a service that asked for a longer wait, `askedMs` in sum, than it is given. */
export function asksTooMuch(error: ServiceError, askedMs: number): ServiceError {
  const seconds = Math.ceil(askedMs / 1000);
  const message = `${error.message.replace(/\.$/, '')}, and asks to wait ${seconds} s in all.`;
  const remedy = `Run again later, or wait longer: WEBSITES_MAX_WAIT=${seconds}s.`;
  return new ServiceError(error.code, message, { ...error, asksTooMuch: true, remedy });
}

/** The run was stopped while the operation waited. */
export function interrupted(asked: Asked): ServiceError {
  const again = asked.progress.attempts > 0 ? ' again' : '';
  const meaning = { code: 'interrupted', blame: 'service' } as const;
  return errorOf(asked, meaning, `was not sent${again}: the run was interrupted.`);
}

/** An answer that refuses or fails the operation; for `keyWorks` see meaningOf. */
export function refused(asked: Asked, answer: Answer, keyWorks: boolean): ServiceError {
  const { operation, method } = asked.call;
  const { status, body } = answer;
  if (isStandIn(answer, keyWorks && method !== 'GET')) {
    const who = unlessSecret(standInNames(answer), asked);
    const what = `was answered by something other than the service: ${status}${who}.`;
    return errorOf(asked, STAND_IN, what, { status });
  }
  const said = decodeFailure(body);
  const text = `${body}\n${JSON.stringify(said)}`;
  // Words that repeat a secret, as those of a debugging service may, are not passed on at all.
  const isSafe = unlessSecret(text, asked) === text;
  const { message, fields } = isSafe
    ? said
    : { message: 'its message repeats a secret and is not shown', fields: {} };
  const words = message === '' ? '' : `: ${message.replace(/\.$/, '')}`;
  const meaning = meaningOf(operation, status, keyWorks, parseJson(body) !== undefined);
  return errorOf(asked, meaning, `answered ${status}${words}${afterAttempts(asked)}.`, { status, fields });
}

function unlessSecret(text: string, { call: { values = {} }, secrets }: Asked): string {
  const written = Object.values(values).flatMap((value) => (value instanceof Secret ? [value.reveal()] : []));
  const holds = (secret: string): boolean =>
    secret !== '' && searchFor(secret, { shortToo: true }).isIn(text);
  return [...written, ...secrets].some(holds) ? SENSITIVE : text;
}
