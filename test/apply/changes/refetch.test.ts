import { beforeEach, describe, expect, it } from 'vitest';
import { readFound, reread } from '../../../src/apply/changes/refetch.ts';
import type { Update } from '../../../src/model/change.ts';
import type { Settings } from '../../../src/model/field-table.ts';
import type { Website } from '../../../src/model/website.ts';
import type { Clock } from '../../../src/util/clock.ts';
import { createFakeClock } from '../../support/clock.ts';
import { createFakeService, type FakeOptions, type FakeService } from '../../support/fake-service.ts';
import { planFor, wanted } from '../../support/plans.ts';

let clock: Clock;
beforeEach(() => {
  clock = createFakeClock();
});

const FILLED = { email: true, exclude_ips: ['192.0.2.1'], favorited_at: '2026-01-31T09:00:00Z' };

/** A service with one record, and a change of it that found it filled. */
async function planned(
  options: Partial<FakeOptions> = {},
): Promise<{ service: FakeService; change: Update }> {
  const service = createFakeService({ clock, ...options });
  const website = service.insert('a.example.com', FILLED);
  const { changes } = planFor({
    desired: { websites: [wanted('a.example.com', { privacy: 0 })] },
    current: { websites: [website] },
  });
  return { service, change: changes[0] as Update };
}

const asked = (service: FakeService): string[] => service.calls.map(({ operation }) => operation);

describe('a record that is looked at once more', () => {
  it('is what it shows by itself, where that is all', async () => {
    const { service, change } = await planned();
    service.edit('1', { exclude_ips: [] });
    const website = await reread(service, change);
    expect(website?.settings).toMatchObject({ ...FILLED, exclude_ips: [] });
    expect(asked(service)).toEqual(['read']);
  });

  it('is also what a list shows of it, which is asked for where it is not at hand', async () => {
    const { service, change } = await planned({ hiddenInRead: ['exclude_ips'] });
    service.edit('1', { exclude_ips: ['192.0.2.2'], email: false });
    const website = await reread(service, change);
    expect(website?.settings).toMatchObject({ ...FILLED, exclude_ips: ['192.0.2.2'], email: false });
    expect(asked(service)).toEqual(['read', 'find']);
    await reread(service, change, website?.settings);
    expect(asked(service)).toEqual(['read', 'find', 'read']);
  });

  it('is what it shows itself where a list is behind, and what its own row shows', async () => {
    const { service, change } = await planned({ hiddenInRead: ['exclude_ips'] });
    service.insert('www.a.example.com', { exclude_ips: ['192.0.2.9'] });
    const [row, twin] = (await service.find('a.example.com')).websites;
    if (row === undefined || twin === undefined) throw new Error('both are found');
    service.edit('1', { email: false });
    const behind: FakeService = { ...service, find: async () => ({ websites: [twin, row], proven: true }) };
    expect((await reread(behind, change))?.settings).toMatchObject({
      ...FILLED,
      exclude_ips: ['192.0.2.1'],
      email: false,
    });
  });

  it('holds nothing where neither shows any more what it held', async () => {
    const { service, change } = await planned({ leavesEmptyOut: true });
    service.edit('1', { exclude_ips: [], favorited_at: null });
    const { settings } = (await reread(service, change)) ?? {};
    expect(settings).toMatchObject({ email: true, exclude_ips: [], favorited_at: null });
    // Nothing is said of what held nothing before.
    expect(settings).not.toHaveProperty('exclude_params');
    expect((await reread(service, change, settings))?.settings).toMatchObject({ exclude_ips: [] });
  });

  it('is not taken for empty in what the plan did not see either', async () => {
    const { service, change } = await planned({ hiddenInRead: ['favorited_at'] });
    const { favorited_at: _, ...before } = change.before;
    const website = await reread(service, { ...change, before });
    expect(website?.settings).not.toHaveProperty('favorited_at');
    expect(asked(service)).toEqual(['read']);
  });

  it('is no more than it shows where no list has it', async () => {
    const { service, change } = await planned({ leavesEmptyOut: true });
    service.edit('1', { exclude_ips: [] });
    const lost: FakeService = { ...service, find: async () => ({ websites: [], proven: false }) };
    expect((await reread(lost, change))?.settings).not.toHaveProperty('exclude_ips');
  });

  it('may be gone', async () => {
    const { service, change } = await planned();
    service.drop('1');
    expect(await reread(service, change)).toBeUndefined();
  });

  it('is its row where the service shows no record by itself', async () => {
    const { service, change } = await planned();
    service.insert('www.a.example.com');
    const mute: FakeService = { ...service, read: async () => undefined };
    service.edit('1', { exclude_ips: [] });
    expect(await reread(mute, change)).toMatchObject({ id: '1', settings: { ...FILLED, exclude_ips: [] } });
  });
});

describe('a record that was found where one is to be created', () => {
  /** A service whose records are `settings`, and the row of the first; others may have been read already. */
  async function found(
    options: Partial<FakeOptions>,
    settings: readonly Settings[],
    hasReadOthers = false,
  ): Promise<{ service: FakeService; row: Website }> {
    const service = createFakeService({ clock, ...options });
    const ids = settings.map((one, index) => service.insert(`${index}.example.com`, one).id);
    const { websites } = await service.list();
    if (hasReadOthers) for (const id of ids.slice(1)) await service.read(id);
    const row = websites.find(({ id }) => id === ids[0]) as Website;
    return { service, row };
  }

  it('is its row, where that shows all that is asked for', async () => {
    const { service, row } = await found({ hiddenInList: ['email'] }, [FILLED]);
    expect(await readFound(service, row, ['exclude_ips', 'favorited_at'])).toBe(row);
    expect(asked(service)).toEqual(['list']);
  });

  it('is what its row and reading show, reading above all', async () => {
    const { service, row } = await found({ hiddenInList: ['email'], hiddenInRead: ['favorited_at'] }, [
      FILLED,
    ]);
    service.edit('1', { exclude_ips: [] });
    const { id, settings } = (await readFound(service, row, ['email', 'exclude_ips', 'favorited_at'])) ?? {};
    expect([id, settings]).toMatchObject(['1', { ...FILLED, exclude_ips: [] }]);
  });

  it.each([
    ['lists', [], false],
    ['reading', ['exclude_ips', 'favorited_at'] as const, true],
  ])('holds nothing in what %s shows of others alone', async (_, hiddenInList, hasReadOthers) => {
    const options = { leavesEmptyOut: true, hiddenInList };
    const { service, row } = await found(options, [{ email: true }, FILLED], hasReadOthers);
    const { settings } = (await readFound(service, row, ['email', 'exclude_ips', 'favorited_at'])) ?? {};
    expect(settings).toMatchObject({ email: true, exclude_ips: [], favorited_at: null });
  });

  it('is not known in what nobody shows, nor in a number that it does not show', async () => {
    const options = { leavesEmptyOut: true, hiddenInRead: ['email'] as const };
    const { service, row } = await found(options, [{}, { exclude_ips: ['192.0.2.1'] }]);
    const { email: _, ...settings } = row.settings;
    const website = await readFound(service, { ...row, settings }, ['email', 'exclude_ips', 'favorited_at']);
    expect(website?.settings).toHaveProperty('exclude_ips', []);
    expect(website?.settings).not.toHaveProperty('favorited_at');
    expect(Object.keys(website?.settings ?? {})).not.toContain('email');
  });

  it('may be gone', async () => {
    const { service, row } = await found({ hiddenInList: ['email'] }, [FILLED]);
    service.drop('1');
    expect(await readFound(service, row, ['email'])).toBeUndefined();
  });
});
