import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NoAnswer } from '../../src/client/http/network-errors.ts';
import type { Answer } from '../../src/client/http/transport.ts';
import { judge, type Setback } from '../../src/client/judge.ts';
import { type Decision, decide, graver, type RequestProgress } from '../../src/client/retry.ts';
import type { Operation } from '../../src/client/statuses.ts';

const FIRST = { attempts: 1, throttles: 0, askedMs: 0 };
const MAX_WAIT_MS = 900_000;

type Met = readonly [reply: Answer | NoAnswer, waitMs?: number | undefined];

const status = (code: number, waitMs?: number): Met => [
  { kind: 'answer', status: code, headers: {}, body: '{"message":"No."}', isUtf8: true },
  waitMs,
];
const garbled = (code: number): Met => [
  { kind: 'answer', status: code, headers: {}, body: 'garbled', isUtf8: true },
];
const failure = (kind: NoAnswer['kind'], sent: boolean, code?: number): Met => [
  { kind, sent, reason: 'why', ...(code !== undefined && { status: code }) },
];

/** The setback of a list, a find or a create in a bad reply. */
function setbackOf(operation: 'list' | 'find' | 'create', [reply, waitMs]: Met): Setback {
  const progress: RequestProgress = { ...FIRST, spentMs: 0, sentAt: undefined, outcome: 'refused' };
  const asked = { call: { operation, path: '/' } as const, to: { origin: '', path: '/' }, progress };
  const came = judge({ ...asked, secrets: [] }, reply, waitMs, true);
  if ('json' in came) throw new Error('it is good');
  return came;
}

function next(operation: Operation, setback: Partial<Setback>, progress = FIRST, random = 0.5): Decision {
  return decide(operation, setback, progress, random, MAX_WAIT_MS);
}

describe('retry decisions', () => {
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
    ['429 without an end', failure('timeout', true, 429), 'stop', 'retry', 'unknown'],
    ['451', status(451), 'stop', 'stop', 'refused'],
    ['500 with Retry-After', status(500, 1000), 'stop', 'retry', 'ended'],
    ['501', status(501), 'stop', 'stop', 'unknown'],
    ['507', status(507), 'stop', 'stop', 'unknown'],
    ['524', status(524), 'stop', 'retry', 'unknown'],
  ] as const)('a failure decides on retry and outcome: %s', (_what, met, create, other, outcome) => {
    expect(next('create', setbackOf('create', met)).kind).toBe(create);
    expect(next('list', setbackOf('list', met)).kind).toBe(other);
    expect(next('update', setbackOf('find', met)).kind).toBe(other);
    expect(setbackOf('create', met).outcome).toBe(outcome);
  });

  test('a retry waits as long as requested, and stops after ten waits or a limit in total', () => {
    const asked = (askedMs: number, throttledMs: number) =>
      next('create', { throttledMs }, { attempts: 1, throttles: 1, askedMs });
    expect(asked(0, 1234)).toEqual({ kind: 'wait', ms: 1234 });
    expect(next('create', { throttledMs: 1 }, { ...FIRST, throttles: 10 }).kind).toBe('stop');
    expect(asked(MAX_WAIT_MS - 60_000, 60_000)).toEqual({ kind: 'wait', ms: 60_000 });
    expect(asked(MAX_WAIT_MS - 60_000, 60_001)).toEqual({ kind: 'stop', askedMs: MAX_WAIT_MS + 1 });
  });

  test('a retry waits longer each time if the requested wait is very short', () => {
    const waits = (throttledMs: number) =>
      [0, 1, 2, 9].map((throttles) => next('create', { throttledMs }, { ...FIRST, throttles }));
    const growing = [500, 1000, 2000, 30_000].map((ms) => ({ kind: 'wait', ms }));
    expect(waits(0)).toEqual(growing);
    expect(waits(700)).toEqual([{ kind: 'wait', ms: 700 }, ...growing.slice(1)]);
    expect(waits(1000)).toEqual(Array(4).fill({ kind: 'wait', ms: 1000 }));
  });

  test('retry pauses grow, and are random between zero and their maximum', () => {
    const at = (attempts: number, random: number) =>
      next('read', { again: 'any' }, { ...FIRST, attempts }, random);
    expect([1, 2, 3, 4].map((attempts) => at(attempts, 1))).toEqual(
      [300, 600, 1200, 2400].map((ms) => ({ kind: 'retry', ms })),
    );
    expect(at(4, 0)).toEqual({ kind: 'retry', ms: 0 });
  });
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
      return next('create', setback).kind === 'stop' || setback.outcome === 'refused';
    }),
  );
});

test('the graver of two outcomes does not depend on their order', () => {
  const outcomes = ['refused', 'ended', 'unknown'] as const;
  for (const [first, a] of outcomes.entries()) {
    for (const [second, b] of outcomes.entries()) {
      expect(graver(a, b)).toBe(outcomes[Math.max(first, second)]);
    }
  }
});
