/** The rule that nothing is written by an id that is another website's, under the engine and by itself. */
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import { underName } from '../../src/apply/identity-guard.ts';
import { applySaved } from '../../src/apply/resume.ts';
import type { WebsiteService } from '../../src/model/service.ts';
import type { DesiredWebsite, Website } from '../../src/model/website.ts';
import type { Clock } from '../../src/util/clock.ts';
import { applying } from '../support/applying.ts';
import { testFolder } from '../support/cli.ts';
import { createFakeClock } from '../support/clock.ts';
import { createFakeService, type FakeOptions, type FakeService, writes } from '../support/fake-service.ts';
import { absent, domainOf, times, wanted } from '../support/plans.ts';

let clock: Clock;
let runsFolder: string;
beforeEach(async () => {
  clock = createFakeClock();
  runsFolder = join(await testFolder(), 'runs');
});

/** Records #1 keep.example and #2 b.example. */
function stocked(options: Partial<FakeOptions> = {}): FakeService {
  const service = createFakeService({ clock, www: 'keep', ...options });
  service.insert('keep.example');
  service.insert('b.example');
  return service;
}

const REFUSED = { code: 'id-mismatch', outcome: 'refused', attempts: 0 };

describe('an id that was shown for another website', () => {
  const waysToShow: [string, (service: WebsiteService) => Promise<unknown>][] = [
    ['reading', (service) => service.read('1')],
    ['a list', (service) => service.list()],
    ['a look-up', (service) => service.find('keep.example')],
  ];

  it.each(waysToShow)('by %s is not written to', async (_, show) => {
    const fake = stocked();
    const service = underName(fake);
    await show(service);
    await expect(service.update('1', 'a.example', {})).rejects.toMatchObject({
      ...REFUSED,
      message: 'Cannot update a.example: the service shows #1 as keep.example.',
    });
    await expect(service.remove('1', 'a.example')).rejects.toMatchObject({
      ...REFUSED,
      message: 'Cannot delete a.example: the service shows #1 as keep.example.',
    });
    expect(writes(fake)).toEqual([]);
    await service.update('2', 'b.example', {});
    expect(writes(fake)).toEqual(['update b.example']);
  });

  it('is not written to for either, once it was shown for both', async () => {
    const fake = stocked();
    let domain = 'keep.example';
    const read: WebsiteService['read'] = async (id) => ({ id, domain, settings: {} });
    const service = underName({ ...fake, read });
    await service.read('1');
    domain = 'a.example';
    await service.read('1');
    await expect(service.update('1', 'a.example', {})).rejects.toMatchObject(REFUSED);
    await expect(service.remove('1', 'keep.example')).rejects.toMatchObject(REFUSED);
  });

  it('or that a list shows for two, is not written to', async () => {
    const sharedIds = [{ id: '1', domains: ['a.example', 'keep.example'] }];
    const fake = stocked();
    const service = underName({
      ...fake,
      list: async () => ({ websites: [], complete: false, reason: 'a fake', readAt: 0, sharedIds }),
    });
    await service.list();
    await expect(service.remove('1', 'keep.example')).rejects.toMatchObject({
      message: 'Cannot delete keep.example: the service shows #1 as a.example.',
    });
  });

  it.each([
    ['same', true],
    [undefined, true],
    ['distinct', false],
  ] as const)('that is the www variant: with www %s it may be written to: %s', async (www, may) => {
    const service = underName(stocked(), www);
    await service.read('1');
    const written = service.remove('1', 'www.keep.example').then(
      () => true,
      () => false,
    );
    expect(await written).toBe(may);
  });

  it('and was deleted since, or is gone, is that of whatever is created by it', async () => {
    const fake = stocked();
    const read = async (id: string): Promise<Website | undefined> => ({
      id,
      domain: 'new.example',
      settings: {},
    });
    const service = underName({ ...fake, read: (id) => (id === '1' ? read(id) : fake.read(id)) });
    await service.list();
    await service.remove('1', 'keep.example');
    await service.read('1');
    await service.update('1', 'new.example', {});
    await service.read('2');
    fake.drop('2');
    await service.read('2');
    await service.remove('2', 'other.example');
    expect(writes(fake)).toEqual(['remove keep.example', 'update new.example', 'remove other.example']);
  });
});

/** A service whose lists show these ids in place of the right ones. */
function showing(fake: FakeService, ids: Readonly<Record<string, string>>): WebsiteService {
  return {
    ...fake,
    list: async () => {
      const listing = await fake.list();
      return {
        ...listing,
        websites: listing.websites.map((one) => ({ ...one, id: ids[one.domain] ?? one.id })),
      };
    },
  };
}

