import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ApplyOptions, applyPlan } from '../../src/apply/apply.ts';
import type { Replan } from '../../src/apply/checks/verify.ts';
import { resumeRun } from '../../src/apply/resume.ts';
import { lastUnfinished } from '../../src/journal/list-runs.ts';
import { readJournal } from '../../src/journal/reader.ts';
import type { Result } from '../../src/model/run.ts';
import type { DesiredWebsite } from '../../src/model/website.ts';
import type { Clock } from '../../src/util/clock.ts';
import { type Applying, applying, type Setting } from '../support/applying.ts';
import { testFolder } from '../support/cli.ts';
import { createFakeClock } from '../support/clock.ts';
import {
  createFakeService,
  type FakeCall,
  type FakeOptions,
  type FakeService,
  Killed,
} from '../support/fake-service.ts';
import { domainOf, newSites, times, wanted } from '../support/plans.ts';
import { SEALS, TRUST } from '../support/seals.ts';

let clock: Clock;
let runsFolder: string;
beforeEach(async () => {
  clock = createFakeClock();
  runsFolder = join(await testFolder(), 'runs');
});

const serviceWith = (options: Partial<FakeOptions> = {}): FakeService =>
  createFakeService({ clock, latencyMs: 10, ...options });

function prepare(
  service: FakeService,
  desired: readonly DesiredWebsite[],
  more: Partial<ApplyOptions>,
  planOptions: Setting['planOptions'] = {},
): Applying {
  return applying({
    service: service.reconnect(),
    clock,
    desired,
    runsFolder,
    planOptions,
    more: { parallelism: 1, ...more },
  });
}

/** Applies with a canary of two; the process is killed where it was to prove that. */
async function killedAfterCanary(desired: readonly DesiredWebsite[]): Promise<FakeService> {
  const service = serviceWith();
  const work = prepare(service, desired, { canary: 2 });
  service.script = ({ operation, nth }) =>
    operation === 'list' && nth === 1 ? { kind: 'dead', carriedOut: 'before' } : undefined;
  await expect(apply(work, service)).rejects.toThrow(Killed);
  return service;
}

/** Applies the plan of this moment; `calls` are those since it was made. */
async function apply(work: Applying, service: FakeService): Promise<{ result: Result; calls: string[] }> {
  const plan = await work.plan();
  const before = service.calls.length;
  const { result } = await applyPlan(plan, work.options);
  return { result, calls: callsSince(service, before) };
}

async function resume(
  service: FakeService,
  desired: readonly DesiredWebsite[],
  more: Partial<ApplyOptions> = {},
): Promise<{ result: Result; calls: string[] }> {
  service.script = undefined;
  const work = prepare(service, desired, more);
  const { info } = (await lastUnfinished(runsFolder, (await work.plan()).service, SEALS)) ?? {};
  const recorded = await readJournal(runsFolder, info?.run ?? '', TRUST);
  const before = service.calls.length;
  const { result } = await resumeRun(recorded, { ...work.options, skipStale: false });
  return { result, calls: callsSince(service, before) };
}

function callsSince(service: FakeService, before: number): string[] {
  return service.calls.slice(before).map(({ operation, subject }) => `${operation} ${subject}`.trim());
}

const isWrite = (call: string): boolean => /^(?:create|update|remove) /.test(call);

const refuse =
  (...domains: string[]) =>
  ({ operation, subject }: FakeCall) =>
    operation === 'create' && domains.includes(subject) ? ({ kind: 'refuse' } as const) : undefined;

