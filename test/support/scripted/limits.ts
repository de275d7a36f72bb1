/** A fixed window of requests, and its header families. */
import { json, type Written } from './answers.ts';
import type { RateHeaders, RateLimit } from './dialect.ts';

interface Gate {
  /** Counts a request at `now`; returns a refusal for one too many, otherwise headers for its answer. */
  enter(limit: RateLimit, now: number): { readonly refusal?: Written; readonly headers: Written['headers'] };
}

export function createGate(): Gate {
  let window = 0;
  let count = 0;
  return {
    enter({ requests, windowMs, headers }, now) {
      const current = Math.floor(now / windowMs);
      if (current !== window) count = 0;
      window = current;
      count += 1;
      const resetMs = (window + 1) * windowMs - now;
      const told = rateHeaders(headers, requests, Math.max(0, requests - count), resetMs);
      return count > requests
        ? { refusal: throttle({ headers, now, resetMs, limit: requests }), headers: {} }
        : { headers: told };
    },
  };
}

interface Throttling {
  readonly headers: RateHeaders;
  /** The service's clock, which its times follow. */
  readonly now: number;
  readonly resetMs: number;
  readonly limit?: number;
  readonly status?: 429 | 503 | undefined;
}

export function throttle({ headers, now, resetMs, limit = 0, status = 429 }: Throttling): Written {
  const seconds = Math.max(0, Math.ceil(resetMs / 1000));
  const told = rateHeaders(headers, limit, 0, resetMs);
  const asked: Written['headers'] =
    headers === 'laravel'
      ? { 'retry-after': String(seconds), 'x-ratelimit-reset': String(Math.ceil((now + resetMs) / 1000)) }
      : headers === 'date'
        ? { 'retry-after': new Date(now + seconds * 1000).toUTCString() }
        : {};
  return json(status, { message: 'Too Many Attempts.' }, { ...told, ...asked });
}

function rateHeaders(
  style: RateHeaders,
  limit: number,
  remaining: number,
  resetMs: number,
): Written['headers'] {
  const seconds = Math.ceil(resetMs / 1000);
  switch (style) {
    case 'laravel':
      return { 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': String(remaining) };
    case 'plain':
      return {
        'ratelimit-limit': `${limit}, ${limit};w=60`,
        'ratelimit-remaining': String(remaining),
        'ratelimit-reset': String(seconds),
      };
    case 'date':
    case 'none':
      return {};
  }
}
