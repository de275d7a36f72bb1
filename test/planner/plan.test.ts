import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/model/errors.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import type { Plan, PlanOptions } from '../../src/model/plan.ts';
import type { Desired, DesiredWebsite } from '../../src/model/website.ts';
import { planDigest } from '../../src/planner/plan-file/write.ts';
import { selection } from '../../src/planner/selection.ts';
import { sha256 } from '../../src/util/node/sha256.ts';
import { absent, given, planFor, type Situation, shown, times, wanted } from '../support/plans.ts';

/** The changes of a plan, as `ACTION DOMAIN #ID`. */
const done = ({ changes }: Plan): string[] =>
  changes.map((change) =>
    `${change.action} ${change.domain} ${'id' in change ? `#${change.id}` : ''}`.trim(),
  );

function problemsOf(situation: Situation): readonly Problem[] {
  try {
    planFor(situation);
  } catch (error) {
    if (error instanceof WebsitesError && error.code === 'plan-impossible') return error.problems;
    throw error;
  }
  return [];
}

/** A situation with one change, record or website of each kind. */
const MIXED: Situation = {
  desired: {
    websites: [
      wanted('new.com', { privacy: 1 }, 3),
      wanted('changed.com', { email: true, privacy: 0 }, 4),
      wanted('same.com', { email: false }, 5),
      absent('old.com'),
      absent('gone.com'),
    ],
    ignore: ['*.internal.example'],
    protected: ['kept.com'],
  },
  current: {
    websites: [
      shown('changed.com', 1, { email: false, privacy: 1 }),
      shown('same.com', 2, { email: false }),
      shown('old.com', 3, { privacy: 0 }),
      shown('orphan.com', 4),
      shown('kept.com', 5),
      shown('a.internal.example', 6),
      ...times(50, (n) => shown(`ok${n}.com`, 100 + n)),
    ],
  },
};

const OK = times(50, (n) => wanted(`ok${n}.com`));
const ALL: Situation = {
  ...MIXED,
  desired: { ...MIXED.desired, websites: [...(MIXED.desired?.websites ?? []), ...OK] },
};

test('a plan without prune deletes no orphans', () => {
  const plan = planFor(ALL);
  expect(done(plan)).toEqual(['create new.com', 'update changed.com #1', 'delete old.com #3']);
  expect(plan.summary).toEqual({ create: 1, update: 1, delete: 1, unchanged: 52, orphan: 2, ignored: 1 });
  expect(plan.orphans).toEqual([
    { domain: 'kept.com', id: '5', protected: true },
    { domain: 'orphan.com', id: '4', protected: false },
  ]);
  expect(plan.guards).toEqual([]);
});

test('a plan with prune deletes orphans', () => {
  const plan = planFor({ ...ALL, options: { prune: true } });
  expect(done(plan)).toEqual([
    'create new.com',
    'update changed.com #1',
    'delete old.com #3',
    'delete orphan.com #4',
  ]);
  expect(plan.summary).toEqual({ create: 1, update: 1, delete: 2, unchanged: 52, orphan: 1, ignored: 1 });
  expect(plan.orphans).toEqual([{ domain: 'kept.com', id: '5', protected: true }]);
});

test('the plan of an empty file on an empty service is empty', () => {
  const plan = planFor({});
  expect(plan.changes).toEqual([]);
  expect(plan.summary).toEqual({ create: 0, update: 0, delete: 0, unchanged: 0, orphan: 0, ignored: 0 });
  expect(plan.cost).toEqual({ requests: 0, seconds: null, list: 1 });
});

test('a plan contains its service, its time and its expiry', () => {
  expect(planFor(ALL)).toMatchObject({
    format: 'websites.plan/1',
    created_at: '2026-11-20T09:30:00Z',
    expires_at: '2026-11-21T09:30:00Z',
    read_at: '2026-11-20T09:30:00Z',
    service: { base_url: 'https://analytics.example.com', key_fingerprint: 'c0ffee' },
    complete: true,
  });
});

