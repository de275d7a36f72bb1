import { expect, test } from 'vitest';
import type { Policies, Policy, PolicyLevel, PolicySubject } from '../../../src/model/policy.ts';
import { reapprove } from '../../../src/planner/guards.ts';
import {
  policyGuards,
  policyProblems,
  policyWarnings,
  violated,
} from '../../../src/planner/policies/findings.ts';
import { times } from '../../support/plans.ts';

const place = { file: 'p.yaml', line: 2, column: 5 };
const policyOf = (name: string, level: PolicyLevel, on: PolicySubject = 'website'): Policy => ({
  ...{ name, level, on, place, rule: 'false', message: 'It must hold' },
  problemAt: () => ({ severity: 'error', message: '' }),
});
const policies: Policies = {
  all: [policyOf('d', 'deny'), policyOf('a', 'approve', 'change'), policyOf('w', 'warn', 'plan')],
  digest: 'cafe',
};
const website = times(500, (n) => ({ domain: `w${n}.com`, place: { file: 'w.yaml', line: n, column: 1 } }));
const change = [{ domain: 'c.com', action: 'delete' }];
const first = times(20, (n) => n);
const FOUND = [
  { count: 500, first },
  { count: 1, first: [0] },
  { count: 1, first: [0] },
];
const violations = violated(policies, FOUND, { website, change });

test('a policy that 500 websites violate is one guard, with their count and the first of them', () => {
  const [deny, approve, ...others] = policyGuards(violations, { empty: false });
  expect(others).toEqual([]);
  expect(deny).toMatchObject({ code: 'policy', approved: false, policy: { name: 'd', count: 500, place } });
  expect(deny?.policy?.first).toHaveLength(20);
  expect(deny?.message).toBe(
    'Policy d (p.yaml:2:5): It must hold. Violated by 500 websites: w0.com (w.yaml:0:1), w1.com (w.yaml:1:1), w2.com (w.yaml:2:1), w3.com (w.yaml:3:1), w4.com (w.yaml:4:1) and 495 more.',
  );
  expect(approve).toMatchObject({ policy: { first: change } });
  expect(approve?.message).toContain('Violated by 1 change: delete c.com.');
});

test('a name approves a policy of its level, before and after the plan is saved', () => {
  const allow = { empty: false, policies: ['a', 'd', 'w'] };
  const approved = [false, true];
  expect(policyGuards(violations, allow).map((guard) => guard.approved)).toEqual(approved);
  const saved = policyGuards(violations, { empty: false });
  expect(reapprove(saved, [], allow).map((guard) => guard.approved)).toEqual(approved);
  expect(reapprove(saved, [], { empty: true, deletes: 9 }).some((guard) => guard.approved)).toBe(false);
});

test('what warns is a warning, about a plan without names', () => {
  expect(policyWarnings(violations)).toEqual([
    {
      code: 'policy-violated',
      message: 'Policy w (p.yaml:2:5): It must hold.',
      policy: { name: 'w', on: 'plan', level: 'warn', place, count: 1, first: [] },
    },
  ]);
});

test('in the files, what denies is an error at the first website, and the rest are warnings', () => {
  expect(policyProblems(violations)).toMatchObject([
    { severity: 'error', place: { file: 'w.yaml', line: 0 } },
    { severity: 'warning', code: 'policy-violated', remedy: expect.stringContaining('--allow-policy a') },
    { severity: 'warning', code: 'policy-violated' },
  ]);
});
