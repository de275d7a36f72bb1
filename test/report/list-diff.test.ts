import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listDiff } from '../../src/report/list-diff.ts';
import { pieceText } from '../../src/report/values.ts';

const ROOM = { items: 10, characters: 120 };
const drawn = (had: readonly string[], has: readonly string[]): string[] =>
  listDiff(had, has, ROOM).map(pieceText);

test.each<[string, string[], string[], string[]]>([
  ['one order of both', ['d', 'a'], ['a', 'c', 'b'], ['a', '- d', '+ b', '+ c']],
  ['no difference in an order that means nothing', ['b', 'a'], ['a', 'b', 'c'], ['a', 'b', '+ c']],
  [
    'what stays, counted',
    ['a', 'b', 'c', 'd', 'e'],
    ['a', 'b', 'c', 'd', 'f'],
    ['… 4 unchanged', '- e', '+ f'],
  ],
  ['a new list in its own order', [], ['b', 'a'], ['+ b', '+ a']],
  ['what is emptied', ['b', 'a'], [], ['- a', '- b']],
])('a list is drawn with %s', (_, had, has, lines) => {
  expect(drawn(had, has)).toEqual(lines);
});

test('more changes than there is room for are counted', () => {
  const many = (letter: string): string[] => Array.from({ length: 14 }, (_, index) => `${letter}${index}`);
  const lines = drawn(many('a'), many('b'));
  expect(lines.filter((line) => line.endsWith('and 4 more'))).toEqual(['- … and 4 more', '+ … and 4 more']);
  expect(lines).toHaveLength(22);
});

test('every item that comes or goes has its sign', () => {
  const items = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'));
  fc.assert(
    fc.property(items, items, (had, has) => {
      const lines = drawn(had, has);
      const signed = (sign: string): string[] =>
        lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(2));
      expect(signed('- ').sort()).toEqual(had.filter((item) => !has.includes(item)).sort());
      expect(signed('+ ').sort()).toEqual(has.filter((item) => !had.includes(item)).sort());
    }),
  );
});
