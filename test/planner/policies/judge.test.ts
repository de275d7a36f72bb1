import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { PolicySubject } from '../../../src/model/policy.ts';
import { planFacts, VARIABLES, websiteFacts } from '../../../src/planner/policies/facts.ts';
import { type Judgment, judge, MOST_NAMED } from '../../../src/planner/policies/judge.ts';
import { NO_FLAGS, NOW, planFor, shown, times, wanted } from '../../support/plans.ts';

const WEBSITES = [
  wanted('a.com', { privacy: 0, exclude_params: ['ref'] }),
  wanted('b.internal', { privacy: 1, password: { env: 'SECRET' } }, 2, { group: 'acme' }),
  wanted('c.internal', { privacy: 7, password: null }, 3, { initial: { email: true } }),
];
const PLAN = planFor({
  desired: {
    websites: [wanted('a.com', { privacy: 0 }), wanted('new.com', {}, 2, { initial: { privacy: 1 } })],
  },
  current: {
    websites: [shown('a.com', 1, { privacy: 1, email: true }, { passwordSet: true }), shown('old.com', 2)],
  },
  options: { prune: true },
});
const SUBJECTS = {
  website: websiteFacts(WEBSITES),
  ...planFacts({ ...PLAN, counts: { unchanged: 3, orphan: 0, ignored: 0 } }, NO_FLAGS, {
    service: { base_url: 'https://a.example', key_fingerprint: '' },
    now: NOW,
  }),
};

function judged(on: PolicySubject, rule: string, match?: string): Judgment {
  return judge([{ name: 'one', on, rule, match }], SUBJECTS, VARIABLES);
}

/** Where a rule does not hold. */
function violators(on: PolicySubject, rule: string, match?: string): readonly number[] {
  const judgment = judged(on, rule, match);
  if ('faults' in judgment) throw new Error(judgment.faults[0]?.message);
  return judgment.found[0]?.first ?? [];
}

describe('rules on websites', () => {
  test.for([
    ['like(domain, "*.internal")', [0]],
    ['group == "acme"', [0, 2]],
    // Names as in the files, and numbers that have none.
    ['site.privacy == "private"', [0, 2]],
    ['site.privacy != 7', [2]],
    ['has(site.password)', [0, 2]],
    ['has(site.password) ? site.password == true : true', []],
    ['!has(site.email) || !site.email', [2]],
    ['site.?email.orValue(false)', [0, 1]],
    ['!has(site.exclude_params) || !("ref" in site.exclude_params)', [0]],
    ['!has(site.exclude_params) || site.exclude_params.all(p, size(p) > 5)', [0]],
    ['domain.matches("^[a-z]+[.]com$")', [1, 2]],
  ] as const)('%s', ([rule, expected]) => {
    expect(violators('website', rule)).toEqual(expected);
  });

  test('match limits a rule, also where the rule would fail', () => {
    expect(violators('website', 'site.password == "x"', 'has(site.password)')).toEqual([1]);
    expect(violators('website', 'false', 'like(domain, "*.internal")')).toEqual([1, 2]);
  });

  test('are told that a password is set, never which', () => {
    expect(inspect(SUBJECTS.website, { depth: 9 })).not.toContain('SECRET');
  });
});

describe('rules on changes and plans', () => {
  test.for([
    ['change', 'change.action == "update"', ['new.com', 'old.com']],
    ['change', 'change.cause != "prune"', ['old.com']],
    ['change', '!("privacy" in change.fields)', ['a.com']],
    ['change', 'change.action != "update" || change.before.privacy == "public"', ['a.com']],
    ['change', 'change.action != "update" || has(change.before.password)', []],
    // What is not changed is there as well, and what a create sends besides.
    ['change', 'change.action != "update" || site.email', []],
    ['change', 'change.action != "create" || change.after.privacy == "public"', ['new.com']],
    ['change', 'plan.summary.delete == 0', ['a.com', 'new.com', 'old.com']],
  ] as const)('%s: %s', ([on, rule, expected]) => {
    const { domain } = SUBJECTS.change.columns;
    expect(
      violators(on, rule)
        .map((index) => domain?.[index])
        .toSorted(),
    ).toEqual(expected);
  });

  test.for([
    ['plan.summary.delete * 10 > plan.summary.unchanged', true],
    ['plan.changes.exists(c, c.action == "delete" && c.domain == "old.com")', true],
    ['plan.changes.filter(c, c.action == "create").size() > 1', false],
    ['plan.created_at.getDayOfWeek() == 5', true],
    ['plan.undo || plan.prune || plan.target != ""', false],
    ['like(plan.base_url, "https://*")', true],
  ] as const)('plan: %s', ([rule, holds]) => {
    expect(violators('plan', rule)).toEqual(holds ? [] : [0]);
  });
});

test('counts all that violate a rule, and names the first', () => {
  const website = websiteFacts(times(100, (n) => wanted(`w${n}.com`)));
  const rules = [{ name: 'one', on: 'website', rule: 'has(site.privacy)' }] as const;
  const judgment = judge(rules, { website }, VARIABLES);
  expect(judgment).toMatchObject({ found: [{ count: 100 }] });
  expect('found' in judgment && judgment.found[0]?.first).toHaveLength(MOST_NAMED);
});

describe('what cannot be evaluated', () => {
  test.for([
    ['website', 'site.', 5, 5],
    ['website', 'domain + 1 == 2', 0, 15],
    ['website', 'foo == 1', 0, 3],
    // Of another subject.
    ['website', 'plan.prune', 0, 4],
    ['plan', 'has(site.privacy)', 4, 8],
    // `has()` of it would be false for ever.
    ['website', '!has(site.pasword)', 5, 17],
    ['change', 'change.before.privcy == 1', 0, 21],
    ['plan', 'plan.summary.deletes < 3', 0, 20],
    ['website', 'domain', 0, 6],
    ['website', '1 + 1', 0, 5],
  ] as const)('%s: %s', ([on, rule]) => {
    const judgment = judged(on, rule);
    expect(judgment).toMatchObject({ faults: [{ rule: 0, part: 'rule', message: expect.any(String) }] });
    expect('faults' in judgment && judgment.faults[0]).not.toHaveProperty('item');
  });

  test('all such rules are told at once, with the part of each', () => {
    const rules = [
      { name: 'one', on: 'website', rule: 'true', match: 'foo' },
      { name: 'two', on: 'website', rule: 'true' },
      { name: 'three', on: 'plan', rule: 'plan.x' },
    ] as const;
    expect(judge(rules, SUBJECTS, VARIABLES)).toEqual({
      faults: [
        expect.objectContaining({ rule: 0, part: 'match', start: 0, end: 3 }),
        expect.objectContaining({ rule: 2, part: 'rule', start: 0, end: 6 }),
      ],
    });
  });

  test.for([
    ['site.privacy == "public" && site.email', 0],
    ['domain.matches("[")', 0],
    ['has(site.password) ? site.password : site.privacy', 0],
  ] as const)('fails on what it meets: %s', ([rule, item]) => {
    expect(judged('website', rule)).toMatchObject({ faults: [{ part: 'rule', item }] });
  });
});
