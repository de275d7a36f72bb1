import { describe, expect, test } from 'vitest';
import type { Change, Create, Delete, Update } from '../../src/model/change.ts';
import type { Settings } from '../../src/model/field-table.ts';
import type { Plan, PlanInput, PlanOptions } from '../../src/model/plan.ts';
import type { Done } from '../../src/model/run.ts';
import type { Current, Desired, Website, WwwRule } from '../../src/model/website.ts';
import { sealPlan } from '../../src/planner/plan.ts';
import { type Deeds, undo } from '../../src/planner/undo.ts';
import {
  CONTEXT,
  given,
  NO_FLAGS,
  NO_RECORDS,
  planFor,
  type Situation,
  shown,
  times,
  wanted,
} from '../support/plans.ts';

const SOURCE = { file: 'run 1', line: 0, column: 0 };
const T = '2026-01-31T09:00:00Z';

const currentOf = (websites: readonly Website[], more: Partial<Current> = {}): Current => ({
  ...NO_RECORDS,
  websites,
  ...more,
});

/** The changes that a run of this plan has made. A created record got the ID `created`. */
const doneBy = (situation: Situation, created = '9'): Done[] =>
  planFor(situation).changes.map((change) => ({
    change,
    id: change.action === 'create' ? created : change.id,
  }));

const created = (settings: Settings): Done[] =>
  doneBy({ desired: { websites: [wanted('a.com', settings)] } });

const updated = (before: Settings, after: Settings, more: Partial<Website> = {}): Done[] =>
  doneBy(given([wanted('a.com', after)], [shown('a.com', 9, before, more)]));

const deleted = (before: Settings): Done[] =>
  doneBy(given([wanted('a.com', {}, 1, { state: 'absent' })], [shown('a.com', 9, before)]));

const NOTHING: Desired = { websites: [], ignore: [], protected: [] };

const inputOf = (
  current: Current,
  desired: Partial<Desired> = {},
  more: Partial<PlanOptions> = {},
): PlanInput => ({
  desired: { ...NOTHING, ...desired },
  current,
  rules: { ...NO_FLAGS, undoes: '1', ...more },
  context: CONTEXT,
});

interface Inverse {
  readonly changes: readonly Change[];
  readonly skipped: readonly { readonly reason: string }[];
}

const invert = (
  done: readonly Done[],
  current: Current,
  {
    desired,
    www,
    sideEffects = [],
  }: Partial<Deeds> & { desired?: Partial<Desired>; www?: WwwRule | undefined } = {},
): Inverse => {
  const { changes, warnings } = undo({ done, sideEffects }, inputOf(current, desired, www && { www }));
  return { changes, skipped: warnings.map(({ message }) => ({ reason: message.split(/: |\.$/)[1] ?? '' })) };
};

const nameOf = ([website]: readonly Website[]): string => website?.domain ?? 'a.com';

const only = ({ changes, skipped }: Inverse): Change | string | undefined => changes[0] ?? skipped[0]?.reason;

const reasons = (done: readonly Done[], websites: readonly Website[]): string =>
  invert(done, currentOf(websites))
    .skipped.map(({ reason }) => reason)
    .join();

test.each<[string, Done[], Website[]]>([
  ['created', created({}), [shown('a.com', 9)]],
  ['created, and the service renamed', created({}), [shown('www.a.com', 9)]],
  ['changed', updated({ email: false }, { email: true }), [shown('a.com', 9, { email: true })]],
  ['deleted', deleted({}), []],
])('undo does not touch a record that the run %s and the files ignore now', (_, done, websites) => {
  const { changes, skipped } = invert(done, currentOf(websites), { desired: { ignore: [nameOf(websites)] } });
  expect({ changes, skipped }).toMatchObject({
    changes: [],
    skipped: [{ reason: 'the configuration ignores it' }],
  });
});

test('undo does not touch a record if the files ignore its domain in lower case', () => {
  const current = currentOf([shown('WWW.A.com', 9)]);
  expect(only(invert(created({}), current, { desired: { ignore: ['www.a.com'] } }))).toBe(
    'the configuration ignores it',
  );
});

test('undo does not touch a record if the files ignore the name that the run used', () => {
  const current = currentOf([shown('www.a.com', 9)]);
  expect(invert(created({}), current, { desired: { ignore: ['a.com'] } })).toMatchObject({
    changes: [],
    skipped: [{ reason: 'the configuration ignores it' }],
  });
});

