/** The engine over the real client and real sockets, against a service that acts out limits and faults. */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Applied, applyPlan } from '../../src/apply/apply.ts';
import type { Replan } from '../../src/apply/checks/verify.ts';
import { createClient } from '../../src/client/client.ts';
import { createLimiter } from '../../src/client/pace.ts';
import { readCurrent } from '../../src/client/read-current.ts';
import { readJournal } from '../../src/journal/reader.ts';
import { READABLE_NAMES } from '../../src/model/field-table.ts';
import { NOT_SAID } from '../../src/model/next-command.ts';
import type { Plan, PlanOptions } from '../../src/model/plan.ts';
import type { RunEvent } from '../../src/model/run.ts';
import { Secret } from '../../src/model/secret.ts';
import type { DesiredWebsite } from '../../src/model/website.ts';
import { NOTHING_KNOWN } from '../../src/update/knowledge.ts';
import type { Clock } from '../../src/util/clock.ts';
import { type ActingService, act, seededFaults } from '../support/acting-service.ts';
import { testFolder } from '../support/cli.ts';
import { domainOf, planFor, times, wanted } from '../support/plans.ts';
import { SEALS, TRUST } from '../support/seals.ts';

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (milliseconds, signal) =>
    delay(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
};

let runsFolder: string;
beforeEach(async () => {
  runsFolder = join(await testFolder(), 'runs');
});

interface Work {
  plan(): Promise<Plan>;
  apply(plan: Plan): Promise<Applied>;
  readonly limiter: ReturnType<typeof createLimiter>;
  /** Records that were found after their answers were lost. */
  adopted(): number;
  interrupt(): void;
}

