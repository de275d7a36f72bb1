import { describe, expect, test } from 'vitest';
import type { Approvals, Guard, PlanOptions } from '../../src/model/plan.ts';
import type { DesiredWebsite } from '../../src/model/website.ts';
import { reapprove, refusals, refuseByGuards } from '../../src/planner/guards.ts';
import { absent, given, planFor, type Situation, shown, times, wanted } from '../support/plans.ts';

const guardsOf = (situation: Situation): readonly Guard[] => planFor(situation).guards;
const codesOf = (situation: Situation): string[] => guardsOf(situation).map(({ code }) => code);

/** A plan that deletes `deleted` of `current` records by prune. */
function pruning(current: number, deleted: number, allow: Partial<Approvals> = {}): Situation {
  return given(
    [wanted('new.com'), ...times(current - deleted, (n) => wanted(`k${n}.com`))],
    [
      ...times(current - deleted, (n) => shown(`k${n}.com`, n + 1)),
      ...times(deleted, (n) => shown(`o${n}.com`, 10_000 + n)),
    ],
    { prune: true, allow: { empty: false, ...allow } },
  );
}

/** A plan that updates `updated` of `current` records. */
function updating(current: number, updated: number, allow: Partial<Approvals> = {}): Situation {
  return given(
    times(current, (n) => wanted(`k${n}.com`, { email: n < updated })),
    times(current, (n) => shown(`k${n}.com`, n + 1, { email: false })),
    { allow: { empty: false, ...allow } },
  );
}

test.each<[current: number, deleted: number, trips: boolean]>([
  // Fewer than 10: all of them, or more than 3.
  [1, 1, true],
  [3, 3, true],
  [4, 3, false],
  [4, 4, true],
  [9, 3, false],
  [9, 4, true],
  [9, 9, true],
  [10, 3, false],
  [10, 4, true],
  [39, 4, true],
  [40, 4, false],
  [40, 5, true],
  [249, 24, false],
  [249, 25, true],
  [250, 25, false],
  [250, 26, true],
])('a plan for %i records with %i deletes is blocked: %j', (current, deleted, trips) => {
  expect(codesOf(pruning(current, deleted)).includes('deletes')).toBe(trips);
});

test('a plan without records and deletes is not blocked by the guard for deletes', () => {
  expect(codesOf({ desired: { websites: [wanted('a.com')] } })).toEqual([]);
});

test('the guard for deletes counts websites declared absent like pruned records', () => {
  const absent = times(4, (n) => wanted(`k${n}.com`, {}, n + 1, { state: 'absent' }));
  const situation: Situation = given(
    [...absent, wanted('new.com')],
    times(20, (n) => shown(`k${n}.com`, n + 1)),
  );
  expect(codesOf(situation)).toEqual(['deletes']);
  expect(codesOf({ ...situation, options: { exclude: ['k3.com'] } })).toEqual([]);
  expect(codesOf({ ...situation, options: { domain: ['k*.com'] } })).toEqual(['deletes']);
});

test('the guard for deletes does not count ignored records', () => {
  const situation = pruning(39, 4);
  const ignored = times(100, (n) => shown(`i${n}.internal`, 20_000 + n));
  const websites = [...(situation.current?.websites ?? []), ...ignored];
  expect(
    codesOf({
      ...situation,
      desired: { ...situation.desired, ignore: ['*.internal'] },
      current: { websites },
    }),
  ).toEqual(['deletes']);
});

test('the guard for deletes names their number and the flag that allows them', () => {
  expect(guardsOf(pruning(10, 4))).toEqual([
    {
      code: 'deletes',
      message: 'The plan deletes 4 of 10 records.',
      remedy: 'Pass --allow-deletes 4 if this is intended.',
      approved: false,
    },
  ]);
});

test.each<[current: number, updated: number, trips: boolean]>([
  [1, 1, false],
  [9, 9, false],
  [10, 3, false],
  [10, 4, true],
  [100, 30, false],
  [100, 31, true],
])('a plan for %i records with %i updates is blocked: %j', (current, updated, trips) => {
  expect(codesOf(updating(current, updated))).toEqual(trips ? ['updates'] : []);
});

test('the guard for updates counts only selected records', () => {
  expect(codesOf({ ...updating(10, 4), options: { domain: ['k0.com'] } })).toEqual([]);
});

const current = { websites: [shown('a.com', 1), shown('b.com', 2)] };
const one = { websites: [wanted('a.com')] };

test.each<[string, string[], Situation]>([
  ['no records', ['empty'], {}],
  ['no records and prune', ['empty', 'deletes'], { options: { prune: true } }],
  ['absent records alone', ['empty'], { desired: { websites: [absent('a.com')] } }],
  ['an unmatched pattern', ['empty'], { desired: one, unmatched: ['x'] }],
  ['one present record', [], { desired: one }],
  ['one present record, not selected', [], { desired: one, options: { domain: ['z.com'] } }],
])('a plan for %s is blocked by the guards %j', (_, codes, situation) => {
  expect(codesOf({ current, ...situation })).toEqual(codes);
});