describe('a run', () => {
  const DESIRED = times(20, (index) => wanted(domainOf(index), { email: true }));

  function twenty(options: Partial<FakeOptions> = {}): FakeService {
    const fake = createFakeService({ clock, ...options });
    for (const { domain } of DESIRED) fake.insert(domain);
    fake.insert('orphan.example.com');
    fake.insert('protected.example.com');
    return fake;
  }

  const work = (
    service: WebsiteService,
    desired: readonly DesiredWebsite[],
    prune = false,
    parallelism = 1,
  ) => applying({ service, clock, desired, planOptions: { prune }, runsFolder, more: { parallelism } });

  it('ends with the first update whose record shows another website, before anything is sent', async () => {
    const fake = twenty();
    const [first, second] = [domainOf(0), domainOf(1)];
    const service = showing(fake, { [first]: '2', [second]: '1' });
    const { plan, options } = work(service, DESIRED, true);
    const { result } = await applyPlan(await plan(), options);
    expect(result.failures).toMatchObject([
      { domain: first, fate: 'failed', code: 'id-mismatch', message: expect.stringContaining(second) },
    ]);
    expect(result.summary).toMatchObject({ updated: 0, deleted: 0, failed: 1, not_attempted: 21 });
    expect(result.stopped).toContain(`#2 as ${second}`);
    expect(writes(fake)).toEqual([]);
  });

  it('sends nothing of an update, and no more of anything, where reading shows another website', async () => {
    const fake = twenty({ hiddenInList: ['exclude_params'] });
    const service = showing(fake, { [domainOf(0)]: '22', 'protected.example.com': '1' });
    const { plan, options } = work(service, DESIRED);
    const { result } = await applyPlan(await plan(), options);
    expect(result.failures).toMatchObject([
      { domain: domainOf(0), fate: 'failed', code: 'id-mismatch', attempts: 0 },
    ]);
    expect(result.stopped).toContain('#22 as protected.example.com');
    expect(writes(fake)).toEqual([]);
  });

  it('sends nothing of a delete where a record that was read long ago is another by now', async () => {
    const fake = twenty();
    const service = showing(fake, { 'orphan.example.com': '22', 'protected.example.com': '21' });
    const { plan, options } = work(service, [absent('orphan.example.com')]);
    const made = await plan();
    await clock.sleep(6 * 60_000);
    const { result } = await applyPlan(made, options);
    expect(result.failures).toMatchObject([{ fate: 'failed', code: 'id-mismatch' }]);
    expect(writes(fake)).toEqual([]);
  });

  it('sends no update of a record that shows another website, whatever its answer would be', async () => {
    const fake = twenty();
    fake.edit('22', { email: true });
    fake.script = ({ operation }) =>
      operation === 'update' ? { kind: 'fail', outcome: 'unknown', carriedOut: 'never' } : undefined;
    const service = showing(fake, { [domainOf(0)]: '22', 'protected.example.com': '1' });
    const { plan, options } = work(service, DESIRED);
    const { result } = await applyPlan(await plan(), options);
    expect(result.failures).toMatchObject([{ domain: domainOf(0), fate: 'failed', code: 'id-mismatch' }]);
    expect(writes(fake)).toEqual([]);
  });

  it('takes a delete for carried out whose answer was lost, and whose id was given away since', async () => {
    const fake = twenty();
    fake.script = ({ operation }) =>
      operation === 'remove' ? { kind: 'fail', outcome: 'unknown', carriedOut: 'before' } : undefined;
    const service: WebsiteService = {
      ...fake,
      read: async (id) => (await fake.read(id)) ?? { id, domain: 'new.example.com', settings: {} },
    };
    const { plan, options } = work(service, [absent('orphan.example.com')]);
    const { result } = await applyPlan(await plan(), options);
    expect(result).toMatchObject({ summary: { deleted: 1, failed: 0 }, converged: true });
  });

  it('adopts no record that is another website by itself', async () => {
    const fake = createFakeService({ clock, hiddenInList: ['email'] });
    fake.script = ({ operation, nth }) =>
      operation === 'create' && nth === 0
        ? { kind: 'fail', outcome: 'ended', carriedOut: 'before' }
        : undefined;
    const service: WebsiteService = {
      ...fake,
      read: async (id) => {
        const website = await fake.read(id);
        return website && { ...website, domain: 'other.example.com' };
      },
    };
    const { plan, options } = work(service, [wanted('a.example.com', { email: true })]);
    const { result } = await applyPlan(await plan(), options);
    expect(result.failures).toMatchObject([{ fate: 'unknown', code: 'id-mismatch' }]);
    expect(writes(fake)).toEqual(['create a.example.com']);
  });

  it('of a saved plan creates nothing that a look-up shows by an id of two websites', async () => {
    const fake = createFakeService({ clock });
    const sharedIds = [{ id: '7', domains: ['a.example.com', 'other.example.com'] }];
    const { plan, options } = work(fake, [wanted('a.example.com')]);
    const service: WebsiteService = {
      ...fake,
      find: async () => ({ websites: [], proven: false, sharedIds }),
    };
    const made = await plan();
    const looking = { ...made, cost: { ...made.cost, requests: 100 } };
    const { result, stale } = await applySaved(looking, { ...options, service, skipStale: false });
    expect(stale).toMatchObject([{ message: expect.stringContaining('a.example.com') }]);
    expect(result.run).toBeNull();
  });
});

describe('the verification', () => {
  it.each([
    ['distinct', true],
    [undefined, false],
  ] as const)(
    'with www %s, a deleted record is gone whose id is that of its www variant: %s',
    async (www, isGone) => {
      const fake = createFakeService({ clock, www: 'keep' });
      fake.insert('a.example.com');
      const service: WebsiteService = {
        ...fake,
        list: async () => {
          const listing = await fake.list();
          const twin = { id: '1', domain: 'www.a.example.com', settings: {} };
          return listing.websites.length > 0 ? listing : { ...listing, websites: [twin] };
        },
      };
      const planOptions = www === undefined ? {} : { www };
      const desired = [absent('a.example.com')];
      const { plan, options } = applying({ service, clock, desired, planOptions, runsFolder });
      const { result } = await applyPlan(await plan(), options);
      expect(result.converged).toBe(isGone);
    },
  );
});
