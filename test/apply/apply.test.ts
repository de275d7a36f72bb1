import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import { readJournal } from '../../src/journal/reader.ts';
import { journalPath, runIds } from '../../src/journal/writer.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import type { Plan, PlanOptions } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import { Secret, type SecretRef } from '../../src/model/secret.ts';
import type { DesiredWebsite, Website } from '../../src/model/website.ts';
import type { Clock } from '../../src/util/clock.ts';
import { type Applying, applying, type Setting } from '../support/applying.ts';
import { testFolder } from '../support/cli.ts';
import { createFakeClock } from '../support/clock.ts';
import {
  createFakeService,
  type FakeCall,
  type FakeFault,
  type FakeOptions,
  type FakeService,
  type Operation,
  writes,
} from '../support/fake-service.ts';
import { domainOf, newSites, planFor, shown, times, wanted } from '../support/plans.ts';
import { TRUST } from '../support/seals.ts';

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
  more: Partial<Setting> = {},
): Applying {
  return applying({ service, clock, desired, runsFolder, ...more });
}

/** Strikes calls of one operation, all of them or those that `applies` picks. */
const on =
  (operation: Operation, fault: FakeFault, applies: (call: FakeCall) => boolean = () => true) =>
  (call: FakeCall): FakeFault | undefined =>
    call.operation === operation && applies(call) ? fault : undefined;

const ENDED = { kind: 'fail', outcome: 'ended', status: 500, carriedOut: 'never' } as const;
const REFUSED = { kind: 'refuse' } as const;

async function apply(work: Applying, plan?: Plan): Promise<Result> {
  return (await applyPlan(plan ?? (await work.plan()), work.options)).result;
}

describe('a run', () => {
  it('creates, updates and deletes, shows it, and says so', async () => {
    const service = serviceWith();
    service.insert('b.example.com', { privacy: 1 });
    service.insert('c.example.com');
    service.insert('d.example.com');
    const work = prepare(
      service,
      [
        wanted('a.example.com', { privacy: 0 }),
        wanted('b.example.com', { privacy: 0 }),
        wanted('c.example.com', {}, 3, { state: 'absent' }),
      ],
      { planOptions: { prune: true } },
    );
    const result = await apply(work);
    expect(result).toMatchObject({
      summary: { created: 1, updated: 1, deleted: 2, unchanged: 0, failed: 0, not_attempted: 0 },
      failures: [],
      not_attempted: [],
      stopped: null,
      interrupted: false,
      converged: true,
      residual: [],
      others: 0,
      notes: [],
    });
    expect(service.records().map(({ domain, settings }) => [domain, settings.privacy])).toEqual([
      ['b.example.com', 0],
      ['a.example.com', 0],
    ]);
    expect(work.events.map(({ type }) => type)).toEqual([
      'run_started',
      ...['change_started', 'change_done', 'change_started', 'trial_started', 'change_done'],
      ...['change_started', 'change_started', 'change_done', 'change_done'],
      'verify_started',
      'run_ended',
    ]);
    expect(await readJournal(runsFolder, result.run ?? '', TRUST)).toMatchObject({
      finished: true,
      begun: new Set([0, 1, 2, 3]),
      closed: { converged: true, summary: result.summary },
    });
  });

  it('sends one request a change and one list for the verification', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(50));
    await apply(work);
    expect(service.calls).toHaveLength(1 + 50 + 1);
  });

  it('has so many under way at once as it is given workers', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(20), { more: { parallelism: 5 } });
    await apply(work);
    const starts = service.calls.filter(({ operation }) => operation === 'create').map(({ at }) => at);
    for (const at of new Set(starts)) expect(starts.filter((start) => start === at)).toHaveLength(5);
  });

  it('goes on after a failed record, and names it in the order of the plan', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(20));
    service.script = on('create', REFUSED, ({ subject }) => [domainOf(3), domainOf(12)].includes(subject));
    const result = await apply(work);
    expect(result.summary).toMatchObject({ created: 18, failed: 2, not_attempted: 0 });
    expect(result.failures).toEqual(
      [3, 12].map((index) => ({
        action: 'create',
        domain: domainOf(index),
        source: { file: 'websites.yaml', line: 1, column: 5 },
        fate: 'failed',
        code: 'service-refused',
        status: 422,
        message: `Cannot create ${domainOf(index)}: 422.`,
        attempts: 1,
      })),
    );
    expect(result.converged).toBe(true);
  });
});

