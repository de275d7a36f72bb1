import { SENSITIVE, Secret } from '../model/secret.ts';
import { ServiceError, type ServiceErrorDetails } from '../model/service.ts';
import { parseJson } from '../util/json.ts';
import { holdsKey } from '../util/key-filter.ts';
import { searchFor } from '../util/secret-forms.ts';
import { withoutKey } from './decode.ts';
import { decodeFailure, isPage, isStandIn, standInNames, tellsOfError } from './error-body.ts';
import type { NoAnswer } from './http/network-errors.ts';
import type { Address, Answer } from './http/transport.ts';
import type { Call } from './request.ts';
import type { RequestProgress } from './retry.ts';
import {
  FAILED,
  METHODS,
  type Meaning,
  meaningOf,
  NOT_JSON,
  outcomeOf,
  STAND_IN,
  TOO_LARGE,
  UNREACHABLE,
  UNSENT,
} from './statuses.ts';

export interface Asked {
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
  asked: Asked,
  reply: Answer | NoAnswer,
  waitMs: number | undefined,
  keyWorks: boolean,
): Good | Setback {
  const { status } = reply;
  const came = reply.kind === 'answer' ? judgeAnswer(asked, reply, keyWorks) : unanswered(reply);
  const isAsked = status === 503 && waitMs !== undefined && reply.kind === 'answer';
  if (status !== 429 && !isAsked) return came;
  const setback = { ...(came as Setback), throttledMs: waitMs ?? 0 };
  // A 503 that is a page or cut off may come from a proxy, after the service carried out the write.
  return isAsked && parseJson(reply.body) === undefined ? setback : { ...setback, outcome: 'refused' };
}

function judgeAnswer(asked: Asked, answer: Answer, keyWorks: boolean): Good | Setback {
  const { status, body } = answer;
  if (status < 300) {
    const parsed = parseBody(asked, answer);
    if ('problem' in parsed) return misshapen(status, parsed.problem, NOT_JSON);
    if (!tellsOfError(parsed.json)) return { status, isMissing: false, json: parsed.json, size: body.length };
  }
  const mayBeMissing = ['read', 'update', 'delete'].includes(asked.call.operation);
  if (mayBeMissing && (status === 404 || status === 410) && !isStandIn(answer)) {
    return { status, isMissing: true, json: undefined, size: 0 };
  }
  return refused(asked, answer, keyWorks);
}

/** JSON must be UTF-8 (RFC 8259, section 8.1). Other encodings would change the letters of domains. */
function parseBody(asked: Asked, answer: Answer): { json: unknown } | { problem: string } {
  const { body, isUtf8 } = answer;
  const { operation } = asked.call;
  if (isPage(answer)) {
    return { problem: unlessSecret(`a page instead of JSON${standInNames(answer)}`, asked) };
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
  // A success status shows that the write was applied, even if the response was cut off.
  return { ...meaning, what, outcome, ...(status !== undefined && status < 300 && { status }) };
}

export function misshapen(status: number, held: string, meaning: Meaning): Setback {
  return { ...meaning, what: `answered ${status} with ${held}`, status, outcome: outcomeOf(status) };
}

function refused(asked: Asked, answer: Answer, keyWorks: boolean): Setback {
  const { operation } = asked.call;
  const { status, body } = answer;
  const meaning = meaningOf(operation, status, keyWorks, parseJson(body) !== undefined);
  const outcome = outcomeOf(status);
  if (isStandIn(answer)) {
    const who = unlessSecret(standInNames(answer), asked);
    const what = `was answered by something other than the service: ${status}${who}`;
    return { ...meaning, ...STAND_IN, what, status, outcome };
  }
  const said = decodeFailure(body);
  const text = `${body}\n${JSON.stringify(said)}`;
  // A service in debug mode may repeat a secret in a message. The whole message is dropped then.
  const isSafe = unlessSecret(text, asked) === text;
  const { message, fields } = isSafe
    ? said
    : { message: 'its message repeats a secret and is not shown', fields: {} };
  const words = message === '' ? '' : `: ${message.replace(/\.$/, '')}`;
  return { ...meaning, what: `answered ${status}${words}`, status, fields, outcome };
}

export function unlessSecret(text: string, { call: { values = {} }, secrets }: Asked): string {
  const written = Object.values(values).flatMap((value) => (value instanceof Secret ? [value.reveal()] : []));
  const holds = (secret: string): boolean =>
    secret !== '' && searchFor(secret, { shortToo: true }).isIn(text);
  return [...written, ...secrets].some(holds) ? SENSITIVE : text;
}

/**
 * Returns the error `Cannot create shop.example.com: POST https://… WHAT`. Its outcome is the most uncertain one of
 * all attempts.
 */
export function errorOf(
  { call: { operation, subject }, to, progress: { outcome, attempts, sentAt } }: Asked,
  { code, what, ...details }: Omit<Setback, 'outcome' | 'remedy'> & Partial<ServiceErrorDetails>,
): ServiceError {
  const verb = operation === 'list' ? 'list the websites' : operation === 'find' ? 'look up' : operation;
  const tried = subject === undefined ? verb : `${verb} ${subject}`;
  const after = attempts > 1 ? ` (after ${attempts} attempts)` : '';
  const message = `Cannot ${tried}: ${METHODS[operation]} ${to.origin}${to.path} ${what}${after}.`;
  return new ServiceError(code, message, { ...details, outcome, attempts, sentAt });
}
