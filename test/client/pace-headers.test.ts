import { describe, expect, test } from 'vitest';
import { paceHeaders, paceOf } from '../../src/client/pace-headers.ts';

const NOW = Date.UTC(2026, 0, 31, 9, 0, 0);
const DATE = new Date(NOW).toUTCString();
/** Its clock is an hour slow. */
const SLOW = new Date(NOW - 3_600_000).toUTCString();

describe('the pace that headers ask for', () => {
  test.each([
    ['nothing is said', 200, {}, { throttled: false }],
    ['429 and no more', 429, {}, { throttled: true }],
    ['503 and no more', 503, {}, { throttled: true }],
    ['a wait in seconds', 429, { 'retry-after': '60' }, { throttled: true, waitMs: 60_000 }],
    ['no wait at all', 503, { 'retry-after': '0' }, { throttled: true, waitMs: 0 }],
    ['a part of a second', 429, { 'retry-after': '0.25' }, { throttled: true, waitMs: 250 }],
    ['a date', 503, { 'retry-after': new Date(NOW + 5000).toUTCString() }, { throttled: true, waitMs: 5000 }],
    [
      'a date gone by',
      503,
      { 'retry-after': 'Fri, 30 Jan 2026 09:00:00 GMT' },
      { throttled: true, waitMs: 0 },
    ],
    [
      'a date by a clock that is wrong',
      429,
      { 'retry-after': new Date(NOW - 3_590_000).toUTCString(), date: SLOW },
      { throttled: true, waitMs: 10_000 },
    ],
    ['a unit', 429, { 'retry-after': '90s' }, { throttled: true, waitMs: 90_000 }],
    ['seconds since 1970', 429, { 'retry-after': String(NOW / 1000 + 9) }, { throttled: true, waitMs: 9000 }],
    [
      'milliseconds since 1970',
      429,
      { 'retry-after': String(NOW + 9000) },
      { throttled: true, waitMs: 9000 },
    ],
    [
      'a date in UTC',
      429,
      { 'retry-after': 'Sat, 31 Jan 2026 09:00:05 UTC' },
      { throttled: true, waitMs: 5000 },
    ],
    [
      'a date with an offset',
      429,
      { 'retry-after': 'Sat, 31 Jan 2026 09:00:05 +0000' },
      { throttled: true, waitMs: 5000 },
    ],
    ['a date as in JSON', 429, { 'retry-after': '2026-01-31T09:00:05Z' }, { throttled: true, waitMs: 5000 }],
    ['a wait that is none', 429, { 'retry-after': 'soon' }, { throttled: true }],
    ['a wait in other units', 429, { 'retry-after': '5 apples' }, { throttled: true }],
    ['a day that is none', 429, { 'retry-after': '2026-13-45T00:00:00Z' }, { throttled: true }],
    ['a negative wait', 429, { 'retry-after': '-5' }, { throttled: true }],
    ['a wait on a good answer', 200, { 'retry-after': '5' }, { throttled: false }],
    [
      'what is left, on a good answer',
      200,
      { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' },
      { throttled: false, limit: 60, remaining: 59 },
    ],
    [
      'the published form of a 429',
      429,
      {
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '0',
        'retry-after': '42',
        'x-ratelimit-reset': String(NOW / 1000 + 42),
      },
      { throttled: true, waitMs: 42_000, limit: 60, remaining: 0, resetMs: 42_000 },
    ],
    [
      'a reset as a point in time, by a clock that is wrong',
      429,
      { 'x-ratelimit-reset': String(NOW / 1000 - 3600 + 7), date: SLOW },
      { throttled: true, waitMs: 7000, resetMs: 7000 },
    ],
    [
      'a reset in milliseconds since 1970',
      429,
      { 'x-ratelimit-reset': String(NOW + 3000), date: DATE },
      { throttled: true, waitMs: 3000, resetMs: 3000 },
    ],
    [
      'a reset in seconds',
      429,
      { 'x-ratelimit-reset': '8' },
      { throttled: true, waitMs: 8000, resetMs: 8000 },
    ],
    ['a reset does not hold up a 503', 503, { 'x-ratelimit-reset': '8' }, { throttled: true, resetMs: 8000 }],
    [
      'headers without X-',
      200,
      { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '7', 'ratelimit-reset': '5' },
      { throttled: false, limit: 100, remaining: 7, resetMs: 5000 },
    ],
  ])('%s', (_what, status, headers, pace) => {
    expect(paceOf({ status, headers }, NOW)).toEqual(pace);
  });

  test('names the headers that it reads', () => {
    const headers = {
      date: DATE,
      'x-ratelimit-limit': '1',
      'ratelimit-reset': '2',
      'retry-after': '1',
    };
    expect(paceHeaders(headers)).toEqual(['x-ratelimit-limit', 'ratelimit-reset', 'retry-after']);
  });
});