describe('before anything is sent', () => {
  it('a guard refuses', async () => {
    const service = serviceWith();
    for (const index of times(5, (at) => at)) service.insert(domainOf(index));
    const work = prepare(service, [], { planOptions: { prune: true, allow: { empty: false } } });
    const plan = await work.plan();
    await expect(applyPlan(plan, work.options)).rejects.toMatchObject({ code: 'guard-refused', exit: 5 });
    expect(writes(service)).toEqual([]);
    expect(await runIds(runsFolder)).toEqual([]);
  });

  it('secrets that are missing are named all at once', async () => {
    const service = serviceWith();
    const desired = ['ONE', 'TWO', 'THREE'].map((env, index) =>
      wanted(domainOf(index), { privacy: 2, password: { env } }),
    );
    const place = { file: 'websites.yaml', line: 3, column: 5 };
    const resolveSecret = async (ref: SecretRef): Promise<Secret> => {
      const name = 'env' in ref ? ref.env : '';
      if (name === 'TWO') return new Secret('s3cret-value');
      throw new WebsitesError('secret-missing', `${name} is not set.`, { remedy: `Set ${name}.`, place });
    };
    await expect(apply(prepare(service, desired, { more: { resolveSecret } }))).rejects.toMatchObject({
      code: 'secret-missing',
      message: '2 secrets to send are not available.',
      problems: ['ONE', 'THREE'].map((name) => ({
        severity: 'error',
        message: `${name} is not set`,
        remedy: `Set ${name}.`,
        place,
      })),
    });
    expect(writes(service)).toEqual([]);
  });

  it('each secret is resolved, once, and one that is missing refuses all', async () => {
    const service = serviceWith();
    const asked: string[] = [];
    const desired = [
      ...times(3, (index) => wanted(domainOf(index), { privacy: 2, password: { env: 'ONE' } })),
      wanted('z.example.com', { privacy: 2, password: { env: 'TWO' } }),
    ];
    const resolveSecret = async (ref: object): Promise<Secret> => {
      asked.push(JSON.stringify(ref));
      if (asked.length > 1) throw new WebsitesError('secret-missing', 'TWO is not set.');
      return new Secret('s3cret-value');
    };
    const work = prepare(service, desired, { more: { resolveSecret } });
    await expect(apply(work)).rejects.toMatchObject({ code: 'secret-missing' });
    expect(asked).toEqual(['{"env":"ONE"}', '{"env":"TWO"}']);
    expect(writes(service)).toEqual([]);
  });

  it('what is doubtful about a secret is noted, those of a kind together', async () => {
    const service = serviceWith();
    const desired = ['ONE', 'TWO', 'THREE'].map((env, index) =>
      wanted(domainOf(index), { privacy: 2, password: { env } }),
    );
    const resolveSecret = async (ref: SecretRef): Promise<Secret> =>
      new Secret('s3cret-value', 'env' in ref && ref.env === 'TWO' ? [] : ['quotes']);
    const { notes } = await apply(prepare(service, desired, { more: { resolveSecret } }));
    expect(notes).toEqual(['A secret is in quotes, which are sent as part of it: env:ONE, env:THREE.']);
  });

  it('the journal is opened, or all is refused', async () => {
    const service = serviceWith();
    await writeFile(runsFolder, 'a file in its place');
    const work = prepare(service, newSites(1));
    await expect(apply(work)).rejects.toMatchObject({ code: 'file-failed' });
    expect(writes(service)).toEqual([]);
  });
});

describe('the order', () => {
  const desired = [wanted('a.example.com', { privacy: 0 }), wanted('b.example.com', { privacy: 0 })];
  const stocked = (): FakeService => {
    const service = serviceWith();
    for (const domain of ['b.example.com', 'y.example.com', 'z.example.com']) service.insert(domain);
    return service;
  };

  it('is creates, updates, deletes, each when those before have ended', async () => {
    const service = stocked();
    service.script = on('create', { ...ENDED, outcome: 'unknown', status: 504 }, ({ nth }) => nth === 0);
    const work = prepare(service, desired, { planOptions: { prune: true } });
    expect((await apply(work)).converged).toBe(true);
    expect(writes(service)).toEqual([
      ...['create a.example.com', 'create a.example.com', 'update b.example.com'],
      ...['remove y.example.com', 'remove z.example.com'],
    ]);
  });

  it.each([
    ['failed', REFUSED],
    ['unknown', { ...ENDED, outcome: 'unknown', carriedOut: { afterMs: 1e9 } } as const],
  ])('leaves prune out, and nothing else, after a create that is %s', async (fate, fault) => {
    const service = stocked();
    const absent = wanted('z.example.com', {}, 3, { state: 'absent' });
    const script = on('create', fault);
    service.script = (call) => (fate === 'unknown' && call.operation === 'find' ? ENDED : script(call));
    const work = prepare(service, [...desired, absent], { planOptions: { prune: true } });
    const result = await apply(work);
    expect(writes(service).filter((write) => !write.startsWith('create'))).toEqual([
      'update b.example.com',
      'remove z.example.com',
    ]);
    expect(result).toMatchObject({
      summary: { created: 0, updated: 1, deleted: 1, failed: 1, not_attempted: 1 },
      failures: [{ fate }],
      not_attempted: [{ action: 'delete', domain: 'y.example.com', id: '2' }],
      stopped: expect.stringContaining('deletes were skipped'),
    });
    expect((await readJournal(runsFolder, result.run ?? '', TRUST)).finished).toBe(false);
  });

  it('leaves nothing out after an update that failed', async () => {
    const service = stocked();
    service.script = on('update', REFUSED);
    const result = await apply(prepare(service, desired, { planOptions: { prune: true } }));
    expect(result.summary).toMatchObject({ created: 1, updated: 0, deleted: 2, failed: 1, not_attempted: 0 });
  });
});

