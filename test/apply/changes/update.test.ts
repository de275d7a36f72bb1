import { beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionContext } from '../../../src/apply/changes/context.ts';
import type { ChangeOutcome } from '../../../src/apply/changes/outcome.ts';
import { executeUpdate } from '../../../src/apply/changes/update.ts';
import type { Change, Update } from '../../../src/model/change.ts';
import type { FieldName, Settings } from '../../../src/model/field-table.ts';
import type { DesiredWebsite } from '../../../src/model/website.ts';
import type { Knowledge } from '../../../src/update/knowledge.ts';
import type { Clock } from '../../../src/util/clock.ts';
import { carrying } from '../../support/applying.ts';
import { createFakeClock } from '../../support/clock.ts';
import {
  createFakeService,
  type FakeFault,
  type FakeOptions,
  type FakeService,
} from '../../support/fake-service.ts';
import { domainOf, planFor, times, wanted } from '../../support/plans.ts';

let clock: Clock;
beforeEach(() => {
  clock = createFakeClock();
});

type More = Parameters<typeof carrying>[2];

const contextFor = (service: FakeService, more: More = {}): ExecutionContext =>
  carrying(service, clock, more);

/** The changes from what the service lists to what is wanted, as a plan of this moment has them. */
async function changesOf(
  service: FakeService,
  websites: readonly DesiredWebsite[],
): Promise<readonly Change[]> {
  const listing = await service.list();
  return planFor({ desired: { websites }, current: { websites: listing.websites } }).changes;
}

/** Carries out all updates at once. */
async function carryOut(
  changes: readonly Change[],
  context: ExecutionContext,
  halt = new AbortController().signal,
): Promise<ChangeOutcome[]> {
  const items = changes.flatMap((change, index) => (change.action === 'update' ? [{ change, index }] : []));
  return Promise.all(items.map((item) => executeUpdate(item, context, halt)));
}

/** What was called since the plan was made. */
const story = (service: FakeService): string[] =>
  service.calls.slice(1).map(({ operation, subject }) => `${operation} ${subject}`.trim());

/** The names of the fields that each update sent, in the order in which they went. */
const sent = (service: FakeService): string[] =>
  service.calls
    .filter(({ operation }) => operation === 'update')
    .map(({ values }) => Object.keys(values ?? {}).join(' '));

const KEPT = { email: true, exclude_params: ['ref'], favorited_at: '2026-01-31T09:00:00Z' } as const;
const KEEPS_ALL: Knowledge = {
  stays: new Set([
    'email=0',
    'email=1',
    'exclude_bots=0',
    'exclude_bots=1',
    'exclude_params',
    'exclude_ips',
    'favorited_at',
  ]),
  reset: new Set(),
};

/** A service with public websites that have settings, and updates of one of these for each. */
async function stocked(options: Partial<FakeOptions> = {}, settings: Settings = {}, count = 3) {
  const service = createFakeService({ clock, ...options });
  for (const index of times(count, (at) => at)) {
    service.insert(domainOf(index), { privacy: 0, ...KEPT, ...settings });
  }
  const wants = times(count, (index) => wanted(domainOf(index), { exclude_bots: false }));
  return { service, changes: await changesOf(service, wants) };
}

const settingsOf = (service: FakeService): Settings[] => service.records().map(({ settings }) => settings);

