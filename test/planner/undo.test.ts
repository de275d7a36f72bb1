import { describe, expect, test } from 'vitest';
import type { Change, Create, Delete, Update } from '../../src/model/change.ts';
import type { Settings } from '../../src/model/field-table.ts';
import type { Plan, PlanOptions } from '../../src/model/plan.ts';
import type { Done } from '../../src/model/run.ts';
import type { Current, Desired, Website } from '../../src/model/website.ts';
import { sealPlan } from '../../src/planner/plan.ts';
import { type Inverse, inverseContent, invert } from '../../src/planner/undo.ts';
import { sha256 } from '../../src/util/node/sha256.ts';
import {
  NO_FLAGS,
  NO_RECORDS,
  NOW,
  planFor,
  type Situation,
  shown,
  times,
  wanted,
} from '../support/plans.ts';

const SOURCE = { file: 'run 1', line: 1, column: 1 };
const T = '2026-01-31T09:00:00Z';

const currentOf = (websites: readonly Website[], more: Partial<Current> = {}): Current => ({
  ...NO_RECORDS,
  websites,
  ...more,
});

/** What a run that carried this plan out has done; a created record got the id `created`. */
const doneBy = (situation: Situation, created = '9'): Done[] =>
  planFor(situation).changes.map((change) => ({
    change,
    id: change.action === 'create' ? created : change.id,
  }));

const created = (settings: Settings): Done[] =>
  doneBy({ desired: { websites: [wanted('a.com', settings)] } });

const updated = (before: Settings, after: Settings, more: Partial<Website> = {}): Done[] =>
  doneBy({
    desired: { websites: [wanted('a.com', after)] },
    current: { websites: [shown('a.com', 9, before, more)] },
  });

const deleted = (before: Settings): Done[] =>
  doneBy({
    desired: { websites: [wanted('a.com', {}, 1, { state: 'absent' })] },
    current: { websites: [shown('a.com', 9, before)] },
  });

const nameOf = ([website]: readonly Website[]): string => website?.domain ?? 'a.com';

const only = ({ changes, skipped }: Inverse): Change | string | undefined => changes[0] ?? skipped[0]?.reason;

test.each<[string, Done[], Website[]]>([
  ['created', created({}), [shown('a.com', 9)]],
  ['created, and the service named otherwise', created({}), [shown('www.a.com', 9)]],
  ['changed', updated({ email: false }, { email: true }), [shown('a.com', 9, { email: true })]],
  ['deleted', deleted({}), []],
])('what a run %s is left alone where the configuration ignores it', (_, done, websites) => {
  const { changes, skipped } = invert(
    done,
    currentOf(websites),
    SOURCE,
    (domain) => domain === nameOf(websites),
  );
  expect({ changes, skipped }).toMatchObject({
    changes: [],
    skipped: [{ reason: 'the configuration ignores it' }],
  });
});

test('nor where the service writes the ignored name in capitals', () => {
  const current = currentOf([shown('WWW.A.com', 9)]);
  expect(only(invert(created({}), current, SOURCE, (domain) => domain === 'www.a.com'))).toBe(
    'the configuration ignores it',
  );
});

test('nor is it touched where the files ignore the name that the run gave it', () => {
  const current = currentOf([shown('www.a.com', 9)]);
  expect(invert(created({}), current, SOURCE, (domain) => domain === 'a.com')).toMatchObject({
    changes: [],
    skipped: [{ reason: 'the configuration ignores it' }],
  });
});

describe('what a run created is deleted', () => {
  const done = created({ privacy: 1, exclude_params: ['a', 'b'], password: { env: 'A' } });

  test('where it still shows what the run made', () => {
    const record = shown('a.com', 9, { privacy: 1, exclude_params: ['b', 'a'], email: true });
    expect(only(invert(done, currentOf([record]), SOURCE))).toMatchObject({
      action: 'delete',
      domain: 'a.com',
      id: '9',
      cause: 'undo',
      before: record.settings,
      notes: ['its data on the service will be lost'],
    } satisfies Partial<Delete>);
  });

  test.each<[string, Website[]]>([
    ['it was changed since', [shown('a.com', 9, { privacy: 0, exclude_params: ['a', 'b'] })]],
    ['it is gone', []],
    ['the domain has another record', [shown('a.com', 10, { privacy: 1, exclude_params: ['a', 'b'] })]],
    ['its id has another domain', [shown('b.com', 9, { privacy: 1, exclude_params: ['a', 'b'] })]],
  ])('and left alone where %s', (_, websites) => {
    expect(invert(done, currentOf(websites), SOURCE)).toMatchObject({ changes: [], skipped: [{}] });
  });

  test('also under the name that the service gave it', () => {
    const done = doneBy({ desired: { websites: [wanted('www.a.com')] } });
    expect(only(invert(done, currentOf([shown('A.com', 9)]), SOURCE))).toMatchObject({
      action: 'delete',
      id: '9',
    });
  });
});

