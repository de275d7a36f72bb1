/**
 * Sends one operation as requests. Each request waits for its turn, follows redirects to the hosts of the service,
 * and is retried.
 */

import { FORM_TYPE } from '../model/contract.ts';
import {
  type Pace,
  type Permit,
  type RequestFacts,
  ServiceError,
  type WriteValues,
} from '../model/service.ts';
import { type Clock, MAX_TIMER_MS } from '../util/clock.ts';
import { ShapeError } from './decode.ts';
import type { Answer, Transport } from './http/transport.ts';
import {
  type Attempt,
  errorOf,
  type Good,
  judge,
  METHODS,
  misshapen,
  type Operation,
  OTHER_SHAPE,
  unlessSecret,
} from './judge.ts';
import type { Limiter } from './pace.ts';
import { paceOf } from './pace-headers.ts';
import { judgeRedirect, type Redirect } from './redirect.ts';
import { graver, nextStep, type RetryLimits, startProgress } from './retry.ts';

export interface Call {
  readonly operation: Operation;
  readonly path: string;
  readonly subject?: string | undefined;
  readonly form?: string;
  /** Values of the form. No error may contain the secrets among them. */
  readonly values?: WriteValues;
  readonly permit?: Permit | undefined;
}

export interface ExchangeOptions extends RetryLimits {
  readonly baseUrl: string;
  readonly key: string;
  readonly version: string;
  readonly transport: Transport;
  readonly limiter: Limiter;
  readonly clock: Clock;
  /** Texts that no error may contain: the key, and the credentials of a proxy. */
  readonly secrets: readonly string[];
  readonly requestTimeoutMs: number;
  /** An abort ends waiting operations as `interrupted`. A read may still be sent. */
  readonly signal?: AbortSignal;
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

export interface RequestEvent extends RequestFacts {
  readonly headers?: Answer['headers'];
}

export type Exchange = ReturnType<typeof createExchange>;

export function createExchange(options: ExchangeOptions) {
  const { secrets, signal, clock } = options;
  const redirects: Redirect[] = [];
  const sendOnce = createSender(options);
  const [, start = '', folder = ''] = /^(.*?\/\/[^/]*)(.*)$/.exec(options.baseUrl) ?? [];
  let origin = start;
  let keyWorks = false;

  return {
    async request<T>(call: Call, decode: (good: Good) => T): Promise<T> {
      const progress = startProgress();
      for (;;) {
        const attempt = { call, to: { origin, path: folder + call.path }, progress, secrets };
        const { reply, waitMs } = await sendOnce(attempt);
        const verdict = judgeRedirect(attempt, reply) ?? judge(attempt, reply, waitMs, keyWorks);
        if ('json' in verdict) {
          keyWorks ||= !verdict.isMissing;
          return decoded(attempt, verdict, decode);
        }
        if ('from' in verdict) {
          redirects.push(verdict);
          origin = verdict.to;
          progress.redirects += 1;
          continue;
        }
        const next = nextStep(attempt, verdict, options);
        if (typeof next !== 'number') throw errorOf(attempt, next);
        await clock.sleep(next, signal);
        if (signal?.aborted) throw interrupted(attempt);
      }
    },
    get baseUrl() {
      return origin + folder;
    },
    redirects,
  };
}

/**
 * Returns a function that sends one request as soon as the limiter allows it, and returns the response and the wait
 * that the service asks for.
 */
function createSender(options: ExchangeOptions) {
  const { transport, limiter, clock, signal } = options;
  const reading = [
    ...['accept', 'application/json'],
    // Asks for an uncompressed response: without this header, a service may compress it (RFC 9110, section 12.5.3).
    ...['accept-encoding', 'identity'],
    // A cache between client and service must not answer a verification (RFC 9111, section 5.2.1.4).
    ...['cache-control', 'no-cache'],
    ...['authorization', `Bearer ${options.key}`],
    ...['user-agent', `websites-as-code/${options.version}`],
  ];
  const writing = [...reading, 'content-type', FORM_TYPE];

  return async (attempt: Attempt) => {
    const { call, to, progress } = attempt;
    const { form: body } = call;
    const method = METHODS[call.operation];
    const askedAt = clock.monotonic();
    const number = await limiter.enter(signal).catch((error) => {
      throw signal?.aborted && error === signal.reason ? interrupted(attempt) : error;
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
      // Set again when the request is written: a request that waited for a connection is carried out later.
      const onSent = (): void => {
        progress.sentAt = clock.monotonic();
      };
      onSent();
      const reply = await transport.send({ method, to, headers, body, timeoutMs, onSent });
      const ms = clock.monotonic() - startedAt;
      progress.spentMs += ms;
      pace = paceOf(reply, clock.now());
      const facts =
        reply.kind === 'answer' ? { status: reply.status, headers: reply.headers } : { reason: reply.reason };
      const sent = { at, attempt: progress.attempts, waitedMs: startedAt - askedAt, method, ms, pace };
      options.onRequest?.({ ...sent, url: to.origin + to.path, ...facts });
      return { reply, waitMs: pace.waitMs };
    } finally {
      // If the wait exceeds the limit, other operations do not wait for it. Each sends its own request, and fails by
      // itself.
      const { waitMs = 0, remaining, resetMs = 0 } = pace ?? {};
      const isBearable = Math.max(waitMs, remaining === 0 ? resetMs : 0) <= options.maxWaitMs;
      limiter.leave(number, pace && (isBearable ? pace : { ...pace, waitMs: undefined, resetMs: undefined }));
    }
  };
}

function interrupted(attempt: Attempt): ServiceError {
  const again = attempt.progress.sentAt === undefined ? '' : ' again';
  const what = `was not sent${again}: the run was interrupted`;
  return errorOf(attempt, { code: 'interrupted', blame: 'service', what });
}

/** After an unexpected response a write is no longer in flight, unless the service only accepted it (202). */
function decoded<T>(attempt: Attempt, good: Good, decode: (good: Good) => T): T {
  try {
    return decode(good);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const held = `an unexpected value at ${error.path || 'the response'}: ${error.message}`;
    const setback = misshapen(good.status, unlessSecret(held, attempt), OTHER_SHAPE);
    attempt.progress.outcome = graver(attempt.progress.outcome, setback.outcome);
    throw errorOf(attempt, setback);
  }
}
