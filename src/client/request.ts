/** One operation as requests: each waits its turn, follows redirects within the service's hosts, and is retried. */

import { FORM_TYPE } from '../model/contract.ts';
import type { Findings } from '../model/doctor-findings.ts';
import {
  type Pace,
  type Permit,
  type RequestFacts,
  ServiceError,
  type WriteValues,
} from '../model/service.ts';
import { type Clock, MAX_TIMER_MS } from '../util/clock.ts';
import { ShapeError } from './decode.ts';
import { judgeRedirect } from './http/redirect.ts';
import type { Answer, Transport } from './http/transport.ts';
import { type Asked, errorOf, type Good, judge, misshapen, type Setback, unlessSecret } from './judge.ts';
import type { Limiter } from './pace.ts';
import { paceOf } from './pace-headers.ts';
import { decide, graver, type RequestProgress } from './retry.ts';
import { KEY_REFUSED, METHODS, type Operation, OTHER_SHAPE, REDIRECTED } from './statuses.ts';

export interface Call {
  readonly operation: Operation;
  readonly path: string;
  readonly subject?: string | undefined;
  readonly form?: string;
  /** Values of the form; no error may show the secrets among them. */
  readonly values?: WriteValues;
  readonly permit?: Permit | undefined;
}

export interface ExchangeOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly version: string;
  readonly transport: Transport;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly random: () => number;
  /** No error may show these: the key, and the login of a proxy. */
  readonly secrets: readonly string[];
  /** Milliseconds for one operation with its retries, without waits that the service asked for. */
  readonly timeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Milliseconds that one operation waits in sum when the service asks. */
  readonly maxWaitMs: number;
  /** An abort ends waiting operations as `interrupted`; a reading may still be sent. */
  readonly signal?: AbortSignal;
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

export interface RequestEvent extends RequestFacts {
  readonly headers?: Answer['headers'];
}