describe('a create in doubt', () => {
  it('is put aside while others go on, and taken up when its time has come', async () => {
    const service = serviceWith({ latencyMs: 500 });
    const work = prepare(service, newSites(120), { more: { parallelism: 1 } });
    service.script = on(
      'create',
      { ...ENDED, outcome: 'unknown' },
      (call) => call.subject === domainOf(5) && call.nth === 0,
    );
    const result = await apply(work);
    expect(result.summary).toMatchObject({ created: 120, failed: 0 });
    const again = writes(service).lastIndexOf(`create ${domainOf(5)}`);
    expect(again).toBeGreaterThan(50);
    expect(again).toBeLessThan(70);
  });

  it('does not let all others pile up behind it while the service is gone', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(1000), { more: { parallelism: 2 } });
    service.script = () => ({ ...ENDED, outcome: 'unknown' });
    const plan = await prepare(serviceWith(), newSites(1000)).plan();
    const result = await apply(work, plan);
    expect(new Set(writes(service)).size).toBeLessThanOrEqual(2 * 10 + 10 + 2);
    expect(result).toMatchObject({ stopped: 'the service failed 10 times in a row', converged: null });
    expect(result.summary.failed + result.summary.not_attempted).toBe(1000);
    expect(result.failures.every((failure) => failure.fate === 'unknown')).toBe(true);
  });

  it.each([
    ['is given up', { ...ENDED, outcome: 'unknown' } as const, 1],
    ['is known to have failed', REFUSED, undefined],
  ])('that %s: the journal tells whoever writes next', async (_, fault, in_doubt) => {
    const service = serviceWith();
    const work = prepare(service, newSites(1));
    const plan = await work.plan();
    service.script = ({ operation }) => (operation === 'create' ? fault : ENDED);
    const { run } = await apply(work, plan);
    expect((await readJournal(runsFolder, run ?? '', TRUST)).closed?.in_doubt).toBe(in_doubt);
  });
});