describe('a run with a canary', () => {
  it('lists and shows the canary before the others', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(4), { canary: 1 });
    const { result, calls } = await apply(work, service);
    expect(result).toMatchObject({ summary: { created: 4 }, converged: true, stopped: null, others: 0 });
    const create = (index: number): string => `create ${domainOf(index)}`;
    expect(calls).toEqual([create(0), 'list', create(1), create(2), create(3), 'list']);
    expect(work.events.filter(({ type }) => type.startsWith('canary'))).toEqual([
      { type: 'canary_started', changes: 1 },
      { type: 'canary_verified', done: 1, failed: 0 },
    ]);
  });

  it.each([3, 4, undefined])('of all three changes or without one (%j) is one run', async (canary) => {
    const service = serviceWith();
    const work = prepare(service, newSites(3), { canary });
    const { calls } = await apply(work, service);
    expect(calls.filter((call) => call === 'list')).toHaveLength(1);
    expect(work.events.filter(({ type }) => type.startsWith('canary'))).toEqual([]);
  });

  it('keeps the order of the plan, and the barriers in it', async () => {
    const service = serviceWith();
    for (const domain of ['c.example.com', 'y.example.com', 'z.example.com']) service.insert(domain);
    const desired = ['a', 'b', 'c'].map((name) => wanted(`${name}.example.com`, { privacy: 0 }));
    const work = prepare(service, desired, { canary: 4, parallelism: 4 }, { prune: true });
    const { calls } = await apply(work, service);
    expect(calls.filter(isWrite)).toEqual([
      ...['create a.example.com', 'create b.example.com', 'update c.example.com'],
      ...['remove y.example.com', 'remove z.example.com'],
    ]);
    const started = work.events.filter(({ type }) => /^change_/.test(type));
    const lastCreated = started.findLastIndex((event) => 'action' in event && event.action === 'create');
    const firstOther = started.findIndex((event) => 'action' in event && event.action !== 'create');
    expect(firstOther).toBeGreaterThan(lastCreated);
  });

  it('leaves what others changed while the canary was verified', async () => {
    const service = serviceWith({});
    const desired = newSites(4);
    for (const { domain } of desired) service.insert(domain, { privacy: 1 });
    const work = prepare(service, desired, { canary: 2 });
    const plan = await work.plan();
    // Once the canary is verified, others change a later record, and time goes by.
    const replan = async (learned: object): Promise<Replan> => {
      const second = await work.options.replan(learned);
      if (service.records()[3]?.settings.privacy === 1) service.edit('4', { email: true });
      await clock.sleep(6 * 60_000);
      return second;
    };
    await applyPlan(plan, { ...work.options, replan });
    expect(service.records()[3]?.settings).toMatchObject({ privacy: 0, email: true });
  });
});

describe('a delete long after the canary', () => {
  it('spares a record that others have changed meanwhile, and no other', async () => {
    const service = serviceWith({});
    for (const { domain } of newSites(2)) service.insert(domain, { privacy: 1 });
    const work = prepare(service, [wanted('new.example.com')], { canary: 1 }, { prune: true });
    const plan = await work.plan();
    const replan = async (learned: object): Promise<Replan> => {
      const second = await work.options.replan(learned);
      service.edit('2', { privacy: 0 });
      await clock.sleep(6 * 60_000);
      return second;
    };
    const options = { ...work.options, maxFailures: 9, replan };
    const { result } = await applyPlan(plan, options);
    expect(result).toMatchObject({ summary: { created: 1, deleted: 1, failed: 1 } });
    const message = `${domainOf(1)} (#2) was changed: privacy is public and was private.`;
    expect(result.failures).toMatchObject([{ action: 'delete', domain: domainOf(1), message }]);
    expect(service.records().map(({ domain }) => domain)).toEqual([domainOf(1), 'new.example.com']);
  });
});

