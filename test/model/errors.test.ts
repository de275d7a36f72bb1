import { describe, expect, test } from 'vitest';
import { type ErrorCode, type ExitCode, WebsitesError, worstExit } from '../../src/model/errors.ts';

describe('worstExit', () => {
  const order: ExitCode[] = [130, 3, 1, 4, 5, 6, 2, 0];
  const pairs = order.flatMap((worse, index) => order.slice(index).map((other) => [worse, other] as const));

  test.each(pairs)('%i holds against %i, in either order', (worse, other) => {
    expect(worstExit([worse, other])).toBe(worse);
    expect(worstExit([other, worse])).toBe(worse);
  });

  test('takes any iterable; nothing is 0', () => {
    expect(worstExit([])).toBe(0);
    expect(worstExit(new Set<ExitCode>([0, 2, 6]))).toBe(6);
    expect(worstExit([0, 2, 5, 4, 1, 3])).toBe(3);
  });
});

test.each<[ErrorCode, ExitCode]>([
  ['usage', 1],
  ['config-invalid', 1],
  ['plan-impossible', 1],
  ['list-incomplete', 1],
  ['redirect-refused', 1],
  ['service-unreachable', 1],
  ['key-refused', 3],
  ['guard-refused', 5],
  ['plan-stale', 6],
  ['plan-invalid', 1],
  ['lock-held', 1],
  ['interrupted', 130],
])('%s leads to exit %i', (code, exit) => {
  expect(new WebsitesError(code, 'x').exit).toBe(exit);
});