describe('a run stops', () => {
  it('at once when the key is refused', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(50));
    service.script = on('create', { kind: 'key' }, ({ nth, subject }) => nth === 0 && subject >= domainOf(8));
    const { result, keyRefused } = await applyPlan(await work.plan(), work.options);
    expect(keyRefused).toBe(true);
    expect(writes(service)).toHaveLength(12);
    expect(result).toMatchObject({
      summary: { created: 8, failed: 4, not_attempted: 38 },
      stopped: 'The key was refused.',
      converged: null,
    });
    // A key that is refused is not asked for a proof either.
    expect(service.calls.at(-1)?.operation).toBe('create');
  });

  it('and says that the key was refused, where that is so for the verification alone', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(2));
    const plan = await work.plan();
    service.script = on('list', { kind: 'key' });
    const { result, keyRefused } = await applyPlan(plan, work.options);
    expect(keyRefused).toBe(true);
    expect(result).toMatchObject({ summary: { created: 2 }, stopped: null, converged: null });
  });

  it.each([403, 402])('when a write is forbidden (%i), with the words of the service', async (status) => {
    const service = serviceWith();
    const work = prepare(service, newSites(50));
    service.script = on('create', { kind: 'refuse', status }, ({ subject }) => subject === domainOf(10));
    const { result, keyRefused } = await applyPlan(await work.plan(), work.options);
    expect(keyRefused).toBe(false);
    expect(result.stopped).toBe(`Cannot create ${domainOf(10)}: ${status}.`);
    expect(result.summary.not_attempted).toBeGreaterThan(35);
    expect(result.converged).toBe(true);
  });

  it('after ten failures of the service in a row', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(100), { more: { parallelism: 1 } });
    service.script = on('create', { kind: 'refuse', status: 503 });
    const result = await apply(work);
    expect(result.summary).toMatchObject({ failed: 10, not_attempted: 90 });
  });

  it('after a fifth of at least fifty, where single records fail; not before', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(100), { more: { parallelism: 1 } });
    service.script = on('create', REFUSED, ({ subject }) => Number(subject.slice(5, 10)) % 4 === 0);
    const result = await apply(work);
    expect(result).toMatchObject({
      summary: { created: 37, failed: 13, not_attempted: 50 },
      stopped: '13 of 50 changes failed',
    });
  });

  it('after as many failures as it was told, and for no other number of them', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(100), { more: { parallelism: 1, maxFailures: 20 } });
    service.script = on('create', { kind: 'refuse', status: 503 });
    expect((await apply(work)).summary).toMatchObject({ failed: 20, not_attempted: 80 });
  });

  it.each(['create', 'update', 'delete'])('before the next %s when the lock is lost', async (action) => {
    const service = serviceWith();
    if (action !== 'create') for (const index of times(20, (at) => at)) service.insert(domainOf(index));
    const desired = action === 'delete' ? [] : times(20, (index) => wanted(domainOf(index), { privacy: 0 }));
    let isHeld = true;
    const lock = {
      release: async (): Promise<void> => undefined,
      async assertHeld(): Promise<void> {
        if (!isHeld) throw new WebsitesError('lock-lost', 'The lock was lost.');
      },
    };
    const work = prepare(service, desired, { more: { lock, parallelism: 1 }, planOptions: { prune: true } });
    service.script = (call) => {
      if (call.subject === domainOf(5)) isHeld = false;
      return undefined;
    };
    const result = await apply(work);
    expect(writes(service)).toHaveLength(6);
    expect(result).toMatchObject({
      summary: { [`${action}d`]: 6, failed: 0, not_attempted: 14 },
      stopped: 'The lock was lost.',
      converged: null,
    });
  });
});

describe('an interrupt', () => {
  it('starts nothing more, finishes what is under way, and tells what was not attempted', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(40));
    service.script = ({ subject }) => {
      if (subject === domainOf(9)) work.interrupt();
      return undefined;
    };
    const result = await apply(work);
    expect(result).toMatchObject({
      summary: { created: 12, failed: 0, not_attempted: 28 },
      interrupted: true,
      stopped: 'it was interrupted',
      converged: null,
    });
    expect(service.records()).toHaveLength(12);
    expect(service.calls.at(-1)?.operation).toBe('create');
    expect((await readJournal(runsFolder, result.run ?? '', TRUST)).finished).toBe(false);
  });

  it('settles what is in doubt by one last look, and waits for nothing', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(4), { more: { parallelism: 4 } });
    const lost = { kind: 'fail', outcome: 'unknown', carriedOut: { afterMs: 5000 } } as const;
    const broken = { ...lost, carriedOut: 'never' } as const;
    let interruptedAt = 0;
    service.script = ({ operation, subject }) => {
      if (operation !== 'create') return undefined;
      if (subject === domainOf(0)) {
        void clock.sleep(6000).then(() => {
          interruptedAt = clock.now();
          work.interrupt();
        });
      }
      return subject === domainOf(0) ? lost : subject === domainOf(1) ? broken : undefined;
    };
    const result = await apply(work);
    expect(clock.now() - interruptedAt).toBeLessThan(100);
    expect(result.summary).toMatchObject({ created: 3, failed: 1, not_attempted: 0 });
    expect(result.failures).toMatchObject([{ domain: domainOf(1), fate: 'unknown' }]);
    expect(result.notes).toEqual([`${domainOf(0)}: its answer was lost; the record was found and adopted.`]);
  });

  it('takes back what was begun and waits in the limiter: it was not attempted', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(3));
    service.script = on('create', { kind: 'interrupted' }, ({ subject }) => subject !== domainOf(0));
    const result = await apply(work);
    expect(result.summary).toMatchObject({ created: 1, failed: 0, not_attempted: 2 });
    const recorded = await readJournal(runsFolder, result.run ?? '', TRUST);
    expect(recorded.begun.size).toBe(3);
    expect([...recorded.ended.values()].map(({ fate }) => fate).sort()).toEqual([
      'done',
      'not_attempted',
      'not_attempted',
    ]);
  });

  it('before the first change sends nothing', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(3));
    const plan = await work.plan();
    work.interrupt();
    const result = await apply(work, plan);
    expect(result.summary).toMatchObject({ created: 0, not_attempted: 3 });
    expect(writes(service)).toEqual([]);
  });
});

