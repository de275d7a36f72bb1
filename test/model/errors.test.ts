import { expect, test } from 'vitest';
import { type ErrorCode, type ExitCode, exitOf, OUTCOMES, WebsitesError } from '../../src/model/errors.ts';

test('the exit code is that of the worst outcome, and 0 without outcomes', () => {
  expect(OUTCOMES.map(([, code]) => code)).toEqual([130, 3, 1, 4, 5, 6, 2, 0]);
  for (const [index, [worse, code]] of OUTCOMES.entries()) {
    for (const [other] of OUTCOMES.slice(index)) expect(exitOf({ [other]: true, [worse]: true })).toBe(code);
  }
  expect(exitOf({ interrupted: false })).toBe(0);
});

test.each<[ErrorCode, ExitCode]>([
  ['usage', 1],
  ['plan-impossible', 1],
  ['service-unreachable', 1],
  ['key-refused', 3],
  ['guard-refused', 5],
  ['plan-stale', 6],
  ['interrupted', 130],
])('an error with the code %s exits with %i', (code, exit) => {
  expect(new WebsitesError(code, 'x').exit).toBe(exit);
});
