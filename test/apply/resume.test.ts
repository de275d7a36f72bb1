import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Applied, applyPlan } from '../../src/apply/apply.ts';
import { applyMade, applySaved, type ResumeOptions, resumeRun } from '../../src/apply/resume.ts';
import { lastUnfinished } from '../../src/journal/list-runs.ts';
import { readJournal } from '../../src/journal/reader.ts';
import type { Settings } from '../../src/model/field-table.ts';
import type { Plan, PlanOptions } from '../../src/model/plan.ts';
import type { RunEvent } from '../../src/model/run.ts';
import type { WebsiteService } from '../../src/model/service.ts';
import type { DesiredWebsite, Website } from '../../src/model/website.ts';
import { planDigest } from '../../src/planner/plan-file/write.ts';
import type { Clock } from '../../src/util/clock.ts';
import { sha256 } from '../../src/util/node/sha256.ts';
import { applying } from '../support/applying.ts';
import { testFolder } from '../support/cli.ts';
import { createFakeClock } from '../support/clock.ts';
import {
  createFakeService,
  type FakeCall,
  type FakeOptions,
  type FakeService,
  Killed,
  type Operation,
  writes,
} from '../support/fake-service.ts';
import { domainOf, newSites, times, wanted } from '../support/plans.ts';
import { SEALS, TRUST } from '../support/seals.ts';

let clock: Clock;
let runsFolder: string;
beforeEach(async () => {
  clock = createFakeClock();
  runsFolder = join(await testFolder(), 'runs');
});

/** Creates a, updates b, deletes c, one after the other. */
const DESIRED = [
  wanted('a.example.com', { privacy: 0 }),
  wanted('b.example.com', { privacy: 0 }),
  wanted('c.example.com', {}, 3, { state: 'absent' }),
];

function stocked(options: Partial<FakeOptions> = {}): FakeService {
  const service = createFakeService({ clock, latencyMs: 10, ...options });
  service.insert('b.example.com', { privacy: 1, exclude_params: ['ref'] });
  service.insert('c.example.com', { privacy: 1 });
  return service;
}

/** Applies until `dies` says that the process is killed; returns its plan. */
async function applyUntilKilled(
  service: FakeService,
  desired: readonly DesiredWebsite[],
  dies: (call: FakeCall) => boolean,
  isCarriedOut: boolean,
  planOptions: Partial<PlanOptions> = {},
): Promise<Plan> {
  const work = applying({
    service: service.reconnect(),
    clock,
    desired,
    planOptions,
    runsFolder,
    more: { parallelism: 1 },
  });
  const plan = await work.plan();
  service.script = (call) =>
    dies(call) ? { kind: 'dead', carriedOut: isCarriedOut ? 'before' : 'never' } : undefined;
  await expect(applyPlan(plan, work.options)).rejects.toThrow(Killed);
  service.script = undefined;
  return plan;
}

function resume(
  service: FakeService,
  desired: readonly DesiredWebsite[],
  run: string,
  more: Partial<ResumeOptions> = {},
): Promise<Applied> {
  const work = applying({ service: service.reconnect(), clock, desired, runsFolder });
  return readJournal(runsFolder, run, TRUST).then((recorded) =>
    resumeRun(recorded, { ...work.options, skipStale: false, ...more }),
  );
}

async function resumeLast(
  service: FakeService,
  desired: readonly DesiredWebsite[],
  plan: Plan,
  more: Partial<ResumeOptions> = {},
): Promise<Applied> {
  const { info } = (await lastUnfinished(runsFolder, plan.service, SEALS)) ?? {};
  if (info === undefined) throw new Error('nothing was left unfinished');
  return resume(service, desired, info.run, more);
}

const at =
  (operation: Operation, subject: string) =>
  (call: FakeCall): boolean =>
    call.operation === operation && call.subject === subject;

const END = [
  ['b.example.com', 0],
  ['a.example.com', 0],
];

const state = (service: FakeService): unknown[] =>
  service.records().map(({ domain, settings }) => [domain, settings.privacy]);