describe('the verification', () => {
  it('waits for a service that shows a write a moment later', async () => {
    const service = serviceWith({ lagMs: 1000 });
    service.insert('b.example.com', { privacy: 1 });
    service.insert('c.example.com');
    const desired = [
      wanted('a.example.com', { privacy: 0 }),
      wanted('b.example.com', { privacy: 0 }),
      wanted('c.example.com', {}, 3, { state: 'absent' }),
    ];
    await clock.sleep(1000);
    const work = prepare(service, desired);
    const result = await apply(work);
    expect(result).toMatchObject({ converged: true, residual: [] });
    expect(work.events.filter(({ type }) => type === 'verify_waiting')).toMatchObject([
      { open: 3, milliseconds: 250 },
      { open: 3, milliseconds: 500 },
      { milliseconds: 1000 },
    ]);
  });

  it('names each field that the service ignored, with what it shows, within a bounded time', async () => {
    const service = serviceWith({ deaf: ['exclude_ips'] });
    service.insert('b.example.com', { privacy: 1 });
    const desired = [
      wanted('a.example.com', { exclude_ips: ['192.0.2.1'] }),
      wanted('b.example.com', { privacy: 0, exclude_ips: ['192.0.2.2'] }),
    ];
    const startedAt = clock.now();
    const result = await apply(prepare(service, desired));
    expect(clock.now() - startedAt).toBeLessThan(5000);
    expect(result.converged).toBe(false);
    expect(result.residual).toEqual([
      {
        action: 'create',
        domain: 'a.example.com',
        field: 'exclude_ips',
        wanted: ['192.0.2.1'],
        shown: [],
        message: 'a.example.com: the service ignored exclude_ips',
      },
      expect.objectContaining({ action: 'update', domain: 'b.example.com', wanted: ['192.0.2.2'] }),
    ]);
    expect(result.others).toBe(0);
  });

  it('looks once where it is interrupted', async () => {
    const service = serviceWith({ deaf: ['exclude_ips'] });
    const work = prepare(service, [wanted('a.example.com', { exclude_ips: ['192.0.2.1'] })]);
    const plan = await work.plan();
    const before = service.calls.length;
    service.script = ({ operation }) => {
      if (operation === 'list') work.interrupt();
      return undefined;
    };
    const result = await apply(work, plan);
    expect(result).toMatchObject({ converged: false, residual: [{ domain: 'a.example.com' }] });
    expect(service.calls.slice(before).map(({ operation }) => operation)).toEqual(['create', 'list']);
    expect(work.events.filter(({ type }) => type === 'verify_waiting')).toEqual([]);
  });

  it('names a password that the service ignored, and nothing of it', async () => {
    const service = serviceWith({ deaf: ['password'] });
    const password = { env: 'PASSWORD' };
    const work = prepare(service, [wanted('a.example.com', { privacy: 2, password })]);
    const message = 'a.example.com: password is not as it was sent';
    expect((await apply(work)).residual).toEqual([
      { action: 'create', domain: 'a.example.com', field: 'password', message },
    ]);
  });

  it('names a password that went along with an update, and that the service lost', async () => {
    const service = serviceWith({ deaf: ['password'], put: 'replace' });
    service.insert('a.example.com', { privacy: 2, email: false }, 'the one before');
    const settings = { privacy: 2, password: { env: 'PASSWORD' }, email: true } as const;
    const work = prepare(service, [wanted('a.example.com', settings)]);
    const plan = await work.plan();
    expect(plan.changes).toMatchObject([{ alongside: { password: { sensitive: true } } }]);
    const message = 'a.example.com: password is not as it was sent';
    expect(await apply(work, plan)).toMatchObject({
      converged: false,
      residual: [{ action: 'update', domain: 'a.example.com', field: 'password', message }],
    });
  });

  it('sees a record that is still there also where the second plan would not delete it', async () => {
    const service = serviceWith();
    service.insert('b.example.com');
    const keeping = prepare(service, [], { planOptions: { prune: false } });
    service.remove = async () => undefined;
    const work = prepare(service, [], {
      planOptions: { prune: true },
      more: { replan: keeping.options.replan },
    });
    expect((await apply(work)).residual).toMatchObject([{ message: 'b.example.com still exists' }]);
  });

  const stillThere = { converged: false, residual: [{ message: 'b.example.com still exists' }] };
  it.each([
    ['sees it', 'leaves it out', stillThere],
    ['sees it', 'shows it', stillThere],
    ['sees that it is gone', 'rightly leaves it out', { converged: true, residual: [], partial: true }],
  ])('%s also where a list that is not whole %s', async (_, does, expected) => {
    const service = serviceWith();
    service.insert('b.example.com');
    if (expected === stillThere) service.remove = async () => undefined;
    const planOptions = { prune: true };
    const current = { websites: [], complete: false };
    const replan = async () => ({
      plan: planFor({ current, options: planOptions }),
      websites: does === 'shows it' ? (await service.list()).websites : [],
    });
    const result = await apply(prepare(service, [], { planOptions, more: { replan } }));
    expect(result).toMatchObject(expected);
  });

  it('sees it also where the second plan takes it for another, since the service took its www. off', async () => {
    const service = serviceWith();
    service.insert('a.example.com');
    service.remove = async () => undefined;
    const desired = [wanted('www.a.example.com', {}, 1, { state: 'absent' })];
    const plan = planFor({
      desired: { websites: desired },
      current: { websites: [shown('www.a.example.com', 1)] },
      options: { allow: { empty: true, deletes: 1 } },
    });
    expect((await apply(prepare(service, desired), plan)).residual).toMatchObject([
      { message: 'www.a.example.com still exists' },
    ]);
  });

  it('does not take a new record for one that is still there, whose id it was given', async () => {
    const service = serviceWith({ www: 'keep' });
    service.insert('www.a.example.com');
    service.insert('b.example.com');
    const { create, list } = service;
    const idOf = (website: Website): Website =>
      website.domain === 'a.example.com' ? { ...website, id: '1' } : website;
    service.create = async (...args) => idOf(await create(...args));
    service.list = async () => {
      const listing = await list();
      return { ...listing, websites: listing.websites.map(idOf) };
    };
    const planOptions = { prune: true, www: 'distinct' } as const;
    const desired = [wanted('a.example.com'), wanted('b.example.com')];
    expect(await apply(prepare(service, desired, { planOptions }))).toMatchObject({
      summary: { created: 1, deleted: 1 },
      converged: true,
    });
  });

  it('sees a record that is still there also where a create was answered with its id', async () => {
    const service = serviceWith();
    service.insert('b.example.com');
    const { create } = service;
    service.create = async (...args) => ({ ...(await create(...args)), id: '1' });
    service.remove = async () => undefined;
    const planOptions = { prune: true };
    expect(await apply(prepare(service, [wanted('a.example.com')], { planOptions }))).toMatchObject(
      stillThere,
    );
  });

  it('reads a few records before it lists many again', async () => {
    const service = serviceWith({ deaf: ['email'] });
    for (const index of times(1200, (at) => at)) service.insert(domainOf(index));
    const desired = times(1200, (index) =>
      wanted(domainOf(index), index < 12 ? { privacy: 0, email: true } : {}),
    );
    const work = prepare(service, desired);
    const plan = await work.plan();
    const before = service.calls.length;
    const result = await apply(work, plan);
    expect(result.residual.map(({ domain, field }) => [domain, field])).toEqual(
      times(12, (index) => [domainOf(index), 'email']),
    );
    const counts = (operation: Operation): number =>
      service.calls.slice(before).filter((call) => call.operation === operation).length;
    expect({ lists: counts('list'), reads: counts('read') }).toEqual({ lists: 1, reads: 1 + 4 * 10 });
  });

  it('lists many again once one of those few shows what it was to', async () => {
    const service = serviceWith({ lagMs: 1000 });
    for (const index of times(1200, (at) => at)) service.insert(domainOf(index));
    await clock.sleep(1000);
    const desired = times(1200, (index) => wanted(domainOf(index), index < 12 ? { privacy: 0 } : {}));
    expect(await apply(prepare(service, desired))).toMatchObject({ converged: true, residual: [] });
  });

  it('counts what the run did not attempt, and does not fail for it', async () => {
    const service = serviceWith();
    service.insert('b.example.com', { privacy: 1 });
    service.insert('orphan.example.com');
    const work = prepare(service, [
      wanted('a.example.com', { privacy: 0 }),
      wanted('b.example.com', { privacy: 1, email: false }),
      wanted('c.example.com'),
    ]);
    service.insert('c.example.com');
    const plan = await work.plan();
    // Meanwhile others change a record that this run leaves alone, and a field of one that it touches.
    service.edit('1', { privacy: 0 });
    const result = await apply(work, plan);
    expect(result).toMatchObject({ converged: true, residual: [], others: 1 });
  });

  it('counts an edit by others to another field of a record that was updated', async () => {
    const service = serviceWith();
    service.insert('a.example.com', { privacy: 1, email: false });
    const work = prepare(service, [wanted('a.example.com', { privacy: 0, email: false })]);
    const plan = await work.plan();
    service.script = (call) => {
      if (call.operation === 'list') service.edit('1', { email: true });
      return undefined;
    };
    expect(await apply(work, plan)).toMatchObject({ converged: true, residual: [], others: 1 });
  });

  it.each([
    ['alone', []],
    ['among others', ['b.example.com']],
  ])(
    'names a record that is there twice, since something on the way sent its create twice: %s',
    async (_, others) => {
      const service = serviceWith({ unique: false });
      const work = prepare(
        service,
        ['a.example.com', ...others].map((domain) => wanted(domain)),
      );
      service.script = ({ operation, subject }) => {
        if (operation === 'create' && subject === 'a.example.com') service.insert(subject);
        return undefined;
      };
      const result = await apply(work);
      expect(result).toMatchObject({ summary: { created: 1 + others.length, failed: 0 }, converged: false });
      expect(result.residual).toEqual([
        {
          action: 'create',
          domain: 'a.example.com',
          message: 'a.example.com exists 2 times (#1, #2): delete all but one on the service',
        },
      ]);
    },
  );

  it('names a record that is there twice by what the service calls it', async () => {
    const service = serviceWith({ unique: false, www: 'strip' });
    const work = prepare(service, [wanted('www.a.example.com')]);
    service.script = ({ operation }) => {
      if (operation === 'create') service.insert('a.example.com');
      return undefined;
    };
    const { converged, residual } = await apply(work);
    expect(converged).toBe(false);
    expect(residual).toEqual([
      {
        action: 'create',
        domain: 'www.a.example.com',
        message: 'a.example.com exists 2 times (#1, #2): delete all but one on the service',
      },
    ]);
  });

  it('names a record that is not there, or still there', async () => {
    const service = serviceWith();
    service.insert('b.example.com');
    const work = prepare(service, [
      wanted('a.example.com'),
      wanted('b.example.com', {}, 2, { state: 'absent' }),
    ]);
    const plan = await work.plan();
    service.remove = async () => undefined;
    service.script = (call) => {
      if (call.operation === 'list') service.drop('2');
      return undefined;
    };
    const result = await apply(work, plan);
    expect(result.residual.map(({ message }) => message)).toEqual([
      'a.example.com does not exist',
      'b.example.com still exists',
    ]);
  });

  it('takes a record for gone where the second plan would delete another one', async () => {
    const service = serviceWith();
    service.insert('www.a.example.com');
    service.insert('a.example.com');
    // Once it is gone, the twin is taken for it.
    const work = prepare(service, [wanted('www.a.example.com', {}, 1, { state: 'absent' })]);
    expect(await apply(work)).toMatchObject({ summary: { deleted: 1 }, converged: true, residual: [] });
    expect(service.records().map(({ domain }) => domain)).toEqual(['a.example.com']);
  });

  it('finds a new record cleared where it was declared cleared, whatever the service begins with', async () => {
    const service = serviceWith({ fresh: { exclude_params: ['ref'], favorited_at: '2026-01-31T09:00:00Z' } });
    const cleared = { exclude_params: [], exclude_ips: [], favorited_at: null };
    expect(await apply(prepare(service, [wanted('a.example.com', cleared)]))).toMatchObject({
      converged: true,
      residual: [],
    });
    expect(service.records()).toMatchObject([{ settings: cleared }]);
  });

  it('sends the time of the plan for a favorite that is declared without one', async () => {
    const service = serviceWith();
    service.insert('a.example.com');
    const sites = ['a.example.com', 'b.example.com'].map((domain) => wanted(domain, { favorited_at: true }));
    const work = prepare(service, sites);
    const plan = await work.plan();
    await clock.sleep(60_000);
    expect(await apply(work, plan)).toMatchObject({ converged: true });
    const { created_at: favorited_at } = plan;
    expect(service.records()).toMatchObject([{ settings: { favorited_at } }, { settings: { favorited_at } }]);
  });

  it('does not say of a password that it was sent where there was none to send', async () => {
    const service = serviceWith();
    const work = prepare(service, [wanted('a.example.com', { password: null })]);
    const plan = await work.plan();
    const list = service.list;
    service.list = async () => {
      const listing = await list();
      return { ...listing, websites: listing.websites.map((website) => ({ ...website, passwordSet: true })) };
    };
    expect((await apply(work, plan)).residual).toMatchObject([
      { field: 'password', message: 'a.example.com: the service set a password that was not requested' },
    ]);
  });

  it('says why there is none', async () => {
    const service = serviceWith();
    const work = prepare(service, newSites(1));
    const plan = await work.plan();
    service.script = on('list', ENDED);
    const { result, keyRefused } = await applyPlan(plan, work.options);
    expect(keyRefused).toBe(false);
    expect(result).toMatchObject({
      summary: { created: 1 },
      converged: null,
      notes: ['Could not verify: Cannot list : 500.'],
    });
  });

  it('takes the www. that the service took off for settled', async () => {
    const service = serviceWith({ www: 'strip' });
    // By this one alone the two would be two websites.
    service.insert('www.old.example.com');
    const work = prepare(service, [wanted('www.a.example.com', { privacy: 0 })]);
    const result = await apply(work);
    expect(result).toMatchObject({
      converged: true,
      notes: ['www.a.example.com: the service calls it a.example.com: set "service.www" to "same".'],
    });
  });

  it('goes by the rule of the files where the service shows another: the next plan would create it again', async () => {
    const service = serviceWith({ www: 'strip' });
    const desired = [wanted('www.a.example.com', { privacy: 0 })];
    const work = prepare(service, desired, { planOptions: { www: 'distinct' } });
    expect(await apply(work)).toMatchObject({
      converged: false,
      residual: [{ action: 'create', message: 'www.a.example.com does not exist' }],
      notes: ['www.a.example.com: the service calls it a.example.com.'],
    });
  });
});

