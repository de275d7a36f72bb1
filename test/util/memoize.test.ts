import { expect, test } from 'vitest';
import { createMemory, memoize, shareMade } from '../../src/util/memoize.ts';

test.each<[string, readonly unknown[], readonly unknown[]]>([
  ['a number and its text', [1], ['1']],
  ['a boolean and its text', [true], ['true']],
  ['null and undefined', [null], [undefined]],
  ['a list and its text', [['a']], ['["a"]']],
  ['a list and its members', [['a', 'b']], ['a', 'b']],
  ['a part and the whole', ['a'], ['a', 'b']],
  ['no value and an empty one', [], ['']],
])('createMemory does not confuse %s', (_, one, other) => {
  const memory = createMemory<string>(10);
  memory.keep(one, 'one');
  expect([memory.get(one), memory.get(other)]).toEqual(['one', undefined]);
  memory.keep(other, 'other');
  expect([memory.get(one), memory.get(other)]).toEqual(['one', 'other']);
});

test('createMemory compares lists and maps by content', () => {
  const memory = createMemory<string>(10);
  memory.keep(['x', ['a'], { env: 'B' }], 'made');
  expect(memory.get(['x', ['a'], { env: 'B' }])).toBe('made');
  expect(memory.get(['x', ['a'], { env: 'C' }])).toBeUndefined();
});

test('createMemory keeps no more entries than its limit', () => {
  const memory = createMemory<number>(2);
  for (const number of [1, 2, 3]) memory.keep([number], number);
  expect([1, 2, 3].map((number) => memory.get([number]))).toEqual([1, 2, undefined]);
});

test('shareMade returns the same result for the same objects', () => {
  const [a, b] = [{}, {}];
  const shared = shareMade<object>(10);
  const first = shared([a, b], () => ({}));
  expect(shared([a, b], () => ({}))).toBe(first);
  const others = [[b, a], [a], [b], [{}, b], [a, b, a]].map((of) => shared(of, () => ({})));
  expect(new Set([first, ...others]).size).toBe(6);
  expect(shared([a], () => ({}))).toBe(others[1]);
});

test('shareMade keeps no more results than its limit', () => {
  const [a, b] = [{}, {}];
  const shared = shareMade<object>(1);
  const first = shared([a], () => ({}));
  const second = shared([b], () => ({}));
  expect(shared([a], () => ({}))).toBe(first);
  expect(shared([b], () => ({}))).not.toBe(second);
});

test('memoize computes the result for a key once', () => {
  const asked: string[] = [];
  const lengthOf = memoize((text: string) => asked.push(text) && text.length);
  expect(['', 'ab', '', 'ab', 'c'].map(lengthOf)).toEqual([0, 2, 0, 2, 1]);
  expect(asked).toEqual(['', 'ab', 'c']);
});