describe('what is not declared', () => {
  const RESETS: readonly (readonly [string, NonNullable<FakeOptions['put']>])[] = [
    ['merges', 'merge'],
    ['replaces', 'replace'],
    ['resets booleans', { resets: ['email', 'exclude_bots'] }],
    ['resets texts and times', { resets: ['exclude_params', 'favorited_at'] }],
    ['resets one setting', { resets: ['email'] }],
  ];

  it.each(RESETS)('stays as it was where PUT %s', async (_, put) => {
    const { service, changes } = await stocked({ put, fresh: { privacy: 0 } });
    const context = contextFor(service);
    const verdicts = await carryOut(changes, context);
    expect(verdicts.map(({ fate }) => fate)).toEqual(['done', 'done', 'done']);
    for (const settings of settingsOf(service)) {
      expect(settings).toMatchObject({ privacy: 0, ...KEPT, exclude_bots: false });
    }
    expect(context.updates.sideEffects).toEqual([]);
  });

  it.each(RESETS)('costs one request a change once it is known that PUT %s', async (name, put) => {
    const { service, changes } = await stocked({ put, fresh: { privacy: 0 } }, {}, 10);
    await carryOut(changes, contextFor(service));
    const requests = story(service).length - 10;
    const perChange = name === 'merges' ? 0 : 1;
    // The trial: read before, and where something was reset, read, put back, read.
    expect(requests).toBeLessThanOrEqual(perChange * 9 + 1 + (name === 'merges' ? 0 : 3));
  });

  it('is learned by one trial, which goes alone', async () => {
    const { service, changes } = await stocked();
    const context = contextFor(service);
    await carryOut(changes, context);
    expect(story(service).slice(0, 2)).toEqual(['read 1', `update ${domainOf(0)}`]);
    expect(sent(service)).toEqual(times(3, () => 'exclude_bots'));
    expect([...context.updates.learning.knowledge.stays].sort()).toEqual([
      'email=1',
      'exclude_params',
      'favorited_at',
    ]);
  });

  it('is put back once, as it was read before the trial, and named', async () => {
    const { service, changes } = await stocked({ put: { resets: ['exclude_params'] } });
    const context = contextFor(service);
    await carryOut(changes, context);
    expect(context.updates.restored).toEqual([
      { domain: domainOf(0), id: '1', field: 'exclude_params', before: ['ref'], after: [] },
    ]);
    expect(sent(service)[1]).toContain('exclude_params');
    expect([...context.updates.learning.knowledge.reset]).toEqual(['exclude_params']);
  });

  it('is tried on three records in vain where answers show nothing and readings stay old', async () => {
    const { service, changes } = await stocked({ putAnswer: 'old' }, {}, 5);
    service.script = ({ operation, subject, nth }) =>
      operation === 'read' && nth > 0
        ? { kind: 'refuse', status: 500, fields: { [subject]: [] } }
        : undefined;
    await carryOut(changes, contextFor(service));
    const whole = 'email exclude_bots exclude_params favorited_at';
    expect(sent(service)).toEqual(['exclude_bots', 'exclude_bots', 'exclude_bots', whole, whole]);
  });

  it.each(['nothing', 'old'] as const)(
    'is read after the trial where its answer shows %s',
    async (putAnswer) => {
      const { service, changes } = await stocked({ putAnswer, put: { resets: ['exclude_params'] } });
      await carryOut(changes, contextFor(service));
      for (const settings of settingsOf(service)) expect(settings).toMatchObject(KEPT);
    },
  );

  it('is somebody else’s edit where it differs from an older reading alone', async () => {
    const { service, changes } = await stocked({}, {}, 3);
    service.edit('3', { exclude_params: ['edited'], privacy: 2 });
    const context = contextFor(service);
    await carryOut(changes, context);
    expect(settingsOf(service)[2]).toMatchObject({ exclude_params: ['edited'], privacy: 2 });
    expect(context.updates.restored).toEqual([]);
    expect(context.updates.learning.knowledge.stays.has('exclude_params')).toBe(false);
  });

  it('is sent as read for the rest of the run once others changed it twice', async () => {
    const service = createFakeService({ clock });
    for (const index of times(6, (at) => at))
      service.insert(domainOf(index), { privacy: 0, exclude_params: ['ref'] });
    const wants = times(6, (index) => wanted(domainOf(index), { email: true }));
    const changes = await changesOf(service, wants);
    const context = contextFor(service);
    // Changed before the plan's values are compared, after the trials have learned that it stays.
    for (const id of ['2', '4']) service.edit(id, { exclude_params: ['edited'] });
    for (const [index, change] of changes.entries()) {
      await executeUpdate({ change: change as Update, index }, context, new AbortController().signal);
    }
    expect(sent(service).map((names) => names.includes('exclude_params'))).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(settingsOf(service).map(({ exclude_params }) => exclude_params)).toEqual([
      ['ref'],
      ['edited'],
      ['ref'],
      ['edited'],
      ['ref'],
      ['ref'],
    ]);
  });

  it('is put back on records that were in flight beside the one that showed it', async () => {
    // Knows that all stays, which has changed since: the first update of the run finds out.
    const { service, changes } = await stocked({ put: { resets: ['email'] } }, {}, 4);
    const context = contextFor(service, { knowledge: KEEPS_ALL });
    await carryOut(changes, context);
    for (const settings of settingsOf(service)) expect(settings).toMatchObject(KEPT);
  });

  it('is left alone by a trial that the run was stopped before', async () => {
    const { service, changes } = await stocked();
    expect(await carryOut(changes, contextFor(service), AbortSignal.abort())).toEqual(
      times(3, () => ({ fate: 'withdrawn' })),
    );
    expect(story(service)).toEqual([]);
  });

  it('is never invented: what is null, or a favorite without a time, is not sent', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1, email: null, favorited_at: true });
    const changes = await changesOf(service, [wanted('a.example.com', { exclude_bots: false })]);
    await carryOut(changes, contextFor(service, { rule: 'full' }));
    expect(service.calls.at(-1)?.values).toEqual({
      privacy: 1,
      exclude_bots: false,
      exclude_params: [],
      exclude_ips: [],
    });
  });
});

