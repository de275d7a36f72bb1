import { expect, test } from 'vitest';
import { WebsitesError } from '../../src/model/errors.ts';
import { targetsSummary } from '../../src/render/targets.ts';
import { planFor, wanted } from '../support/plans.ts';

test('a target that differs has not failed: only those that did, or were refused, are counted so', () => {
  const plan = planFor({ desired: { websites: [wanted('a.example')] } });
  const error = new WebsitesError('service-unreachable', 'It is down.');
  const outcomes = [
    { name: 'one', exit: 2, plan },
    { name: 'two', exit: 1, error },
  ] as const;
  expect(targetsSummary(outcomes, { color: false, width: 80 })).toBe(
    `
one  1 to create, 0 to update, 0 to delete
two  failed (service-unreachable)

2 targets, 1 failed or blocked.
`,
  );
});

test('one target is no several', () => {
  const summary = targetsSummary([{ name: 'one', exit: 0, plan: planFor({}) }], { color: false, width: 80 });
  expect(summary).toMatch(/\n1 target\.\n$/);
});