describe('a canary stops the run', () => {
  it('when a change of it failed; resumed, each is sent once', async () => {
    const service = serviceWith();
    const desired = newSites(10);
    const work = prepare(service, desired, { canary: 3 });
    service.script = refuse(domainOf(1));
    const { result, calls } = await apply(work, service);
    expect(calls).toEqual([...times(3, (index) => `create ${domainOf(index)}`), 'list']);
    expect(result).toMatchObject({
      summary: { created: 2, failed: 1, not_attempted: 7 },
      stopped: `stopped after the canary: one change failed`,
      converged: true,
      interrupted: false,
    });
    expect(work.events.find(({ type }) => type === 'stopping')).toEqual({
      type: 'stopping',
      reason: result.stopped,
    });
    const again = await resume(service, desired);
    expect(again.result).toMatchObject({
      summary: { created: 8, failed: 0, not_attempted: 0, unchanged: 2 },
      converged: true,
    });
    expect(again.calls.filter(isWrite)).toEqual(
      [1, ...times(7, (index) => index + 3)].map((index) => `create ${domainOf(index)}`),
    );
  });

  it('when it is not known what became of a change', async () => {
    const service = serviceWith();
    service.insert('a.example.com', { privacy: 1 });
    service.insert('b.example.com', { privacy: 1 });
    const desired = ['a', 'b'].map((name) => wanted(`${name}.example.com`, { privacy: 0 }));
    const work = prepare(service, desired, { canary: 1 });
    service.script = ({ operation }) =>
      operation === 'update' ? { kind: 'fail', outcome: 'unknown', carriedOut: 'never' } : undefined;
    const { result } = await apply(work, service);
    expect(result).toMatchObject({
      failures: [{ domain: 'a.example.com', fate: 'unknown' }],
      summary: { not_attempted: 1 },
      stopped: `stopped after the canary: one change failed`,
    });
  });

  it.each([undefined, 5])(
    'when the service does not show what was sent, whatever maxFailures (%j) says',
    async (maxFailures) => {
      const service = serviceWith({ deaf: ['email', 'exclude_bots'] });
      const desired = times(3, (index) => wanted(domainOf(index), { email: true, exclude_bots: false }));
      const rule = { canary: 1, ...(maxFailures === undefined ? {} : { maxFailures }) };
      const work = prepare(service, desired, rule);
      const { result, calls } = await apply(work, service);
      expect(calls.filter(isWrite)).toEqual([`create ${domainOf(0)}`]);
      expect(result).toMatchObject({
        summary: { created: 1, failed: 0, not_attempted: 2 },
        stopped: `stopped after the canary: one record is not as it was sent`,
        converged: false,
      });
      expect(work.events.map(({ type }) => type)).not.toContain('canary_verified');
    },
  );

  it('when the service cannot be looked at', async () => {
    const service = serviceWith();
    const desired = newSites(3);
    const work = prepare(service, desired, { canary: 2 });
    service.script = ({ operation, nth }) =>
      operation === 'list' && nth > 0 ? { kind: 'fail', outcome: 'ended', carriedOut: 'never' } : undefined;
    const { result } = await apply(work, service);
    expect(result).toMatchObject({
      summary: { created: 2, not_attempted: 1 },
      stopped: expect.stringMatching(/^stopped after the canary: it cannot be verified \(Cannot list/),
      converged: null,
    });
    const again = await resume(service, desired);
    expect(again.result).toMatchObject({ summary: { created: 1, unchanged: 2 }, converged: true });
  });

  it('not for a failed change if WEBSITES_MAX_FAILURES allows it', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(12), { canary: 3, maxFailures: 3 });
    service.script = refuse(...[0, 1, 6, 7].map((index) => domainOf(index)));
    const { result } = await apply(work, service);
    expect(result).toMatchObject({
      summary: { created: 4, failed: 3, not_attempted: 5 },
      stopped: '3 changes failed (WEBSITES_MAX_FAILURES)',
    });
    expect(work.events).toContainEqual({ type: 'canary_verified', done: 1, failed: 2 });
  });

  it('and nothing is pruned after a create of it that failed', async () => {
    const service = serviceWith();
    service.insert('y.example.com');
    service.insert('z.example.com');
    const absent = wanted('z.example.com', {}, 2, { state: 'absent' });
    const work = prepare(service, [...newSites(2), absent], { canary: 1, maxFailures: 5 }, { prune: true });
    service.script = refuse(domainOf(0));
    const { result, calls } = await apply(work, service);
    expect(calls.filter(isWrite).slice(2)).toEqual(['remove z.example.com']);
    expect(result).toMatchObject({
      not_attempted: [{ domain: 'y.example.com' }],
      stopped: 'a create did not succeed, so deletes were skipped',
    });
  });
});

describe('after the canary', () => {
  it.each([
    ['which is not cut short', undefined, true],
    ['which is cut short', { kind: 'interrupted' }, null],
  ] as const)('an interrupt in a listing %s lets nothing else begin', async (_, fault, converged) => {
    const service = serviceWith();
    const desired = newSites(6);
    const work = prepare(service, desired, { canary: 2 });
    service.script = ({ operation, nth }) => {
      if (operation !== 'list' || nth !== 1) return undefined;
      work.interrupt();
      return fault;
    };
    const { result } = await apply(work, service);
    expect(result).toMatchObject({
      summary: { created: 2, not_attempted: 4 },
      interrupted: true,
      stopped: 'it was interrupted',
      converged,
    });
    const again = await resume(service, desired);
    expect(again.result).toMatchObject({ summary: { created: 4, unchanged: 2 }, converged: true });
  });

  it('a kill loses nothing, and nothing is sent again', async () => {
    const desired = newSites(6);
    const service = await killedAfterCanary(desired);
    expect(service.records()).toHaveLength(2);
    const again = await resume(service, desired, { canary: 2 });
    expect(again.result).toMatchObject({ summary: { created: 4, unchanged: 2 }, converged: true });
    const all = callsSince(service, 0).filter(isWrite);
    expect(all).toHaveLength(6);
    expect(new Set(all).size).toBe(6);
  });
});

