import { beforeEach, describe, expect, it } from 'vitest';
import { createBaseReader } from '../../src/apply/base.ts';
import { carryOutDelete } from '../../src/apply/delete.ts';
import { carryOutUpdate } from '../../src/apply/update.ts';
import type { Carrier, Verdict } from '../../src/apply/verdict.ts';
import type { Change, Delete, Update } from '../../src/core/change.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Settings } from '../../src/core/fields.ts';
import type { DesiredWebsite } from '../../src/core/website.ts';
import { carrying } from '../support/applying.ts';
import { createFakeClock } from '../support/clock.ts';
import {
  createFakeService,
  type FakeFault,
  type FakeOptions,
  type FakeService,
} from '../support/fake-service.ts';
import { domainOf, planFor, times, wanted } from '../support/plans.ts';

const MINUTE = 60_000;

let clock: Clock;
beforeEach(() => {
  clock = createFakeClock();
});

const carrierFor = (service: FakeService, more: Partial<Carrier> = {}): Carrier =>
  carrying(service, clock, more);

/** The changes from what the service lists to what is wanted, as a plan of this moment has them. */
async function changesOf(
  service: FakeService,
  websites: readonly DesiredWebsite[],
): Promise<readonly Change[]> {
  const listing = await service.list();
  return planFor({ desired: { websites }, current: { websites: listing.websites } }).changes;
}

/** Carries out updates one after the other. */
async function carryOut(
  service: FakeService,
  changes: readonly Change[],
  more: Partial<Carrier> = {},
  readAt = clock.now(),
  listRequests = 1,
): Promise<Verdict[]> {
  const updates = changes.filter((change): change is Update => change.action === 'update');
  const base = createBaseReader(service, clock, { readAt, asking: updates.length, listRequests });
  return Promise.all(updates.map((change) => carryOutUpdate(change, base, carrierFor(service, more))));
}

/** Carries out a delete of a plan whose values were read at `readAt`. */
function deleteIt(service: FakeService, change: Delete, readAt = clock.now()): Promise<Verdict> {
  const base = createBaseReader(service, clock, { readAt, asking: 1, listRequests: 1 });
  return carryOutDelete(change, base, carrierFor(service));
}

/** What was called since the plan was made. */
const story = (service: FakeService): string[] =>
  service.calls.slice(1).map(({ operation, subject }) => `${operation} ${subject}`.trim());

const KEPT = { email: true, exclude_params: ['ref'], favorited_at: '2026-01-31T09:00:00Z' } as const;

describe('the form of an update', () => {
  it.each(['merge', 'replace'] as const)(
    'keeps what the files do not declare where PUT is a %s',
    async (put) => {
      const service = createFakeService({ clock, put });
      service.insert('a.example.com', { privacy: 2, ...KEPT });
      const changes = await changesOf(service, [wanted('a.example.com', { exclude_bots: false })]);
      expect(await carryOut(service, changes)).toEqual([{ fate: 'done', id: '1' }]);
      expect(service.records()).toMatchObject([{ settings: { privacy: 2, ...KEPT, exclude_bots: false } }]);
      expect(service.calls.at(-1)?.values).toEqual({
        privacy: 2,
        ...KEPT,
        exclude_bots: false,
        exclude_ips: [],
      });
    },
  );

  it('is the changed fields alone, and reads nothing, where the rule says so', async () => {
    const service = createFakeService({ clock, hiddenInList: ['favorited_at'] });
    service.insert('a.example.com', KEPT);
    const changes = await changesOf(service, [wanted('a.example.com', { exclude_bots: false, privacy: 1 })]);
    await carryOut(service, changes, { update: 'changed' }, clock.now() - 60 * MINUTE);
    expect(story(service)).toEqual(['update a.example.com']);
    expect(service.calls.at(-1)?.values).toEqual({ exclude_bots: false });
  });

  it('sends a value as it is shown where that is what is declared, in whatever form', async () => {
    const service = createFakeService({ clock, hiddenInList: ['favorited_at'] });
    service.insert('a.example.com', KEPT);
    const changes = await changesOf(service, [
      wanted('a.example.com', { exclude_bots: false, favorited_at: true }),
    ]);
    await carryOut(service, changes);
    expect(service.calls.at(-1)?.values).toMatchObject({ favorited_at: KEPT.favorited_at });
  });

  it('carries a declared password with any other change, and null removes one', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', {}, 'old');
    service.insert('b.example.com', {}, 'old');
    const changes = await changesOf(service, [
      wanted('a.example.com', { privacy: 2, password: { env: 'PASSWORD' } }),
      wanted('b.example.com', { password: null }),
    ]);
    await carryOut(service, changes);
    expect(service.records().map(({ password }) => password)).toEqual(['s3cret-value', undefined]);
  });
});

