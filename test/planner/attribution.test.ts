import { expect, test } from 'vitest';
import type { Origin } from '../../src/model/change.ts';
import type { Settings } from '../../src/model/field-table.ts';
import type { PlanOptions } from '../../src/model/plan.ts';
import type { Desired, DesiredWebsite, EarlierFiles } from '../../src/model/website.ts';
import { planFor, shown, wanted } from '../support/plans.ts';

const desiredOf = (...websites: (DesiredWebsite | undefined)[]): Desired => ({
  websites: websites.filter((website) => website !== undefined),
  ignore: [],
  protected: [],
});

const pruning = (desired: Desired, prune = true): EarlierFiles => ({ ...desired, prune });

const absent = wanted('a.com', {}, 1, { state: 'absent' });

/** Returns the label of the only change from the record to the files. */
function originOf(
  now: DesiredWebsite | undefined,
  earlier: DesiredWebsite | undefined,
  current: Settings | undefined,
  didPrune = true,
  isResent = false,
): Origin | undefined {
  const desired = desiredOf(now);
  const websites = current === undefined ? [] : [shown('a.com', 1, current, { passwordSet: false })];
  const options = { prune: true, resend_passwords: isResent };
  const before = pruning(desiredOf(earlier), didPrune);
  return planFor({ desired, current: { websites }, options, earlier: before }).changes[0]?.origin;
}

const says = (settings: Settings): DesiredWebsite => wanted('a.com', settings);
const [ON, OFF, NOTHING] = [says({ email: true }), says({ email: false }), says({})];
const [P, Q] = ['P', 'Q'].map((env) => says({ password: { env } }));
const shows = (privacy: number): DesiredWebsite => says({ privacy });

test.each<[string, DesiredWebsite | undefined, DesiredWebsite | undefined, Settings | undefined, Origin]>([
  ['a create, not declared before', NOTHING, undefined, undefined, 'config'],
  ['a create, declared absent before', NOTHING, absent, undefined, 'config'],
  ['a create, declared equally before', ON, ON, undefined, 'drift'],
  ['a create, declared differently before', ON, NOTHING, undefined, 'both'],
  ['a create, with more settings before', NOTHING, ON, undefined, 'both'],
  ['a create, with an empty setting before', NOTHING, says({ exclude_ips: [] }), undefined, 'both'],
  ['a create, with an empty setting now', says({ exclude_ips: [] }), NOTHING, undefined, 'both'],
  ['a prune, declared before', undefined, NOTHING, {}, 'config'],
  ['a prune, never declared', undefined, undefined, {}, 'drift'],
  ['a prune, declared absent before', undefined, absent, {}, 'drift'],
  ['an absent record, present before', absent, NOTHING, {}, 'config'],
  ['an absent record, not declared before', absent, undefined, {}, 'config'],
  ['an absent record, absent before', absent, absent, {}, 'drift'],
  ['a field, declared equally before', ON, ON, { email: false }, 'drift'],
  ['a field, declared before as the service shows it', ON, OFF, { email: false }, 'config'],
  ['a field, not declared before', ON, NOTHING, { email: false }, 'config'],
  ['a field with three different values', shows(0), shows(1), { privacy: 2 }, 'both'],
  [
    'a set in another order',
    says({ exclude_params: ['a', 'b'] }),
    says({ exclude_params: ['b', 'a'] }),
    { exclude_params: [] },
    'drift',
  ],
  [
    'a field of each origin',
    says({ email: true, privacy: 1 }),
    says({ email: true, privacy: 0 }),
    { email: false, privacy: 0 },
    'both',
  ],
  ['a password that the service lost', P, P, {}, 'drift'],
  ['a password with another reference', Q, P, {}, 'config'],
])('a change is labeled as configuration, drift or both: %s', (_, now, earlier, current, origin) => {
  expect(originOf(now, earlier, current)).toBe(origin);
});

test('a resent password is labeled as a configuration change', () => {
  const lost = { email: false };
  const resent = (now: Settings): Origin | undefined =>
    originOf(
      says({ password: { env: 'A' }, ...now }),
      says({ password: { env: 'A' }, ...now }),
      lost,
      true,
      true,
    );
  expect(resent({})).toBe('config');
  expect(resent({ email: true })).toBe('both');
});

test('a delete by prune is labeled as configuration only if the earlier files did not prune', () => {
  const email = says({ email: true });
  expect(originOf(undefined, undefined, {}, false)).toBe('config');
  expect(originOf(email, email, { email: false }, false)).toBe('drift');
  expect(originOf(absent, absent, {}, false)).toBe('drift');
});

const www = (settings: Settings): Desired => desiredOf(wanted('www.a.com', settings));
const bare = [shown('a.com', 1, { email: false })];