test('a domain can have the name of a JavaScript property', () => {
  const plan = planFor(
    given(
      [wanted('__proto__'), wanted('constructor', { email: true })],
      [shown('constructor', 1, { email: false }), shown('toString', 2)],
      { prune: true },
    ),
  );
  expect(done(plan)).toEqual(['create __proto__', 'update constructor #1', 'delete tostring #2']);
});

test.each<[target: string[], exclude: string[], domains: string[]]>([
  [[], [], ['a.com', 'b.com', 'x.a.com']],
  [['a.com'], [], ['a.com']],
  [['*a.com'], [], ['a.com', 'x.a.com']],
  [['*a.com'], ['x.*'], ['a.com']],
  [[], ['*'], []],
  [['a.com', 'b.com'], ['b.com'], ['a.com']],
  [['none.com'], [], []],
])('--domain %j and --exclude %j select the domains %j', (domain, exclude, domains) => {
  expect(['a.com', 'b.com', 'x.a.com'].filter(selection({ domain, exclude }))).toEqual(domains);
});

test('a selection limits the changes and orphans of a plan, but not what counts as declared', () => {
  const plan = planFor({ ...ALL, options: { prune: true, domain: ['o*.com'] } });
  expect(done(plan)).toEqual(['delete old.com #3', 'delete orphan.com #4']);
  expect(plan.summary).toEqual({ create: 0, update: 0, delete: 2, unchanged: 50, orphan: 0, ignored: 1 });
  const other = planFor({ ...ALL, options: { prune: true, exclude: ['or*', 'new.com'] } });
  expect(done(other)).toEqual(['update changed.com #1', 'delete old.com #3']);
});

test.each<[what: string, options: Situation['options'], expected: string[]]>([
  ['excluded, as the files name it', { www: 'same', exclude: ['www.a.com'] }, ['delete b.com #2']],
  ['excluded, as the service names it', { www: 'same', exclude: ['a.com'] }, ['delete b.com #2']],
  ['an orphan, excluded', { www: 'same', exclude: ['www.b.com'] }, ['update www.a.com #1']],
  ['a domain', { www: 'same', domain: ['a.com'] }, ['update www.a.com #1']],
  ['an orphan that is a domain', { www: 'same', domain: ['www.b.com'] }, ['delete b.com #2']],
  ['no domain while no rule is set', { domain: ['a.com', 'www.b.com'] }, []],
  ['another website', { www: 'distinct', exclude: ['www.b.com'], domain: ['b.com'] }, ['delete b.com #2']],
])('--domain and --exclude are compared with www variants: %s', (_, options, expected) => {
  const plan = planFor(
    given([wanted('www.a.com', { email: true })], [shown('a.com', 1, { email: false }), shown('b.com', 2)], {
      prune: true,
      ...options,
    }),
  );
  expect(done(plan)).toEqual(expected);
});

test('prune keeps the www variant of a declared domain, unless names are distinct', () => {
  const situation = (www: 'same' | 'distinct'): Situation =>
    given([wanted('a.com')], [shown('a.com', 1), shown('www.a.com', 2)], { www, prune: true });
  expect(done(planFor(situation('same')))).toEqual([]);
  expect(done(planFor(situation('distinct')))).toEqual(['delete www.a.com #2']);
});

test('a record is not an orphan if an excluded website matches it', () => {
  const situation: Situation = given(
    [wanted('www.a.com'), wanted('b.com')],
    [shown('a.com', 1), shown('b.com', 2)],
    { prune: true, exclude: ['www.a.com'], www: 'same' },
  );
  expect(done(planFor(situation))).toEqual([]);
});

const current = { websites: [shown('a.com', 1), shown('b.com', 2), shown('c.com', 3)] };
const prune = (situation: Situation): string[] =>
  done(planFor({ current, ...situation, options: { prune: true, ...situation.options } }));
