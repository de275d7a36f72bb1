import fc from 'fast-check';
import { expect, it } from 'vitest';
import { count, duration, joinShortenedTexts, say } from '../../src/report/sanitize.ts';
import { columns, flow, hang, wrap } from '../../src/report/text.ts';

it.each([
  ['', 0],
  ['example.com', 11],
  ['private → public', 16],
  ['例え.jp', 7],
  ['한국', 4],
  ['ｆｕｌｌ', 8],
  ['ﾊﾝｶｸ', 4],
  ['e\u0301', 1],
  ['👍', 2],
])('the text %j takes %i columns', (text, expected) => {
  expect(columns(text)).toBe(expected);
});

it('text wraps at spaces, and never inside a word', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('a.very.long.domain.example b', 10)).toEqual(['a.very.long.domain.example', 'b']);
});

it('wrapped text keeps every word, and stays within the width if words are short', () => {
  const word = fc.string({ unit: fc.constantFrom('a', '字', '.'), minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 20, max: 80 }), (words, width) => {
      const lines = wrap(words.join(' '), width);
      expect(lines.join(' ')).toBe(words.join(' '));
      for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(width);
    }),
  );
});

it('hang() indents further lines to the text after the label', () => {
  expect(hang('note: ', 'one two three', 13)).toEqual(['note: one two', '      three']);
});

it('flow() places items in columns as wide as the longest', () => {
  const long = 'a-rather-long-subdomain-of.example.com';
  expect(flow(['a.example.com', 'b.example.com', long, 'c.example.com', 'd.example.com'], 80)).toEqual([
    'a.example.com                           b.example.com',
    `${long}  c.example.com`,
    'd.example.com',
  ]);
});

it('flow() keeps every item in order, within the width', () => {
  const item = fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 39 });
  fc.assert(
    fc.property(fc.array(item), fc.integer({ min: 40, max: 120 }), (items, width) => {
      const lines = flow(items, width);
      expect(lines.flatMap((line) => line.split(/ +/))).toEqual(items);
      for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(width);
    }),
  );
});

it('joinShortenedTexts() names ten items and counts the others', () => {
  const items = Array.from({ length: 12 }, (_, index) => say`i${index}`);
  expect(joinShortenedTexts(items.slice(0, 10))).toBe('i0, i1, i2, i3, i4, i5, i6, i7, i8, i9');
  expect(joinShortenedTexts(items)).toBe('i0, i1, i2, i3, i4, i5, i6, i7, i8, i9 … and 2 more');
  expect(joinShortenedTexts(items.slice(0, 4), 3)).toBe('i0, i1, i2 … and 1 more');
});

it.each([
  [0, '0 records'],
  [1, '1 record'],
  [2000, '2000 records'],
])('count() prints %i with its noun as "%s"', (number, expected) => {
  expect(count(number, 'record')).toBe(expected);
});

it.each([
  [0.04, '0.0 s'],
  [0.4, '0.4 s'],
  [9.96, '10 s'],
  [59.6, '60 s'],
  [120, '2 min'],
  [4_810, '80 min'],
  [7_200, '2 h'],
  [48 * 3600, '2 d'],
])('a duration of %f seconds is printed as %s', (seconds, expected) => {
  expect(duration(seconds)).toBe(expected);
});
