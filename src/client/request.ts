/**
 * One operation as the requests that it takes: along redirects within the service's own hosts, and again
 * after setbacks that may be repeated.
 */
import type { Findings } from '../model/doctor-findings.ts';
import type { ServiceError } from '../model/service.ts';
import type { Clock } from '../util/clock.ts';
import { parseJson } from '../util/json.ts';
import { addressOf, hrefOf, moveBase, resolvePath, type ServiceAddress } from './base-url.ts';
import { tellsOfError } from './error-body.ts';
import {
  asksTooMuch,
  type Course,
  interrupted,
  misshapen,
  redirectRefused,
  refused,
  sentToLogin,
  unanswered,
} from './errors/service-errors.ts';
import { isPage, isStandIn, standInNames } from './errors/stand-in.ts';
import type { Answer } from './http/answer.ts';
import type { Failure } from './http/network-errors.ts';
import { judgeRedirect } from './http/redirect.ts';
import type { Call } from './operations.ts';
import { withoutRepeatedKey } from './repeated-key.ts';
import { decide, graver, outcomeOf, type Progress, type Setback, startProgress } from './retry.ts';
import type { Reply, Sender } from './send.ts';
import { ShapeError } from './shape.ts';

export interface ExchangeOptions {
  readonly baseUrl: URL;
  readonly send: Sender;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** What no error may tell, beside the secrets of the operation itself: the key, and the login of a proxy. */
  readonly secrets: readonly string[];
  /** Bounds one operation with its retries, without waits that the service asked for; in milliseconds. */
  readonly timeoutMs: number;
  /** Bounds the waits that the service asks one operation for, in sum; in milliseconds. */
  readonly maxWaitMs: number;
  /** When aborted, what waits for another try ends as `interrupted`. */
  readonly signal?: AbortSignal;
}

/** What an operation ended with: a good answer, or that there is no such record (404, 410). */
export interface Result {
  readonly at: ServiceAddress;
  readonly status: number;
  readonly missing: boolean;
  /** Of the body, in characters. */
  readonly size: number;
  /** Undefined where the body is empty. */
  readonly json: unknown;
  readonly progress: Progress;
}

export interface Exchange {
  /** Throws a ServiceError. */
  carryOut(call: Call): Promise<Result>;
  /** Where requests go by now. */
  readonly baseUrl: URL;
  /** Redirects that were followed. */
  readonly redirects: Findings['redirects'];
}