function prepare(
  service: ActingService,
  desired: readonly DesiredWebsite[],
  planOptions: Partial<PlanOptions> = {},
  requestTimeoutMs = 10_000,
): Work {
  const parallelism = 10;
  const events: RunEvent[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  // As many wait with it as there are requests at once.
  setMaxListeners(0, signal);
  const limiter = createLimiter(parallelism, clock);
  const client = createClient({
    baseUrl: service.url,
    key: service.key,
    version: '0.0.0',
    parallelism,
    limiter,
    clock,
    random: Math.random,
    environment: {},
    maxWaitMs: 900_000,
    timeoutMs: 120_000,
    requestTimeoutMs,
    signal,
  });
  onTestFinished(() => client.close());
  async function replan(learned: Partial<PlanOptions> = {}): Promise<Replan> {
    const fields = READABLE_NAMES;
    const current = await readCurrent(
      client,
      desired.map(({ domain }) => ({ domain, fields })),
      { parallelism },
    );
    const allow = { empty: true, deletes: 1000, updates: 1000 };
    const plan = planFor({
      desired: { websites: desired },
      current,
      options: { allow, ...planOptions, ...learned },
    });
    return { plan, websites: current.websites };
  }
  return {
    plan: async () => (await replan()).plan,
    apply: (made) =>
      applyPlan(made, {
        service: client,
        clock,
        random: Math.random,
        requestTimeoutMs,
        timeoutMs: 60_000,
        parallelism,
        runsFolder,
        seals: SEALS,
        knowledge: NOTHING_KNOWN,
        lock: { assertHeld: async () => undefined, release: async () => undefined },
        resolveSecret: async () => new Secret('s3cret-value'),
        replan,
        emit: (event) => events.push(event),
        signal,
        where: NOT_SAID,
        requests: () => limiter.state().requests,
      }),
    limiter,
    adopted: () => events.filter((event) => event.type === 'change_done' && event.note !== undefined).length,
    interrupt: () => controller.abort(new Error('interrupted')),
  };
}

const newSites = (count: number): DesiredWebsite[] =>
  times(count, (index) => wanted(domainOf(index), { privacy: 0, exclude_params: [`p${index}`] }));

it('creates, updates and deletes with one request a change and the lists of plan and verification', async () => {
  const service = await act({ records: times(250, (index) => domainOf(index)) });
  const desired = [
    ...times(200, (index) => wanted(domainOf(index), { privacy: index < 50 ? 0 : 1 })),
    ...times(60, (index) =>
      wanted(domainOf(index, 'example.net'), { privacy: 2, password: { env: 'PASSWORD' } }),
    ),
  ];
  const work = prepare(service, desired, { prune: true });
  const { result } = await work.apply(await work.plan());
  expect(result).toMatchObject({
    summary: { created: 60, updated: 50, deleted: 50, unchanged: 150, failed: 0 },
    converged: true,
    others: 0,
    // The first update is read before.
    requests: 3 + 160 + 1 + 3,
  });
  expect(service.records()).toHaveLength(260);
  expect(service.records().filter(({ password }) => password === 's3cret-value')).toHaveLength(60);
});

describe('a service that lets 60 requests a second through, and loses the answers of some writes', () => {
  it.each(['laravel', 'none'] as const)('is obeyed (%s headers): all is there once', async (headers) => {
    const count = 120;
    const service = await act({ dialect: { rateLimit: { requests: 60, windowMs: 1000, headers } } });
    const lost = seededFaults(7, 0.05, [{ kind: 'status', status: 500, when: 'after' }]);
    service.faults = (request) => (request.method === 'POST' ? lost(request) : undefined);
    const work = prepare(service, newSites(count));
    const plan = await work.plan();
    const before = service.requests.length;
    const { result } = await work.apply(plan);
    expect(result).toMatchObject({ summary: { created: count, failed: 0 }, converged: true });
    expect(
      service
        .records()
        .map(({ domain }) => domain)
        .sort(),
    ).toEqual(times(count, (index) => domainOf(index)));
    const least = count + work.adopted() + Math.ceil(count / 100);
    expect((service.requests.length - before) / least).toBeLessThanOrEqual(1.15);
  });
});

describe('answers that are lost', () => {
  it.each(['reset', 'hang'] as const)(
    'by a %s, before or after: nothing is doubled, nothing is missing',
    async (kind) => {
      const service = await act({ records: times(10, (index) => domainOf(index, 'example.net')) });
      const desired = [
        ...newSites(20),
        ...times(5, (index) => wanted(domainOf(index, 'example.net'), { privacy: 0 })),
      ];
      const faults = seededFaults(3, 0.2, [
        { kind, when: 'before' },
        { kind, when: 'after' },
      ]);
      service.faults = (request) => (request.method === 'GET' ? undefined : faults(request));
      const work = prepare(service, desired, { prune: true }, 500);
      const { result } = await work.apply(await work.plan());
      expect(result).toMatchObject({
        summary: { created: 20, updated: 5, deleted: 5, failed: 0 },
        converged: true,
      });
      expect(service.records()).toHaveLength(25);
    },
  );

  it.each(['empty', 'id'] as const)(
    'because creates are answered with nothing but %s',
    async (writeAnswer) => {
      const service = await act({ dialect: { writeAnswer } });
      const work = prepare(service, newSites(10));
      const { result } = await work.apply(await work.plan());
      expect(result).toMatchObject({ summary: { created: 10, failed: 0 }, converged: true });
      expect(service.records()).toHaveLength(10);
    },
  );
});

it('an interrupt does not wait for a minute that the service asked for', async () => {
  const service = await act({
    dialect: { rateLimit: { requests: 20, windowMs: 600_000, headers: 'laravel' } },
  });
  const work = prepare(service, newSites(50));
  const plan = await work.plan();
  const applying = work.apply(plan);
  await expect.poll(() => work.limiter.state().heldForMs, { timeout: 10_000 }).toBeGreaterThan(0);
  const startedAt = Date.now();
  work.interrupt();
  const { result } = await applying;
  expect(Date.now() - startedAt).toBeLessThan(5000);
  expect(result).toMatchObject({ summary: { created: 19, failed: 0, not_attempted: 31 }, interrupted: true });
  expect(service.records()).toHaveLength(19);
  const recorded = await readJournal(runsFolder, result.run ?? '', TRUST);
  expect(recorded.finished).toBe(false);
  expect([...recorded.ended.values()].filter(({ fate }) => fate === 'not_attempted').length).toBeGreaterThan(
    0,
  );
});

it('a key that is refused in the middle of a run stops it at once', async () => {
  const service = await act();
  let posts = 0;
  service.faults = ({ method }) => {
    if (method === 'POST') posts += 1;
    return posts > 20 ? { kind: 'status', status: 401, when: 'before' } : undefined;
  };
  const work = prepare(service, newSites(100));
  const { result, keyRefused } = await work.apply(await work.plan());
  expect(keyRefused).toBe(true);
  expect(posts).toBeLessThanOrEqual(30);
  expect(result.summary.created).toBe(20);
  expect(result.summary.failed + result.summary.not_attempted).toBe(80);
});
