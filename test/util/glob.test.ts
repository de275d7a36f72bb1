import { expect, test } from 'vitest';
import { glob } from '../../src/util/glob.ts';

test.for([
  ['*.internal', 'a.b.internal', true],
  ['*.internal', 'internal', false],
  ['*.internal', 'a.internal.com', false],
  ['a.com', 'a.com', true],
  ['a.com', 'a.com.evil', false],
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['a*b*c', 'aXbYc', true],
  ['a*b*c', 'acb', false],
  ['ab*ba', 'aba', false],
  ['a.b', 'axb', false],
] as const)('%s and %s: %s', ([pattern, text, fits]) => {
  expect(glob(pattern)(text)).toBe(fits);
});

test('takes no step back', () => {
  expect(glob(`${'a*'.repeat(50)}b`)('a'.repeat(100_000))).toBe(false);
});
