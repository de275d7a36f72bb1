/** Requests a minute: fixed windows, counted in memory, with the headers of Laravel's throttle. */

const MINUTE = 60_000;

export interface Quota {
  readonly exceeded: boolean;
  /** What the answer says about it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns a function that counts a request at `now` (milliseconds since 1970) against `limit` a minute. */
export function rateLimiter(limit: number): (now: number) => Quota {
  let window = { hits: 0, endsAt: 0 };
  return (now) => {
    // One that ends later than two minutes from now began before the clock was put back.
    const isOpen = now < window.endsAt && window.endsAt <= now + 2 * MINUTE;
    if (!isOpen) window = { hits: 0, endsAt: now + MINUTE };
    window.hits += 1;
    const { hits, endsAt } = window;
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - hits)),
    };
    if (hits <= limit) return { exceeded: false, headers };
    const refused = {
      'retry-after': String(Math.max(1, Math.ceil((endsAt - now) / 1000))),
      'x-ratelimit-reset': String(Math.ceil(endsAt / 1000)),
    };
    return { exceeded: true, headers: { ...headers, ...refused } };
  };
}
