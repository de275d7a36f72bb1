import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/client/http/network-errors.ts';
import {
  type Decision,
  decide,
  graver,
  MAX_ATTEMPTS,
  outcomeOf,
  type Setback,
} from '../../src/client/retry.ts';
import type { Operation } from '../../src/client/statuses.ts';

const FIRST = { attempts: 1, throttles: 0 };
const MAX_WAIT_MS = 900_000;

/** How an operation goes on that has waited for nothing so far, unless it says so. */
function next(
  operation: Operation,
  setback: Setback,
  progress: { attempts: number; throttles: number; askedMs?: number },
  random: number,
): Decision {
  return decide(operation, setback, { askedMs: 0, ...progress }, random, MAX_WAIT_MS);
}

function status(code: number, waitMs?: number): Setback {
  return { status: code, waitMs };
}

function failure(kind: Failure['kind'], sent: boolean, code?: number): Setback {
  return { failure: { kind, sent, reason: '' }, status: code };
}

function garbled(code: number): Setback {
  return { status: code, isGarbled: true };
}

describe('whether a setback is followed by another attempt, and what it leaves known', () => {
  // what it is, a create goes on by, another operation goes on by, what is known of a request that met it
  test.each([
    ['no connection', failure('connect', false), 'retry', 'retry', 'refused'],
    ['no connection in time', failure('timeout', false), 'retry', 'retry', 'refused'],
    ['a certificate of no use', failure('tls', false), 'stop', 'stop', 'refused'],
    ['a connection that broke', failure('broken', true), 'stop', 'retry', 'unknown'],
    ['no answer in time', failure('timeout', true), 'stop', 'retry', 'unknown'],
    ['a good answer cut off', failure('broken', true, 201), 'stop', 'retry', 'ended'],
    ['a refusal cut off', failure('broken', true, 422), 'stop', 'retry', 'refused'],
    ['an answer without an end', failure('timeout', true, 201), 'stop', 'retry', 'unknown'],
    ['an answer too large', failure('too-large', true, 200), 'stop', 'stop', 'ended'],
    ['an answer of no use', garbled(201), 'stop', 'retry', 'ended'],
    ['202 of no use', garbled(202), 'stop', 'retry', 'unknown'],
    ['202 cut off', failure('broken', true, 202), 'stop', 'retry', 'unknown'],
    ['303', status(303), 'stop', 'stop', 'unknown'],
    ['400', status(400), 'stop', 'stop', 'refused'],
    ['401', status(401), 'stop', 'stop', 'refused'],
    ['404', status(404), 'stop', 'stop', 'refused'],
    ['409', status(409), 'stop', 'stop', 'refused'],
    ['408', status(408), 'stop', 'retry', 'unknown'],
    ['422', status(422), 'stop', 'stop', 'refused'],
    ['425', status(425), 'retry', 'retry', 'refused'],
    ['429', status(429), 'wait', 'wait', 'refused'],
    ['429 that says when', status(429, 60_000), 'wait', 'wait', 'refused'],
    ['429 that asks as much as is waited out', status(429, MAX_WAIT_MS), 'wait', 'wait', 'refused'],
    ['429 that asks too much', status(429, MAX_WAIT_MS + 1), 'stop', 'stop', 'refused'],
    ['429 cut off', failure('broken', true, 429), 'wait', 'wait', 'refused'],
    ['429 without an end', failure('timeout', true, 429), 'stop', 'retry', 'unknown'],
    ['451', status(451), 'stop', 'stop', 'refused'],
    ['507', status(507), 'stop', 'stop', 'unknown'],
    ['524', status(524), 'stop', 'retry', 'unknown'],
    ['500', status(500), 'stop', 'retry', 'ended'],
    ['500 that says when', status(500, 1000), 'stop', 'retry', 'ended'],
    ['502', status(502), 'stop', 'retry', 'unknown'],
    ['502 that says when', status(502, 1000), 'stop', 'retry', 'unknown'],
    ['503', status(503), 'stop', 'retry', 'unknown'],
    ['503 that says when', status(503, 1000), 'wait', 'wait', 'refused'],
    ['504', status(504), 'stop', 'retry', 'unknown'],
  ] as const)('%s', (_what, setback, create, other, outcome) => {
    expect(next('create', setback, FIRST, 0.5).kind).toBe(create);
    for (const operation of ['list', 'find', 'read', 'update'] as const) {
      expect(next(operation, setback, FIRST, 0.5).kind).toBe(other);
    }
    expect(outcomeOf(setback)).toBe(outcome);
  });

  test.each([409, 423])('a delete that is answered %i is sent three times, an update once', (code) => {
    const at = (operation: Operation, attempts: number) =>
      next(operation, status(code), { attempts, throttles: 0 }, 0.5).kind;
    expect([1, 2, 3].map((attempts) => at('delete', attempts))).toEqual(['retry', 'retry', 'stop']);
    expect(at('update', 1)).toBe('stop');
  });

  test('an operation has five attempts', () => {
    const last = { attempts: MAX_ATTEMPTS, throttles: 0 };
    expect(next('read', status(500), { attempts: MAX_ATTEMPTS - 1, throttles: 0 }, 0.5).kind).toBe('retry');
    expect(next('read', status(500), last, 0.5).kind).toBe('stop');
    expect(next('read', status(429), last, 0.5).kind).toBe('wait');
  });

  test('waits as long as asked, and gives up in the end', () => {
    expect(next('create', status(429, 1234), FIRST, 0.5)).toEqual({ kind: 'wait', ms: 1234 });
    expect(next('create', status(429, 1), { attempts: 1, throttles: 10 }, 0.5).kind).toBe('stop');
  });

  test('gives up where it is asked to wait too long, in sum', () => {
    const asked = (askedMs: number, waitMs: number) =>
      next('create', status(429, waitMs), { attempts: 1, throttles: 1, askedMs }, 0.5);
    expect(asked(MAX_WAIT_MS - 60_000, 60_000)).toEqual({ kind: 'wait', ms: 60_000 });
    expect(asked(MAX_WAIT_MS - 60_000, 60_001)).toEqual({ kind: 'stop', askedMs: MAX_WAIT_MS + 1 });
  });

  test('waits longer each time where it is asked for next to nothing', () => {
    const waits = (askedMs: number) =>
      [0, 1, 2, 9].map((throttles) => next('create', status(429, askedMs), { attempts: 1, throttles }, 0.5));
    const growing = [500, 1000, 2000, 30_000].map((ms) => ({ kind: 'wait', ms }));
    expect(waits(0)).toEqual(growing);
    expect(waits(700)).toEqual([{ kind: 'wait', ms: 700 }, ...growing.slice(1)]);
    expect(waits(1000)).toEqual(Array(4).fill({ kind: 'wait', ms: 1000 }));
  });

  test('pauses grow, and chance spreads them from nothing to all of it', () => {
    const at = (attempts: number, random: number) =>
      next('read', status(500), { attempts, throttles: 0 }, random);
    expect([1, 2, 3, 4].map((attempts) => at(attempts, 1))).toEqual(
      [300, 600, 1200, 2400].map((ms) => ({ kind: 'retry', ms })),
    );
    expect(at(4, 0)).toEqual({ kind: 'retry', ms: 0 });
  });
});

