import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ProgressFacts, progressBar, progressLine } from '../../src/report/events.ts';

const NONE = { failed: 0, total: undefined, rate: undefined, left: undefined, heldFor: undefined };
const FULL: ProgressFacts = {
  ...NONE,
  ...{ kind: 'update', done: 120, failed: 3, total: 1000, rate: 9.53, left: 92, heldFor: 34 },
};

test.for<[ProgressFacts, string]>([
  [{ ...NONE, kind: 'list', done: 300 }, 'Listing: 300 records.\n'],
  [{ ...NONE, kind: 'list', done: 1 }, 'Listing: 1 record.\n'],
  [FULL, 'Updating: 123/1000, 3 failed, rate limited, resuming in 34 s, 92 s left, 9.5/s.\n'],
  [{ ...NONE, kind: 'delete', done: 5, total: 7, rate: 112.4 }, 'Deleting: 5/7, 112/s.\n'],
])('the progress %j is logged as %j', ([facts, line]) => {
  expect(progressLine(facts)).toBe(line);
});

test('a progress bar of 120 columns shows all facts', () => {
  expect(progressBar(FULL, 120)).toBe(
    `Updating  [==------------------]  123/1000  3 failed  rate limited, resuming in 34 s  92 s left  9.5/s`,
  );
});

test('a narrow progress bar has only text, and omits the least important part first', () => {
  expect(progressBar(FULL, 80)).toBe(
    'Updating  123/1000  3 failed  rate limited, resuming in 34 s  92 s left  9.5/s',
  );
  expect(progressBar(FULL, 28)).toBe('Updating  123/1000  3 failed');
});

test('progressBar draws no bar if the total is unknown', () => {
  expect(progressBar({ ...NONE, kind: 'list', done: 300, rate: 20 }, 80)).toBe('Listing  300 records  20/s');
});

test('a progress bar is never wider than allowed', () => {
  const count = fc.nat(1_000_000);
  const maybe = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined });
  const facts = fc.record({
    kind: fc.constantFrom('list', 'find', 'read', 'create', 'update', 'delete'),
    ...{ done: count, failed: count, total: fc.option(count, { nil: undefined }) },
    ...{ rate: maybe, left: maybe, heldFor: maybe },
  }) as fc.Arbitrary<ProgressFacts>;
  fc.assert(
    fc.property(facts, fc.integer({ min: 1, max: 200 }), (one, width) => {
      expect(progressBar(one, width).length).toBeLessThanOrEqual(width);
    }),
  );
});
