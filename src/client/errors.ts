/** Failed operations as errors: what was tried, at which address, and the service's own words. */
import { SENSITIVE, Secret } from '../model/secret.ts';
import { ServiceError, type ServiceErrorDetails } from '../model/service.ts';
import { parseJson } from '../util/json.ts';
import { searchFor } from '../util/secret-forms.ts';
import { firstOf } from '../util/text.ts';
import { hrefOf, type ServiceAddress } from './base-url.ts';
import { type DecodedFailure, decodeFailure, pageTitle } from './error-body.ts';
import type { Failure } from './http/network-errors.ts';
import type { Answer } from './http/transport.ts';
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

/** One request of an operation. `secrets` are what no error may show besides those of the call. */
export interface Asked {
  readonly call: Call;
  readonly at: ServiceAddress;
  readonly progress: Progress;
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
  { call, at, progress }: Asked,
  { code, blame, remedy }: Pick<Meaning, 'code' | 'blame'> & { readonly remedy?: string },
  what: string,
  more: Partial<ServiceErrorDetails> = {},
): ServiceError {
  const { operation, subject, method } = call;
  const { outcome, attempts, sentAt } = progress;
  const message = `Cannot ${VERBS[operation]}${subject === undefined ? '' : ` ${subject}`}: ${method} ${hrefOf(at)} ${what}`;
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
  const held = unlessSecret(what, asked);
  const text = `answered ${status} with ${held}${afterAttempts(asked)}.`;
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
  const { code, message, outcome, blame, attempts, sentAt, status } = error;
  const seconds = Math.ceil(askedMs / 1000);
  return new ServiceError(code, `${message.replace(/\.$/, '')}, and asks to wait ${seconds} s in all.`, {
    ...{ outcome, blame, attempts, sentAt, status },
    asksTooMuch: true,
    remedy: `Run again later, or wait longer: WEBSITES_MAX_WAIT=${seconds}s.`,
  });
}

/** The run was stopped while the operation waited. */
export function interrupted(asked: Asked): ServiceError {
  const again = asked.progress.attempts > 0 ? ' again' : '';
  const meaning = { code: 'interrupted', blame: 'service' } as const;
  return errorOf(asked, meaning, `was not sent${again}: the run was interrupted.`);
}

/** An answer that refuses or fails the operation; for `keyWorks` see meaningOf. */
export function refused(asked: Asked, answer: Answer, keyWorks: boolean): ServiceError {
  const { call } = asked;
  const { status, body } = answer;
  if (isStandIn(answer, keyWorks && call.method !== 'GET')) {
    const who = unlessSecret(standInNames(answer), asked);
    return errorOf(asked, STAND_IN, `was answered by something other than the service: ${status}${who}.`, {
      status,
    });
  }
  const said = withoutSecrets(decodeFailure(body), body, asked);
  const words = said.message === '' ? '' : `: ${said.message.replace(/\.$/, '')}`;
  const meaning = meaningOf(call.operation, status, keyWorks, parseJson(body) !== undefined);
  const { fields } = said;
  return errorOf(asked, meaning, `answered ${status}${words}${afterAttempts(asked)}.`, { status, fields });
}

/** Words that repeat a secret, as those of a debugging service may, are not passed on at all. */
function withoutSecrets(said: DecodedFailure, body: string, asked: Asked): DecodedFailure {
  const text = `${body}\n${JSON.stringify(said)}`;
  if (unlessSecret(text, asked) === text) return said;
  return { message: 'its message repeats a secret and is not shown', fields: {} };
}

function unlessSecret(text: string, { call: { values = {} }, secrets }: Asked): string {
  const written = Object.values(values).flatMap((value) => (value instanceof Secret ? [value.reveal()] : []));
  const holds = (secret: string): boolean =>
    secret !== '' && searchFor(secret, { shortToo: true }).isIn(text);
  return [...written, ...secrets].some(holds) ? SENSITIVE : text;
}

/** The network asks for a login (RFC 6585, section 6). */
const LOGIN_TO_NETWORK = 511;
const OTHER_SCHEMES = /^\s*(?:basic|digest|ntlm|negotiate|kerberos)\b/i;
/** Servers that stand in front of others. */
const FRONTS =
  /cloudflare|akamai|imperva|incapsula|sucuri|awselb|big-?ip|fortinet|zscaler|squid|bluecoat|varnish/i;
const MAX_NAME = 80;

/** If an answer is a page. */
export function isPage({ headers, body }: Answer): boolean {
  return (
    /\bhtml\b/i.test(headers['content-type'] ?? '') ||
    /^\s*<(?:!doctype\s+html|html)\b/i.test(body.slice(0, 500))
  );
}

/**
 * If an answer that is no success is not the service's, which answers JSON and never asks for Basic authentication: a
 * challenge, a login form, a portal. `isOwn`: the service may refuse this with such a status, as it took the key before.
 */
export function isStandIn(answer: Answer, isOwn: boolean): boolean {
  const { status, headers } = answer;
  if (headers['cf-mitigated'] !== undefined || status === LOGIN_TO_NETWORK) return true;
  if (status === 401 && OTHER_SCHEMES.test(headers['www-authenticate'] ?? '')) return true;
  const isFront = FRONTS.test(headers.server ?? '');
  return isPage(answer) && (status === 403 ? isFront || !isOwn : status === 401 && isFront);
}

/** Who answered, if it says so: ` (server cloudflare, title "Just a moment...")`. */
export function standInNames({ headers, body }: Answer): string {
  const title = pageTitle(body);
  const names = [
    headers.server === undefined ? '' : `server ${firstOf(headers.server, MAX_NAME)}`,
    title ? `title "${firstOf(title, MAX_NAME)}"` : '',
  ].filter(Boolean);
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}
