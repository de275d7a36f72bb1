import { expect, test } from 'vitest';
import { paceOf } from '../../src/client/pace-headers.ts';

const NOW = Date.UTC(2026, 0, 31, 9, 0, 0);
const DATE = new Date(NOW).toUTCString();
/** A clock that is an hour slow. */
const SLOW = new Date(NOW - 3_600_000).toUTCString();

test.each<[string, number | undefined]>([
  ['60', 60_000],
  ['0', 0],
  ['0.25', 250],
  [new Date(NOW + 5000).toUTCString(), 5000],
  ['Fri, 30 Jan 2026 09:00:00 GMT', 0],
  [String(NOW / 1000 + 9), 9000],
  ['soon', undefined],
  ['5 apples', undefined],
  ['Sat, 45 Jan 2026 09:00:05 GMT', undefined],
  ['-5', undefined],
])('the header "Retry-After: %s" is parsed as %s ms', (text, waitMs) => {
  const headers = { 'retry-after': text };
  for (const status of [429, 503]) {
    expect(paceOf({ status, headers }, NOW)).toEqual({ throttled: true, waitMs });
  }
  expect(paceOf({ status: 200, headers }, NOW)).toEqual({ throttled: false });
});

test('a Retry-After date is compared with the Date header of the response', () => {
  const headers = { 'retry-after': new Date(NOW - 3_590_000).toUTCString(), date: SLOW };
  expect(paceOf({ status: 429, headers }, NOW)).toEqual({ throttled: true, waitMs: 10_000 });
});

test.each<[string, object]>([
  [String(NOW / 1000 - 3600 + 7), { date: SLOW }],
  [String(NOW / 1000 + 7), { date: DATE }],
  ['7', {}],
])('X-RateLimit-Reset: %s sets the wait after a 429, but not after a 503', (reset, date) => {
  const headers = { 'x-ratelimit-reset': reset, ...date };
  expect(paceOf({ status: 429, headers }, NOW)).toEqual({ throttled: true, waitMs: 7000, resetMs: 7000 });
  expect(paceOf({ status: 503, headers }, NOW)).toEqual({ throttled: true, resetMs: 7000 });
});

test.each<[number, Readonly<Record<string, string>>, object]>([
  [200, {}, { throttled: false }],
  [429, {}, { throttled: true }],
  [
    200,
    { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' },
    { throttled: false, limit: 60, remaining: 59 },
  ],
  [
    429,
    { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'retry-after': '42' },
    { throttled: true, waitMs: 42_000, limit: 60, remaining: 0 },
  ],
  [
    200,
    { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '7', 'ratelimit-reset': '5' },
    { throttled: false, limit: 100, remaining: 7, resetMs: 5000 },
  ],
])('a response %i with the headers %j has the pace %j', (status, headers, pace) => {
  expect(paceOf({ status, headers }, NOW)).toEqual(pace);
});
