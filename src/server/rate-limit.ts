/** Requests a minute: fixed windows, counted in memory, with the headers of Laravel's throttle. */

const MINUTE = 60_000;

/** Returns a function that counts a request at `now` (milliseconds since 1970) against `limit` a minute. */
export function rateLimiter(limit: number) {
  let [hits, endsAt] = [0, 0];
  return (now: number): { isExceeded: boolean; headers: Readonly<Record<string, string>> } => {
    // One that ends later than two minutes from now began before the clock was put back.
    if (now >= endsAt || endsAt > now + 2 * MINUTE) [hits, endsAt] = [0, now + MINUTE];
    hits += 1;
    const isExceeded = hits > limit;
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - hits)),
      ...(isExceeded && {
        'retry-after': String(Math.max(1, Math.ceil((endsAt - now) / 1000))),
        'x-ratelimit-reset': String(Math.ceil(endsAt / 1000)),
      }),
    };
    return { isExceeded, headers };
  };
}
