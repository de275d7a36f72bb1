import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change } from '../../../src/model/change.ts';
import {
  bearsItsDigest,
  canonicalJson,
  planDigest,
  planPieces,
} from '../../../src/planner/plan-file/write.ts';
import { plan } from '../../report/arbitrary.ts';
import { domainOf, given, planFor, shown, times, wanted } from '../../support/plans.ts';

const joined = (content: Iterable<string>): string => [...content].join('');

/** The same value with the keys of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)]);
  return Object.fromEntries(entries.reverse());
}

test('equal values have the same canonical JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const text = canonicalJson(a);
      expect(canonicalJson(reversed(a))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(a)));
      if (canonicalJson(b) === text) expect(JSON.parse(JSON.stringify(b))).toEqual(JSON.parse(text));
    }),
  );
});

test('the digest of a plan is made from the canonical JSON of its other keys', () => {
  fc.assert(
    fc.property(plan, ({ digest: _, ...rest }) => {
      const changes = rest.changes.flatMap((one) => [one, { ...one, domain: 'b.com' }, one]);
      expect(planDigest({ ...rest, changes }, joined)).toBe(canonicalJson({ ...rest, changes }));
    }),
  );
});

test.each([0, 1, 255, 256, 257, 1000])('a plan with %i changes and orphans is written in pieces', (count) => {
  const large = planFor(
    given(
      times(count, (index) => wanted(domainOf(index))),
      times(count, (index) => shown(`orphan-${domainOf(index)}`, index)),
    ),
  );
  expect([...planPieces(large)].join('')).toBe(canonicalJson(large));
});

test('a modified plan does not match its digest', () => {
  const large = structuredClone(planFor({ desired: { websites: [wanted('a.com'), wanted('b.com')] } }));
  expect(bearsItsDigest(large, joined)).toBe(false);
  const sealed = { ...large, digest: planDigest(large, joined) };
  expect(bearsItsDigest(sealed, joined)).toBe(true);
  (sealed.changes as Change[]).pop();
  expect(bearsItsDigest(sealed, joined)).toBe(false);
});

test.each([
  [{}],
  [{ changes: 7, orphans: [] }],
  [{ changes: [null], orphans: [] }],
  [{ changes: [], orphans: {} }],
])('%j is not a plan and matches no digest', (value) => {
  expect(bearsItsDigest(value as never, joined)).toBe(false);
});