const made = { privacy: 1, exclude_params: ['a', 'b'] };
const done = created({ ...made, password: { env: 'A' } });

test('undo deletes a created record that is unchanged since the run', () => {
  const record = shown('a.com', 9, { privacy: 1, exclude_params: ['b', 'a'], exclude_ips: [] });
  expect(only(invert(done, currentOf([record])))).toMatchObject({
    action: 'delete',
    domain: 'a.com',
    id: '9',
    cause: 'undo',
    before: record.settings,
    notes: ['data on the service will be lost'],
  } satisfies Partial<Delete>);
});

test.each<[string, Website[]]>([
  ['it changed since', [shown('a.com', 9, { privacy: 0, exclude_params: ['a', 'b'] })]],
  ['somebody has added to it', [shown('a.com', 9, { ...made, exclude_ips: ['192.0.2.1'] })]],
  ['a setting was not shown before', [shown('a.com', 9, { ...made, email: true })]],
  ['its password was removed', [shown('a.com', 9, made, { passwordSet: false })]],
  ['the domain has another record', [shown('a.com', 10, { privacy: 1, exclude_params: ['a', 'b'] })]],
  ['its id has another domain', [shown('b.com', 9, { privacy: 1, exclude_params: ['a', 'b'] })]],
])('undo keeps a created record if %s', (_, websites) => {
  expect(invert(done, currentOf(websites))).toMatchObject({ changes: [], skipped: [{}] });
});

test.each([
  [true, 'delete'],
  [false, 'its email changed since'],
])('undo compares a created record with the record that the run left: email %s', (email, expected) => {
  const [one] = done as [Done];
  const left = { settings: { email: true } };
  const inverse = only(invert([{ ...one, left }], currentOf([shown('a.com', 9, { ...made, email })])));
  expect(typeof inverse === 'string' ? inverse : inverse?.action).toBe(expected);
});

test('undo does nothing for a created record that no longer exists', () => {
  expect(invert(done, currentOf([]))).toEqual({ changes: [], skipped: [] });
});

test('undo deletes a created record that the service stored under its www variant', () => {
  const done = doneBy({ desired: { websites: [wanted('www.a.com')] } });
  expect(only(invert(done, currentOf([shown('A.com', 9)])))).toMatchObject({ action: 'delete', id: '9' });
});

describe('undo of an update', () => {
  const before: Settings = { privacy: 2, email: false, favorited_at: T, exclude_ips: ['192.0.2.1'] };
  const after: Settings = { privacy: 1, email: true, favorited_at: null, exclude_ips: [] };
  const done = updated(before, after);

  test('undo restores all settings that the run changed', () => {
    const record = shown('a.com', 9, { ...after, exclude_bots: false });
    expect(only(invert(done, currentOf([record])))).toMatchObject({
      action: 'update',
      domain: 'a.com',
      id: '9',
      before: record.settings,
      fields: {
        privacy: { before: 1, after: 2 },
        email: { before: true, after: false },
        favorited_at: { before: null, after: T },
        exclude_ips: { before: [], after: ['192.0.2.1'] },
      },
      risk: { level: 'high', reason: 'privacy loosened' },
    } satisfies Partial<Update>);
  });

  test.each<[string, Website[]]>([
    ['it is gone', []],
    ['its id has another domain', [shown('b.com', 9, after)]],
  ])('undo does not touch an updated record if %s', (_, websites) => {
    expect(invert(done, currentOf(websites))).toMatchObject({ changes: [], skipped: [{}] });
  });

  test('undo restores only settings that still have the value that the run set', () => {
    const record = shown('a.com', 9, { ...after, privacy: 0, email: false });
    expect(invert(done, currentOf([record]))).toMatchObject({
      changes: [{ fields: { favorited_at: { after: T }, exclude_ips: { after: ['192.0.2.1'] } } }],
      skipped: [{ reason: 'its privacy changed since' }],
    });
    expect(Object.keys((only(invert(done, currentOf([record]))) as Update).fields)).toHaveLength(2);
  });

  test('undo does nothing if an updated record has its former values again', () => {
    expect(invert(done, currentOf([shown('a.com', 9, before)]))).toEqual({ changes: [], skipped: [] });
  });

  test('undo restores a field that the service no longer returns', () => {
    const { email: _, ...rest } = after;
    expect(only(invert(done, currentOf([shown('a.com', 9, rest)])))).toMatchObject({
      fields: { email: { before: true, after: false } },
    });
  });

  test('undo restores a setting if the record shows the value of the run in another form', () => {
    const done = updated({ favorited_at: null }, { favorited_at: true });
    expect(only(invert(done, currentOf([shown('a.com', 9, { favorited_at: T })])))).toMatchObject({
      fields: { favorited_at: { before: T, after: null } },
    });
  });

  test('undo cannot restore a password, and reports this', () => {
    const alone = updated({}, { password: { env: 'A' } }, { passwordSet: false });
    expect(only(invert(alone, currentOf([shown('a.com', 9)])))).toContain('the run changed its password');
    const beside = updated({ email: false }, { email: true, password: { env: 'A' } }, { passwordSet: false });
    const inverse = only(invert(beside, currentOf([shown('a.com', 9, { email: true })])));
    expect(inverse).toMatchObject({ fields: { email: { before: true, after: false } } });
    expect(reasons(beside, [shown('a.com', 9, { email: true })])).toMatch(/the run changed its password/);
    expect(JSON.stringify(inverse)).not.toContain('"ref"');
  });
});

