import type { Pace } from '../model/service.ts';
import type { Head } from './http/network-errors.ts';

/** A reset value from here on counts as seconds since 1970; a smaller one as seconds from now. */
const EPOCH_FROM = 100_000_000;

/**
 * `now` is in milliseconds since 1970. Times are relative to the response's `Date`, so that a wrong clock has no
 * effect.
 */
export function paceOf({ status, headers = {} }: Partial<Head>, now: number): Pace {
  const there = (): number => dateOf(headers.date) ?? now;
  // Some services omit `X-`. Such a header may contain policies after the limit.
  const read = (name: string): number | undefined =>
    numberOf(headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`]?.split(',')[0]);
  const resetMs = untilReset(read('reset'), there);
  const quota = { limit: read('limit'), remaining: read('remaining'), resetMs };
  if (status !== 429 && status !== 503) return { throttled: false, ...quota };
  const after = headers['retry-after'];
  const date = dateOf(after);
  const asked =
    untilReset(numberOf(after), there) ?? (date === undefined ? undefined : Math.max(0, date - there()));
  return { throttled: true, ...quota, waitMs: asked ?? (status === 429 ? resetMs : undefined) };
}

/** Parses an HTTP date (RFC 9110, section 5.6.7). `Date.parse` alone accepts nearly any text. */
function dateOf(text = ''): number | undefined {
  const time = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

function untilReset(reset: number | undefined, there: () => number): number | undefined {
  if (reset === undefined || reset < EPOCH_FROM) return reset && Math.ceil(reset * 1000);
  return Math.max(0, reset * 1000 - there());
}