const setbacks = fc.oneof(
  fc.constantFrom(201, 202).map(garbled),
  fc
    .record({
      code: fc.integer({ min: 300, max: 599 }),
      wait: fc.option(fc.nat(10_000_000), { nil: undefined }),
    })
    .map(({ code, wait }) => status(code, wait)),
  fc
    .record({
      kind: fc.constantFrom<Failure['kind']>('connect', 'tls', 'timeout', 'broken', 'too-large'),
      sent: fc.boolean(),
      code: fc.option(fc.integer({ min: 200, max: 599 }), { nil: undefined }),
    })
    .map(({ kind, sent, code }) => failure(kind, sent, code)),
);

const operations = fc.constantFrom<Operation>('list', 'find', 'read', 'create', 'update', 'delete');

describe('laws', () => {
  test('a create is sent again only where it was not carried out', () => {
    fc.assert(
      fc.property(setbacks, fc.double({ min: 0, max: 0.999, noNaN: true }), (setback, random) => {
        const again = next('create', setback, FIRST, random).kind !== 'stop';
        return !again || outcomeOf(setback) === 'refused';
      }),
    );
  });

  test('every operation comes to an end', () => {
    fc.assert(
      fc.property(operations, fc.infiniteStream(setbacks), (operation, stream) => {
        const effort = { attempts: 1, throttles: 0, askedMs: 0 };
        for (let requests = 1; requests < 20; requests += 1) {
          const decision = next(operation, stream.next().value as Setback, effort, 0.5);
          if (decision.kind === 'stop') return true;
          if (decision.kind === 'wait') effort.throttles += 1;
          else effort.attempts += 1;
        }
        return false;
      }),
    );
  });

  test('the graver outcome does not depend on the order', () => {
    const outcomes = ['refused', 'ended', 'unknown'] as const;
    for (const a of outcomes) {
      for (const b of outcomes) {
        expect(graver(a, b)).toBe(outcomes[Math.max(outcomes.indexOf(a), outcomes.indexOf(b))]);
      }
    }
  });
});