describe('undo of an update that removed password protection', () => {
  const done = updated({ privacy: 2 }, { privacy: 0 }, { passwordSet: true });
  const inverse = (more: Partial<Website>, privacy = 0) =>
    only(invert(done, currentOf([shown('a.com', 9, { privacy }, more)])));

  test('undo restores password protection if the service kept the password', () => {
    expect(inverse({ passwordSet: true })).toMatchObject({
      fields: { privacy: { before: 0, after: 2 } },
      notes: [expect.stringContaining('would lose it')],
    });
  });

  test('undo makes a record private if the service lost its password, and reports this', () => {
    expect(inverse({ passwordSet: false })).toMatchObject({ fields: { privacy: { before: 0, after: 1 } } });
    const record = shown('a.com', 9, { privacy: 0 }, { passwordSet: false });
    expect(reasons(done, [record])).toBe('its password cannot be restored, so it comes back private');
  });

  test('undo makes a record private if the run removed the password too', () => {
    const done = updated({ privacy: 2 }, { privacy: 0, password: null }, { passwordSet: true });
    const record = shown('a.com', 9, { privacy: 0 }, { passwordSet: false });
    expect(only(invert(done, currentOf([record])))).toMatchObject({
      fields: { privacy: { before: 0, after: 1 } },
    });
    expect(reasons(done, [record])).toContain('it comes back private');
  });

  test('undo restores password protection with a note if the service shows no passwords', () => {
    expect(inverse({})).toMatchObject({
      fields: { privacy: { before: 0, after: 2 } },
      notes: [expect.stringContaining('did not show its previous password')],
    });
  });

  test('undo adds no password protection to a record that had none', () => {
    const done = updated({ privacy: 0, email: false }, { privacy: 1, email: true }, { passwordSet: false });
    const record = shown('a.com', 9, { privacy: 1, email: true }, { passwordSet: false });
    expect(only(invert(done, currentOf([record])))).toMatchObject({
      fields: { privacy: { before: 1, after: 0 }, email: { before: true, after: false } },
      notes: [],
    });
  });

  test('undo leaves a private record private if its password is lost', () => {
    const done = updated({ privacy: 2 }, { privacy: 1 }, { passwordSet: true });
    const record = shown('a.com', 9, { privacy: 1 }, { passwordSet: false });
    expect(only(invert(done, currentOf([record])))).toBe(
      'its password cannot be restored, so it comes back private',
    );
  });
});

test('undo sends no password to a record that had none', () => {
  const password = { env: 'A' };
  const done = updated({ privacy: 1 }, { privacy: 2, password }, { passwordSet: false });
  const record = shown('a.com', 9, { privacy: 2 }, { passwordSet: true });
  const desired = { websites: [wanted('a.com', { privacy: 2, password })] };
  const change = only(invert(done, currentOf([record]), { desired }));
  expect(change).toHaveProperty('fields', { privacy: { before: 2, after: 1 } });
  expect(change).toHaveProperty('alongside', {});
});