describe('privacy', () => {
  it.each<[Settings, Settings, readonly FieldName[]]>([
    [{ privacy: 0 }, {}, []],
    [{ privacy: 1 }, {}, ['privacy']],
    [{ privacy: 0 }, { privacy: 0 }, ['privacy']],
    [{ privacy: 1 }, { privacy: 1 }, ['privacy']],
  ])('of %o, declared as %o', async (is, declared, names) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', is);
    const changes = await changesOf(service, [wanted('a.example.com', { email: true, ...declared })]);
    await carryOut(changes, contextFor(service, { knowledge: KEEPS_ALL }));
    expect(sent(service)[0]?.split(' ')).toEqual([...names, 'email']);
  });

  it('that was closed since the plan stays closed', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1 });
    const changes = await changesOf(service, [wanted('a.example.com', { email: true })]);
    service.edit('1', { privacy: 2 });
    await carryOut(changes, contextFor(service, { knowledge: KEEPS_ALL }));
    expect(settingsOf(service)[0]).not.toMatchObject({ privacy: 1 });
  });

  it('of a public website that an update closes is not opened again, and fails the others', async () => {
    const { service, changes } = await stocked({ put: { resets: ['privacy'] } });
    const context = contextFor(service);
    const verdicts = await carryOut(changes, context);
    expect(verdicts).toMatchObject([
      { fate: 'done' },
      { fate: 'failed', error: { remedy: expect.stringContaining('Declare privacy') } },
      { fate: 'failed' },
    ]);
    expect(settingsOf(service).map(({ privacy }) => privacy)).toEqual([1, 0, 0]);
    expect(context.updates.sideEffects).toMatchObject([{ field: 'privacy', before: 0, after: 1 }]);
  });
});

describe('a password', () => {
  const secret = { password: { env: 'PASSWORD' } } as const;

  it('that is not declared is not risked before the service is known to keep what is omitted', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 2 }, 'old');
    const changes = await changesOf(service, [wanted('a.example.com', { email: true })]);
    const [verdict] = await carryOut(changes, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'failed', error: { remedy: expect.stringContaining('password') } });
    expect(service.calls.map(({ operation }) => operation)).not.toContain('update');
  });

  it.each(['merge', 'replace'] as const)(
    'that is not declared waits for the others, and is kept or not touched where PUT is a %s',
    async (put) => {
      const service = createFakeService({ clock, put, fresh: { privacy: 0 } });
      service.insert('a.example.com', { privacy: 2, ...KEPT }, 'old');
      service.insert('b.example.com', { privacy: 0, ...KEPT });
      const wants = ['a', 'b'].map((name) => wanted(`${name}.example.com`, { exclude_bots: false }));
      const changes = (await changesOf(service, wants)).toReversed();
      const verdicts = await carryOut(changes, contextFor(service));
      expect(verdicts.map(({ fate }) => fate)).toEqual(['done', put === 'merge' ? 'done' : 'failed']);
      expect(service.records()[0]).toMatchObject({ password: 'old', settings: { privacy: 2, ...KEPT } });
    },
  );

  it('that is declared goes along until the service is known to keep what is omitted', async () => {
    const service = createFakeService({ clock });
    for (const name of ['a', 'b']) service.insert(`${name}.example.com`, { privacy: 2, ...KEPT }, 'old');
    service.insert('c.example.com', { privacy: 0, ...KEPT });
    const changes = await changesOf(service, [
      wanted('a.example.com', { exclude_bots: false, ...secret }),
      wanted('b.example.com', { exclude_bots: false, ...secret }),
      wanted('c.example.com', { exclude_bots: false }),
    ]);
    const context = contextFor(service);
    const [a, b, c] = changes as readonly Update[];
    const verdicts = [];
    for (const change of [a, c, b]) verdicts.push(...(await carryOut(change ? [change] : [], context)));
    expect(service.records().map(({ password }) => password)).toEqual(['s3cret-value', 'old', undefined]);
    expect(verdicts.map((verdict) => 'isPasswordWithheld' in verdict)).toEqual([false, false, true]);
  });

  it('is sent where none is set, and where it is not known whether one is', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 2 });
    service.insert('b.example.com', { privacy: 2 }, 'old');
    const changes = await changesOf(service, [
      wanted('a.example.com', { privacy: 2, ...secret }),
      wanted('b.example.com', { privacy: 2, password: null }),
    ]);
    await carryOut(changes, contextFor(service, { knowledge: KEEPS_ALL }));
    expect(service.records().map(({ password }) => password)).toEqual(['s3cret-value', undefined]);
  });

  it('that an update loses is a side effect, and known to be lost from then on', async () => {
    const { service, changes } = await stocked({ put: { resets: ['password'] } });
    const update = { ...(changes[0] as Update), fields: { email: { before: true, after: false } } };
    const context = contextFor(service, { rule: 'full' });
    service.script = undefined;
    await service.update('1', domainOf(0), {});
    const stored = service.insert('p.example.com', { privacy: 0 }, 'old');
    const own = {
      ...update,
      id: stored.id,
      domain: 'p.example.com',
      before: stored.settings,
      password_set: true,
    };
    await carryOut([own], context);
    expect(context.updates.sideEffects).toMatchObject([{ field: 'password', before: true, after: false }]);
    expect([...context.updates.learning.knowledge.reset]).toEqual(['password']);
  });
});

