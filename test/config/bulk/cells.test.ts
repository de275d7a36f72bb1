import { expect, test } from 'vitest';
import { mappingOf, restOf } from '../../../src/config/bulk/cells.ts';

test.each(['a;b', ' a b ', ';a;;b;', 'a\nb'])('the list in %j has two items', (cell) => {
  expect(mappingOf({ start: 0, keys: ['exclude_params'], cells: [cell] })).toEqual({
    exclude_params: ['a', 'b'],
  });
});

test('rows that have the same values under other keys do not declare the same', () => {
  const restUnder = (key: string) =>
    restOf({ start: 0, keys: ['domain', key], cells: ['a.example', true] }, 0);
  expect(restUnder('email')).toEqual(restUnder('email'));
  expect(restUnder('email')).not.toEqual(restUnder('exclude_bots'));
});
