import { expect, test } from 'vitest';
import { ACTIONS, isSecretChange } from '../../src/model/change.ts';

test('the actions stand in the order in which they are applied', () => {
  expect(ACTIONS).toEqual(['create', 'update', 'delete']);
});

test('a secret change is told by its mark, not by its values', () => {
  expect(isSecretChange({ sensitive: true, ref: null })).toBe(true);
  expect(isSecretChange({ before: 'sensitive', after: { env: 'NAME' } })).toBe(false);
});