describe('what an update is laid over', () => {
  const three = (): DesiredWebsite[] => times(3, (index) => wanted(domainOf(index), { exclude_bots: false }));

  function stocked(options: Partial<FakeOptions> = {}, count = 3): FakeService {
    const service = createFakeService({ clock, ...options });
    for (const index of times(count, (at) => at)) service.insert(domainOf(index), KEPT);
    return service;
  }

  it('is what the plan read, within five minutes', async () => {
    const service = stocked();
    const changes = await changesOf(service, three());
    await carryOut(service, changes, {}, clock.now() - 5 * MINUTE);
    expect(story(service).filter((call) => !call.startsWith('update'))).toEqual([]);
  });

  it('is listed anew after that, where a list takes fewer requests', async () => {
    const service = stocked();
    const changes = await changesOf(service, three());
    service.edit('1', { email: false });
    await carryOut(service, changes, {}, clock.now() - 5 * MINUTE - 1, 2);
    expect(story(service).filter((call) => !call.startsWith('update'))).toEqual(['list']);
    expect(service.records()[0]?.settings).toMatchObject({ email: false, exclude_bots: false });
  });

  it('is listed anew where somebody set the clock back meanwhile', async () => {
    const service = stocked();
    const changes = await changesOf(service, three());
    service.edit('1', { email: false });
    await carryOut(service, changes, {}, clock.now() + 60 * MINUTE, 2);
    expect(service.records()[0]?.settings).toMatchObject({ email: false, exclude_bots: false });
  });

  it('is read record by record, where a list takes as many requests or more', async () => {
    const service = stocked();
    const changes = await changesOf(service, three());
    service.edit('1', { email: false });
    await carryOut(service, changes, {}, clock.now() - 5 * MINUTE - 1, 3);
    expect(story(service).filter((call) => !call.startsWith('update'))).toEqual([
      'read 1',
      'read 2',
      'read 3',
    ]);
    expect(service.records()[0]?.settings).toMatchObject({ email: false, exclude_bots: false });
  });

  it('is not listed again when the last list was stale before it served as many as it cost', async () => {
    const service = stocked({}, 20);
    const changes = await changesOf(
      service,
      times(20, (index) => wanted(domainOf(index), { exclude_bots: false })),
    );
    const updates = changes as Update[];
    const base = createBaseReader(service, clock, { readAt: 0, asking: 20, listRequests: 4 });
    for (const change of updates) {
      await base.baseOf(change);
      await clock.sleep(2 * MINUTE);
    }
    // The first list serves three updates (at 0, 2 and 4 minutes); the next would serve no more.
    expect(story(service)).toEqual(['list', ...times(17, (index) => `read ${index + 4}`)]);
  });

  it('is nothing where the list that was made anew has no such record', async () => {
    const service = stocked();
    const changes = await changesOf(service, three());
    service.drop('1');
    const verdicts = await carryOut(service, changes, {}, clock.now() - 5 * MINUTE - 1, 2);
    expect(verdicts.map(({ fate }) => fate)).toEqual(['failed', 'done', 'done']);
    expect(story(service).filter((call) => !call.startsWith('update'))).toEqual([
      'list',
      'read 1',
      `find ${domainOf(0)}`,
    ]);
  });

  it('is not asked for any more once the key was refused', async () => {
    const service = stocked();
    const changes = await changesOf(service, three());
    service.script = () => ({ kind: 'key' });
    expect(await carryOut(service, changes, {}, 0)).toMatchObject(
      Array(3).fill({ fate: 'failed', error: { code: 'key-refused' } }),
    );
    expect(story(service)).toEqual(['list']);
  });

  it('is read record by record when the list fails', async () => {
    const service = stocked();
    const changes = await changesOf(service, three());
    service.script = ({ operation }) =>
      operation === 'list' ? { kind: 'fail', outcome: 'ended', carriedOut: 'never' } : undefined;
    const verdicts = await carryOut(service, changes, {}, 0);
    expect(verdicts.map(({ fate }) => fate)).toEqual(['done', 'done', 'done']);
    expect(story(service).filter((call) => call === 'list')).toHaveLength(1);
  });

  it('holds the fields that the list hides, read record by record', async () => {
    const service = stocked({ hiddenInList: ['favorited_at'], put: 'replace' });
    await carryOut(service, await changesOf(service, three()));
    for (const record of service.records()) expect(record.settings).toMatchObject(KEPT);
  });

  it('holds what reading shows of them, be it not all', async () => {
    const hidden = ['favorited_at', 'email'] as const;
    const service = stocked({ hiddenInList: hidden, hiddenInRead: ['email'], put: 'replace' });
    await carryOut(service, await changesOf(service, three()));
    for (const { settings } of service.records()) {
      expect(settings).toMatchObject({
        favorited_at: KEPT.favorited_at,
        exclude_params: KEPT.exclude_params,
      });
    }
  });

  it('does not hold what was emptied since the plan, where empty fields are left out', async () => {
    const service = stocked({ leavesEmptyOut: true });
    const changes = await changesOf(service, three());
    service.edit('1', { exclude_params: [], favorited_at: null });
    await carryOut(service, changes, {}, clock.now() - 5 * MINUTE - 1, 3);
    const [emptied, ...others] = service.records();
    expect(emptied?.settings).toMatchObject({ email: true, exclude_params: [], favorited_at: null });
    for (const record of others) expect(record.settings).toMatchObject(KEPT);
    expect(story(service).filter((call) => call.startsWith('find'))).toEqual([`find ${domainOf(0)}`]);
  });

  it('is what the list shows, once one record has shown that reading shows no more', async () => {
    const service = stocked({ hiddenInList: ['favorited_at'], hiddenInRead: ['favorited_at'] });
    await carryOut(service, await changesOf(service, three()));
    expect(story(service).filter((call) => call.startsWith('read'))).toEqual(['read 1']);
  });

  it('holds what the list hides of one record, though another leaves it out as it is empty', async () => {
    const service = stocked({ hiddenInList: ['exclude_ips'], leavesEmptyOut: true, put: 'replace' });
    for (const id of ['2', '3']) service.edit(id, { exclude_ips: ['192.0.2.1'] });
    await carryOut(service, await changesOf(service, three()));
    const ips = service.records().map(({ settings }) => settings.exclude_ips);
    expect(ips).toEqual([[], ['192.0.2.1'], ['192.0.2.1']]);
  });

  it('holds what the list hides of one record, though lists show what is empty and reading does not', async () => {
    const service = stocked({ hiddenInList: ['favorited_at'], leavesEmptyOut: 'where read', put: 'replace' });
    service.edit('1', { favorited_at: null });
    await carryOut(service, await changesOf(service, three()));
    const times = service.records().map(({ settings }) => settings.favorited_at);
    expect(times).toEqual([null, KEPT.favorited_at, KEPT.favorited_at]);
  });

  it('is what the list shows, where others are listed with what one leaves out', async () => {
    const service = stocked({ leavesEmptyOut: true });
    service.insert('d.example.com', { exclude_ips: ['192.0.2.1'] });
    await carryOut(service, await changesOf(service, three()));
    expect(story(service).filter((call) => call.startsWith('read'))).toEqual(['read 1']);
  });

  it('is what both show, where each hides something', async () => {
    const service = stocked({ hiddenInList: ['favorited_at'], hiddenInRead: ['email'], put: 'replace' });
    await carryOut(service, await changesOf(service, three()));
    for (const record of service.records()) expect(record.settings).toMatchObject(KEPT);
  });
});