test('undo notes that the run may have replaced a password', () => {
  const done = updated({ email: false }, { email: true, password: { env: 'A' } }, { passwordSet: true });
  expect(done[0]?.change).toMatchObject({ alongside: { password: {} } });
  const record = shown('a.com', 9, { email: true }, { passwordSet: true });
  expect(only(invert(done, currentOf([record])))).toMatchObject({
    notes: [
      'the service did not show its previous password, so it is not restored',
      expect.stringContaining('would lose it'),
    ],
  });
});

test('undo reports a setting that the run sent without a known previous value', () => {
  const done = updated({ email: false }, { email: true, exclude_params: ['a'], exclude_ips: ['192.0.2.1'] });
  expect(only(invert(done, currentOf([shown('a.com', 9, { email: true })])))).toMatchObject({
    fields: { email: { before: true, after: false } },
    notes: ['the service did not show its previous exclude_params, exclude_ips, so it is not restored'],
  });
});

test.each<[string, Settings, Partial<Website>, unknown[]]>([
  ['is set', {}, { passwordSet: true }, [expect.stringContaining('would lose it')]],
  ['may be set', { privacy: 2 }, {}, [expect.stringContaining('would lose it')]],
  ['is not set', { privacy: 2 }, { passwordSet: false }, []],
])('undo checks if its update may lose a password that %s', (_, settings, more, notes) => {
  const record = shown('a.com', 9, { ...settings, email: true }, more);
  const inverse = invert(updated({ email: false }, { email: true }), currentOf([record]));
  expect(only(inverse)).toHaveProperty('notes', notes);
});

test('undo creates a deleted record with its former settings, and notes the loss of data', () => {
  const before: Settings = {
    privacy: 1,
    email: false,
    exclude_params: ['a'],
    exclude_ips: [],
    favorited_at: null,
  };
  expect(only(invert(deleted(before), currentOf([])))).toEqual({
    action: 'create',
    domain: 'a.com',
    fields: { privacy: { after: 1 }, email: { after: false }, exclude_params: { after: ['a'] } },
    source: SOURCE,
    risk: { level: 'low', reason: 'routine' },
    notes: [expect.stringContaining('new id')],
  } satisfies Create);
});

const isNew = expect.stringContaining('new id');

test.each<[string, Settings, unknown, string]>([
  ['public', { privacy: 0 }, 0, ''],
  ['private', { privacy: 1 }, 1, ''],
  ['with a password that is lost', { privacy: 2 }, 1, 'it comes back private'],
  ['with unknown privacy', {}, 1, 'it comes back private'],
  ['with a privacy of a later version', { privacy: 7 }, 7, ''],
])('undo never opens a deleted record more than before: %s', (_, before, privacy, reason) => {
  expect(only(invert(deleted(before), currentOf([])))).toMatchObject({
    fields: { privacy: { after: privacy } },
    notes: [isNew],
  });
  expect(reasons(deleted(before), [])).toContain(reason);
});

test.each<[string, Current]>([
  ['it exists again', currentOf([shown('A.com', 12, { email: true })])],
  ['the list is incomplete', currentOf([], { complete: false })],
])('undo does not create a deleted record if %s', (_, current) => {
  expect(invert(deleted({ email: false }), current)).toMatchObject({ changes: [], skipped: [{}] });
});

test('undo does nothing for a deleted record if an equal record exists again', () => {
  const before = { email: true, exclude_ips: ['192.0.2.1'] };
  const again = (settings: Settings) =>
    reasons(deleted(before), [shown('a.com', 12, { email: true, ...settings })]);
  expect(again({ exclude_ips: ['192.0.2.1'] })).toBe('');
  expect(again({})).toContain('exists again');
});

test('undo creates a deleted record also if its ID belongs to another website now', () => {
  const current = currentOf([shown('other.com', 9, { email: true })]);
  expect(only(invert(deleted({ email: true }), current))).toMatchObject({
    action: 'create',
    domain: 'a.com',
  });
});

test('undo does not create a deleted record if its www variant exists (www: same)', () => {
  const current = currentOf([shown('WWW.a.com', 12, { email: true })]);
  const inverse = invert(deleted({ email: false }), current, { www: 'same' });
  expect(only(inverse)).toBe('a record with this domain exists again');
  expect(only(invert(deleted({}), current))).toMatchObject({ action: 'create' });
});