describe('a create in doubt, of which only the www. variant is found', () => {
  const B = wanted('www.b.example.com', { privacy: 0 });

  it.each<[string, 'strip' | 'keep', Partial<PlanOptions>, DesiredWebsite[]]>([
    ['is the record, as another create has shown', 'strip', {}, [wanted('www.a.example.com'), B]],
    ['is the record, as the files say', 'strip', { www: 'same' }, [B]],
    ['is another website, as another create has shown', 'keep', {}, [wanted('www.a.example.com'), B]],
    ['is another website, as the files say', 'keep', { www: 'distinct' }, [B]],
  ])('%s', async (_, www, planOptions, desired) => {
    const service = serviceWith({ www });
    const work = prepare(service, desired, { planOptions, more: { parallelism: 1 } });
    const plan = await work.plan();
    // A service that keeps the label has the twin from somebody else.
    if (www === 'keep') service.insert('b.example.com', { privacy: 1 });
    const carriedOut = www === 'strip' ? 'before' : 'never';
    service.script = ({ operation, subject, nth }) =>
      operation === 'create' && subject === B.domain && nth === 0
        ? { kind: 'fail', outcome: 'ended', status: 500, carriedOut }
        : undefined;
    const { result } = await applyPlan(plan, work.options);
    expect(result.summary).toMatchObject({ created: desired.length, failed: 0 });
    expect(service.records().filter(({ settings }) => settings.privacy === 0)).toMatchObject([
      { domain: www === 'strip' ? 'b.example.com' : B.domain },
    ]);
  });

  it('is not settled by a create without the label', async () => {
    const service = serviceWith({ www: 'strip' });
    const work = prepare(service, [wanted('a.example.com'), B], { more: { parallelism: 1 } });
    service.script = on('create', { ...ENDED, carriedOut: 'before' }, ({ subject }) => subject === B.domain);
    const result = await apply(work);
    expect(result.failures).toMatchObject([
      { domain: B.domain, fate: 'unknown', remedy: expect.stringContaining('service.www') },
    ]);
    expect(service.calls.filter(({ operation }) => operation === 'create')).toHaveLength(2);
  });
});