describe('an update', () => {
  const ENDED = { kind: 'fail', outcome: 'ended', status: 500 } as const;

  async function meet(fault: FakeFault) {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1 }, 'old');
    const changes = await changesOf(service, [wanted('a.example.com', { privacy: 0 })]);
    service.script = ({ operation }) => (operation === 'update' ? fault : undefined);
    const [verdict] = await carryOut(service, changes);
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
    expect(await carryOut(service, changes)).toMatchObject([{ fate: 'unknown', error: { status: 500 } }]);
  });

  it('of a record that is gone has failed, and says so', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1 });
    service.insert('b.example.com', { privacy: 1 });
    const changes = await changesOf(service, [
      wanted('a.example.com', { privacy: 0 }),
      wanted('b.example.com', { privacy: 0 }),
    ]);
    service.drop('1');
    // Seen by the update, and by the reading before it.
    for (const readAt of [clock.now(), 0]) {
      expect(await carryOut(service, changes.slice(0, 1), {}, readAt)).toMatchObject([
        { fate: 'failed', error: { status: 404, blame: 'record', remedy: expect.any(String) } },
      ]);
    }
    service.script = ({ operation }) => {
      if (operation === 'update') service.drop('2');
      return operation === 'update' ? { ...ENDED, carriedOut: 'never' } : undefined;
    };
    const [lost] = await carryOut(service, changes.slice(1));
    expect(lost).toMatchObject({ fate: 'failed', error: { status: 404 } });
  });

  it('that cannot read what it is laid over has failed: nothing was sent', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1 });
    const changes = await changesOf(service, [wanted('a.example.com', { privacy: 0 })]);
    service.script = () => ({ kind: 'fail', outcome: 'unknown', carriedOut: 'never' });
    expect(await carryOut(service, changes, {}, 0)).toMatchObject([{ fate: 'failed' }]);
    expect(story(service)).toEqual(['read 1']);
  });

  it('that is interrupted while it reads what it is laid over is withdrawn', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 1 });
    const changes = await changesOf(service, [wanted('a.example.com', { privacy: 0 })]);
    service.script = () => ({ kind: 'interrupted' });
    expect(await carryOut(service, changes, {}, 0)).toMatchObject([{ fate: 'withdrawn' }]);
    expect(story(service)).toEqual(['read 1']);
  });

  it('names what to do where the service wants the password of a privacy that is sent as it was read', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { privacy: 2 }, 'old');
    const changes = await changesOf(service, [wanted('a.example.com', { email: true })]);
    service.script = () => ({ kind: 'refuse', fields: { password: ['The password field is required.'] } });
    expect(await carryOut(service, changes)).toMatchObject([
      { fate: 'failed', error: { status: 422, remedy: expect.stringContaining('service.update') } },
    ]);
  });

  it.each<[string, Settings, DesiredWebsite['settings'], string, string?]>([
    ['whose privacy is declared', { privacy: 2 }, { privacy: 1 }, 'password'],
    ['whose password is declared', { privacy: 2 }, { password: { env: 'PASSWORD' } }, 'password'],
    ['with it', { privacy: 2 }, { email: true, password: { env: 'PASSWORD' } }, 'password', 'old'],
    ['that needs none', { privacy: 1 }, { email: true }, 'password'],
    ['of which it refuses something else', { privacy: 2 }, { email: true }, 'email', 'old'],
  ])('names no such thing for a record %s', async (_, settings, desired, field, password) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', settings, password);
    const changes = await changesOf(service, [wanted('a.example.com', desired)]);
    service.script = () => ({ kind: 'refuse', fields: { [field]: ['No.'] } });
    const [verdict] = await carryOut(service, changes);
    expect(verdict).toMatchObject({ fate: 'failed', error: { status: 422, remedy: undefined } });
  });
});