test.each<[Situation, string]>([
  [{}, 'The configuration declares no websites.'],
  [{ unmatched: ['x'] }, 'No YAML file in x.'],
  [{ unmatched: ['x', 'y'] }, 'No YAML file in x, y.'],
])('the guard for an empty configuration gives its reason: %j', (situation, message) => {
  expect(guardsOf(situation)).toMatchObject([{ message, remedy: expect.stringContaining('--allow-empty') }]);
});

describe('duplicates', () => {
  const current = {
    websites: [shown('a.com', 7, { email: false }), shown('A.com', 3, { email: false }), shown('b.com', 1)],
  };
  test.each<[string, DesiredWebsite[], Partial<PlanOptions>, string[]]>([
    ['an update of one', [wanted('a.com', { email: true })], {}, ['duplicates']],
    ['a delete of one', [absent('a.com'), wanted('b.com')], {}, ['duplicates']],
    ['no change of one', [wanted('a.com', { email: false })], {}, []],
    ['an undeclared one, with prune', [wanted('b.com')], { prune: true }, []],
    [
      'an update of one by its variant',
      [wanted('www.a.com', { email: true })],
      { www: 'same' },
      ['duplicates'],
    ],
    [
      'a delete of one by its variant',
      [absent('www.a.com'), wanted('b.com')],
      { www: 'same' },
      ['duplicates'],
    ],
    ['an absent record whose variant has duplicates', [absent('www.a.com'), wanted('b.com')], {}, []],
  ])('the guard for duplicate records decides about a plan: %s', (_, websites, options, codes) => {
    expect(codesOf({ current, desired: { websites }, options })).toEqual(codes);
  });

  test('the guard for duplicate records names all of them', () => {
    const guards = guardsOf({ current, desired: { websites: [wanted('a.com', { email: true })] } });
    expect(guards).toMatchObject([{ message: 'Several records have the same domain: a.com (#3, #7).' }]);
  });
});

const deleting = (
  domain: string,
  patterns: readonly string[],
  options: Situation['options'] = {},
  names: readonly string[] = ['a.com', 'b.com', 'c.com'],
): Situation => ({
  current: { websites: names.map((name, index) => shown(name, index + 1)) },
  desired: { websites: [absent(domain), wanted('b.com')], protected: patterns },
  options,
});
const same = { www: 'same' } as const;

test.each<[string, Situation, boolean]>([
  ['by its domain', deleting('a.com', ['a.com']), true],
  ['by a pattern', deleting('a.com', ['*.com']), true],
  ['no such record', deleting('z.com', ['z.com']), false],
  ['not selected', deleting('a.com', ['a.com'], { exclude: ['a.com'] }), false],
  ['another record', deleting('a.com', ['b.com']), false],
  ['the record under the name of its variant', deleting('www.a.com', ['a.com'], same), true],
  ['the record by its variant, in capitals', deleting('www.a.com', ['a.c*'], same, ['A.com', 'b.com']), true],
  ['the record by its variant, by a pattern', deleting('www.a.com', ['a.c*'], same), true],
  ['the name in the files, by a pattern of that alone', deleting('www.a.com', ['*.a.com'], same), true],
  ['the name of its variant', deleting('a.com', ['www.a.com'], same), true],
  ['the name of another website', deleting('a.com', ['www.a.com'], { www: 'distinct' }), false],
])('the guard for protected records decides about a delete: %s', (_, situation, isBlocked) => {
  expect(codesOf(situation)).toEqual(isBlocked ? ['protected'] : []);
});

describe('if the list of records is incomplete', () => {
  const desired = { websites: [wanted('a.com')] };
  const current = { complete: false, websites: [shown('a.com', 1), shown('b.com', 2)] };

  test('prune is blocked if the list of records is incomplete, with any approval', () => {
    const allow = { empty: true, deletes: 1000, updates: 1000 };
    const guards = guardsOf({ desired, current, options: { prune: true, allow } });
    expect(refusals(guards)).toMatchObject([{ code: 'incomplete' }]);
  });

  test('a plan without prune is not blocked if the list of records is incomplete', () => {
    expect(codesOf({ desired, current })).toEqual([]);
  });
});

test('the guard for protected records names their domains in order', () => {
  const websites = ['z.com', 'a.com'].map((domain) => absent(domain, { protect: true }));
  const [guard] = guardsOf(
    given(
      [...websites, wanted('b.com')],
      ['z.com', 'a.com', 'b.com'].map((domain, n) => shown(domain, n, { email: false })),
    ),
  );
  expect(guard).toMatchObject({ code: 'protected', message: expect.stringContaining(': a.com, z.com.') });
});

const { guards, changes } = planFor({ ...pruning(10, 4), unmatched: ['x.yaml'] });
const open = (allow: Approvals): string[] =>
  refusals(reapprove(guards, changes, allow)).map(({ code }) => code);