describe('secrets', () => {
  it('reach the service, and neither the journal, nor an event, nor the result', async () => {
    const service = serviceWith();
    const desired = [
      wanted('a.example.com', { privacy: 2, password: { env: 'PASSWORD' } }),
      wanted('b.example.com', { privacy: 2, password: { env: 'PASSWORD' } }),
    ];
    service.insert('b.example.com', { privacy: 0 });
    const work = prepare(service, desired);
    const result = await apply(work);
    expect(service.records().map(({ password }) => password)).toEqual(['s3cret-value', 's3cret-value']);
    const journal = await readFile(journalPath(runsFolder, result.run ?? ''), 'utf8');
    expect(`${journal}${JSON.stringify(work.events)}${JSON.stringify(result)}`).not.toContain('s3cret-value');
  });
});

it('a bug ends the run with itself, and the journal is left for the next', async () => {
  const service = serviceWith();
  const work = prepare(service, newSites(20));
  const bug = new TypeError('x is not a function');
  service.script = ({ subject }) => {
    if (subject === domainOf(5)) throw bug;
    return undefined;
  };
  await expect(apply(work)).rejects.toBe(bug);
  expect(writes(service).length).toBeLessThan(12);
  const [run = ''] = await runIds(runsFolder);
  expect(await readJournal(runsFolder, run, TRUST)).toMatchObject({ finished: false });
});