test.each<[string, Desired, Desired, typeof bare, Partial<PlanOptions>, (Origin | undefined)[]]>([
  ['a prune, declared before', desiredOf(), www({}), bare, { www: 'same' }, ['config']],
  ['a prune, perhaps declared before', desiredOf(), www({}), bare, {}, ['config']],
  ['a prune of another website', desiredOf(), www({}), bare, { www: 'distinct' }, ['drift']],
  [
    'a field, declared before under the other name',
    desiredOf(says({ email: true })),
    www({ email: true }),
    bare,
    { www: 'same' },
    ['drift'],
  ],
])('the label of a change considers www variants: %s', (_, desired, earlier, websites, options, origins) => {
  const plan = planFor({
    desired,
    earlier: pruning(earlier),
    current: { websites },
    options: { prune: true, ...options },
  });
  expect(plan.changes.map(({ origin }) => origin)).toEqual(origins);
});

test.each<[string, Partial<EarlierFiles>, Partial<PlanOptions>, Origin]>([
  ['pruned undeclared records', {}, {}, 'drift'],
  ['kept undeclared records', { prune: false }, {}, 'config'],
  ['ignored it', { ignore: ['a.*'] }, {}, 'config'],
  ['ignored its www variant, which may be the same', { ignore: ['www.a.com'] }, {}, 'config'],
  ['ignored its www variant, which is another', { ignore: ['www.a.com'] }, { www: 'distinct' }, 'drift'],
  ['protected it', { protected: ['a.com'] }, {}, 'config'],
])('a delete by prune is labeled if the earlier files %s', (_, files, options, origin) => {
  const plan = planFor({
    earlier: { ...pruning(desiredOf()), ...files },
    current: { websites: [shown('a.com', 1)] },
    options: { prune: true, ...options },
  });
  expect(plan.changes).toMatchObject([{ action: 'delete', origin }]);
});

const situation = {
  desired: { websites: [says({ email: true }), wanted('b.com', { email: true })] },
  current: { websites: [shown('a.com', 1, { email: false }), shown('b.com', 2, { email: false })] },
  earlier: pruning(desiredOf(says({ email: true }), wanted('b.com', { email: false }))),
};

test('plan --only keeps the changes of one origin and reports the others', () => {
  const drift = planFor({ ...situation, options: { only: 'drift' } });
  expect(drift.changes.map(({ domain, origin }) => [domain, origin])).toEqual([['a.com', 'drift']]);
  expect(drift.warnings).toMatchObject([
    { code: 'changes-skipped', message: expect.stringContaining('--only drift') },
  ]);
  const config = planFor({ ...situation, options: { only: 'config' } });
  expect(config.changes.map(({ domain }) => domain)).toEqual(['b.com']);
  expect(planFor(situation).changes).toHaveLength(2);
  const target = { ...situation, options: { only: 'drift', domain: ['a.com'] } } as const;
  expect(planFor(target).warnings).toEqual([]);
});

test('the remedy for drift does not suggest --only config if it would not skip the drift', () => {
  const { guards } = planFor({
    desired: { websites: [says({ privacy: 0 }), wanted('b.com', { email: true })] },
    current: { websites: [shown('a.com', 1, { privacy: 2 }), shown('b.com', 2, { email: false })] },
    earlier: pruning(desiredOf(says({ privacy: 1 }), wanted('b.com', { email: true }))),
    options: { fail_on_drift: true },
  });
  expect(guards).toMatchObject([{ code: 'drift', remedy: expect.not.stringContaining('--only config') }]);
});

test('plan --only keeps a change that is both configuration change and drift', () => {
  const both = {
    desired: { websites: [says({ privacy: 0 })] },
    current: { websites: [shown('a.com', 1, { privacy: 2 })] },
    earlier: pruning(desiredOf(says({ privacy: 1 }))),
  };
  for (const only of ['drift', 'config'] as const) {
    expect(planFor({ ...both, options: { only } })).toMatchObject({
      changes: [{ domain: 'a.com', origin: 'both' }],
      warnings: [],
    });
  }
  // --only config would not help, because the change is both.
  expect(planFor({ ...both, options: { fail_on_drift: true, only: 'config' } }).guards).toMatchObject([
    { code: 'drift', approved: false, remedy: expect.not.stringContaining('--only config') },
  ]);
});

test('plan --fail-on-drift is blocked if the plan contains drift', () => {
  expect(planFor(situation).guards).toEqual([]);
  expect(planFor({ ...situation, options: { fail_on_drift: true } }).guards).toMatchObject([
    {
      code: 'drift',
      approved: false,
      message: 'The service was changed outside this tool: a.com.',
      remedy: expect.stringContaining('--only config'),
    },
  ]);
  expect(planFor({ ...situation, options: { fail_on_drift: true, only: 'config' } }).guards).toEqual([]);
});
