import { describe, expect, test } from 'vitest';
import { isNamed } from '../../src/model/domain.ts';
import { refuseSharedIds } from '../../src/model/identity.ts';
import type { WwwRule } from '../../src/model/website.ts';

describe('a record goes by a domain', () => {
  test.each<[string, WwwRule | 'undecided' | undefined, boolean]>([
    ['a.example', 'distinct', true],
    ['A.Example.', 'distinct', true],
    ['www.a.example', undefined, true],
    ['www.a.example', 'undecided', true],
    ['www.a.example', 'same', true],
    ['www.a.example', 'distinct', false],
    ['b.example', 'same', false],
    ['www.www.a.example', 'same', false],
  ])('%s with www %s: %s', (domain, www, isIt) => {
    expect(isNamed({ domain }, 'a.example', www)).toBe(isIt);
  });
});

test('an id that is shown for two websites ends the command, by name', () => {
  expect(() => refuseSharedIds([])).not.toThrow();
  expect(() => refuseSharedIds([{ id: '1', domains: ['a.example', 'b.example'] }])).toThrow(
    expect.objectContaining({
      code: 'id-mismatch',
      message: 'The service shows #1 for a.example and b.example.',
    }),
  );
});
