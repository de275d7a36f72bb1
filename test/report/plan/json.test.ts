import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Change } from '../../../src/model/change.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { domainOf, planFor, shown, times, wanted } from '../../support/plans.ts';
import { plan } from '../arbitrary.ts';
import { planJson } from '../render.ts';

const example = planFor({
  desired: {
    websites: [
      wanted('shop.example.com', { privacy: 2, password: { env: 'SHOP_PASSWORD' } }, 14),
      wanted('blog.example.com', { email: true, exclude_bots: true }, 21),
      wanted('old.example.com', {}, 24, { state: 'absent' }),
    ],
  },
  current: {
    websites: [
      shown('blog.example.com', 42, { email: false, privacy: 1 }),
      shown('old.example.com', 7, { privacy: 0 }),
      shown('orphan.example.com', 8),
    ],
    hidden: ['exclude_bots'],
  },
});

it('planJson prints the same text as its golden file', async () => {
  await expect(planJson(example)).toMatchFileSnapshot('../golden/plan-json.txt');
});

it('planJson prints JSON that parses to the same plan', () => {
  fc.assert(
    fc.property(plan, (value) => {
      expect(JSON.parse(planJson(value))).toEqual(value);
    }),
  );
});

it.each([0, 1, 256, 257, 600])('planJson prints one change per line (changes: %i)', (count) => {
  const large = planFor({ desired: { websites: times(count, (index) => wanted(domainOf(index))) } });
  const text = planJson(large);
  const lines = text.split('\n').filter((line) => line.startsWith('    {"action"'));
  expect(lines.map((line) => JSON.parse(line.replace(/,$/, '')))).toEqual(large.changes);
  const rest = text.replace(/\n {4}\{"action".*/g, '').replace('[\n  ]', '[]');
  expect(rest).toBe(`${JSON.stringify({ ...JSON.parse(text), changes: [] }, null, 2)}\n`);
});

it('planJson prints the same text if changes share values', () => {
  const own = { domain: 'b.com', id: '2' };
  fc.assert(
    fc.property(plan, (value) => {
      const changes = value.changes.flatMap((one) => [one, { ...one, ...own } as Change, one]);
      expect(planJson({ ...value, changes })).toBe(planJson(structuredClone({ ...value, changes })));
    }),
  );
});

it('planJson prints unknown members of a later version', () => {
  const newer = { ...example, reviewed_by: ['ann'] } as Plan;
  expect(JSON.parse(planJson(newer))).toEqual(newer);
});