describe('a run that was killed', () => {
  it.each([
    ['create', 'a.example.com', 0],
    ['update', 'b.example.com', 1],
    ['remove', 'c.example.com', 2],
  ] as const)(
    'at %s %s, which was carried out: it is found, and not sent again',
    async (operation, subject, done) => {
      const service = stocked();
      const plan = await applyUntilKilled(service, DESIRED, at(operation, subject), true);
      const { result } = await resumeLast(service, DESIRED, plan);
      expect(result).toMatchObject({
        summary: { failed: 0, not_attempted: 0, unchanged: done + 1 },
        converged: true,
      });
      expect(state(service)).toEqual(END);
      expect(writes(service)).toEqual([
        'create a.example.com',
        'update b.example.com',
        'remove c.example.com',
      ]);
    },
  );

  it.each([
    ['create', 'a.example.com', 30_000],
    ['update', 'b.example.com', 0],
    ['remove', 'c.example.com', 0],
  ] as const)('at %s %s, which was not carried out: it is sent again', async (operation, subject, waits) => {
    const service = stocked();
    const plan = await applyUntilKilled(service, DESIRED, at(operation, subject), false);
    const startedAt = clock.now();
    const { result } = await resumeLast(service, DESIRED, plan);
    expect(result).toMatchObject({ summary: { failed: 0, not_attempted: 0 }, converged: true });
    expect(state(service)).toEqual(END);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(waits);
    expect(clock.now() - startedAt).toBeLessThan(waits + 1000);
  });

  it('is gone on with once: what is left then is nothing', async () => {
    const service = stocked();
    const plan = await applyUntilKilled(service, DESIRED, at('update', 'b.example.com'), false);
    const first = (await lastUnfinished(runsFolder, plan.service, SEALS))?.info;
    const { result } = await resumeLast(service, DESIRED, plan);
    expect(await lastUnfinished(runsFolder, plan.service, SEALS)).toBeUndefined();
    const recorded = await readJournal(runsFolder, result.run ?? '', TRUST);
    expect(recorded).toMatchObject({
      continues: first?.run,
      finished: true,
      plan,
      settled: new Map([[0, '3']]),
    });
  });

  it('and killed again, is gone on with from there', async () => {
    const service = stocked();
    const plan = await applyUntilKilled(service, DESIRED, at('create', 'a.example.com'), true);
    const { info } = (await lastUnfinished(runsFolder, plan.service, SEALS)) ?? {};
    const recorded = await readJournal(runsFolder, info?.run ?? '', TRUST);
    const next = service.reconnect();
    const work = applying({ service: next, clock, desired: DESIRED, runsFolder, more: { parallelism: 1 } });
    const dies = at('remove', 'c.example.com');
    service.script = (call) => (dies(call) ? { kind: 'dead', carriedOut: 'before' } : undefined);
    await expect(resumeRun(recorded, { ...work.options, skipStale: false })).rejects.toThrow(Killed);
    service.script = undefined;
    const { result } = await resumeLast(service, DESIRED, plan);
    expect(result).toMatchObject({
      summary: { created: 0, updated: 0, deleted: 0, unchanged: 3 },
      converged: true,
    });
    expect(writes(service)).toEqual(['create a.example.com', 'update b.example.com', 'remove c.example.com']);
    expect((await readJournal(runsFolder, result.run ?? '', TRUST)).settled).toEqual(
      new Map([
        [0, '3'],
        [1, '1'],
        [2, undefined],
      ]),
    );
  });

  it('takes what was carried out for done, whatever others make of it later', async () => {
    const service = stocked();
    const desired = [...DESIRED, wanted('d.example.com', {}, 4, { state: 'absent' })];
    service.insert('d.example.com');
    const plan = await applyUntilKilled(service, desired, at('remove', 'c.example.com'), true);
    service.edit('1', { privacy: 2 });
    const { info } = (await lastUnfinished(runsFolder, plan.service, SEALS)) ?? {};
    const work = applying({ service: service.reconnect(), clock, desired, runsFolder });
    service.script = (call) =>
      call.operation === 'remove' ? { kind: 'dead', carriedOut: 'never' } : undefined;
    await expect(
      resumeRun(await readJournal(runsFolder, info?.run ?? '', TRUST), { ...work.options, skipStale: false }),
    ).rejects.toThrow(Killed);
    service.script = undefined;
    // By now a and b were carried out by the first run, and c was found by the second.
    service.edit('4', { privacy: 2 });
    const { result, stale } = await resumeLast(service, desired, plan);
    expect(stale).toEqual([]);
    expect(result.summary).toMatchObject({ created: 0, updated: 0, deleted: 1, unchanged: 3 });
    expect(state(service)).toEqual([
      ['b.example.com', 2],
      ['a.example.com', 2],
    ]);
  });

  it.each([
    ['a record that it created is gone', (service: FakeService) => service.drop('3'), 'a.example.com', {}],
    [
      'a record that it created is there twice',
      (service: FakeService) => void service.insert('a.example.com', { privacy: 0 }),
      'a.example.com',
      {},
    ],
    [
      'a record that it changed was changed since',
      (service: FakeService) => service.edit('1', { privacy: 2 }),
      'b.example.com',
      { field: 'privacy', wanted: 0, shown: 2 },
    ],
  ])('after %s: that is no verification', async (_, meddle, domain, field) => {
    const service = stocked({ unique: false });
    const plan = await applyUntilKilled(service, DESIRED, at('remove', 'c.example.com'), false);
    meddle(service);
    const before = service.calls.length;
    const { result } = await resumeLast(service, DESIRED, plan);
    expect(result).toMatchObject({
      summary: { deleted: 1, failed: 0, not_attempted: 0 },
      converged: false,
      residual: [{ domain, earlier: true, ...field }],
      others: 0,
    });
    expect(JSON.stringify(result.residual)).not.toContain('ignored');
    expect(writes(service).slice(-1)).toEqual(['remove c.example.com']);
    expect(service.calls.slice(before).filter((call) => call.operation === 'remove')).toHaveLength(1);
  });

  it.each([
    ['gone', undefined, ['c.example.com']],
    ['another website by now', 'other.example.com', ['c.example.com']],
    ['called otherwise', 'www.a.example.com', ['c.example.com', 'd.example.com']],
    ['not to be read by itself', 'unread', ['c.example.com', 'd.example.com']],
    ['there', 'a.example.com', ['c.example.com', 'd.example.com']],
  ])(
    'after a record that it created and that is %s: deletes that it may be half of',
    async (_, domain, removed) => {
      const service = stocked();
      service.insert('d.example.com');
      const dies = at('remove', 'c.example.com');
      const plan = await applyUntilKilled(service, DESIRED, dies, false, { prune: true });
      const { reconnect } = service;
      if (domain === undefined) service.drop('4');
      else if (domain === 'unread') {
        const read = async (id: string) => (id === '4' ? undefined : reconnect().read(id));
        service.reconnect = () => ({ ...reconnect(), read });
      } else service.reconnect = () => renamed(reconnect(), '4', domain) as FakeService;
      const before = service.calls.length;
      const { result } = await resumeLast(service, DESIRED, plan);
      const removes = service.calls.slice(before).filter(({ operation }) => operation === 'remove');
      expect(removes.map(({ subject }) => subject)).toEqual(removed);
      if (removed.length > 1) return;
      expect(result).toMatchObject({
        not_attempted: [{ domain: 'd.example.com' }],
        stopped: 'a.example.com, created earlier, no longer exists, so deletes were skipped',
      });
    },
  );

  it.each([
    ['', ['remove d.example.com']],
    [' that is gone', []],
  ])(
    'after many records, one of them%s: they are listed, before any delete is sent',
    async (gone, removed) => {
      const service = stocked();
      service.insert('d.example.com');
      const desired = [wanted('b.example.com'), wanted('c.example.com'), ...newSites(3)];
      const plan = await applyUntilKilled(service, desired, at('remove', 'd.example.com'), false, {
        prune: true,
      });
      if (gone !== '') service.drop('5');
      const before = service.calls.length;
      const { result } = await resumeLast(service, desired, plan);
      const calls = service.calls.slice(before);
      expect(calls.map(({ operation }) => operation).slice(0, 2)).toEqual(['read', 'list']);
      expect(calls.filter(({ operation }) => operation === 'read')).toHaveLength(1);
      expect(writes(service).slice(4)).toEqual(removed);
      expect(result.summary.not_attempted).toBe(1 - removed.length);
    },
  );

  it('after a record that the service calls otherwise: it is there', async () => {
    const service = stocked();
    service.insert('www.old.example.com');
    const desired = [wanted('www.a.example.com', { privacy: 0 }), wanted('x.example.com')];
    const plan = await applyUntilKilled(service, desired, at('create', 'x.example.com'), false);
    const { result } = await resumeLast(service, desired, plan);
    expect(service.records().map(({ domain }) => domain)).toContain('a.example.com');
    expect(result).toMatchObject({ summary: { created: 1 }, converged: true });
  });

  it('after a record that the service calls otherwise, and that is not as it was sent: that is no verification', async () => {
    const service = stocked({ deaf: ['privacy'] });
    const desired = [wanted('www.a.example.com', { privacy: 0 }), wanted('x.example.com')];
    const plan = await applyUntilKilled(service, desired, at('create', 'x.example.com'), false);
    const { result } = await resumeLast(service, desired, plan);
    expect(result).toMatchObject({ summary: { created: 1 }, converged: null });
  });

  it('after all was sent, and before it was verified: that is made up for', async () => {
    const service = stocked();
    const plan = await applyUntilKilled(
      service,
      DESIRED,
      (call) => call.operation === 'list' && call.number > 0,
      false,
    );
    service.edit('1', { privacy: 2 });
    const { result } = await resumeLast(service, DESIRED, plan);
    expect(result).toMatchObject({
      summary: { created: 0, updated: 0, deleted: 0, unchanged: 3 },
      converged: false,
      residual: [{ domain: 'b.example.com', field: 'privacy', earlier: true }],
    });
  });

  it('at a create that the service carried out otherwise: it is brought to the desired settings', async () => {
    const service = stocked();
    const plan = await applyUntilKilled(service, DESIRED, at('create', 'a.example.com'), true);
    service.edit('3', { privacy: 1 });
    const { result, stale } = await resumeLast(service, DESIRED, plan);
    expect(stale).toEqual([]);
    expect(result).toMatchObject({ summary: { created: 1, failed: 0 }, converged: true });
    expect(state(service)).toEqual(END);
  });

  it('at an update of a record that others have changed since: it is named', async () => {
    const service = stocked();
    const plan = await applyUntilKilled(service, DESIRED, at('update', 'b.example.com'), false);
    service.edit('1', { privacy: 2 });
    const { stale } = await resumeLast(service, DESIRED, plan);
    expect(stale).toMatchObject([{ action: 'update', domain: 'b.example.com' }]);
  });

  it('is waited for once: what it may have sent is no longer in progress after the canary', async () => {
    const service = createFakeService({ clock });
    const desired = ['a.example.com', 'b.example.com'].map((domain) => wanted(domain, {}));
    const plan = await applyUntilKilled(service, desired, at('create', 'a.example.com'), false);
    const { result } = await resumeLast(service, desired, plan, { canary: 1 });
    expect(result.summary.created).toBe(2);
    expect(result.seconds).toBeCloseTo(30, 0);
  });

  it('is gone on with in part: what it may have sent of the rest is in doubt still', async () => {
    const service = stocked({ deaf: ['privacy'] });
    const desired = [wanted('a.example.com', { privacy: 0 }), wanted('d.example.com')];
    const plan = await applyUntilKilled(service, desired, at('create', 'a.example.com'), false);
    service.insert('a.example.com', { privacy: 1 });
    // The first does not show what is sent, and so the second is not come to.
    const { result } = await resumeLast(service, desired, plan, { canary: 1 });
    expect(result.not_attempted).toMatchObject([{ domain: 'd.example.com' }]);
    expect((await readJournal(runsFolder, result.run ?? '', TRUST)).closed?.in_doubt).toBe(1);
  });

  it('is gone on with by one that is less patient: a create may be at work for as long as it was told', async () => {
    const service = createFakeService({ clock, latencyMs: 10 });
    const desired = [wanted('a.example.com')];
    const plan = await applyUntilKilled(service, desired, at('create', 'a.example.com'), false);
    const startedAt = clock.monotonic();
    const { result } = await resumeLast(service, desired, plan, { requestTimeoutMs: 1000 });
    expect(result.summary).toMatchObject({ created: 1 });
    const again = service.calls.findLast(at('create', 'a.example.com'));
    expect((again?.at ?? 0) - startedAt).toBeGreaterThanOrEqual(30_000);
    expect((await readJournal(runsFolder, result.run ?? '', TRUST)).request_timeout_ms).toBe(30_000);
  });

  it('is gone on with at once where its requests were waited for', async () => {
    const service = createFakeService({ clock, latencyMs: 10 });
    const desired = [wanted('a.example.com')];
    const plan = await applyUntilKilled(service, desired, at('create', 'a.example.com'), false);
    const startedAt = clock.monotonic();
    const { result } = await resumeLast(service, desired, plan, { waited: true });
    expect(result.summary).toMatchObject({ created: 1 });
    expect((service.calls.findLast(at('create', 'a.example.com'))?.at ?? 0) - startedAt).toBeLessThan(1000);
  });

  it('passes the guards with what was said yes to when it began, and nothing else', async () => {
    const service = stocked();
    const plan = await applyUntilKilled(service, DESIRED, at('create', 'a.example.com'), false);
    const { info } = (await lastUnfinished(runsFolder, plan.service, SEALS)) ?? {};
    const recorded = await readJournal(runsFolder, info?.run ?? '', TRUST);
    const guards = [{ code: 'deletes', message: 'm', remedy: 'r', approved: false }] as const;
    const altered = { ...plan, guards, options: { ...plan.options, allow: { empty: false } } };
    const refused = { ...recorded, plan: { ...altered, digest: planDigest(altered, sha256) } };
    const { options } = applying({ service: service.reconnect(), clock, desired: DESIRED, runsFolder });
    const before = service.calls.length;
    await expect(resumeRun(refused, { ...options, skipStale: false })).rejects.toMatchObject({
      code: 'guard-refused',
    });
    expect(service.calls).toHaveLength(before);
    const allow = { empty: false, deletes: 1 };
    const { result } = await resumeRun({ ...refused, allow }, { ...options, skipStale: false });
    expect(result.summary).toMatchObject({ deleted: 1, failed: 0 });
    expect((await readJournal(runsFolder, result.run ?? '', TRUST)).allow).toEqual(allow);
  });

  it('is gone on with where it does not tell how patient it was', async () => {
    const service = createFakeService({ clock, latencyMs: 10 });
    const desired = [wanted('a.example.com')];
    const plan = await applyUntilKilled(service, desired, at('create', 'a.example.com'), false);
    const { info } = (await lastUnfinished(runsFolder, plan.service, SEALS)) ?? {};
    const { request_timeout_ms: _, ...recorded } = await readJournal(runsFolder, info?.run ?? '', TRUST);
    const work = applying({ service: service.reconnect(), clock, desired, runsFolder });
    const startedAt = clock.monotonic();
    const { result } = await resumeRun(recorded, { ...work.options, skipStale: false });
    expect(result.summary).toMatchObject({ created: 1 });
    const again = service.calls.findLast(at('create', 'a.example.com'));
    expect((again?.at ?? 0) - startedAt).toBeGreaterThanOrEqual(30_000);
  });

  it('goes on although it is long ago, over values that it has read again', async () => {
    const service = stocked();
    const plan = await applyUntilKilled(service, DESIRED, at('create', 'a.example.com'), true);
    await clock.sleep(30 * 24 * 3_600_000);
    const before = service.calls.length;
    const { result } = await resumeLast(service, DESIRED, plan);
    expect(result.converged).toBe(true);
    const reads = service.calls.slice(before).map(({ operation }) => operation);
    expect(reads).toEqual(['list', 'read', 'update', 'remove', 'list']);
  });
});