const [A, B] = ['delete a.com #1', 'delete b.com #2'] as const;

test.each<[Partial<Desired>, Partial<PlanOptions>, string[]]>([
  [{}, {}, [A, B]],
  [{ protected: ['a.com'] }, {}, [B]],
  [{ ignore: ['b.*'] }, {}, [A]],
  // A domain includes its www variant unless the two are distinct. A pattern does not.
  [{ protected: ['www.a.com'] }, {}, [B]],
  [{ ignore: ['www.a.com'] }, {}, [B]],
  [{}, { exclude: ['www.a.com'] }, [B]],
  [{ protected: ['www.a.com'], ignore: ['www.b.com'] }, { www: 'distinct', exclude: ['www.a.com'] }, [A, B]],
  [{ protected: ['*.a.com'], ignore: ['*.b.com'] }, {}, [A, B]],
])('prune with %j in the files and the flags %j deletes %j', (desired, options, changes) => {
  expect(prune({ desired: { websites: [wanted('c.com')], ...desired }, options })).toEqual(changes);
});

test.each([false, true])('a protected record is kept in any case of letters (prune: %s)', (prune) => {
  const plan = planFor({
    desired: { websites: [wanted('c.com')], protected: ['a.com'] },
    current: { websites: [shown('A.com', 1), shown('c.com', 3)] },
    options: { prune },
  });
  expect(plan.changes).toEqual([]);
  expect(plan.orphans).toEqual([{ domain: 'a.com', id: '1', protected: true }]);
});

test('prune deletes no record if the list of records is incomplete', () => {
  expect(
    prune({ desired: { websites: [wanted('a.com')] }, current: { ...current, complete: false } }),
  ).toEqual([]);
});

test('prune does not delete a declared record whose www variant is ignored', () => {
  const desired = { websites: [wanted('a.com'), wanted('b.com'), wanted('c.com')], ignore: ['www.a.com'] };
  expect(prune({ desired })).toEqual([]);
});

describe('if the list of records is incomplete', () => {
  const current = { complete: false, websites: [shown('a.com', 1, { email: false })] };

  test('a plan from an incomplete list updates found records and creates known absent ones', () => {
    const plan = planFor({
      desired: { websites: [wanted('a.com', { email: true }), wanted('b.com')] },
      current: { ...current, knownAbsent: new Set(['b.com']) },
    });
    expect(done(plan)).toEqual(['create b.com', 'update a.com #1']);
    expect(plan.complete).toBe(false);
    expect(plan.warnings).toHaveLength(1);
  });

  test('a website that an incomplete list of records lacks is an error, and is never created', () => {
    const desired = { websites: [wanted('b.com', {}, 8), absent('c.com'), wanted('a.com')] };
    expect(problemsOf({ desired, current })).toMatchObject([
      { severity: 'error', message: expect.stringContaining('b.com'), place: { line: 8 } },
      { severity: 'error', message: expect.stringContaining('c.com') },
    ]);
  });

  test('a website declared absent causes no change if its record is known to be missing', () => {
    const plan = planFor({
      desired: { websites: [wanted('a.com'), absent('c.com')] },
      current: { ...current, knownAbsent: new Set(['c.com']) },
    });
    expect(plan.changes).toEqual([]);
    expect(plan.summary.unchanged).toBe(2);
  });
});

