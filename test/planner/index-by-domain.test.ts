import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFinder, positionsOf } from '../../src/planner/index-by-domain.ts';
import { wanted } from '../support/plans.ts';

test('a finder tells what the map does, in whatever order it is asked', () => {
  const domain = fc.integer({ min: 0, max: 12 }).map((number) => `d${number}.example`);
  fc.assert(
    fc.property(fc.array(domain), fc.array(domain), fc.boolean(), (declared, asked, inTurn) => {
      const websites = declared.map((one) => wanted(one));
      const find = createFinder(websites, positionsOf(websites));
      const all = inTurn ? [...declared, ...asked, ...[...declared].reverse()] : asked;
      expect(all.map(find)).toEqual(all.map((one) => positionsOf(websites).get(one)));
    }),
    { numRuns: 200 },
  );
});

test('of a domain that stands there twice the map has the last position', () => {
  const websites = [wanted('a.example'), wanted('b.example'), wanted('a.example')];
  expect([...positionsOf(websites)]).toEqual([
    ['a.example', 2],
    ['b.example', 1],
  ]);
});
