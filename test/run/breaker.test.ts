import { expect, test } from 'vitest';
import { createBreaker } from '../../src/run/loop.ts';

type Outcome = 'done' | 'record' | 'service';

/** Returns the outcome at which a run stops, counted from 1. */
function stopAt(outcomes: readonly Outcome[], maxFailures?: number): number | undefined {
  const breaker = createBreaker(maxFailures);
  const at = outcomes.findIndex((outcome) => breaker(outcome) !== undefined);
  return at < 0 ? undefined : at + 1;
}

const times = (count: number, outcome: Outcome): Outcome[] => Array.from({ length: count }, () => outcome);

test.each<[string, readonly Outcome[], number | undefined, number | undefined]>([
  ['ten failures of the service in a row stop a run', times(20, 'service'), undefined, 10],
  [
    'one success ends the row',
    [...times(9, 'service'), 'done', ...times(9, 'service')],
    undefined,
    undefined,
  ],
  ['failures of single records do not count as a row', times(40, 'record'), undefined, undefined],
  ['failures of a fifth of fifty stop a run', [...times(40, 'done'), ...times(10, 'record')], undefined, 50],
  ['a set maximum replaces both rules', times(20, 'service'), 3, 3],
  ['a run without failures never stops', times(5, 'done'), 0, undefined],
])('apply counts failures to decide when to stop: %s', (_, outcomes, maxFailures, at) => {
  expect(stopAt(outcomes, maxFailures)).toBe(at);
});