describe('a run that ended early', () => {
  it('goes on with what was not attempted and what failed', async () => {
    const service = createFakeService({ clock, latencyMs: 10 });
    const desired = newSites(30);
    const work = applying({ service, clock, desired, runsFolder, more: { parallelism: 1 } });
    service.script = ({ operation, subject }) =>
      operation === 'create' && subject >= domainOf(10) ? { kind: 'refuse', status: 503 } : undefined;
    const plan = await work.plan();
    const stopped = await applyPlan(plan, work.options);
    expect(stopped.result.summary).toMatchObject({ created: 10, failed: 10, not_attempted: 10 });
    service.script = undefined;
    const events: RunEvent[] = [];
    const { result } = await resumeLast(service, desired, plan, { emit: (event) => events.push(event) });
    expect(events[0]).toMatchObject({ type: 'run_started', changes: 20, left: { create: 20 } });
    expect(result).toMatchObject({
      summary: { created: 20, failed: 0, not_attempted: 0, unchanged: 10 },
      converged: true,
    });
    expect(service.records()).toHaveLength(30);
  });
});

/** A service that shows the record under another domain. */
function renamed(service: WebsiteService, id: string, domain = 'other.example.com'): WebsiteService {
  const rename = (website: Website): Website => (website.id === id ? { ...website, domain } : website);
  return {
    ...service,
    async list() {
      const listing = await service.list();
      return { ...listing, websites: listing.websites.map(rename) };
    },
    async read(asked) {
      const website = await service.read(asked);
      return website && rename(website);
    },
  };
}