/** What came of an attempt that did not bring what was asked for. */
interface Miss {
  readonly setback: Setback;
  toError(course: Course): ServiceError;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createExchange(options: ExchangeOptions): Exchange {
  const base = trackBase(options);
  let keyWorks = false;

  /** Sends a request, and along redirects. */
  async function send(call: Call, progress: Progress): Promise<{ readonly at: ServiceAddress } & Reply> {
    let at = base.resolve(call);
    for (let hops = 0; ; hops += 1) {
      const { reply, pace } = await options.send(call, at, progress);
      const isRedirect = reply.kind === 'answer' && REDIRECTS.has(reply.status);
      const next = isRedirect ? base.follow({ call, at, progress }, reply, hops) : undefined;
      if (next === undefined) return { at, reply, pace };
      at = next;
    }
  }

  async function carryOut(call: Call): Promise<Result> {
    const progress = startProgress();
    for (;;) {
      const { at, reply, pace } = await send(call, progress);
      const came =
        reply.kind === 'answer'
          ? judge({ call, at, progress }, reply, pace, { secrets: options.secrets, keyWorks })
          : missOf(call, at, reply, pace);
      if (!('setback' in came)) {
        keyWorks ||= !came.missing;
        return came;
      }
      await waitToRetry(came, call.operation, progress, options);
      if (options.signal?.aborted) throw interrupted(call, base.resolve(call), progress);
    }
  }

  return {
    carryOut,
    get baseUrl() {
      return base.baseUrl();
    },
    redirects: base.redirects,
  };
}

/** One request of an operation. */
interface Attempt {
  readonly call: Call;
  readonly at: ServiceAddress;
  readonly progress: Progress;
}

/** Where requests go, which redirects may move. */
function trackBase({ baseUrl, secrets }: Pick<ExchangeOptions, 'baseUrl' | 'secrets'>) {
  const redirects: Findings['redirects'][number][] = [];
  let base = addressOf(baseUrl);
  return {
    redirects,
    baseUrl: () => new URL(hrefOf(base)),
    resolve: ({ path }: Call): ServiceAddress => resolvePath(base, path),
    /** Where a request is to be sent instead; `undefined` where the redirect itself is the answer. */
    follow(
      { call, at, progress }: Attempt,
      { status, headers }: Answer,
      hops: number,
    ): ServiceAddress | undefined {
      const { method } = call;
      const from = new URL(hrefOf(at));
      const redirect = judgeRedirect(from, { method, status, location: headers.location, hops });
      switch (redirect.kind) {
        case 'dealt-with':
          return undefined;
        case 'login':
          throw sentToLogin({ ...call, secrets }, at, redirect.to, progress);
        case 'refused':
          throw redirectRefused({ ...call, secrets }, at, status, redirect, progress);
        case 'follow':
          redirects.push({ status, from: from.origin, to: redirect.to.origin });
          base = moveBase(base, redirect.to);
          return addressOf(redirect.to);
      }
    },
  };
}

const MAY_BE_MISSING: ReadonlySet<Call['operation']> = new Set(['read', 'update', 'delete']);
const MAY_BE_EMPTY: ReadonlySet<Call['operation']> = new Set(['update', 'delete']);

/** What an answer comes to. `secrets` are what no error may tell; `keyWorks`: the key was taken before. */
function judge(
  { call, at, progress }: Attempt,
  answer: Answer,
  { waitMs }: Reply['pace'],
  { secrets, keyWorks }: Pick<ExchangeOptions, 'secrets'> & { readonly keyWorks: boolean },
): Result | Miss {
  const { status } = answer;
  if (status < 300) {
    const parsed = parseBody(call, answer);
    if ('problem' in parsed) {
      const { problem } = parsed;
      return {
        setback: { kind: 'garbled', status },
        toError: (course) => misshapen({ ...call, secrets }, at, status, course, problem),
      };
    }
    if (!tellsOfError(parsed.json)) {
      return { at, status, missing: false, size: answer.body.length, json: parsed.json, progress };
    }
  }
  const isGone = MAY_BE_MISSING.has(call.operation) && (status === 404 || status === 410);
  if (isGone && !isStandIn(answer, true)) {
    return { at, status, missing: true, size: 0, json: undefined, progress };
  }
  return {
    setback: { kind: 'status', status, waitMs },
    toError: (course) => refused({ ...call, secrets }, at, answer, course, keyWorks),
  };
}

/** Waits for another try after `miss`; throws what it comes to where there is to be none. */
async function waitToRetry(
  miss: Miss,
  operation: Call['operation'],
  progress: Progress,
  { clock, random, timeoutMs, maxWaitMs, signal }: ExchangeOptions,
): Promise<void> {
  progress.outcome = graver(progress.outcome, outcomeOf(miss.setback));
  const next = decide(operation, miss.setback, progress, random(), maxWaitMs);
  const isLate = next.kind === 'retry' && progress.spentMs + next.ms >= timeoutMs;
  if (next.kind === 'stop' && next.askedMs !== undefined)
    throw asksTooMuch(miss.toError(progress), next.askedMs);
  if (next.kind === 'stop' || isLate) throw miss.toError(progress);
  if (next.kind === 'wait') {
    progress.throttles += 1;
    progress.askedMs += next.ms;
  } else {
    progress.attempts += 1;
    progress.spentMs += next.ms;
  }
  await clock.sleep(next.ms, signal);
}

function missOf(call: Call, at: ServiceAddress, failure: Failure, { waitMs }: Reply['pace']): Miss {
  return {
    setback: { kind: 'failure', failure, waitMs },
    toError: (course) => unanswered(call, at, failure, course),
  };
}

/** The JSON of a body, which is UTF-8 (RFC 8259, section 8.1): other letters would be other domains. */
function parseBody(
  { operation }: Call,
  answer: Answer,
): { readonly json: unknown } | { readonly problem: string } {
  const { body, isUtf8 } = answer;
  if (isPage(answer)) return { problem: `a page instead of JSON${standInNames(answer)}` };
  if (!isUtf8) return { problem: 'text that is not UTF-8' };
  if (body.trim() === '' && MAY_BE_EMPTY.has(operation)) return { json: undefined };
  const json = parseJson(body);
  return json === undefined ? { problem: 'no JSON' } : { json: withoutRepeatedKey(json, body) };
}

/**
 * Decodes the JSON of a good answer. What is not as it should be becomes an `answer-invalid` that names the
 * place inside the answer; a write that was answered so has ended, unless it was merely taken on.
 */
export function decode<T>(
  call: Call,
  { json, at, status, progress }: Result,
  decoder: (json: unknown) => T,
): T {
  try {
    return decoder(json);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const problem = `an unexpected value at ${error.path}: ${error.message}`;
    const outcome = graver(progress.outcome, outcomeOf({ kind: 'garbled', status }));
    throw misshapen(call, at, status, { ...progress, outcome }, problem);
  }
}