describe('a pin', () => {
  it('of "changed" sends the changes alone, and compares the first one', async () => {
    const { service, changes } = await stocked();
    await carryOut(changes, contextFor(service, { rule: 'changed' }));
    expect(sent(service)).toEqual(times(3, () => 'exclude_bots'));
    expect(story(service).filter((call) => call.startsWith('read'))).toEqual(['read 1']);
  });

  it('of "changed" that is wrong stops the run after what was reset is put back', async () => {
    const { service, changes } = await stocked({ put: { resets: ['email'] } });
    const halt = new AbortController();
    const context = contextFor(service, { rule: 'changed', stop: () => halt.abort() });
    const verdicts = await carryOut(changes, context, halt.signal);
    expect(verdicts.map(({ fate }) => fate)).toEqual(['done', 'withdrawn', 'withdrawn']);
    for (const settings of settingsOf(service)) expect(settings).toMatchObject(KEPT);
  });

  it('of "full" sends every setting as it was read right before', async () => {
    const { service, changes } = await stocked({ put: 'replace' }, { privacy: 0 });
    service.edit('2', { exclude_params: ['edited'] });
    await carryOut(changes, contextFor(service, { rule: 'full' }));
    expect(settingsOf(service)).toMatchObject([KEPT, { ...KEPT, exclude_params: ['edited'] }, KEPT]);
    expect(new Set(sent(service))).toEqual(
      new Set(['privacy email exclude_bots exclude_params exclude_ips favorited_at']),
    );
  });
});

describe('what lists hide', () => {
  it.each<[string, Partial<FakeOptions>]>([
    ['a time', { hiddenInList: ['favorited_at'] }],
    [
      'a time, where single records hide another',
      { hiddenInList: ['favorited_at'], hiddenInRead: ['email'] },
    ],
    [
      'a list, and records leave out what is empty',
      { hiddenInList: ['exclude_params'], leavesEmptyOut: true },
    ],
    [
      'a time, and single records leave out what is empty',
      { hiddenInList: ['favorited_at'], leavesEmptyOut: 'where read' },
    ],
  ])('stays where that is %s', async (_, options) => {
    const { service, changes } = await stocked({ ...options, put: 'replace', fresh: { privacy: 0 } });
    await carryOut(changes, contextFor(service));
    for (const settings of settingsOf(service)) expect(settings).toMatchObject(KEPT);
  });

  it('is not asked for once one record has shown that there is nothing more', async () => {
    const hidden = { hiddenInList: ['favorited_at'], hiddenInRead: ['favorited_at'] } as const;
    const { service, changes } = await stocked(hidden);
    await carryOut(changes, contextFor(service, { knowledge: KEEPS_ALL }));
    expect(story(service).filter((call) => call.startsWith('read'))).toEqual(['read 1']);
  });
});