describe('records that others changed meanwhile', () => {
  async function stopped(service: FakeService): Promise<Plan> {
    return applyUntilKilled(service, DESIRED, at('create', 'a.example.com'), true);
  }

  it.each([
    [
      'an update',
      'was changed',
      (service: FakeService) => service.edit('1', { privacy: 2 }),
      'b.example.com (#1) was changed: privacy is password and was private.',
    ],
    [
      'another field of it',
      'was changed',
      (service: FakeService) => service.edit('1', { exclude_params: [] }),
      'b.example.com (#1) was changed: exclude_params is empty and was ref.',
    ],
    [
      'an update',
      'is gone',
      (service: FakeService) => service.drop('1'),
      'b.example.com no longer exists (#1).',
    ],
    [
      'a delete',
      'was changed',
      (service: FakeService) => service.edit('2', { email: true }),
      'c.example.com (#2) was changed: email is true and was false.',
    ],
  ])('the record of %s %s: it is named, and nothing is sent', async (_, __, meddle, message) => {
    const service = stocked();
    const plan = await stopped(service);
    meddle(service);
    const before = service.records();
    const applied = await resumeLast(service, DESIRED, plan);
    expect(applied.stale.map((stale) => stale.message)).toEqual([message]);
    expect(applied.result).toMatchObject({
      run: null,
      summary: { created: 0, updated: 0, deleted: 0, not_attempted: 2, unchanged: 1 },
      stopped: 'one record was changed since the plan was made, so nothing was sent',
      converged: null,
      notes: [message],
    });
    expect(service.records()).toEqual(before);
    expect((await lastUnfinished(runsFolder, plan.service, SEALS))?.info.finished).toBe(false);
  });

  it('a field of it was emptied, where empty ones are left out: it is named', async () => {
    const service = stocked({ leavesEmptyOut: true });
    const plan = await stopped(service);
    service.edit('1', { exclude_params: [] });
    const { stale } = await resumeLast(service, DESIRED, plan);
    expect(stale.map(({ message }) => message)).toEqual([
      'b.example.com (#1) was changed: exclude_params is empty and was ref.',
    ]);
  });

  it('a domain that was to be created is there: it is named', async () => {
    const service = stocked();
    // So many in between that it was not written down yet.
    const others = times(10, (index) => wanted(`aa${index}.example.com`));
    const desired = [...DESIRED, ...others, wanted('ab.example.com', { privacy: 0 })];
    const plan = await applyUntilKilled(service, desired, at('create', 'a.example.com'), true);
    service.insert('ab.example.com', { privacy: 1 });
    const { stale } = await resumeLast(service, desired, plan);
    expect(stale).toMatchObject([{ action: 'create', message: 'ab.example.com already exists (#4).' }]);
  });

  it.each([
    ['an update', 'b.example.com', '1'],
    ['a delete', 'c.example.com', '2'],
  ])('the id of %s is now that of another record: it is named', async (_, domain, id) => {
    const service = stocked();
    const plan = await stopped(service);
    const read = service.reconnect;
    // With the settings of before, or with those that the change was to make.
    for (const privacy of [1, 0]) {
      service.edit(id, { privacy });
      service.reconnect = () => renamed(read(), id);
      const { stale } = await resumeLast(service, DESIRED, plan);
      expect(stale.map(({ message }) => message)).toEqual([
        `${domain} no longer exists: #${id} is now other.example.com.`,
      ]);
      service.edit(id, { privacy: 1 });
    }
  });

  it('one that shows its after already is unchanged', async () => {
    const service = stocked();
    const plan = await stopped(service);
    service.edit('1', { privacy: 0, email: true });
    const { result, stale } = await resumeLast(service, DESIRED, plan);
    expect(stale).toEqual([]);
    expect(result.summary).toMatchObject({ updated: 0, deleted: 1, unchanged: 2 });
    expect(service.records()[0]?.settings.email).toBe(true);
  });

  it('one with a password that somebody else may have set is not', async () => {
    const service = stocked();
    const desired = [
      DESIRED[0],
      wanted('b.example.com', { privacy: 2, password: { env: 'PASSWORD' } }),
    ] as DesiredWebsite[];
    const plan = await applyUntilKilled(service, desired, at('create', 'a.example.com'), true);
    service.edit('1', { privacy: 2 });
    const { stale } = await resumeLast(service, desired, plan);
    expect(stale).toMatchObject([{ domain: 'b.example.com' }]);
  });

  it('are left out, and the others carried out, where that is asked for', async () => {
    const service = stocked();
    const plan = await stopped(service);
    service.edit('1', { privacy: 2 });
    const { result, stale } = await resumeLast(service, DESIRED, plan, { skipStale: true });
    expect(stale.map(({ domain }) => domain)).toEqual(['b.example.com']);
    expect(result).toMatchObject({
      summary: { updated: 0, deleted: 1, not_attempted: 1, unchanged: 1 },
      not_attempted: [{ domain: 'b.example.com', stale: true }],
      stopped: expect.stringContaining('changed'),
      converged: true,
    });
    expect(state(service)).toEqual([
      ['b.example.com', 2],
      ['a.example.com', 0],
    ]);
  });
});

