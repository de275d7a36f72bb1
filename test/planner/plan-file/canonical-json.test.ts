import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Secret } from '../../../src/model/secret.ts';
import { canonicalJson } from '../../../src/planner/plan-file/canonical-json.ts';

test.each<[unknown, string]>([
  [{ b: 1, a: { d: null, c: [2, 1] } }, '{"a":{"c":[2,1],"d":null},"b":1}'],
  [{ a: undefined, b: 1 }, '{"b":1}'],
  [[undefined, 'x'], '[null,"x"]'],
  [{ é: 'ä\u2028"\\\n', Z: true }, '{"Z":true,"é":"ä\u2028\\"\\\\\\n"}'],
  [{ 9: 'b', 10: 'a' }, '{"10":"a","9":"b"}'],
  [JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}'), '{"__proto__":{"a":2,"z":1},"b":1}'],
  [{ password: new Secret('hunter2') }, '{"password":"(sensitive)"}'],
  ['text', '"text"'],
  [null, 'null'],
])('%j is written as %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test('the order of keys never matters, the order of items does', () => {
  expect(canonicalJson({ a: [1, { x: 1, y: 2 }], b: 2 })).toBe(
    canonicalJson({ b: 2, a: [1, { y: 2, x: 1 }] }),
  );
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

test('what holds itself has no text', () => {
  const value: unknown[] = [];
  value.push(value);
  expect(() => canonicalJson(value)).toThrow();
});

/** The same value with the keys of every object in the other order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

test('it is JSON of the same value, one text for each value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const text = canonicalJson(a);
      expect(canonicalJson(reversed(a))).toBe(text);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(a)));
      if (canonicalJson(b) === text) expect(JSON.parse(JSON.stringify(b))).toEqual(JSON.parse(text));
    }),
  );
});