describe('records that cannot be planned', () => {
  const [A, WWW, B] = [wanted('a.com'), wanted('www.a.com'), wanted('b.com')];
  const ignored = 'www.a.com is declared, and a.com, which may be the same website, is ignored.';
  const other = 'a.com is declared, and www.a.com, which may be the same website, is ignored.';
  const apart = [
    'a.com has no record, and www.a.com is declared too',
    'www.a.com has no record, and a.com is declared too',
  ];
  const without = ['a.com would be created', 'b.com would be created'];
  const alone = ['www.a.com has no record, and a.com has one'];
  const one = ['a.com and www.a.com are one website', 'www.a.com and a.com are one website'];
  const locked = [wanted('a.com', { privacy: 2 }), wanted('b.com', { privacy: 2, password: null })];

  test.each<[string, DesiredWebsite[], string[], { ignore?: string[]; www?: 'same' }, string[]]>([
    ['a create that lacks its password', locked, [], {}, without],
    ['both variants if they are one website', [A, WWW], [], { www: 'same' }, one],
    ['both variants if nothing says how they relate', [A, WWW], [], {}, apart],
    ['a domain whose variant alone has a record', [WWW], ['a.com'], {}, alone],
    ['no variants if a record shows that they are two', [A, WWW], ['www.b.com'], {}, []],
    ['the second variant if they are one website', [A, WWW], ['a.com'], { www: 'same' }, one.slice(1)],
    ['one domain twice', [A, B, wanted('a.com', { email: true }, 9)], [], {}, ['a.com is declared twice.']],
    ['a domain that is ignored', [A, B], [], { ignore: ['a.*'] }, ['a.com is declared and ignored.']],
    ['a domain whose variant is ignored', [WWW], [], { ignore: ['a.com'], www: 'same' }, [ignored]],
    ['a create whose www variant is ignored and exists', [WWW], ['a.com'], { ignore: ['a.com'] }, [ignored]],
    ['a create of an ignored record in capitals', [WWW], ['A.com'], { ignore: ['a.com'] }, [ignored]],
    [
      'a create of an ignored record by its variant',
      [A],
      ['www.a.com'],
      { ignore: ['*.a.com'], www: 'same' },
      [other],
    ],
    [
      'no domain next to an ignored one that is distinct',
      [WWW, B],
      ['a.com', 'www.b.com'],
      { ignore: ['a.com', '*.b.com'] },
      [],
    ],
  ])('some websites make a plan impossible: %s', (_, websites, records, { ignore = [], www }, messages) => {
    const current = { websites: records.map((domain, index) => shown(domain, index + 1)) };
    const problems = problemsOf({ desired: { websites, ignore }, current, options: { www } });
    expect(problems.map(({ message }) => message)).toEqual(
      messages.map((message) => expect.stringContaining(message)),
    );
    for (const problem of problems) expect(problem).toMatchObject({ severity: 'error', remedy: /./ });
  });

  test('an error about websites that cannot be planned has their count', () => {
    const plan = (count: number) => () =>
      planFor({ desired: { websites: times(count, (n) => wanted(`k${n}.com`, { privacy: 2 })) } });
    expect(plan(1)).toThrow('One record cannot be planned.');
    expect(plan(2)).toThrow('2 records cannot be planned.');
  });

  test('an update to privacy "password" can be planned without a password', () => {
    const plan = planFor(given([wanted('a.com', { privacy: 2 })], [shown('a.com', 1, { privacy: 1 })]));
    expect(done(plan)).toEqual(['update a.com #1']);
  });

  test('a website declared absent is no conflict with its declared www variant', () => {
    const situation: Situation = given([wanted('a.com'), absent('www.a.com')], [shown('a.com', 1)], {
      www: 'same',
    });
    expect(done(planFor(situation))).toEqual([]);
  });
});

const situation: Situation = given(
  ['a.com', 'b.com', 'c.com'].map((domain) => wanted(domain, { password: { env: 'P' } })),
  [
    shown('a.com', 1, {}, { passwordSet: true }),
    shown('b.com', 2, {}, { passwordSet: false }),
    shown('c.com', 3),
  ],
);

test.each<[string, Situation, string[]]>([
  ['only if none is set', {}, ['update b.com #2']],
  [
    'always with --resend-passwords',
    { options: { resend_passwords: true } },
    ['update a.com #1', 'update b.com #2', 'update c.com #3'],
  ],
])('a plan sends a declared password: %s', (_, more, changes) => {
  expect(done(planFor({ ...situation, ...more }))).toEqual(changes);
});