test('undo does not create a deleted record if its www variant may be the same website', () => {
  const record = shown('a.com', 9, { exclude_ips: [] });
  const [change] = invert(created({}), currentOf([record])).changes as [Delete];
  const undone: Done[] = [{ id: '9', change: { ...change, domain: 'www.a.com' } }];
  const again = (websites: readonly Website[], www?: 'distinct') =>
    only(invert(undone, currentOf(websites), { www }));
  const bare = shown('a.com', 12, { exclude_ips: ['192.0.2.1'] });
  expect(again([bare])).toBe('a record with this domain exists again');
  expect(again([bare], 'distinct')).toMatchObject({ action: 'create' });
  // A www. record shows that the service distinguishes the two names.
  expect(again([bare, shown('www.b.com', 13)])).toMatchObject({ action: 'create' });
});

test('undo creates a deleted record again if it certainly does not exist, even in an incomplete list', () => {
  const current = currentOf([], { complete: false, knownAbsent: new Set(['a.com']) });
  expect(only(invert(deleted({}), current))).toMatchObject({ action: 'create' });
});

test('undo does not delete a record that the run only may have created, and names it', () => {
  const inDoubt = created({ email: true }).map((one) => ({ ...one, id: '' }));
  const known = currentOf([shown('a.com', 9, { email: true })]);
  expect(only(invert(inDoubt, known))).toContain('#9 may be another record');
  expect(invert(inDoubt, currentOf([]))).toEqual({ changes: [], skipped: [] });
  expect(only(invert(inDoubt, currentOf([], { complete: false })))).toContain('not known');
});

test('undo reverts an update with an unknown outcome if the record shows it', () => {
  const inDoubt = updated({ email: false }, { email: true });
  const on = (email: boolean) => invert(inDoubt, currentOf([shown('a.com', 9, { email })]));
  expect(on(true)).toMatchObject({ changes: [{ action: 'update', fields: { email: { after: false } } }] });
  expect(on(false)).toEqual({ changes: [], skipped: [] });
});

test('undo creates a record again if its delete had an unknown outcome and it is gone', () => {
  const inDoubt = deleted({ email: false });
  const still = currentOf([shown('a.com', 9, { email: true })]);
  expect(invert(inDoubt, still)).toEqual({ changes: [], skipped: [] });
  expect(only(invert(inDoubt, currentOf([])))).toMatchObject({ action: 'create' });
});

const effect = { domain: 'a.com', id: '9', field: 'email', before: true, after: false } as const;
const sideEffects = [effect];
const on = (email: boolean, done: readonly Done[] = []) =>
  invert(done, currentOf([shown('a.com', 9, { email, privacy: 1 })]), { sideEffects });

test('undo reverts side effects and changes of a record in one update', () => {
  expect(on(false)).toMatchObject({ changes: [{ fields: { email: { before: false, after: true } } }] });
  expect(on(true)).toEqual({ changes: [], skipped: [] });
  const both = on(false, updated({ privacy: 0 }, { privacy: 1 }));
  expect(both.changes).toMatchObject([{ fields: { privacy: { after: 0 }, email: { after: true } } }]);
  expect(both.changes).toHaveLength(1);
});

test('undo does not revert a side effect if others changed the value since, and names it', () => {
  const other = [{ ...effect, field: 'exclude_ips', before: ['192.0.2.1'], after: [] } as const];
  const current = currentOf([shown('a.com', 9, { exclude_ips: ['192.0.2.2'] })]);
  expect(only(invert([], current, { sideEffects: other }))).toBe('its exclude_ips changed since');
});

test('undo never removes password protection that was added since a killed run', () => {
  const { after: _, ...unknown } = { ...effect, field: 'privacy', before: 0 } as const;
  const current = currentOf([shown('a.com', 9, { privacy: 2 })]);
  expect(only(invert([], current, { sideEffects: [unknown] }))).toBe('its privacy changed since');
});

test('undo does not revert a side effect if the ID now belongs to another domain', () => {
  expect(only(invert([], currentOf([shown('b.com', 9)]), { sideEffects }))).toBe(
    'its ID now belongs to b.com',
  );
});

const password = { sensitive: true, ref: { env: 'P' } };
const desired = { websites: [wanted('a.com', { password: { env: 'P' } })] };

test('undo sends the declared password when it creates a deleted record again', () => {
  expect(only(invert(deleted({ privacy: 2 }), currentOf([]), { desired }))).toMatchObject({
    fields: { privacy: { after: 2 }, password },
  });
});

