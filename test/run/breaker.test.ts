import { expect, test } from 'vitest';
import { createBreaker } from '../../src/run/loop.ts';

type Outcome = 'done' | 'record' | 'service';

/** Counted from 1. */
function stopAt(outcomes: readonly Outcome[], maxFailures?: number): number | undefined {
  const breaker = createBreaker(maxFailures);
  const at = outcomes.findIndex((outcome) => breaker(outcome) !== undefined);
  return at < 0 ? undefined : at + 1;
}

const times = (count: number, outcome: Outcome): Outcome[] => Array.from({ length: count }, () => outcome);

test.each<[string, readonly Outcome[], number | undefined, number | undefined]>([
  ['ten failures of the service in a row stop a run', times(20, 'service'), undefined, 10],
  [
    'one success begins the row anew',
    [...times(9, 'service'), 'done', ...times(9, 'service')],
    undefined,
    undefined,
  ],
  ['failures of single records make no row', times(40, 'record'), undefined, undefined],
  ['a fifth of fifty stops a run', [...times(40, 'done'), ...times(10, 'record')], undefined, 50],
  ['a number of failures takes the place of both', times(20, 'service'), 3, 3],
  ['no failure is no reason, whatever the number', times(5, 'done'), 0, undefined],
])('%s', (_, outcomes, maxFailures, at) => {
  expect(stopAt(outcomes, maxFailures)).toBe(at);
});
