import { beforeEach, describe, expect, test } from 'vitest';
import { isReadBack, readBack, seeOneAlone } from '../../../src/apply/checks/read-back.ts';
import type { Change } from '../../../src/model/change.ts';
import type { Settings } from '../../../src/model/field-table.ts';
import type { Website } from '../../../src/model/website.ts';
import type { Clock } from '../../../src/util/clock.ts';
import { createFakeClock } from '../../support/clock.ts';
import { createFakeService, type FakeOptions, type FakeService } from '../../support/fake-service.ts';
import { absent, planFor, wanted } from '../../support/plans.ts';

let clock: Clock;
beforeEach(() => {
  clock = createFakeClock();
});

const A = 'a.example.com';

/** A service with `stored` records, and the change that is planned of the one of them that is wanted otherwise. */
function workshop(
  what: 'create' | 'update' | 'delete',
  options: Partial<FakeOptions> = {},
): { service: FakeService; change: Change } {
  const service = createFakeService({ clock, unique: false, ...options });
  const websites: Website[] = what === 'create' ? [] : [service.insert(A)];
  const desired = what === 'delete' ? absent(A) : wanted(A, { privacy: 0, exclude_ips: ['192.0.2.1'] });
  const [change] = planFor({ desired: { websites: [desired] }, current: { websites } }).changes;
  if (change === undefined) throw new Error('there is a change');
  return { service, change };
}

const asked = ({ calls }: FakeService): string => calls.map(({ operation }) => operation).join(' ');
const SENT: Settings = { privacy: 0, exclude_ips: ['192.0.2.1'] };

test.each<[changes: number, list: number, isEach: boolean]>([
  [0, 1, false],
  [0, 2, true],
  [1, 1, false],
  [9, 10, true],
  [10, 10, false],
  [1000, Number.POSITIVE_INFINITY, true],
])('%i changes where a list takes %d requests', (changes, list, isEach) => {
  expect(isReadBack(changes, list)).toBe(isEach);
});

describe('an update', () => {
  test('is read by its ID', async () => {
    const { service, change } = workshop('update');
    service.edit('1', SENT);
    expect(await readBack({ change, id: '1' }, service)).toMatchObject([{ id: '1', settings: SENT }]);
    expect(asked(service)).toBe('read');
  });

  test('has the settings of its row, where those that it changed are shown there alone', async () => {
    const { service, change } = workshop('update', { hiddenInRead: ['exclude_ips'] });
    await service.list();
    service.edit('1', SENT);
    expect(await readBack({ change, id: '1' }, service)).toMatchObject([{ id: '1', settings: SENT }]);
    expect(asked(service)).toBe('list read find');
  });

  test('has its row where no record can be read', async () => {
    const { service, change } = workshop('update');
    const deaf: FakeService = { ...service, read: async () => undefined };
    expect(await readBack({ change, id: '1' }, deaf)).toMatchObject([{ id: '1', domain: A }]);
  });

  test('that is not found either is left to the list', async () => {
    const { service, change } = workshop('update');
    service.drop('1');
    expect(await readBack({ change, id: '1' }, service)).toBeUndefined();
  });
});

describe('a create', () => {
  test('is looked up, with a second copy', async () => {
    const { service, change } = workshop('create');
    service.insert(A);
    service.insert(A);
    expect(await readBack({ change, id: '1' }, service)).toMatchObject([{ id: '1' }, { id: '2' }]);
    expect(asked(service)).toBe('find');
  });

  test('that a search does not show yet is read by its ID', async () => {
    const { service, change } = workshop('create', { lagMs: 1000 });
    service.insert(A);
    expect(await readBack({ change, id: '1' }, service)).toMatchObject([{ id: '1', domain: A }]);
    expect(asked(service)).toBe('find read');
  });

  test('is not what another record is that has its ID', async () => {
    const { service, change } = workshop('create');
    service.insert('other.example.com');
    expect(await readBack({ change, id: '1' }, service)).toEqual([]);
  });

  test('is left to the list where a search is not complete', async () => {
    const { service, change } = workshop('create', { proven: false });
    service.insert(A);
    expect(await readBack({ change, id: '1' }, service)).toBeUndefined();
  });
});

describe('a delete', () => {
  test('is gone by its 404, once a record was seen by itself', async () => {
    const { service, change } = workshop('delete');
    await seeOneAlone([change], service);
    service.drop('1');
    expect(await readBack({ change, id: '1' }, service)).toEqual([]);
    expect(asked(service)).toBe('read read');
  });

  test('is left to the list where no record was ever seen by itself', async () => {
    const { service, change } = workshop('delete');
    const deaf: FakeService = { ...service, read: async () => undefined };
    await seeOneAlone([change], deaf);
    service.drop('1');
    expect(await readBack({ change, id: '1' }, deaf)).toBeUndefined();
  });

  test('that is still there is seen', async () => {
    const { service, change } = workshop('delete');
    expect(await readBack({ change, id: '1' }, service)).toMatchObject([{ id: '1', domain: A }]);
  });
});

describe('a record is read before the first delete', () => {
  test('only where nothing else reads one', async () => {
    const { service, change } = workshop('delete');
    const { change: update } = workshop('update');
    await seeOneAlone([change, update], service);
    await seeOneAlone([update], service);
    await seeOneAlone([], service);
    expect(asked(service)).toBe('');
    await seeOneAlone([change, change], service);
    await seeOneAlone([change], service);
    expect(asked(service)).toBe('read');
  });

  test('and what the service refuses then stops nothing', async () => {
    const { service, change } = workshop('delete', { script: () => ({ kind: 'refuse', status: 500 }) });
    await expect(seeOneAlone([change], service)).resolves.toBeUndefined();
  });
});
