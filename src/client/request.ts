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
import { ShapeError, withoutRepeatedKey } from './decode.ts';
import { isPage, isStandIn, standInNames, tellsOfError } from './error-body.ts';
import {
  type Asked,
  asksTooMuch,
  interrupted,
  misshapen,
  redirectRefused,
  refused,
  sentToLogin,
  unanswered,
} from './errors.ts';
import type { Failure } from './http/network-errors.ts';
import { judgeRedirect } from './http/redirect.ts';
import type { Answer, Transport } from './http/transport.ts';
import type { Limiter } from './pace.ts';
import { paceOf } from './pace-headers.ts';
import { decide, graver, outcomeOf, type Progress, type Setback } from './retry.ts';
import type { Operation } from './statuses.ts';

/** One operation of the interface (specification, section 4). */
export interface Call {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base address, with its query. */
  readonly path: string;
  /** For messages: a domain, or the id of a record. */
  readonly subject?: string | undefined;
  readonly form?: string;
  /** The values of the form; no error may show the secrets among them. */
  readonly values?: WriteValues;
  readonly permit?: Permit | undefined;
}

export interface ExchangeOptions {
  readonly baseUrl: string;
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
  readonly baseUrl: string;
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
  const [, start = '', folder = ''] = /^(.*?\/\/[^/]*)(.*)$/.exec(options.baseUrl) ?? [];
  let origin = start;
  let keyWorks = false;

  /** If a redirect was followed; otherwise it is the answer. */
  function follows({ status, headers }: Answer, asked: Asked, hops: number): boolean {
    const from = new URL(asked.to.origin + asked.to.path);
    const { method } = asked.call;
    const redirect = judgeRedirect(from, { method, status, location: headers.location, hops });
    if (redirect.kind === 'dealt-with') return false;
    if (redirect.kind === 'login') throw sentToLogin(asked, redirect.to);
    if (redirect.kind === 'refused') throw redirectRefused(asked, status, redirect.to, redirect.reason);
    redirects.push({ status, from: from.origin, to: redirect.origin });
    origin = redirect.origin;
    return true;
  }

  return {
    async carryOut(call, decode) {
      const progress: Progress = {
        ...{ attempts: 1, throttles: 0, askedMs: 0, spentMs: 0, sentAt: undefined, outcome: 'refused' },
      };
      for (let hops = 0; ; ) {
        const asked = { call, to: { origin, path: folder + call.path }, progress, secrets };
        const { reply, pace } = await sendOnce(asked);
        if (reply.kind === 'answer' && REDIRECTS.has(reply.status) && follows(reply, asked, hops)) {
          hops += 1;
          continue;
        }
        const came = judge(asked, reply, pace.waitMs, keyWorks);
        if (!('setback' in came)) {
          keyWorks ||= !came.isMissing;
          return decoded(asked, came, decode);
        }
        await waitToRetry(came, asked, options);
        if (signal?.aborted) throw interrupted(asked);
      }
    },
    get baseUrl() {
      return origin + folder;
    },
    redirects,
  };
}

interface Reply {
  readonly reply: Answer | Failure;
  readonly pace: Pace;
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

  async function send({ call, to, progress }: Asked, waitedMs: number): Promise<Reply> {
    const { method, form: body } = call;
    await call.permit?.()?.catch((error: ServiceError) => {
      const { outcome, attempts, sentAt } = progress;
      throw new ServiceError(error.code, error.message, { ...error, outcome, attempts, sentAt });
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
    const isAnswer = reply.kind === 'answer';
    const head = isAnswer ? reply : reply.head;
    const pace = head === undefined ? { throttled: false } : paceOf(head.status, head.headers, clock.now());
    const came = isAnswer ? { status: reply.status, headers: reply.headers } : { reason: reply.reason };
    const url = to.origin + to.path;
    options.onRequest?.({ at, attempt: progress.attempts, waitedMs, method, url, ms, pace, ...came });
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
async function waitToRetry(miss: Miss, { call, progress }: Asked, options: ExchangeOptions): Promise<void> {
  const { clock, random, timeoutMs, maxWaitMs, signal } = options;
  progress.outcome = graver(progress.outcome, outcomeOf(miss.setback));
  const next = decide(call.operation, miss.setback, progress, random(), maxWaitMs);
  if (next.kind === 'stop') {
    throw next.askedMs === undefined ? miss.toError() : asksTooMuch(miss.toError(), next.askedMs);
  }
  if (next.kind === 'wait') {
    progress.throttles += 1;
    progress.askedMs += next.ms;
  } else {
    if (progress.spentMs + next.ms >= timeoutMs) throw miss.toError();
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
    const place = error.path === '' ? 'the answer' : error.path;
    throw misshapen(asked, status, `an unexpected value at ${place}: ${error.message}`, true);
  }
}
