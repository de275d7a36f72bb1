import { expect, test } from 'vitest';
import { requestLine } from '../../src/report/events.ts';

const REQUEST = {
  at: Date.UTC(2026, 10, 20, 9, 30, 0, 123),
  method: 'GET',
  url: 'https://analytics.example.com/stats/api/v1/websites?search=a.example&per_page=100',
  ms: 34.4,
  status: 200,
  attempt: 1,
  waitedMs: 3,
  pace: { throttled: false },
};
const HEAD = '2026-11-20T09:30:00.123Z GET /stats/api/v1/websites?search=a.example&per_page=100';

test.for<[Partial<Parameters<typeof requestLine>[0]>, string]>([
  [{}, `${HEAD} 200 34 ms\n`],
  [
    { status: 429, attempt: 2, waitedMs: 1200, pace: { throttled: true, waitMs: 60_000 } },
    `${HEAD} 429 34 ms, attempt 2, waited 1.2 s for its turn, asked to wait 60 s\n`,
  ],
  [{ status: 503, pace: { throttled: true } }, `${HEAD} 503 34 ms, asked to slow down\n`],
])('a request is logged with its response: %j', ([more, line]) => {
  expect(requestLine({ ...REQUEST, ...more })).toBe(line);
});

test('a request without a response is logged with its reason, escaped', () => {
  const { status: _, ...unanswered } = REQUEST;
  expect(requestLine({ ...unanswered, reason: 'the connection\nbroke \x1b[2J' })).toBe(
    `${HEAD} no response 34 ms, the connection broke \\u001b[2J\n`,
  );
});