describe('a saved plan', () => {
  /** Applies a plan of before to what `meddle` has made of the service. */
  async function applyLater(
    service: FakeService,
    desired: readonly DesiredWebsite[],
    meddle: () => WebsiteService | undefined,
    planOptions: Partial<PlanOptions> = {},
    skipStale = false,
  ) {
    const work = applying({ service, clock, desired, runsFolder, planOptions });
    const plan = await work.plan();
    const options = { ...work.options, service: meddle() ?? service, skipStale };
    return { applied: await applySaved(plan, options), events: work.events };
  }

  const NEW = wanted('www.new.example.com', { privacy: 0 });
  const B = wanted('b.example.com', { privacy: 0 });

  // One change is looked up; of more, all records are listed.
  it.each([
    ['looked up', [NEW]],
    ['listed', [NEW, B]],
  ])('does not create what is there by now, as it is %s', async (_, desired) => {
    const create = (domain: string, planOptions: Partial<PlanOptions>) => {
      const service = stocked({ www: 'keep' });
      const meddle = () => void service.insert(domain, { privacy: 1 });
      return applyLater(service, desired, meddle, planOptions);
    };
    const there = {
      action: 'create',
      domain: NEW.domain,
      source: NEW.source,
      message: `${NEW.domain} already exists (#3).`,
    };
    const { applied, events } = await create('www.new.example.com', { www: 'distinct' });
    expect(applied).toMatchObject({ stale: [there], keyRefused: false, result: { seconds: 0.01 } });
    expect(events).toEqual([{ type: 'run_ended', result: applied.result }]);
    for (const domain of ['www.new.example.com', 'new.example.com']) {
      expect((await create(domain, { www: 'same' })).applied.stale).toEqual([there]);
    }
    const twin = await create('new.example.com', { www: 'distinct' });
    expect(twin.applied).toMatchObject({ stale: [], result: { summary: { created: 1 }, converged: true } });
  });

  it('deletes where the service shows no record by itself', async () => {
    const service = stocked();
    const [{ domain }] = service.records() as [Website];
    const gone = wanted(domain, {}, 1, { state: 'absent' });
    const mute = (): WebsiteService => ({ ...service, read: async () => undefined });
    const { applied } = await applyLater(service, [gone], mute);
    expect(applied).toMatchObject({ result: { converged: true, summary: { deleted: 1, unchanged: 0 } } });
    expect(service.records()).toHaveLength(1);
  });

  it.each([
    ['lists hide', { hiddenInList: ['privacy'] } as const, { privacy: 1 }, { privacy: 0 }],
    ['is left out as it is empty', { leavesEmptyOut: true }, { exclude_ips: ['192.0.2.1'] }, {}],
  ])('reads what %s of a record that is there by now', async (_, options, settings, other) => {
    const desired = wanted('new.example.com', settings);
    const create = (meant: Settings) => {
      const service = stocked(options);
      service.edit('1', { exclude_ips: ['192.0.2.9'] });
      return applyLater(service, [desired], () => void service.insert(desired.domain, meant));
    };
    expect((await create(other)).applied.stale).toMatchObject([
      { message: 'new.example.com already exists (#3).' },
    ]);
    expect((await create(settings)).applied).toMatchObject({
      stale: [],
      result: { converged: true, summary: { created: 0, unchanged: 1 } },
    });
  });

  it('keeps what was set meanwhile, where the plan found nothing as what is empty is left out', async () => {
    const service = stocked({ leavesEmptyOut: true, put: 'replace' });
    service.edit('1', { favorited_at: '2026-01-31T09:00:00Z' });
    const { id } = service.insert('d.example.com', { privacy: 1 });
    const desired = ['c.example.com', 'd.example.com'].map((domain) => wanted(domain, { privacy: 0 }));
    const meddle = () => void service.edit(id, { exclude_ips: ['192.0.2.1'] });
    const { applied } = await applyLater(service, desired, meddle);
    expect(applied.result).toMatchObject({ summary: { updated: 2 }, converged: true });
    expect(service.records()[2]?.settings).toMatchObject({ privacy: 0, exclude_ips: ['192.0.2.1'] });
  });

  it('does not create what was found, and is not to be read', async () => {
    const service = stocked({ hiddenInList: ['privacy'] });
    const meddle = () => {
      service.insert('new.example.com', { privacy: 0 });
      return { ...service, read: async () => undefined };
    };
    const { applied } = await applyLater(service, [wanted('new.example.com', { privacy: 0 })], meddle);
    expect(applied.stale).toMatchObject([
      { message: 'new.example.com: it is not known whether the service has it.' },
    ]);
  });

  it.each([
    ['creates', 'deletes that it may be half of are held back', 'a.example.com', ['c.example.com']],
    ['updates', 'deletes are no matter', 'b.example.com', ['c.example.com', 'd.example.com']],
  ])('that %s what was changed meanwhile leaves it out: %s', async (_, __, domain, removed) => {
    const service = stocked();
    const { id } = service.insert('d.example.com');
    const meddle = () => {
      if (domain === 'a.example.com') service.insert(domain, { privacy: 2 });
      else service.edit('1', { privacy: 2 });
      return undefined;
    };
    const { applied } = await applyLater(service, DESIRED, meddle, { prune: true }, true);
    expect(applied).toMatchObject({ stale: [{ domain }] });
    const removes = service.calls.flatMap((call) => (call.operation === 'remove' ? [call.subject] : []));
    expect(removes).toEqual(removed);
    expect(service.records().some((record) => record.id === id)).toBe(!removed.includes('d.example.com'));
  });

  it('does not create what may be there: no look-up shows that it is not', async () => {
    const service = stocked({ proven: false });
    const { applied } = await applyLater(service, [NEW], () => undefined);
    expect(applied.stale).toMatchObject([
      { domain: NEW.domain, message: 'www.new.example.com: it is not known whether the service has it.' },
    ]);
    expect(writes(service)).toEqual([]);
  });

  it.each([
    ['is the record where the two may be one website', undefined, []],
    ['is another website where they are two', 'distinct', ['b.example.com no longer exists']],
  ] as const)('by the name of its www variant, a record %s', async (_, www, messages) => {
    const service = stocked();
    const meddle = () => renamed(service, '1', 'www.b.example.com');
    const planOptions = www === undefined ? {} : { www };
    const { applied } = await applyLater(service, [B], meddle, planOptions);
    expect(applied.stale).toEqual(
      messages.map((message) => ({
        action: 'update',
        domain: 'b.example.com',
        id: '1',
        source: B.source,
        message: expect.stringContaining(message),
      })),
    );
  });
});