test.each([
  [false, { privacy: { after: 2 }, password }, {}],
  [true, { privacy: { after: 2 } }, { password }],
])('undo restores protection with the declared password (set: %s)', (passwordSet, fields, alongside) => {
  const done = updated({ privacy: 2 }, { privacy: 1 }, { passwordSet: true });
  const record = shown('a.com', 9, { privacy: 1 }, { passwordSet });
  expect(only(invert(done, currentOf([record]), { desired }))).toMatchObject({ fields, alongside });
});

const plan = (
  done: readonly Done[],
  current: Current,
  desired: Partial<Desired> = {},
  more: Partial<PlanOptions> = {},
): Plan => {
  const input = inputOf(current, desired, more);
  return sealPlan(undo({ done, sideEffects: [] }, input), input);
};
const many = doneBy({ desired: { websites: times(4, (n) => wanted(`k${n}.com`)) } }).map((done, index) => ({
  ...done,
  id: String(index),
}));
const there = currentOf(times(20, (n) => shown(`k${n}.com`, n)));

test('undo is blocked by the same guard for deletes as a plan', () => {
  expect(plan(many, there)).toMatchObject({
    summary: { create: 0, update: 0, delete: 4, unchanged: 0, orphan: 0, ignored: 0 },
    guards: [{ code: 'deletes', approved: false }],
  });
  expect(plan(many.slice(0, 1), there).guards).toEqual([]);
});

test('the guard for deletes of an undo does not count ignored records', () => {
  const crowd = currentOf([...there.websites, ...times(40, (n) => shown(`x${n}.com`, 20 + n))]);
  expect(plan(many, crowd).guards).toEqual([]);
  expect(plan(many, crowd, { ignore: ['x*'] }).guards).toMatchObject([{ code: 'deletes', approved: false }]);
});

test.each<[string, Partial<Desired>, Partial<PlanOptions>, string[]]>([
  ['by a pattern', { protected: ['k0.*'] }, {}, ['protected']],
  ['by its record', { websites: [wanted('k0.com', {}, 1, { protect: true })] }, {}, ['protected']],
  ['by its www variant', { protected: ['www.k0.com'] }, {}, ['protected']],
  ['by a distinct www variant', { protected: ['www.k0.com'] }, { www: 'distinct' }, []],
])('the guard for protected records decides about an undo: protected %s', (_, desired, more, codes) => {
  const { guards } = plan(many.slice(0, 1), there, desired, more);
  expect(guards.filter(({ approved }) => !approved).map(({ code }) => code)).toEqual(codes);
});

test('undo can update a protected record', () => {
  const done = updated({ email: false }, { email: true });
  const current = currentOf([shown('a.com', 9, { email: true })]);
  expect(plan(done, current, { protected: ['a.com'] })).toMatchObject({
    changes: [{ action: 'update', domain: 'a.com' }],
    guards: [],
  });
});

test('undo is blocked if it deletes a record protected under the name from the run', () => {
  const done = doneBy({ desired: { websites: [wanted('www.k0.com')] } }, '0');
  expect(plan(done, there, { protected: ['www.k0.com'] }).guards).toMatchObject([
    { code: 'protected', message: expect.stringContaining('www.k0.com') },
  ]);
});

test.each(['k0.com', 'K0.com'])(
  'undo is blocked if it deletes a record protected as %s, its name on the service',
  (name) => {
    const done = doneBy({ desired: { websites: [wanted('www.k0.com')] } }, '0');
    const current = currentOf([shown(name, 0), ...there.websites.slice(1)]);
    expect(plan(done, current, { protected: ['k0.com'] }).guards).toMatchObject([
      { code: 'protected', message: expect.stringContaining('www.k0.com') },
    ]);
  },
);

test('undo needs no complete list of records if it finds the records of the run', () => {
  expect(plan(many.slice(0, 1), { ...there, complete: false }).guards).toEqual([]);
});

test('the plan of an undo names the records that it does not touch', () => {
  const edited = currentOf([shown('k0.com', 0, { exclude_ips: ['192.0.2.1'] })]);
  expect(plan(many.slice(0, 1), edited).warnings).toMatchObject([
    { code: 'change-not-undone', message: expect.stringContaining('k0.com') },
  ]);
});

test('undo is blocked if it deletes one of two records with the same domain', () => {
  const doubled = currentOf([...there.websites, shown('k0.com', 99)]);
  expect(plan(many.slice(0, 1), doubled).guards).toMatchObject([{ code: 'duplicates', approved: false }]);
});