describe('what a run changed is changed back', () => {
  const before: Settings = { privacy: 2, email: false, favorited_at: T, exclude_ips: ['192.0.2.1'] };
  const after: Settings = { privacy: 1, email: true, favorited_at: null, exclude_ips: [] };
  const done = updated(before, after);

  test('all of it, laid over what the record shows now', () => {
    const record = shown('a.com', 9, { ...after, exclude_bots: false });
    expect(only(invert(done, currentOf([record]), SOURCE))).toMatchObject({
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
    ['one field was changed since', [shown('a.com', 9, { ...after, email: false })]],
    ['it is gone', []],
    ['its id has another domain', [shown('b.com', 9, after)]],
  ])('and left alone where %s', (_, websites) => {
    expect(invert(done, currentOf(websites), SOURCE)).toMatchObject({ changes: [], skipped: [{}] });
  });

  test('also where the service does not show a field any more', () => {
    const { email: _, ...rest } = after;
    expect(only(invert(done, currentOf([shown('a.com', 9, rest)]), SOURCE))).toMatchObject({
      fields: { email: { before: true, after: false } },
    });
  });

  test('from what the record shows, which may be another form of what was sent', () => {
    const done = updated({ favorited_at: null }, { favorited_at: true });
    expect(only(invert(done, currentOf([shown('a.com', 9, { favorited_at: T })]), SOURCE))).toMatchObject({
      fields: { favorited_at: { before: T, after: null } },
    });
  });

  test('a password cannot be', () => {
    const alone = updated({}, { password: { env: 'A' } }, { passwordSet: false });
    expect(only(invert(alone, currentOf([shown('a.com', 9)]), SOURCE))).toContain('password alone');
    const beside = updated({ email: false }, { email: true, password: { env: 'A' } }, { passwordSet: false });
    const inverse = only(invert(beside, currentOf([shown('a.com', 9, { email: true })]), SOURCE));
    expect(inverse).toMatchObject({ fields: { email: { before: true, after: false } } });
    expect(inverse).toHaveProperty('notes', [expect.stringContaining('password')]);
    expect(JSON.stringify(inverse)).not.toContain('"ref"');
  });
});

describe('what a run took from behind its password', () => {
  const done = updated({ privacy: 2 }, { privacy: 0 }, { passwordSet: true });
  const inverse = (more: Partial<Website>, privacy = 0) =>
    only(invert(done, currentOf([shown('a.com', 9, { privacy }, more)]), SOURCE));

  test('goes back there where the service kept the password', () => {
    expect(inverse({ passwordSet: true })).toMatchObject({
      fields: { privacy: { before: 0, after: 2 } },
      notes: [expect.stringContaining('is not sent')],
    });
  });

  test('comes back private where the service lost it', () => {
    expect(inverse({ passwordSet: false })).toMatchObject({
      fields: { privacy: { before: 0, after: 1 } },
      notes: ['its password cannot be restored, so it comes back private'],
    });
  });

  test('comes back private where the run removed the password too', () => {
    const done = updated({ privacy: 2 }, { privacy: 0, password: null }, { passwordSet: true });
    const record = shown('a.com', 9, { privacy: 0 }, { passwordSet: false });
    expect(only(invert(done, currentOf([record]), SOURCE))).toMatchObject({
      fields: { privacy: { before: 0, after: 1 } },
      notes: ['its password cannot be restored, so it comes back private'],
    });
  });

  test('goes back there with a word where the service does not tell', () => {
    expect(inverse({})).toMatchObject({
      fields: { privacy: { before: 0, after: 2 } },
      notes: [expect.stringContaining('password')],
    });
  });

  test('and what was never there goes back to what it was, password or none', () => {
    const done = updated({ privacy: 0, email: false }, { privacy: 1, email: true }, { passwordSet: false });
    const record = shown('a.com', 9, { privacy: 1, email: true }, { passwordSet: false });
    expect(only(invert(done, currentOf([record]), SOURCE))).toMatchObject({
      fields: { privacy: { before: 1, after: 0 }, email: { before: true, after: false } },
      notes: [],
    });
  });

  test('stays private where it is that by now, without the password', () => {
    const done = updated({ privacy: 2 }, { privacy: 1 }, { passwordSet: true });
    const record = shown('a.com', 9, { privacy: 1 }, { passwordSet: false });
    expect(only(invert(done, currentOf([record]), SOURCE))).toBe(
      'its password cannot be restored, so it stays private',
    );
  });
});

test('a password that was sent along may have been another one before', () => {
  const done = updated({ email: false }, { email: true, password: { env: 'A' } }, { passwordSet: true });
  expect(done[0]?.change).toMatchObject({ alongside: { password: {} } });
  const record = shown('a.com', 9, { email: true }, { passwordSet: true });
  expect(only(invert(done, currentOf([record]), SOURCE))).toMatchObject({
    notes: [
      'the password that it had before, if it was another, cannot be restored',
      expect.stringContaining('is not sent'),
    ],
  });
});

test('what was sent along, and was not shown before, is told of: it is not restored', () => {
  const done = updated({ email: false }, { email: true, exclude_params: ['a'], exclude_ips: ['192.0.2.1'] });
  expect(only(invert(done, currentOf([shown('a.com', 9, { email: true })]), SOURCE))).toMatchObject({
    fields: { email: { before: true, after: false } },
    notes: ['the service did not show its previous exclude_params, exclude_ips, so it is not restored'],
  });
});

test.each<[string, Settings, Partial<Website>, unknown[]]>([
  ['is set', {}, { passwordSet: true }, [expect.stringContaining('would lose it')]],
  ['may be set', { privacy: 2 }, {}, [expect.stringContaining('would lose it')]],
  ['is not set', { privacy: 2 }, { passwordSet: false }, []],
])('a password that %s is told of where it is not sent', (_, settings, more, notes) => {
  const record = shown('a.com', 9, { ...settings, email: true }, more);
  const inverse = invert(updated({ email: false }, { email: true }), currentOf([record]), SOURCE);
  expect(only(inverse)).toHaveProperty('notes', notes);
});

describe('what a run deleted is created again', () => {
  test('with its former settings and a word of what is lost', () => {
    const before: Settings = {
      privacy: 1,
      email: false,
      exclude_params: ['a'],
      exclude_ips: [],
      favorited_at: null,
    };
    expect(only(invert(deleted(before), currentOf([]), SOURCE))).toEqual({
      action: 'create',
      domain: 'a.com',
      fields: { privacy: { after: 1 }, email: { after: false }, exclude_params: { after: ['a'] } },
      source: SOURCE,
      risk: { level: 'low', reason: 'routine' },
      notes: [expect.stringContaining('new id')],
    } satisfies Create);
  });

  const isNew = expect.stringContaining('new id');
  const isPrivate = expect.stringContaining('it comes back private');

  test.each<[string, Settings, unknown, unknown[]]>([
    ['public', { privacy: 0 }, 0, [isNew]],
    ['private', { privacy: 1 }, 1, [isNew]],
    ['behind a password that is lost', { privacy: 2 }, 1, [isNew, isPrivate]],
    ['of a privacy that was not shown', {}, 1, [isNew, isPrivate]],
    ['of a privacy that has no name', { privacy: 7 }, 7, [isNew]],
  ])('never more open than it was, which it says: %s', (_, before, privacy, notes) => {
    expect(only(invert(deleted(before), currentOf([]), SOURCE))).toMatchObject({
      fields: { privacy: { after: privacy } },
      notes,
    });
  });

  test.each<[string, Current]>([
    ['it is there again', currentOf([shown('A.com', 12)])],
    ['the list cannot prove that it is not', currentOf([], { complete: false })],
  ])('and left alone where %s', (_, current) => {
    expect(invert(deleted({}), current, SOURCE)).toMatchObject({ changes: [], skipped: [{}] });
  });

  test('and left alone where its variant is there again, and the two are one website', () => {
    const current = currentOf([shown('WWW.a.com', 12)]);
    const inverse = invert(deleted({}), current, SOURCE, () => false, 'same');
    expect(only(inverse)).toBe('a record with this domain exists again');
    expect(only(invert(deleted({}), current, SOURCE))).toMatchObject({ action: 'create' });
  });

  test('and left alone where an undo deleted it by the name that the files have, and its variant may be it', () => {
    const [change] = invert(created({}), currentOf([shown('a.com', 9)]), SOURCE).changes as [Delete];
    const undone: Done[] = [{ id: '9', change: { ...change, domain: 'www.a.com' } }];
    const again = (websites: readonly Website[], www?: 'distinct') =>
      only(invert(undone, currentOf(websites), SOURCE, () => false, www));
    const bare = shown('a.com', 12);
    expect(again([bare])).toBe('a record with this domain exists again');
    expect(again([bare], 'distinct')).toMatchObject({ action: 'create' });
    // Such a record shows that the service tells the two apart.
    expect(again([bare, shown('www.b.com', 13)])).toMatchObject({ action: 'create' });
  });

  test('where an incomplete list shows that it is not there', () => {
    const current = currentOf([], { complete: false, provenAbsent: new Set(['a.com']) });
    expect(only(invert(deleted({}), current, SOURCE))).toMatchObject({ action: 'create' });
  });
});

describe('the plan of an inverse', () => {
  const options: PlanOptions = NO_FLAGS;
  const plan = (
    done: readonly Done[],
    current: Current,
    desired: Partial<Desired> = {},
    more: Partial<PlanOptions> = {},
  ): Plan =>
    sealPlan(
      inverseContent(
        invert(done, current, SOURCE),
        current,
        { websites: [], ignore: [], protected: [], ...desired },
        { ...options, ...more },
      ),
      current,
      { ...options, ...more },
      {
        service: { base_url: 'https://analytics.example.com', key_fingerprint: 'c0ffee' },
        config: { files: [], digest: 'undo' },
        unmatched: [],
        now: NOW,
        maxAgeMs: 1000,
        digest: sha256,
      },
    );
  const many = doneBy({ desired: { websites: times(4, (n) => wanted(`k${n}.com`)) } }).map((done, index) => ({
    ...done,
    id: String(index),
  }));
  const there = currentOf(times(20, (n) => shown(`k${n}.com`, n)));

  test('is guarded like any other', () => {
    expect(plan(many, there)).toMatchObject({
      summary: { create: 0, update: 0, delete: 4, unchanged: 0, orphan: 0, ignored: 0 },
      guards: [{ code: 'deletes', approved: false }],
    });
    expect(plan(many.slice(0, 1), there).guards).toEqual([]);
  });

  test('counts against what the files do not ignore', () => {
    const crowd = currentOf([...there.websites, ...times(40, (n) => shown(`x${n}.com`, 20 + n))]);
    expect(plan(many, crowd).guards).toEqual([]);
    expect(plan(many, crowd, { ignore: ['x*'] }).guards).toMatchObject([
      { code: 'deletes', approved: false },
    ]);
  });

  test.each<[string, Partial<Desired>, Partial<PlanOptions>, string[]]>([
    ['by a pattern', { protected: ['k0.*'] }, {}, ['protected']],
    ['by its record', { websites: [wanted('k0.com', {}, 1, { protect: true })] }, {}, ['protected']],
    ['as its www variant, which may be the same', { protected: ['www.k0.com'] }, {}, ['protected']],
    ['as its www variant, which is another', { protected: ['www.k0.com'] }, { www: 'distinct' }, []],
  ])('is refused where it deletes what is protected %s', (_, desired, more, codes) => {
    const { guards } = plan(many.slice(0, 1), there, desired, more);
    expect(guards.filter(({ approved }) => !approved).map(({ code }) => code)).toEqual(codes);
  });

  test('is not refused where it changes what is protected', () => {
    const done = updated({ email: false }, { email: true });
    const current = currentOf([shown('a.com', 9, { email: true })]);
    expect(plan(done, current, { protected: ['a.com'] })).toMatchObject({
      changes: [{ action: 'update', domain: 'a.com' }],
      guards: [],
    });
  });

  test('is refused where what it deletes is protected under the name that the run gave it', () => {
    const done = doneBy({ desired: { websites: [wanted('www.k0.com')] } }, '0');
    expect(plan(done, there, { protected: ['www.k0.com'] }, { www: 'distinct' }).guards).toMatchObject([
      { code: 'protected', message: expect.stringContaining('www.k0.com') },
    ]);
  });

  test.each(['k0.com', 'K0.com'])(
    'is refused where what it deletes is protected under the name that the service gave it: %s',
    (name) => {
      const done = doneBy({ desired: { websites: [wanted('www.k0.com')] } }, '0');
      const current = currentOf([shown(name, 0), ...there.websites.slice(1)]);
      expect(plan(done, current, { protected: ['k0.com'] }, { www: 'distinct' }).guards).toMatchObject([
        { code: 'protected', message: expect.stringContaining('www.k0.com') },
      ]);
    },
  );

  test('an incomplete list is no matter to what was found', () => {
    expect(plan(many.slice(0, 1), { ...there, complete: false }).guards).toEqual([]);
  });

  test('names what it leaves as it is', () => {
    expect(plan(many.slice(0, 1), currentOf([])).warnings).toMatchObject([
      { code: 'change-not-undone', message: expect.stringContaining('k0.com') },
    ]);
  });

  test('a record that the service holds twice is not touched by itself', () => {
    const doubled = currentOf([...there.websites, shown('k0.com', 99)]);
    expect(plan(many.slice(0, 1), doubled).guards).toMatchObject([{ code: 'duplicates', approved: false }]);
  });
});
