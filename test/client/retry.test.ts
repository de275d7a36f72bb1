import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NoAnswer } from '../../src/client/http/network-errors.ts';
import type { Answer } from '../../src/client/http/transport.ts';
import type { Operation } from '../../src/client/judge.ts';
import { judge, type Setback } from '../../src/client/judge.ts';
import { nextStep, type RequestProgress, startProgress } from '../../src/client/retry.ts';

const MAX_WAIT_MS = 900_000;

type Met = readonly [reply: Answer | NoAnswer, waitMs?: number | undefined];

const status = (code: number, waitMs?: number): Met => [
  { kind: 'answer', status: code, headers: {}, body: '{"message":"No."}', isUtf8: true },
  waitMs,
];
/** An error page of a proxy, which may also mean that the service got the request and was too slow. */
const page = (code: number, waitMs: number): Met => [
  { kind: 'answer', status: code, headers: {}, body: '<h1>Backend fetch failed</h1>', isUtf8: true },
  waitMs,
];
const garbled = (code: number): Met => [
  { kind: 'answer', status: code, headers: {}, body: 'garbled', isUtf8: true },
];
const failure = (kind: NoAnswer['kind'], sent: boolean, code?: number): Met => [
  { kind, sent, reason: 'why', ...(code !== undefined && { status: code }) },
];

function asking(operation: Operation, before: Partial<RequestProgress> = {}) {
  const progress = { ...startProgress(), ...before };
  return { call: { operation, path: '/' }, to: { origin: '', path: '/' }, progress, secrets: [] };
}

/** The setback of an operation after a bad reply. */
function setbackOf(operation: 'list' | 'find' | 'create', [reply, waitMs]: Met): Setback {
  const came = judge(asking(operation), reply, waitMs, true);
  if (!('what' in came)) throw new Error('it is good');
  return came;
}

const LIMITS = { timeoutMs: 120_000, maxWaitMs: MAX_WAIT_MS };
const STOPPED = setbackOf('list', status(400));

function next(
  operation: Operation,
  setback: Partial<Setback>,
  before: Partial<RequestProgress> = {},
  random = 0.5,
): number | Setback {
  return nextStep(asking(operation, before), { ...STOPPED, ...setback }, { ...LIMITS, random: () => random });
}

/** `wait`: a pause that the service requests. `retry`: a pause that the client chooses. */
function kindOf(operation: Operation, setback: Setback): string {
  if (typeof next(operation, setback) !== 'number') return 'stop';
  return setback.throttledMs === undefined ? 'retry' : 'wait';
}

// Columns: the reply, the next step of a create, that of others, the outcome of the request.
test.each([
  ['no connection in time', failure('timeout', false), 'retry', 'retry', 'refused'],
  ['no connection through the proxy', failure('proxy', false), 'retry', 'retry', 'refused'],
  ['an invalid certificate', failure('tls', false), 'stop', 'stop', 'refused'],
  ['a refusal that is cut off', failure('broken', true, 422), 'stop', 'retry', 'refused'],
  ['an answer too large', failure('too-large', true, 200), 'stop', 'stop', 'ended'],
  ['an unreadable response', garbled(201), 'stop', 'retry', 'ended'],
  ['202 cut off', failure('broken', true, 202), 'stop', 'retry', 'unknown'],
  ['400', status(400), 'stop', 'stop', 'refused'],
  ['401', status(401), 'stop', 'stop', 'refused'],
  ['404', status(404), 'stop', 'stop', 'refused'],
  ['407', status(407), 'stop', 'stop', 'refused'],
  ['409', status(409), 'stop', 'stop', 'refused'],
  ['422', status(422), 'stop', 'stop', 'refused'],
  ['423', status(423), 'stop', 'stop', 'refused'],
  ['429 with the longest accepted wait', status(429, MAX_WAIT_MS), 'wait', 'wait', 'refused'],
  ['429 with a longer wait', status(429, MAX_WAIT_MS + 1), 'stop', 'stop', 'refused'],
  ['429 cut off', failure('broken', true, 429), 'wait', 'wait', 'refused'],
  ['429 without an end', failure('timeout', true, 429), 'wait', 'wait', 'refused'],
  ['503 with Retry-After', status(503, 1000), 'wait', 'wait', 'refused'],
  ['a page with 503 and Retry-After', page(503, 1000), 'stop', 'wait', 'unknown'],
  ['503 with Retry-After, cut off', [failure('broken', true, 503)[0], 1000], 'stop', 'retry', 'unknown'],
  ['451', status(451), 'stop', 'stop', 'refused'],
  ['500 with Retry-After', status(500, 1000), 'stop', 'retry', 'ended'],
  ['524', status(524), 'stop', 'retry', 'unknown'],
] as const)('the client decides whether to retry after "%s"', (_what, met, create, other, outcome) => {
  expect(kindOf('create', setbackOf('create', met))).toBe(create);
  expect(kindOf('list', setbackOf('list', met))).toBe(other);
  expect(kindOf('update', setbackOf('find', met))).toBe(other);
  expect(setbackOf('create', met).outcome).toBe(outcome);
});

test('a retry waits as long as the service requests, up to ten times and a total limit', () => {
  const asked = (askedMs: number, throttledMs: number) =>
    next('create', { throttledMs }, { throttles: 1, askedMs });
  expect(asked(0, 1234)).toBe(1234);
  expect(next('create', { throttledMs: 1 }, { throttles: 10 })).toMatchObject({ status: 400 });
  expect(asked(MAX_WAIT_MS - 60_000, 60_000)).toBe(60_000);
  expect(asked(MAX_WAIT_MS - 60_000, 60_001)).toMatchObject({
    asksTooMuch: true,
    remedy: expect.stringContaining('WEBSITES_MAX_WAIT=901s'),
  });
});

test('a retry waits longer each time if the requested wait is very short', () => {
  const waits = (throttledMs: number) =>
    [0, 1, 2, 9].map((throttles) => next('create', { throttledMs }, { throttles }));
  expect(waits(0)).toEqual([500, 1000, 2000, 30_000]);
  expect(waits(700)).toEqual([700, 1000, 2000, 30_000]);
  expect(waits(1000)).toEqual(Array(4).fill(1000));
});

test('retry pauses grow, and are random between zero and their maximum', () => {
  const at = (attempts: number, random: number) => next('read', { again: 'any' }, { attempts }, random);
  expect([1, 2, 3, 4].map((attempts) => at(attempts, 1))).toEqual([300, 600, 1200, 2400]);
  expect(at(4, 0)).toBe(0);
});

test('a create is sent again only if it was not carried out', () => {
  const met = fc.oneof(
    fc.constantFrom(201, 202).map(garbled),
    fc
      .tuple(fc.integer({ min: 300, max: 599 }), fc.nat(10_000_000))
      .map(([code, wait]) => status(code, wait)),
    fc
      .tuple(
        fc.constantFrom<NoAnswer['kind']>('timeout', 'broken', 'too-large'),
        fc.integer({ min: 200, max: 599 }),
      )
      .map(([kind, code]) => failure(kind, true, code)),
  );
  fc.assert(
    fc.property(met, (one) => {
      const setback = setbackOf('create', one);
      return kindOf('create', setback) === 'stop' || setback.outcome === 'refused';
    }),
  );
});