test.each<[Approvals, string[]]>([
  [{ empty: false }, ['empty', 'deletes']],
  [{ empty: true }, ['deletes']],
  [{ empty: false, deletes: 4 }, ['empty']],
  [{ empty: true, deletes: 3 }, ['deletes']],
  [{ empty: true, updates: 100 }, ['deletes']],
  [{ empty: true, deletes: Number.NaN }, ['deletes']],
  [{ empty: true, deletes: 4 }, []],
])('with the approval %j, a plan is still blocked by the guards %j', (allow, codes) => {
  expect(open(allow)).toEqual(codes);
});

test.each<[Approvals, string[]]>([
  [{ empty: true, deletes: 100, updates: 3 }, ['updates']],
  [{ empty: false, updates: 4 }, []],
])('with the approval %j, a plan with too many updates is blocked by the guards %j', (allow, codes) => {
  const plan = planFor(updating(10, 4));
  expect(refusals(reapprove(plan.guards, plan.changes, allow)).map(({ code }) => code)).toEqual(codes);
  expect(refusals(guardsOf(updating(10, 4, allow))).map(({ code }) => code)).toEqual(codes);
});

test('a new approval does not revoke an earlier approval', () => {
  const approved = guards.map((guard) => ({ ...guard, approved: true }));
  expect(refusals(reapprove(approved, changes, { empty: false }))).toEqual([]);
});

test('an approval of deletes does not approve the delete of a protected record', () => {
  const others = planFor({
    desired: {
      websites: [wanted('a.com', {}, 1, { state: 'absent' }), wanted('b.com')],
      protected: ['a.com'],
    },
    current: { websites: [shown('a.com', 1), shown('b.com', 2)] },
  });
  const allow = { empty: true, deletes: 1000, updates: 1000 };
  expect(refusals(reapprove(others.guards, others.changes, allow))).toMatchObject([{ code: 'protected' }]);
});

test('the error about blocking guards names each guard and the flag that approves it', () => {
  const { guards } = planFor(given([], [shown('a.com', 1), shown('b.com', 2)], { prune: true }));
  expect(() => refuseByGuards(guards)).toThrow(
    expect.objectContaining({
      code: 'guard-refused',
      message:
        'Blocked by 2 guards: The configuration declares no websites. The plan deletes 2 of 2 records.',
      remedy:
        'Check the files. Pass --allow-empty if this is intended. Pass --allow-deletes 2 if this is intended.',
    }),
  );
});

test('approved guards cause no error', () => {
  const approved = guardsOf(pruning(10, 4)).map((guard) => ({ ...guard, approved: true }));
  expect(() => refuseByGuards(approved)).not.toThrow();
});

/** A plan that deletes `deleted` of `declared` websites, found by searches among `total` records. */
const lookedUp = (
  { declared, deleted, total }: { declared: number; deleted: number; total?: number },
  more: Situation = {},
): Situation => {
  const gone = times(deleted, (n) => `k${n}.com`);
  return {
    desired: {
      websites: [...gone.map((name) => absent(name)), ...times(declared, (n) => wanted(`d${n}.com`))],
      ...more.desired,
    },
    current: {
      websites: gone.map((name, n) => shown(name, n + 1)),
      lookedUp: { domains: new Set(gone), total, pages: undefined },
    },
    options: { domain: gone, ...more.options },
  };
};
const messageOf = (situation: Situation): string | undefined => guardsOf(situation)[0]?.message;

test('the guard for deletes checks their share of all records and of declared websites', () => {
  expect(codesOf(lookedUp({ declared: 100, deleted: 5, total: 100 }))).toEqual([]);
  expect(messageOf(lookedUp({ declared: 100, deleted: 5, total: 40 }))).toBe(
    'The plan deletes 5 of 40 records.',
  );
  expect(messageOf(lookedUp({ declared: 40, deleted: 5, total: 1000 }))).toContain(
    '40 websites are declared',
  );
});

test('after a search with ignored records, the guard for deletes checks only declared websites', () => {
  const few = { declared: 100, deleted: 5, total: 40 };
  expect(codesOf(lookedUp(few, { desired: { ignore: ['x.com'] } }))).toEqual([]);
  expect(codesOf(lookedUp({ declared: 100, deleted: 5 }))).toEqual([]);
  expect(codesOf(lookedUp({ declared: 40, deleted: 5 }))).toEqual(['deletes']);
});

test('the guard for updates checks their share of all records and of declared websites', () => {
  const updates = (total: number): string[] => {
    const names = times(4, (n) => `k${n}.com`);
    return codesOf({
      desired: { websites: times(20, (n) => wanted(`k${n}.com`, n < 4 ? { email: true } : {})) },
      current: {
        websites: names.map((name, n) => shown(name, n + 1, { email: false })),
        lookedUp: { domains: new Set(names), total, pages: undefined },
      },
      options: { domain: names },
    });
  };
  expect(updates(20)).toEqual([]);
  expect(updates(10)).toEqual(['updates']);
});

test('an approval of deletes covers their share of all records and of declared websites', () => {
  const situation = lookedUp({ declared: 40, deleted: 5, total: 40 });
  const approved = { ...situation, options: { ...situation.options, allow: { empty: false, deletes: 5 } } };
  expect(guardsOf(approved)).toMatchObject([{ code: 'deletes', approved: true }]);
});
