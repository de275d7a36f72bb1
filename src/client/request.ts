/**
 * One operation as the requests that it takes: each waits its turn, is sent with the key, along redirects within the
 * service's own hosts, and again after a setback that may be repeated.
 */

import { FORM_TYPE } from '../model/contract.ts';
import type { Findings } from '../model/doctor-findings.ts';
import {
  type Pace,
  type Permit,
  type RequestFacts,
  ServiceError,
  type WriteValues,
} from '../model/service.ts';
import { type Clock, LONGEST_TIMER_MS } from '../util/clock.ts';
import { parseJson } from '../util/json.ts';
import { addressOf, hrefOf, resolvePath, type ServiceAddress } from './base-url.ts';
import { tellsOfError } from './error-body.ts';
import {
  type Asked,
  asksTooMuch,
  interrupted,
  isPage,
  isStandIn,
  misshapen,
  redirectRefused,
  refused,
  sentToLogin,
  standInNames,
  unanswered,
} from './errors.ts';
import type { Failure } from './http/network-errors.ts';
import { judgeRedirect } from './http/redirect.ts';
import type { Answer, Transport } from './http/transport.ts';
import type { Limiter } from './pace.ts';
import { paceOf } from './pace-headers.ts';
import { withoutRepeatedKey } from './repeated-key.ts';
import { decide, graver, outcomeOf, type Setback, startProgress } from './retry.ts';
import { ShapeError } from './shape.ts';
import type { Operation } from './statuses.ts';

/** One operation of the interface (specification, section 4). */
export interface Call {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base address, with its query. */
  readonly path: string;
  /** For messages: a domain, or the id of a record. */
  readonly subject?: string;
  readonly form?: string;
  /** The values of the form; no error may show the secrets among them. */
  readonly values?: WriteValues;
  readonly permit?: Permit | undefined;
}

