import { beforeEach, describe, expect, it } from 'vitest';
import { reread } from '../../src/apply/reread.ts';
import type { Update } from '../../src/core/change.ts';
import type { Clock } from '../../src/core/service.ts';
import { createFakeClock } from '../support/clock.ts';
import { createFakeService, type FakeOptions, type FakeService } from '../support/fake-service.ts';
import { planFor, wanted } from '../support/plans.ts';

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
});