describe('an update', () => {
  const ENDED = { kind: 'fail', outcome: 'ended', status: 500 } as const;

  async function meet(fault: FakeFault) {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1 });
    const changes = await changesOf(service, [wanted('a.example.com', { privacy: 0 })]);
    service.script = ({ operation }) => (operation === 'update' ? fault : undefined);
    const [verdict] = await carryOut(changes, contextFor(service));
    return { verdict, service };
  }

  it.each([
    ['refused', { kind: 'refuse' } as const, 'failed'],
    ['lost, and shown by the record', { ...ENDED, carriedOut: 'before' } as const, 'done'],
    ['lost, and not shown', { ...ENDED, carriedOut: 'never' } as const, 'unknown'],
    ['not sent any more', { kind: 'interrupted' } as const, 'withdrawn'],
  ])('that is %s', async (_, fault, fate) => {
    const { verdict } = await meet(fault);
    expect(verdict?.fate).toBe(fate);
  });

  it('of a password alone cannot be seen to have been carried out', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 2 });
    const changes = await changesOf(service, [
      wanted('a.example.com', { privacy: 2, password: { env: 'PASSWORD' } }),
    ]);
    service.script = ({ operation }) =>
      operation === 'update' ? { ...ENDED, carriedOut: 'before' } : undefined;
    const verdicts = await carryOut(changes, contextFor(service));
    expect(verdicts).toMatchObject([{ fate: 'unknown', error: { status: 500 } }]);
  });

  it.each(['before it', 'by it'])('of a record that is gone, as seen %s, has failed', async (when) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1, exclude_bots: when !== 'by it' });
    const declared = when === 'by it' ? { email: false, exclude_bots: false } : {};
    const changes = await changesOf(service, [wanted('a.example.com', { privacy: 0, ...declared })]);
    service.drop('1');
    expect(await carryOut(changes, contextFor(service))).toMatchObject([
      { fate: 'failed', error: { status: 404, blame: 'record', remedy: expect.any(String) } },
    ]);
  });

  it('of a record whose id is another website’s by now has failed, and nothing was sent', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1 });
    const changes = await changesOf(service, [wanted('a.example.com', { email: true })]);
    const stranger = { id: '1', domain: 'b.example.com', settings: { privacy: 0 } };
    const other = { ...service, read: async () => stranger } as FakeService;
    const [verdict] = await carryOut(changes, contextFor(other));
    expect(verdict).toMatchObject({ fate: 'failed', error: { blame: 'record' } });
    expect(service.calls.map(({ operation }) => operation)).not.toContain('update');
  });

  it.each([
    ['is not a URL', { kind: 'fail', outcome: 'unknown', carriedOut: 'never' } as const, 'failed'],
    ['is not read any more', { kind: 'interrupted' } as const, 'withdrawn'],
  ])('of a record that %s sends nothing', async (_, fault, fate) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1 });
    const changes = await changesOf(service, [wanted('a.example.com', { email: true })]);
    service.script = () => fault;
    expect(await carryOut(changes, contextFor(service))).toMatchObject([{ fate }]);
    expect(story(service)).toEqual(['read 1']);
  });

  it('names what to do where the service wants the password of a privacy that is sent as read', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 2 }, 'old');
    service.insert('b.example.com', { privacy: 0, ...KEPT });
    const changes = await changesOf(service, [
      wanted('b.example.com', { exclude_bots: false }),
      wanted('a.example.com', { email: true }),
    ]);
    const context = contextFor(service);
    await carryOut(
      changes.filter(({ domain }) => domain === 'b.example.com'),
      context,
    );
    service.script = ({ operation }) =>
      operation === 'update' ? { kind: 'refuse', fields: { password: ['Required.'] } } : undefined;
    const verdicts = await carryOut(
      changes.filter(({ domain }) => domain === 'a.example.com'),
      context,
    );
    expect(verdicts).toMatchObject([
      { fate: 'failed', error: { status: 422, remedy: expect.stringContaining('service.update') } },
    ]);
  });

  it.each<[string, Settings, DesiredWebsite['settings'], string, string?]>([
    ['whose privacy is declared', { privacy: 2 }, { privacy: 1 }, 'password'],
    ['whose password is declared', { privacy: 2 }, { password: { env: 'PASSWORD' } }, 'password'],
    ['with it', { privacy: 2 }, { email: true, password: { env: 'PASSWORD' } }, 'password', 'old'],
    ['that needs none', { privacy: 1 }, { email: true }, 'password'],
  ])('names no such thing for a record %s', async (_, settings, desired, field, password) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', settings, password);
    const changes = await changesOf(service, [wanted('a.example.com', desired)]);
    service.script = ({ operation }) =>
      operation === 'update' ? { kind: 'refuse', fields: { [field]: ['No.'] } } : undefined;
    const [verdict] = await carryOut(changes, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'failed', error: { status: 422, remedy: undefined } });
  });

  it.each(['read', 'update'] as const)('hides no fault of the program: in a %s', async (name) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1 });
    const changes = await changesOf(service, [wanted('a.example.com', { email: true })]);
    const broken = { ...service, [name]: () => Promise.reject(new TypeError('a fault')) } as FakeService;
    await expect(carryOut(changes, contextFor(broken))).rejects.toThrow('a fault');
  });
});