export interface Exchange {
  carryOut<T>(call: Call, decode: (good: Good) => T): Promise<T>;
  readonly baseUrl: string;
  readonly redirects: Findings['redirects'];
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createExchange(options: ExchangeOptions): Exchange {
  const { secrets, signal } = options;
  const redirects: Findings['redirects'][number][] = [];
  const sendOnce = createSender(options);
  const [, start = '', folder = ''] = /^(.*?\/\/[^/]*)(.*)$/.exec(options.baseUrl) ?? [];
  let origin = start;
  let keyWorks = false;

  function follows(answer: Answer, asked: Asked, hops: number): boolean {
    const { call, to, progress } = asked;
    const { status } = answer;
    const from = new URL(to.origin + to.path);
    const method = METHODS[call.operation];
    const redirect = judgeRedirect(from, method, answer, hops);
    if (redirect.kind === 'dealt-with') return false;
    if (redirect.kind === 'follow') {
      redirects.push({ status, from: from.origin, to: redirect.origin });
      origin = redirect.origin;
      return true;
    }
    const place = unlessSecret(redirect.to, asked);
    if (redirect.kind === 'login') {
      throw errorOf(asked, { ...KEY_REFUSED, what: `was sent to the login page ${place}` });
    }
    // A redirect does not show if a write was carried out.
    if (method !== 'GET') progress.outcome = graver(progress.outcome, 'ended');
    const what = `was redirected to ${place} (${status}): ${redirect.reason}; the key was not sent there`;
    throw errorOf(asked, { ...REDIRECTED, what });
  }

  return {
    async carryOut(call, decode) {
      const progress: RequestProgress = {
        ...{ attempts: 1, throttles: 0, askedMs: 0, spentMs: 0, sentAt: undefined, outcome: 'refused' },
      };
      for (let hops = 0; ; ) {
        const asked = { call, to: { origin, path: folder + call.path }, progress, secrets };
        const { reply, waitMs } = await sendOnce(asked);
        if (reply.kind === 'answer' && REDIRECTS.has(reply.status) && follows(reply, asked, hops)) {
          hops += 1;
          continue;
        }
        const came = judge(asked, reply, waitMs, keyWorks);
        if ('json' in came) {
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

/** Sends single requests, each in its turn. Returns the response, and the wait that the service asks for. */
function createSender(options: ExchangeOptions) {
  const { transport, limiter, clock, signal } = options;
  const reading = [
    ...['accept', 'application/json'],
    // Without it any coding is acceptable (RFC 9110, section 12.5.3), and this client decodes none.
    ...['accept-encoding', 'identity'],
    // A cache on the route must not respond to a verification (RFC 9111, section 5.2.1.4).
    ...['cache-control', 'no-cache'],
    ...['authorization', `Bearer ${options.key}`],
    ...['user-agent', `websites-as-code/${options.version}`],
  ];
  const writing = [...reading, 'content-type', FORM_TYPE];

  return async (asked: Asked) => {
    const { call, to, progress } = asked;
    const { form: body } = call;
    const method = METHODS[call.operation];
    const askedAt = clock.monotonic();
    const number = await limiter.enter(signal).catch((error) => {
      throw signal?.aborted && error === signal.reason ? interrupted(asked) : error;
    });
    let pace: Pace | undefined;
    try {
      await call.permit?.()?.catch((error: ServiceError) => {
        const { outcome, attempts, sentAt } = progress;
        throw new ServiceError(error.code, error.message, { ...error, outcome, attempts, sentAt });
      });
      const at = clock.now();
      const startedAt = clock.monotonic();
      const leftMs = Math.max(1, Math.ceil(options.timeoutMs - progress.spentMs));
      const timeoutMs = Math.min(options.requestTimeoutMs, leftMs, MAX_TIMER_MS);
      const headers = body === undefined ? reading : writing;
      // A request that waited for a connection may be carried out that much later.
      const onSent = (): void => {
        progress.sentAt = clock.monotonic();
      };
      onSent();
      const reply = await transport.send({ method, to, headers, body, timeoutMs, onSent });
      const ms = clock.monotonic() - startedAt;
      progress.spentMs += ms;
      pace = paceOf(reply, clock.now());
      const came =
        reply.kind === 'answer' ? { status: reply.status, headers: reply.headers } : { reason: reply.reason };
      const sent = { at, attempt: progress.attempts, waitedMs: startedAt - askedAt, method, ms, pace };
      options.onRequest?.({ ...sent, url: to.origin + to.path, ...came });
      return { reply, waitMs: pace.waitMs };
    } finally {
      // A wait beyond the limit does not hold up other operations: each sends its own request and fails on its own.
      const { waitMs = 0, remaining, resetMs = 0 } = pace ?? {};
      const isBearable = Math.max(waitMs, remaining === 0 ? resetMs : 0) <= options.maxWaitMs;
      limiter.leave(number, pace && (isBearable ? pace : { ...pace, waitMs: undefined, resetMs: undefined }));
    }
  };
}

async function waitToRetry(setback: Setback, asked: Asked, options: ExchangeOptions): Promise<void> {
  const { clock, random, timeoutMs, maxWaitMs, signal } = options;
  const { call, progress } = asked;
  progress.outcome = graver(progress.outcome, setback.outcome);
  const next = decide(call.operation, setback, progress, random(), maxWaitMs);
  if (next.kind === 'stop' && next.askedMs !== undefined) {
    const seconds = Math.ceil(next.askedMs / 1000);
    const what = `${setback.what}, and asks to wait ${seconds} s in all`;
    const remedy = `Run again later, or wait longer: WEBSITES_MAX_WAIT=${seconds}s.`;
    throw errorOf(asked, { ...setback, what, remedy, asksTooMuch: true });
  }
  if (next.kind === 'stop') throw errorOf(asked, setback);
  if (next.kind === 'wait') {
    progress.throttles += 1;
    progress.askedMs += next.ms;
  } else {
    if (progress.spentMs + next.ms >= timeoutMs) throw errorOf(asked, setback);
    progress.attempts += 1;
    progress.spentMs += next.ms;
  }
  await clock.sleep(next.ms, signal);
}

function interrupted(asked: Asked): ServiceError {
  const again = asked.progress.sentAt === undefined ? '' : ' again';
  const what = `was not sent${again}: the run was interrupted`;
  return errorOf(asked, { code: 'interrupted', blame: 'service', what });
}

/** A write with an unexpected response is no longer in flight, unless it was only accepted (202). */
function decoded<T>(asked: Asked, good: Good, decode: (good: Good) => T): T {
  try {
    return decode(good);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const held = `an unexpected value at ${error.path || 'the response'}: ${error.message}`;
    const setback = misshapen(good.status, unlessSecret(held, asked), OTHER_SHAPE);
    asked.progress.outcome = graver(asked.progress.outcome, setback.outcome);
    throw errorOf(asked, setback);
  }
}