test('a delete has the declared domain, even if the record has the www variant', () => {
  const plan = planFor(
    given([absent('www.a.com'), wanted('b.com')], [shown('a.com', 7), shown('b.com', 8)], { www: 'same' }),
  );
  expect(done(plan)).toEqual(['delete www.a.com #7']);
});

test.each<[string, Partial<PlanOptions>]>([
  ['without prune', {}],
  ['with prune', { prune: true }],
])('the www variant of a website declared absent is not deleted, %s', (_, options) => {
  const desired = { websites: [absent('www.a.com'), wanted('b.com')], protected: ['a.com'] };
  const both = { websites: [shown('a.com', 1), shown('b.com', 2), shown('www.a.com', 3)] };
  const left = { websites: [shown('a.com', 1), shown('b.com', 2)] };
  expect(done(planFor({ desired, current: both, options }))).toEqual(['delete www.a.com #3']);
  const after = planFor({ desired, current: left, options });
  expect(done(after)).toEqual([]);
  expect(after.guards).toEqual([]);
  expect(after.summary).toMatchObject({ unchanged: 2, orphan: 0 });
});

const cost = (changes: number, current: number, requestsPerSecond?: number) =>
  planFor({
    desired: { websites: times(changes, (n) => wanted(`n${n}.com`)) },
    current: { websites: times(current, (n) => shown(`o${n}.com`, n)) },
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
  }).cost;

test.each([
  [0, 500, undefined, { requests: 0, seconds: null, list: 5 }],
  [1, 0, undefined, { requests: 2, seconds: null, list: 1 }],
  [3, 97, undefined, { requests: 4, seconds: null, list: 1 }],
  [3, 98, undefined, { requests: 5, seconds: null, list: 2 }],
  [150, 0, undefined, { requests: 152, seconds: null, list: 2 }],
  [59, 41, 1, { requests: 60, seconds: 60, list: 1 }],
  [2, 0, 2, { requests: 3, seconds: 2, list: 1 }],
  [0, 0, 2, { requests: 0, seconds: 0, list: 1 }],
  [1, 998, undefined, { requests: 2, seconds: null, list: 10 }],
])('a plan estimates the cost of %i changes in %i records (rate %s)', (changes, current, rate, expected) => {
  expect(cost(changes, current, rate)).toEqual(expected);
});

test.each([
  [99, 101],
  [100, 101],
  [1, 2],
  [200, 201],
])('a plan with %i deletes of 200 records estimates its verification', (deleted, requests) => {
  const { cost } = planFor(
    given(
      times(200 - deleted, (n) => wanted(`o${n}.com`)),
      times(200, (n) => shown(`o${n}.com`, n)),
      { prune: true },
    ),
  );
  expect(cost.requests).toBe(requests);
});

const plan = planFor({ ...ALL, options: { prune: true } });

test('a plan has the same digest after it is written to JSON and read', () => {
  expect(planDigest(plan, sha256)).toBe(plan.digest);
  expect(planDigest(JSON.parse(JSON.stringify(plan)), sha256)).toBe(plan.digest);
});

test('the digest of a plan changes if any single value changes', () => {
  const digests = new Set<string>([plan.digest]);
  let leaves = 0;
  const visit = (holder: Record<string, unknown>): void => {
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value === 'object' && value !== null) {
        visit(value as Record<string, unknown>);
        continue;
      }
      leaves += 1;
      holder[key] = `other ${leaves}`;
      digests.add(planDigest(copy, sha256));
      holder[key] = value;
    }
  };
  const { digest: _, ...copy } = JSON.parse(JSON.stringify(plan));
  visit(copy);
  expect(leaves).toBeGreaterThan(60);
  expect(digests.size).toBe(leaves + 1);
});
