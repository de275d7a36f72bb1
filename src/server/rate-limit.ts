/** How many requests a key may make in a minute: a fixed window, told in the headers of Laravel's throttle. */
import type { Store } from './store.ts';

const MINUTE = 60_000;

export interface KeyQuota {
  readonly exceeded: boolean;
  /** What every answer to the key says about it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts a request of the key at `now` (milliseconds since 1970) against `limit` a minute. */
export async function countRequest(store: Store, key: number, limit: number, now: number): Promise<KeyQuota> {
  const { hits, endsAt } = await store.countRequest(key, now, MINUTE);
  const headers = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, limit - hits)),
  };
  if (hits <= limit) return { exceeded: false, headers };
  return {
    exceeded: true,
    headers: {
      ...headers,
      'retry-after': String(Math.max(1, Math.ceil((endsAt - now) / 1000))),
      'x-ratelimit-reset': String(Math.ceil(endsAt / 1000)),
    },
  };
}
