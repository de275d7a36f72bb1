/** Failed operations as errors: what was tried, at which address, and the service's own words. */
import { SENSITIVE, Secret } from '../../model/secret.ts';
import { ServiceError, type ServiceErrorDetails } from '../../model/service.ts';
import { searchFor } from '../../util/secret-forms.ts';
import { hrefOf, type ServiceAddress } from '../base-url.ts';
import { type DecodedFailure, decodeFailure } from '../error-body.ts';
import type { Answer } from '../http/answer.ts';
import type { Failure } from '../http/network-errors.ts';
import type { Call } from '../operations.ts';
import { graver } from '../retry.ts';
import { isStandIn, standInNames } from './stand-in.ts';
import {
  FAILED,
  KEY_REFUSED,
  type Meaning,
  MISSHAPEN,
  meaningOf,
  NOT_BY_PROXY,
  REDIRECTED,
  STAND_IN,
  UNREACHABLE,
  UNTRUSTED,
} from './status-mapping.ts';

/** How an operation went that ended in an error. */
export type Course = Pick<ServiceErrorDetails, 'outcome' | 'attempts' | 'sentAt'>;

const VERBS = {
  list: 'list the websites',
  find: 'look up',
  read: 'read',
  create: 'create',
  update: 'update',
  delete: 'delete',
} as const;

/** `Cannot create shop.example.com: POST https://… REASON`. */
function sentence({ operation, subject, method }: Call, at: ServiceAddress, reason: string): string {
  return `Cannot ${VERBS[operation]}${subject === undefined ? '' : ` ${subject}`}: ${method} ${hrefOf(at)} ${reason}`;
}

function afterAttempts({ attempts }: Course): string {
  return attempts > 1 ? ` (after ${attempts} attempts)` : '';
}

function errorOf(
  { code, blame, remedy }: Meaning,
  message: string,
  course: Course,
  more: Pick<ServiceErrorDetails, 'status' | 'fields'> = {},
): ServiceError {
  return new ServiceError(code, message, { ...course, blame, remedy, ...more });
}

const BY_KIND: { readonly [Kind in Failure['kind']]?: Meaning } = { tls: UNTRUSTED, proxy: NOT_BY_PROXY };

/** No answer, or none that could be taken. */
export function unanswered(call: Call, at: ServiceAddress, failure: Failure, course: Course): ServiceError {
  const meaning = BY_KIND[failure.kind] ?? (failure.sent ? FAILED : UNREACHABLE);
  const message = sentence(call, at, `failed: ${failure.reason}${afterAttempts(course)}.`);
  // Of an answer that was cut off, a good status says that the write was carried out all the same.
  const { status = 0 } = failure.head ?? {};
  return errorOf(meaning, message, course, status >= 200 && status < 300 ? { status } : {});
}

/** A good status whose body is not what it should be: `what` it holds instead. */
export function misshapen(
  call: Call,
  at: ServiceAddress,
  status: number,
  course: Course,
  what: string,
): ServiceError {
  const message = sentence(
    call,
    at,
    `answered ${status} with ${unlessSecret(what, call)}${afterAttempts(course)}.`,
  );
  return errorOf(MISSHAPEN, message, course, { status });
}

/** A login page, `to`, instead of an answer: the key was not taken. */
export function sentToLogin(call: Call, at: ServiceAddress, to: string, course: Course): ServiceError {
  const message = sentence(call, at, `was sent to the login page ${unlessSecret(to, call)}.`);
  return errorOf(KEY_REFUSED, message, course);
}

/** A redirect that is not followed. Of a write it cannot be told whether it was carried out. */
export function redirectRefused(
  call: Call,
  at: ServiceAddress,
  status: number,
  { to, reason }: { readonly to: string; readonly reason: string },
  course: Course,
): ServiceError {
  const where = `${unlessSecret(to, call)} (${status}): ${reason}; the key was not sent there.`;
  const outcome = call.method === 'GET' ? course.outcome : graver(course.outcome, 'ended');
  return errorOf(REDIRECTED, sentence(call, at, `was redirected to ${where}`), { ...course, outcome });
}

/** The same, of a service that asked for a longer wait, `askedMs` in sum, than it is given. */
export function asksTooMuch(error: ServiceError, askedMs: number): ServiceError {
  const { code, message, outcome, blame, attempts, sentAt, status } = error;
  const seconds = Math.ceil(askedMs / 1000);
  return new ServiceError(code, `${message.replace(/\.$/, '')}, and asks to wait ${seconds} s in all.`, {
    ...{ outcome, blame, attempts, sentAt, status },
    asksTooMuch: true,
    remedy: `Run again later, or wait longer: --max-wait ${seconds}s.`,
  });
}

/** The run was stopped while the operation waited. */
export function interrupted(call: Call, at: ServiceAddress, course: Course): ServiceError {
  const again = course.attempts > 0 ? ' again' : '';
  const message = sentence(call, at, `was not sent${again}: the run was interrupted.`);
  return new ServiceError('interrupted', message, { ...course, blame: 'service' });
}

/** The operation may not be sent, or not again, as `error` says. */
export function notPermitted({ code, message, blame, remedy }: ServiceError, course: Course): ServiceError {
  return new ServiceError(code, message, { ...course, blame, remedy });
}

/** An answer that refuses or fails the operation; for `keyWorks` see meaningOf. */
export function refused(
  call: Call,
  at: ServiceAddress,
  answer: Answer,
  course: Course,
  keyWorks: boolean,
): ServiceError {
  const { status, body } = answer;
  if (isStandIn(answer, keyWorks && call.method !== 'GET')) {
    const who = unlessSecret(standInNames(answer), call);
    const what = `was answered by something other than the service: ${status}${who}.`;
    return errorOf(STAND_IN, sentence(call, at, what), course, { status });
  }
  const said = withoutSecrets(decodeFailure(body), body, call);
  const words = said.message === '' ? '' : `: ${said.message.replace(/\.$/, '')}`;
  const message = sentence(call, at, `answered ${status}${words}${afterAttempts(course)}.`);
  return errorOf(meaningOf(call, status, keyWorks), message, course, { status, fields: said.fields });
}

/** Words that repeat a secret, as those of a debugging service may, are not passed on at all. */
function withoutSecrets(said: DecodedFailure, body: string, call: Call): DecodedFailure {
  const text = `${body}\n${JSON.stringify(said)}`;
  if (unlessSecret(text, call) === text) return said;
  return { message: 'its message repeats a secret and is not shown', fields: {} };
}

function unlessSecret(text: string, call: Call): string {
  const isTold = secretsOf(call).some((secret) => searchFor(secret, { shortToo: true }).isIn(text));
  return isTold ? SENSITIVE : text;
}

function secretsOf({ values = {}, secrets = [] }: Call): string[] {
  const written = Object.values(values).flatMap((value) => (value instanceof Secret ? [value.reveal()] : []));
  return [...written, ...secrets].filter((secret) => secret !== '');
}
