import { expect, test } from 'vitest';
import { collect } from '../../../src/util/node/collect.ts';

test('parts are joined', () => {
  const collected = collect(1000);
  for (const part of ['a', '', 'bc', 'd'.repeat(500)]) expect(collected.add(Buffer.from(part))).toBe(true);
  expect(collected.bytes().toString()).toBe(`abc${'d'.repeat(500)}`);
});

test('what there is no room for is cut off', () => {
  const collected = collect(3);
  expect([collected.add(Buffer.from('ab')), collected.add(Buffer.from('cd'))]).toEqual([true, false]);
  expect(collected.add(Buffer.from('e'))).toBe(false);
  expect(collected.bytes().toString()).toBe('abc');
});

test('a million parts of a byte each take the room of a million bytes', () => {
  const collected = collect(1_000_000);
  for (let count = 0; count < 1_000_000; count += 1) collected.add(Uint8Array.of(count));
  expect(collected.bytes().buffer.byteLength).toBe(1_000_000);
});
