import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change } from '../../../src/model/change.ts';
import { canonicalJson } from '../../../src/planner/plan-file/canonical-json.ts';
import { createChangeWriter } from '../../../src/planner/plan-file/change-texts.ts';
import { change, place } from '../../report/arbitrary.ts';

/** Other changes that share with one all that is not their own. */
const alike = fc
  .record({
    change,
    others: fc.array(fc.record({ domain: fc.string(), id: fc.string(), source: place })),
  })
  .map(({ change, others }) =>
    others.map(({ domain, id, source }): Change => {
      const own = { domain, ...('id' in change && { id }) };
      return { ...change, ...own, ...(change.source && { source: { ...source, file: change.source.file } }) };
    }),
  );

test('writes what it would be written by, whatever changes share', () => {
  const mixed = fc
    .array(alike)
    .chain((some) => fc.shuffledSubarray(some.flat(), { minLength: some.flat().length }));
  fc.assert(
    fc.property(mixed, (changes) => {
      const write = createChangeWriter(canonicalJson);
      for (const one of changes) expect(write(one)).toBe(canonicalJson(one));
    }),
  );
});

const first: Change = {
  action: 'update',
  domain: 'a.com',
  id: '1',
  before: { email: false },
  fields: { email: { before: false, after: true } },
  alongside: {},
  source: { file: 'websites.yaml', line: 1, column: 5 },
  risk: { level: 'low', reason: 'routine' },
  notes: [],
};

/** How often the text of a change is asked for, until all are written. */
function askedFor(changes: readonly Change[]): number {
  let asked = 0;
  const write = createChangeWriter((one) => {
    asked += 1;
    return canonicalJson(one);
  });
  for (const one of changes) expect(write(one)).toBe(canonicalJson(one));
  return asked;
}

const own = (number: number) => ({
  domain: `${number}.com`,
  id: String(number),
  source: { file: 'websites.yaml', line: number, column: 3 },
});
const numbers = Array.from({ length: 100 }, (_, index) => index);

test('alike changes are written once', () => {
  expect(askedFor(numbers.map((number) => ({ ...first, ...own(number) })))).toBeLessThan(5);
});

test.each<[string, (number: number) => Partial<Change>]>([
  ['other fields', () => ({ fields: { email: { before: false, after: true } } })],
  ['notes', () => ({ notes: ['one'] })],
  ['a risk', () => ({ risk: { level: 'low', reason: 'routine' } })],
  ['an origin', (number) => ({ origin: number % 2 === 0 ? 'config' : 'drift' })],
  ['another file', (number) => ({ source: { file: `${number}.yaml`, line: 1, column: 1 } })],
])('those with %s of their own are no others', (_, more) => {
  askedFor(numbers.map((number) => ({ ...first, ...own(number), ...more(number) }) as Change));
});

test('foreign text is not taken for what is to be filled in', () => {
  const before = { exclude_params: ['\0domain', '\0id', '\0line', '\\u0000column'] };
  askedFor(numbers.map((number) => ({ ...first, before, ...own(number) })));
});