it('what an earlier run did, and others changed since, does not stop the canary of the next run', async () => {
  const desired = newSites(6);
  const service = await killedAfterCanary(desired);
  service.edit('1', { privacy: 2 });
  const again = await resume(service, desired, { canary: 2 });
  expect(again.result).toMatchObject({
    summary: { created: 4, not_attempted: 0, unchanged: 2 },
    converged: false,
    residual: [{ domain: domainOf(0), field: 'privacy', earlier: true }],
  });
});

// Hundreds of journals are synced to the disk, which others may keep busy.
describe('whatever the canary', () => {
  const scenario = fc.record({
    creates: fc.nat(6),
    updates: fc.nat(6),
    deletes: fc.nat(6),
    canary: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    parallelism: fc.integer({ min: 1, max: 4 }),
  });
  type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

  function stocked({ updates, deletes }: Scenario): FakeService {
    const service = serviceWith();
    for (const index of times(updates, (at) => at)) service.insert(`old-${index}.example.com`);
    for (const index of times(deletes, (at) => at)) service.insert(`over-${index}.example.com`);
    return service;
  }

  const desiredOf = ({ creates, updates }: Scenario): DesiredWebsite[] => [
    ...times(creates, (index) => wanted(`new-${index}.example.com`, { privacy: 0 })),
    ...times(updates, (index) => wanted(`old-${index}.example.com`, { privacy: 0 })),
  ];

  const working = (given: Scenario, service: FakeService): Applying =>
    prepare(service, desiredOf(given), given, { prune: true });

  const end = (service: FakeService): unknown =>
    service
      .records()
      .map(({ domain, settings }) => [domain, settings])
      .sort();

  async function endInOne(given: Scenario): Promise<unknown> {
    const service = stocked(given);
    await apply(working({ ...given, canary: undefined }, service), service);
    return end(service);
  }

  const writesOf = (service: FakeService): string[] => callsSince(service, 0).filter(isWrite);

  it('the end is the same, each change is sent once, and the canary takes one list', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const service = stocked(given);
        const { result, calls } = await apply(working(given, service), service);
        expect(result).toMatchObject({ converged: true, summary: { failed: 0, not_attempted: 0 } });
        expect(end(service)).toEqual(await endInOne(given));
        const writes = writesOf(service);
        expect(new Set(writes).size).toBe(writes.length);
        const { canary = writes.length } = given;
        const lists = canary < writes.length ? 2 : 1;
        const reads = calls.filter((call) => !isWrite(call));
        expect(reads.filter((call) => call === 'list')).toHaveLength(lists);
        // The trial reads the one record that it updates first.
        expect(reads.length - lists).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });

  it('it is the same after a change that failed at first, and only that one is sent again', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(), async (given, at) => {
        const service = stocked(given);
        const work = working(given, service);
        const { changes } = await work.plan();
        fc.pre(changes.length > 0);
        const refused = changes[at % changes.length]?.domain ?? '';
        service.script = ({ operation, subject }) =>
          operation !== 'list' && subject === refused ? { kind: 'refuse' } : undefined;
        const { result } = await apply(work, service);
        expect(result.summary.failed).toBe(1);
        if (result.summary.not_attempted > 0)
          await resume(service, desiredOf(given), { canary: given.canary });
        else {
          service.script = undefined;
          await apply(working(given, service), service);
        }
        expect(end(service)).toEqual(await endInOne(given));
        const writes = writesOf(service);
        const again = writes.filter((call, index) => writes.indexOf(call) < index);
        expect(again.map((call) => call.split(' ')[1])).toEqual([refused]);
      }),
      // Each takes four runs with their journals.
      { numRuns: 20 },
    );
  });
});
