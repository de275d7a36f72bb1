/** Failed operations as errors: what was tried, at which address, and the service's own words. */

import { SENSITIVE, Secret } from '../../model/secret.ts';
import { ServiceError, type ServiceErrorDetails } from '../../model/service.ts';
import { type DecodedFailure, decodeFailure } from '../../wire/error-body.ts';
import { hrefOf, type ServiceAddress } from '../base-url.ts';
import type { Answer } from '../http/answer.ts';
import type { Failure } from '../http/network-errors.ts';
import type { Call } from '../operations.ts';
import { graver } from '../retry.ts';
import {
  FAILED,
  KEY_REFUSED,
  type Meaning,
  MISSHAPEN,
  meaningOf,
  NOT_BY_PROXY,
  REDIRECTED,
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
  const message = sentence(call, at, `answered ${status} with ${what}${afterAttempts(course)}.`);
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

/** The run was stopped while the operation waited. */
export function interrupted(call: Call, at: ServiceAddress, course: Course): ServiceError {
  const message = sentence(call, at, 'was not sent, or not once more: the run was interrupted.');
  return new ServiceError('interrupted', message, { ...course, blame: 'service' });
}

/** The operation may not be sent, or not once more, as `error` says. */
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
  const { status, headers, isUtf8 } = answer;
  // Of a body in a coding that was not asked for, there are no words to pass on.
  const body = isUtf8 || headers['content-encoding'] === undefined ? answer.body : '';
  const said = withoutSecrets(decodeFailure(body), body, call);
  const words = said.message === '' ? '' : `: ${said.message.replace(/\.$/, '')}`;
  const message = sentence(call, at, `answered ${status}${words}${afterAttempts(course)}.`);
  return errorOf(meaningOf(call, status, keyWorks), message, course, { status, fields: said.fields });
}

/** Words that repeat a secret, as those of a debugging service may, are not passed on at all. */
function withoutSecrets(said: DecodedFailure, body: string, call: Call): DecodedFailure {
  const text = `${body}\n${JSON.stringify(said)}`;
  if (unlessSecret(text, call) === text) return said;
  return { message: 'its words repeat a secret and are not shown', fields: {} };
}

function unlessSecret(text: string, call: Call): string {
  const told = unescapings(text).join('\n');
  const isTold = secretsOf(call).some((secret) =>
    formsOf(secret).some((form) => form !== '' && told.includes(form)),
  );
  return isTold ? SENSITIVE : text;
}

function secretsOf({ values = {}, secrets = [] }: Call): string[] {
  const written = Object.values(values).flatMap((value) => (value instanceof Secret ? [value.reveal()] : []));
  return [...written, ...secrets];
}

/** A secret in a form or an address, inside JSON, as it is, and without escapes of its own. */
function formsOf(secret: string): string[] {
  const form = new URLSearchParams({ secret }).toString().slice('secret='.length);
  const forms = [form, form.replaceAll('+', '%20'), JSON.stringify(secret).slice(1, -1)];
  return [...forms.map((text) => text.toLowerCase()), ...unescapings(secret)];
}

/** An address inside another one, inside a page, is escaped three times; a text may be escaped for ever. */
const MOST_TIMES = 4;

/** A text in lower case, as addresses may put it, and the same unescaped again and again until nothing changes. */
function unescapings(text: string, times = MOST_TIMES): string[] {
  const lower = text.toLowerCase();
  const plain = unescaped(lower);
  return times === 0 || plain === lower ? [lower] : [lower, ...unescapings(plain, times - 1)];
}

/**
 * How addresses, HTML and JSON write a character, and what it comes to: HTML however often it was escaped. None looks
 * at a text twice, which may be as large as an answer.
 */
const ESCAPES: readonly (readonly [RegExp, (written: string, code: string) => string])[] = [
  [/\+/g, () => ' '],
  [/(?:%[\da-f]{2})+/g, unquoted],
  [/&(?:(?:amp|#0*38|#x0*26);)+/g, () => '&'],
  [/&lt;/g, () => '<'],
  [/&gt;/g, () => '>'],
  [/&quot;/g, () => '"'],
  [/&apos;/g, () => "'"],
  [/&#0*(\d{1,7});/g, (_, code) => characterOf(Number(code))],
  [/&#x0*([\da-f]{1,6});/g, (_, code) => characterOf(Number.parseInt(code, 16))],
  [/(?<!\\)\\+u([\da-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))],
  [/\\/g, () => ''],
];

/** Of text in lower case; what was escaped, and the same before, come out alike. */
function unescaped(text: string): string {
  return ESCAPES.reduce((before, [written, character]) => before.replace(written, character), text);
}

function characterOf(code: number): string {
  return code > 0x10ffff ? '' : String.fromCodePoint(code);
}

/** Of bytes as an address has them; what is no UTF-8 stays. */
function unquoted(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes;
  }
}