describe('a plan that was just made', () => {
  const MINUTE = 60_000;

  it.each([
    [4 * MINUTE, 'yes', [], ['create a.example.com', 'update b.example.com', 'remove c.example.com']],
    [6 * MINUTE, 'no', ['c.example.com (#2) was changed: privacy is public and was private.'], []],
  ])('is applied %i ms later to what others changed meanwhile: %s', async (ms, _, messages, sent) => {
    const service = stocked();
    const work = applying({ service, clock, desired: DESIRED, runsFolder, more: { parallelism: 1 } });
    const plan = await work.plan();
    await clock.sleep(ms);
    service.edit('2', { privacy: 0 });
    const { stale } = await applyMade(plan, { ...work.options, skipStale: false });
    expect(stale.map(({ message }) => message)).toEqual(messages);
    expect(writes(service)).toEqual(sent);
  });

  it('is applied, however late, where nobody changed anything, and where a guard refuses it, never', async () => {
    const service = stocked();
    const work = applying({ service, clock, desired: DESIRED, runsFolder });
    const plan = await work.plan();
    await clock.sleep(6 * MINUTE);
    const options = { ...work.options, skipStale: false };
    const guard = { code: 'deletes', message: 'too many', remedy: 'none', approved: false } as const;
    await expect(applyMade({ ...plan, guards: [guard] }, options)).rejects.toThrow('too many');
    expect(await applyMade(plan, options)).toMatchObject({ stale: [], result: { converged: true } });
    expect(state(service)).toEqual(END);
  });
});

