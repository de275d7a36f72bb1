import { expect, test } from 'vitest';
import { restOf } from '../../../src/config/bulk/cells.ts';

test('rows that have the same values under other keys do not declare the same', () => {
  const restUnder = (key: string) =>
    restOf({ start: 0, keys: ['domain', key], cells: ['a.example', true] }, 0);
  expect(restUnder('email')).toEqual(restUnder('email'));
  expect(restUnder('email')).not.toEqual(restUnder('exclude_bots'));
});
