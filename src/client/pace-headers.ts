/**
 * What an answer's headers say about how fast to go on: `Retry-After` (RFC 9110, section 10.2.3), the
 * `X-RateLimit-*` of many frameworks, and the `RateLimit` headers of the IETF in their newer,
 * structured form and in the older ones (draft-ietf-httpapi-ratelimit-headers).
 */
import type { Pace } from '../model/service.ts';
import type { Head, Headers } from './http/network-errors.ts';

/** Resets above this are points in time, in seconds since 1970; below it they are seconds from now. */
const EPOCH_FROM = 100_000_000;
/** And above this they are in milliseconds. */
const MILLISECONDS_FROM = 100_000_000_000;

type Quota = Pick<Pace, 'limit' | 'remaining' | 'resetMs'>;

/**
 * Reads the pace from an answer, if there is one; `now` is our own time in milliseconds since 1970. Points in time are
 * measured against the answer's own `Date`, so that a wrong clock on either side does no harm.
 */
export function paceOf({ status, headers = {} }: Partial<Head>, now: number): Pace {
  const there = dateOf(headers.date) ?? now;
  const { ratelimit, 'ratelimit-policy': policies = '' } = headers;
  const quota = ratelimit === undefined ? plainQuota(headers, there) : newerQuota(ratelimit, policies);
  if (status !== 429 && status !== 503) return { throttled: false, ...quota };
  const waitMs = retryAfter(headers['retry-after'], there) ?? (status === 429 ? quota.resetMs : undefined);
  return { throttled: true, ...quota, waitMs };
}

/** The names of the headers that paceOf would read. */
export function paceHeaders(headers: Headers): readonly string[] {
  return Object.keys(headers).filter((name) => /^(?:x-)?ratelimit(?:-|$)|^retry-after$/.test(name));
}

/** An HTTP date (RFC 9110, section 5.6.7), with another name of its zone, or as in RFC 3339. `Date.parse` alone makes a date of nearly anything. */
const DATE =
  /^(?:[a-z]{3,9},? .+ (?:GMT|UTC|[+-]0000)|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))$/i;

function dateOf(text: string | undefined): number | undefined {
  const plain = text?.trim() ?? '';
  const time = DATE.test(plain) ? Date.parse(plain) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** The wait in milliseconds that a `Retry-After` asks for: as seconds, with a unit or not, or as a point in time. */
function retryAfter(text: string | undefined, there: number): number | undefined {
  const number = numberOf(text?.replace(/\s*(?:s|secs?|seconds?)\s*$/i, ''));
  if (number !== undefined) return untilReset(number, there);
  const date = dateOf(text);
  return date === undefined ? undefined : Math.max(0, date - there);
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** `RateLimit: "name";r=50;t=30` with a policy `q=100`, of several the tightest; or `limit=100, remaining=50, reset=5`. */
function newerQuota(text: string, policies: string): Quota {
  const items = partsOf(text).filter((item) => parameter(item, 'r') !== undefined);
  const [item] = items.sort((a, b) => Number(parameter(a, 'r')) - Number(parameter(b, 'r')));
  if (item === undefined) {
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => parameter(text, name));
    return { limit, remaining, resetMs: seconds(reset) };
  }
  const name = item.split(';')[0]?.trim();
  const policy = partsOf(policies).find((other) => other.split(';')[0]?.trim() === name) ?? '';
  return {
    limit: parameter(policy, 'q'),
    remaining: parameter(item, 'r'),
    resetMs: seconds(parameter(item, 't')),
  };
}

/** The members of a list, of which commas in quotes are no ends. */
function partsOf(list: string): string[] {
  return list.match(/(?:"[^"]*"|[^,"])+/g) ?? [];
}

function parameter(text: string, name: string): number | undefined {
  return numberOf(new RegExp(`(?:^|[;,\\s])${name}=([\\d.]+)`, 'i').exec(text)?.[1]);
}

/** `X-RateLimit-Limit`, `-Remaining`, `-Reset`, and the same without `X-`, where limit may hold policies. */
function plainQuota(headers: Headers, there: number): Quota {
  const read = (usual: string, other: string): number | undefined =>
    numberOf(headers[usual] ?? headers[other]?.split(',')[0]);
  return {
    limit: read('x-ratelimit-limit', 'ratelimit-limit'),
    remaining: read('x-ratelimit-remaining', 'ratelimit-remaining'),
    resetMs: untilReset(read('x-ratelimit-reset', 'ratelimit-reset'), there),
  };
}

function untilReset(reset: number | undefined, there: number): number | undefined {
  if (reset === undefined || reset < EPOCH_FROM) return seconds(reset);
  return Math.max(0, (reset < MILLISECONDS_FROM ? reset * 1000 : reset) - there);
}

function seconds(count: number | undefined): number | undefined {
  return count === undefined ? undefined : Math.ceil(count * 1000);
}