describe('looking at the records', () => {
  it('lists them where that takes fewer requests, else reads each', async () => {
    const service = createFakeService({ clock, latencyMs: 10 });
    for (const index of times(250, (number) => number)) service.insert(domainOf(index), { privacy: 1 });
    for (const [count, expected] of [
      [3, ['read', 'read', 'read']],
      [4, ['list']],
    ] as const) {
      const desired = times(250, (index) => wanted(domainOf(index), index < count ? { privacy: 0 } : {}));
      const plan = await applyUntilKilled(service, desired, at('update', domainOf(0)), false);
      const before = service.calls.length;
      const { result } = await resumeLast(service, desired, plan);
      expect(result.converged).toBe(true);
      const calls = service.calls.slice(before).map(({ operation }) => operation);
      // The first update is read once more, right before.
      expect(calls.slice(0, calls.indexOf('update'))).toEqual([...expected, 'read']);
      for (const index of times(count, (number) => number)) service.edit(String(index + 1), { privacy: 1 });
    }
  });

  it('fails, and sends nothing, where the service does not answer', async () => {
    const service = stocked();
    const plan = await applyUntilKilled(service, DESIRED, at('create', 'a.example.com'), false);
    service.script = () => ({ kind: 'key' });
    await expect(resumeLast(service, DESIRED, plan)).rejects.toMatchObject({ code: 'key-refused', exit: 3 });
  });

  it('is interrupted, and sends nothing', async () => {
    const service = stocked();
    const plan = await applyUntilKilled(service, DESIRED, at('create', 'a.example.com'), false);
    const signal = AbortSignal.abort();
    await expect(resumeLast(service, DESIRED, plan, { signal })).rejects.toMatchObject({ exit: 130 });
    expect(writes(service)).toEqual(['create a.example.com']);
  });
});
