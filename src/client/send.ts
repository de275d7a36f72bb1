/** Sends single requests: with the key, through the limiter, timed and told of. */
import { FORM_TYPE } from '../model/contract.ts';
import type { Pace, RequestFacts, ServiceError } from '../model/service.ts';
import { type Clock, LONGEST_TIMER_MS } from '../util/clock.ts';
import { hrefOf, type ServiceAddress } from './base-url.ts';
import { interrupted, notPermitted } from './errors/service-errors.ts';
import type { Answer } from './http/answer.ts';
import type { Failure } from './http/network-errors.ts';
import type { Transport } from './http/transport.ts';
import type { Call } from './operations.ts';
import type { Limiter } from './pace.ts';
import { paceOf } from './pace-headers.ts';
import type { Progress } from './retry.ts';

export interface SenderOptions {
  readonly key: string;
  /** Of this program, for the `User-Agent`. */
  readonly version: string;
  readonly transport: Transport;
  readonly limiter: Limiter;
  readonly clock: Clock;
  /** Bounds one operation with its retries, without waits that the service asked for; in milliseconds. */
  readonly timeoutMs: number;
  /** Bounds one request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Bounds the waits that the service asks one operation for, in sum; in milliseconds. */
  readonly maxWaitMs: number;
  /** When aborted, what waits its turn ends as `interrupted`; a look may still be had. */
  readonly signal?: AbortSignal;
  /** Told of each request once it has ended; holds no secret. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** One request that has ended, with what its answer had beside the body. */
export interface RequestEvent extends RequestFacts {
  readonly headers?: Answer['headers'];
}

export interface Reply {
  readonly reply: Answer | Failure;
  readonly pace: Pace;
}

/** Sends one request of `call` to `to`, which must be an address that the key may go to. */
export type Sender = (call: Call, to: ServiceAddress, progress: Progress) => Promise<Reply>;

export function createSender(options: SenderOptions): Sender {
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

  /** Waits until there is room for it. */
  async function queue(
    waiting: Promise<number>,
    call: Call,
    to: ServiceAddress,
    progress: Progress,
  ): Promise<number> {
    try {
      return await waiting;
    } catch (error) {
      if (signal?.aborted && error === signal.reason) throw interrupted(call, to, progress);
      throw error;
    }
  }

  return async (call, to, progress) => {
    const { method, form: body, permit } = call;
    const askedAt = clock.monotonic();
    const ticket = await queue(limiter.enter(signal), call, to, progress);
    let pace: Pace | undefined;
    try {
      const look = permit?.();
      if (look !== undefined) await look.catch(refuse(progress));
      const at = clock.now();
      const sentAt = clock.monotonic();
      progress.sentAt = sentAt;
      const leftMs = Math.max(1, Math.ceil(options.timeoutMs - progress.spentMs));
      const timeoutMs = Math.min(options.requestTimeoutMs, leftMs, LONGEST_TIMER_MS);
      const headers = body === undefined ? reading : writing;
      // What is sent late, for want of a connection, may be at work for so much longer.
      const onSent = (): void => {
        progress.sentAt = clock.monotonic();
      };
      const reply = await transport.send({ method, to, headers, body, timeoutMs, onSent });
      const ms = clock.monotonic() - sentAt;
      progress.spentMs += ms;
      const head = reply.kind === 'answer' ? reply : reply.head;
      pace = head === undefined ? UNPACED : paceOf(head.status, head.headers, clock.now());
      const { attempts: attempt } = progress;
      const waitedMs = sentAt - askedAt;
      options.onRequest?.({ at, attempt, waitedMs, method, url: hrefOf(to), ms, pace, ...cameOf(reply) });
      return { reply, pace };
    } finally {
      limiter.leave(ticket, pace && bearable(pace, options.maxWaitMs));
    }
  };
}

const UNPACED: Pace = { throttled: false };

function cameOf(reply: Answer | Failure): Pick<RequestEvent, 'status' | 'headers' | 'reason'> {
  return reply.kind === 'answer'
    ? { status: reply.status, headers: reply.headers }
    : { reason: reply.reason };
}

function refuse(progress: Progress): (error: ServiceError) => never {
  return (error) => {
    throw notPermitted(error, progress);
  };
}

/** Waits that no operation would wait out must not hold up the others: each asks for itself and gives up. */
function bearable(pace: Pace, maxWaitMs: number): Pace {
  const isLong = (ms = 0): boolean => ms > maxWaitMs;
  const waitMs = isLong(pace.waitMs) ? undefined : pace.waitMs;
  const resetMs = pace.remaining === 0 && isLong(pace.resetMs) ? undefined : pace.resetMs;
  return { ...pace, waitMs, resetMs };
}
