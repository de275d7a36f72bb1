import { expect, test } from 'vitest';
import { desiredOfPlan } from '../../src/planner/desired-of-plan.ts';
import { absent, planFor, type Situation, shown, wanted } from '../support/plans.ts';

const REF = { env: 'A' };

const situation: Situation = {
  desired: {
    websites: [
      wanted('new.com', { privacy: 2, password: REF, favorited_at: true }, 3),
      wanted('www.changed.com', { email: true, password: REF, exclude_params: [] }, 4),
      wanted('same.com', { email: true }),
      absent('old.com'),
    ],
    protected: ['old.*'],
  },
  current: {
    websites: [
      shown('changed.com', 1, { email: false, privacy: 1 }, { passwordSet: true }),
      shown('same.com', 2, { email: true }),
      shown('old.com', 3),
      shown('orphan.com', 4),
    ],
  },
  options: { prune: true, www: 'same', domain: ['*.com'], resend_passwords: true, fail_on_drift: true },
};

test('a plan wants what its changes lead to, and nothing more', () => {
  expect(desiredOfPlan(planFor(situation))).toEqual({
    ignore: [],
    protected: [],
    websites: [
      wanted('new.com', { privacy: 2, password: REF, favorited_at: true }, 3),
      wanted('www.changed.com', { email: true, password: REF, exclude_params: [] }, 4),
      absent('old.com'),
      expect.objectContaining({ domain: 'orphan.com', state: 'absent', settings: {} }),
    ],
  });
});