export interface ExchangeOptions {
  readonly baseUrl: URL;
  readonly key: string;
  /** Of this program, for the `User-Agent`. */
  readonly version: string;
  readonly transport: Transport;
  readonly limiter: Limiter;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** No error may show these: the key, and the login of a proxy. */
  readonly secrets: readonly string[];
  /** Bounds one operation with its retries, without waits that the service asked for; in milliseconds. */
  readonly timeoutMs: number;
  /** Bounds one request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Bounds the waits that the service asks one operation for, in sum; in milliseconds. */
  readonly maxWaitMs: number;
  /** When aborted, operations that wait end as `interrupted`; a look may still be had. */
  readonly signal?: AbortSignal;
  /** Called with each request once it has ended; it holds no secret. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** One request that has ended, with the headers of its answer. */
export interface RequestEvent extends RequestFacts {
  readonly headers?: Answer['headers'];
}

export interface Exchange {
  /** Carries a call out and decodes its answer. Throws a ServiceError, `answer-invalid` for a ShapeError. */
  carryOut<T>(call: Call, decode: (good: Good) => T): Promise<T>;
  /** Where requests go by now. */
  readonly baseUrl: URL;
  /** Redirects that were followed. */
  readonly redirects: Findings['redirects'];
}

/** An answer that brings what was asked for, or says that there is no such record (404, 410). */
export interface Good {
  readonly status: number;
  readonly isMissing: boolean;
  /** Undefined if the body is empty. */
  readonly json: unknown;
  /** Of the body, in characters. */
  readonly size: number;
}

interface Reply {
  readonly reply: Answer | Failure;
  readonly pace: Pace;
}

/** An attempt that did not bring what was asked for. */
interface Miss {
  readonly setback: Setback;
  toError(): ServiceError;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createExchange(options: ExchangeOptions): Exchange {
  const { secrets, signal } = options;
  const redirects: Findings['redirects'][number][] = [];
  const sendOnce = createSender(options);
  let base = addressOf(options.baseUrl);
  let keyWorks = false;

  /** The address to send a request to instead; undefined if the redirect itself is the answer. */
  function follow(asked: Asked, { status, headers }: Answer, hops: number): ServiceAddress | undefined {
    const from = new URL(hrefOf(asked.at));
    const { method } = asked.call;
    const redirect = judgeRedirect(from, { method, status, location: headers.location, hops });
    if (redirect.kind === 'dealt-with') return undefined;
    if (redirect.kind === 'login') throw sentToLogin(asked, redirect.to);
    if (redirect.kind === 'refused') throw redirectRefused(asked, status, redirect.to, redirect.reason);
    redirects.push({ status, from: from.origin, to: redirect.to.origin });
    base = { origin: redirect.to.origin, path: base.path };
    return addressOf(redirect.to);
  }

  async function sendAlong(first: Asked): Promise<{ readonly asked: Asked } & Reply> {
    let asked = first;
    for (let hops = 0; ; hops += 1) {
      const { reply, pace } = await sendOnce(asked);
      const isRedirect = reply.kind === 'answer' && REDIRECTS.has(reply.status);
      const at = isRedirect ? follow(asked, reply, hops) : undefined;
      if (at === undefined) return { asked, reply, pace };
      asked = { ...asked, at };
    }
  }

  return {
    async carryOut(call, decode) {
      const progress = startProgress();
      for (;;) {
        const first = { call, at: resolvePath(base, call.path), progress, secrets };
        const { asked, reply, pace } = await sendAlong(first);
        const came = judge(asked, reply, pace.waitMs, keyWorks);
        if (!('setback' in came)) {
          keyWorks ||= !came.isMissing;
          return decoded(asked, came, decode);
        }
        await waitToRetry(came, asked, options);
        if (signal?.aborted) throw interrupted({ ...asked, at: resolvePath(base, call.path) });
      }
    },
    get baseUrl() {
      return new URL(hrefOf(base));
    },
    redirects,
  };
}

/** Sends single requests, each when its turn has come. */
function createSender(options: ExchangeOptions): (asked: Asked) => Promise<Reply> {
  const { transport, limiter, clock, signal } = options;
  const reading = [
    ...['accept', 'application/json'],
    // Without it any coding is acceptable (RFC 9110, section 12.5.3), and none is undone here.
    ...['accept-encoding', 'identity'],
    // A cache on the way must not answer a verification (RFC 9111, section 5.2.1.4).
    ...['cache-control', 'no-cache'],
    ...['authorization', `Bearer ${options.key}`],
    ...['user-agent', `websites-as-code/${options.version}`],
  ];
  const writing = [...reading, 'content-type', FORM_TYPE];

  async function send({ call, at: to, progress }: Asked, waitedMs: number): Promise<Reply> {
    const { method, form: body } = call;
    await call.permit?.()?.catch(({ code, message, blame, remedy }: ServiceError) => {
      const { outcome, attempts, sentAt } = progress;
      throw new ServiceError(code, message, { outcome, attempts, sentAt, blame, remedy });
    });
    const at = clock.now();
    const sentAt = clock.monotonic();
    progress.sentAt = sentAt;
    const leftMs = Math.max(1, Math.ceil(options.timeoutMs - progress.spentMs));
    const timeoutMs = Math.min(options.requestTimeoutMs, leftMs, LONGEST_TIMER_MS);
    const headers = body === undefined ? reading : writing;
    // A request that is sent late, for want of a connection, may be carried out for so much longer.
    const onSent = (): void => {
      progress.sentAt = clock.monotonic();
    };
    const reply = await transport.send({ method, to, headers, body, timeoutMs, onSent });
    const ms = clock.monotonic() - sentAt;
    progress.spentMs += ms;
    const head = reply.kind === 'answer' ? reply : reply.head;
    const pace = head === undefined ? { throttled: false } : paceOf(head.status, head.headers, clock.now());
    const came =
      reply.kind === 'answer' ? { status: reply.status, headers: reply.headers } : { reason: reply.reason };
    const attempt = progress.attempts;
    options.onRequest?.({ at, attempt, waitedMs, method, url: hrefOf(to), ms, pace, ...came });
    return { reply, pace };
  }

  return async (asked) => {
    const askedAt = clock.monotonic();
    const number = await limiter.enter(signal).catch((error) => {
      throw signal?.aborted && error === signal.reason ? interrupted(asked) : error;
    });
    let pace: Pace | undefined;
    try {
      const sent = await send(asked, clock.monotonic() - askedAt);
      pace = sent.pace;
      return sent;
    } finally {
      limiter.leave(number, pace && bearable(pace, options.maxWaitMs));
    }
  };
}

/** Waits that no operation would wait out must not hold up the others: each asks for itself and gives up. */
function bearable(pace: Pace, maxWaitMs: number): Pace {
  const isLong = (ms = 0): boolean => ms > maxWaitMs;
  const waitMs = isLong(pace.waitMs) ? undefined : pace.waitMs;
  const resetMs = pace.remaining === 0 && isLong(pace.resetMs) ? undefined : pace.resetMs;
  return { ...pace, waitMs, resetMs };
}

function judge(
  asked: Asked,
  reply: Answer | Failure,
  waitMs: number | undefined,
  keyWorks: boolean,
): Good | Miss {
  if (reply.kind !== 'answer') {
    const setback = { failure: reply, status: reply.head?.status, waitMs };
    return { setback, toError: () => unanswered(asked, reply) };
  }
  const { status, body } = reply;
  const { operation } = asked.call;
  if (status < 300) {
    const parsed = parseBody(operation, reply);
    if ('problem' in parsed) {
      const toError = (): ServiceError => misshapen(asked, status, parsed.problem, false);
      return { setback: { status, isGarbled: true }, toError };
    }
    const { json } = parsed;
    if (!tellsOfError(json)) return { status, isMissing: false, json, size: body.length };
  }
  const mayBeMissing = ['read', 'update', 'delete'].includes(operation) && (status === 404 || status === 410);
  if (mayBeMissing && !isStandIn(reply, true)) return { status, isMissing: true, json: undefined, size: 0 };
  return { setback: { status, waitMs }, toError: () => refused(asked, reply, keyWorks) };
}

/** The JSON of a body, which is UTF-8 (RFC 8259, section 8.1): other letters would be other domains. */
function parseBody(operation: Operation, answer: Answer): { json: unknown } | { problem: string } {
  const { body, isUtf8 } = answer;
  if (isPage(answer)) return { problem: `a page instead of JSON${standInNames(answer)}` };
  if (!isUtf8) return { problem: 'text that is not UTF-8' };
  const mayBeEmpty = operation === 'update' || operation === 'delete';
  if (mayBeEmpty && body.trim() === '') return { json: undefined };
  const json = parseJson(body);
  return json === undefined ? { problem: 'no JSON' } : { json: withoutRepeatedKey(json, body) };
}

/** Waits for another try after a miss; throws its error if there is to be none. */
async function waitToRetry(
  { setback, toError }: Miss,
  asked: Asked,
  options: ExchangeOptions,
): Promise<void> {
  const { clock, random, timeoutMs, maxWaitMs, signal } = options;
  const { call, progress } = asked;
  progress.outcome = graver(progress.outcome, outcomeOf(setback));
  const next = decide(call.operation, setback, progress, random(), maxWaitMs);
  if (next.kind === 'stop') {
    throw next.askedMs === undefined ? toError() : asksTooMuch(toError(), next.askedMs);
  }
  if (next.kind === 'retry' && progress.spentMs + next.ms >= timeoutMs) throw toError();
  if (next.kind === 'wait') {
    progress.throttles += 1;
    progress.askedMs += next.ms;
  } else {
    progress.attempts += 1;
    progress.spentMs += next.ms;
  }
  await clock.sleep(next.ms, signal);
}

/** A write whose answer has another shape has ended, unless it was only taken on. */
function decoded<T>(asked: Asked, good: Good, decode: (good: Good) => T): T {
  try {
    return decode(good);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const { progress } = asked;
    const { status } = good;
    progress.outcome = graver(progress.outcome, outcomeOf({ status, isGarbled: true }));
    throw misshapen(asked, status, `an unexpected value at ${error.path}: ${error.message}`, true);
  }
}