it.each(['read', 'update', 'remove'] as const)('no fault of the program is hidden: in a %s', async (name) => {
  const service = createFakeService({ clock });
  service.insert('a.example.com', { privacy: 1 });
  const state = name === 'remove' ? 'absent' : 'present';
  const [change] = await changesOf(service, [wanted('a.example.com', { privacy: 0 }, 1, { state })]);
  const broken = { ...service, [name]: () => Promise.reject(new TypeError('a fault')) };
  const carried =
    change?.action === 'delete'
      ? deleteIt(broken, change)
      : carryOut(broken, change === undefined ? [] : [change], {}, name === 'read' ? 0 : clock.now());
  await expect(carried).rejects.toThrow('a fault');
});

describe('a delete', () => {
  const ENDED = { kind: 'fail', outcome: 'ended', status: 500 } as const;

  it.each([
    ['answered well', undefined, 'done', 0],
    ['refused', { kind: 'refuse', status: 409 } as const, 'failed', 1],
    ['lost, with the record gone', { ...ENDED, carriedOut: 'before' } as const, 'done', 0],
    ['lost, with the record there', { ...ENDED, carriedOut: 'never' } as const, 'unknown', 1],
    ['not sent any more', { kind: 'interrupted' } as const, 'withdrawn', 1],
  ])('that is %s', async (_, fault, fate, left) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com');
    const [change] = await changesOf(service, [wanted('a.example.com', {}, 1, { state: 'absent' })]);
    service.script = ({ operation }) => (operation === 'remove' ? fault : undefined);
    if (change?.action !== 'delete') throw new Error('no delete was planned');
    expect((await deleteIt(service, change)).fate).toBe(fate);
    expect(service.records()).toHaveLength(left);
  });

  it('that was lost, with the record not to be read, is unknown; a refused key is told', async () => {
    const service = createFakeService({ clock });
    service.insert('a.example.com');
    const [change] = await changesOf(service, [wanted('a.example.com', {}, 1, { state: 'absent' })]);
    if (change?.action !== 'delete') throw new Error('no delete was planned');
    service.script = () => ({ ...ENDED, carriedOut: 'before' });
    expect(await deleteIt(service, change)).toMatchObject({
      fate: 'unknown',
      error: { message: 'Cannot remove a.example.com: 500.' },
    });
    service.script = ({ operation }) =>
      operation === 'read' ? { kind: 'key' } : { ...ENDED, carriedOut: 'never' };
    expect(await deleteIt(service, change)).toMatchObject({
      error: { code: 'key-refused' },
    });
  });

  const CHANGED = 'a.example.com (#1) was changed: email is true and was false.';
  it.each([
    ['read within five minutes', 5 * MINUTE, { email: true }, undefined, 0],
    ['read before, and the same', 5 * MINUTE + 1, {}, undefined, 0],
    ['read before, and changed by others since', 5 * MINUTE + 1, { email: true }, CHANGED, 1],
  ])('of a record that was %s', async (_, ageMs, edit, message, left) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com', { email: false });
    const [change] = await changesOf(service, [wanted('a.example.com', {}, 1, { state: 'absent' })]);
    if (change?.action !== 'delete') throw new Error('no delete was planned');
    service.edit('1', edit);
    const verdict = await deleteIt(service, change, clock.now() - ageMs);
    expect(verdict).toMatchObject(message ? { fate: 'failed', error: { message } } : { fate: 'done' });
    expect(service.records()).toHaveLength(left);
  });

  it.each([
    ['is gone', undefined, 'done'],
    ['cannot be read', { ...ENDED, carriedOut: 'never' } as const, 'failed'],
    ['is not read any more', { kind: 'interrupted' } as const, 'withdrawn'],
  ])('of a record that was read long ago, and that %s', async (_, fault, fate) => {
    const service = createFakeService({ clock });
    service.insert('a.example.com');
    const [change] = await changesOf(service, [wanted('a.example.com', {}, 1, { state: 'absent' })]);
    if (change?.action !== 'delete') throw new Error('no delete was planned');
    if (fault === undefined) await service.remove('1', 'a.example.com');
    service.script = ({ operation }) => (operation === 'read' ? fault : undefined);
    expect((await deleteIt(service, change, 0)).fate).toBe(fate);
  });

  it('is told by one list where as many records went by what was read before, changed or deleted', async () => {
    const service = createFakeService({ clock });
    const domains = times(8, domainOf);
    for (const domain of domains) service.insert(domain, { email: false });
    const [update, ...changes] = await changesOf(service, [
      wanted(String(domains[0]), { email: true }),
      ...domains.slice(1).map((domain, index) => wanted(domain, {}, index + 2, { state: 'absent' })),
    ]).then((all) => all.toSorted((a, b) => a.domain.localeCompare(b.domain)));
    const base = createBaseReader(service, clock, { readAt: clock.now(), asking: 8, listRequests: 2 });
    await carryOutUpdate(update as Update, base, carrierFor(service));
    for (const [index, change] of (changes as Delete[]).entries()) {
      if (index === 4) await clock.sleep(6 * MINUTE);
      await carryOutDelete(change, base, carrierFor(service));
    }
    expect(story(service).filter((call) => !/remove|update/.test(call))).toEqual(['list']);
    expect(service.records()).toHaveLength(1);
  });

  it('is told by one list where many records were read long ago', async () => {
    const service = createFakeService({ clock });
    const domains = times(4, domainOf);
    for (const domain of domains) service.insert(domain, { email: false });
    const gone = domains.map((domain, index) => wanted(domain, {}, index + 1, { state: 'absent' }));
    const changes = (await changesOf(service, gone)) as Delete[];
    service.edit('3', { email: true });
    const base = createBaseReader(service, clock, { readAt: 0, asking: 4, listRequests: 2 });
    const verdicts = [];
    for (const change of changes) verdicts.push(await carryOutDelete(change, base, carrierFor(service)));
    expect(verdicts.map(({ fate }) => fate)).toEqual(['done', 'done', 'failed', 'done']);
    expect(story(service).filter((call) => !call.startsWith('remove'))).toEqual(['list']);
  });
});
