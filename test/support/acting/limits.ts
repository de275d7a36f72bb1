/** A fixed window of requests, and the header families that tell of one. */
import { json, type Written } from './answers.ts';
import type { RateHeaders, RateLimit } from './dialect.ts';

interface Gate {
  /** Counts a request; what to answer instead when it is one too many, else headers for its answer. */
  enter(limit: RateLimit): { readonly refusal?: Written; readonly headers: Written['headers'] };
}

export function createGate(): Gate {
  let window = 0;
  let count = 0;
  return {
    enter({ requests, windowMs, headers }) {
      const now = Date.now();
      const current = Math.floor(now / windowMs);
      if (current !== window) count = 0;
      window = current;
      count += 1;
      const resetMs = (window + 1) * windowMs - now;
      const told = rateHeaders(headers, requests, Math.max(0, requests - count), resetMs);
      return count > requests
        ? { refusal: throttle(headers, resetMs, requests), headers: {} }
        : { headers: told };
    },
  };
}

/** The answer to a request that came too fast. */
export function throttle(headers: RateHeaders, resetMs: number, limit = 0, status: 429 | 503 = 429): Written {
  const seconds = String(Math.max(0, Math.ceil(resetMs / 1000)));
  const date = new Date(Date.now() + Math.ceil(resetMs / 1000) * 1000).toUTCString();
  const told = rateHeaders(headers, limit, 0, resetMs);
  const asked: Written['headers'] =
    headers === 'laravel'
      ? { 'retry-after': seconds, 'x-ratelimit-reset': epoch(resetMs) }
      : headers === 'date'
        ? { 'retry-after': date }
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
    case 'structured':
      return {
        'ratelimit-policy': `"default";q=${limit};w=60`,
        ratelimit: `"default";r=${remaining};t=${seconds}`,
      };
    case 'combined':
      return { ratelimit: `limit=${limit}, remaining=${remaining}, reset=${seconds}` };
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

function epoch(resetMs: number): string {
  return String(Math.ceil((Date.now() + resetMs) / 1000));
}
