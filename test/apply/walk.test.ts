/**
 * A random walk: any plan, any faults, killed or interrupted at any moment, resumed under more faults, its
 * journal cut as a crash may cut it. Whatever happens: never two records for one domain, never a delete or
 * an update that was not planned, the result tells the truth, and one more apply converges.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import { resumeRun } from '../../src/apply/resume.ts';
import { lastUnfinished } from '../../src/journal/list-runs.ts';
import { readJournal } from '../../src/journal/reader.ts';
import { journalPath } from '../../src/journal/writer.ts';
import { type Change, isSecretChange } from '../../src/model/change.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import { FIELDS, type FieldName, type Settings } from '../../src/model/field-table.ts';
import type { Plan, PlanOptions } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import type { DesiredWebsite } from '../../src/model/website.ts';
import type { Clock } from '../../src/util/clock.ts';
import { type Applying, applying } from '../support/applying.ts';
import { createFakeClock } from '../support/clock.ts';
import {
  type CarriedOut,
  createFakeService,
  type FakeCall,
  type FakeFault,
  type FakeService,
  Killed,
  type Stored,
} from '../support/fake-service.ts';
import { domainOf, wanted } from '../support/plans.ts';
import { SEALS, TRUST } from '../support/seals.ts';

const RUNS = Number(process.env.WALK_RUNS ?? 150);
const REQUEST_TIMEOUT = 30_000;
const MINUTE = 60_000;

/** What is wanted of, and stored for, one domain. */
interface Site {
  readonly stored: Settings | undefined;
  readonly wanted: DesiredWebsite['settings'] | 'absent' | undefined;
}

interface Walk {
  readonly sites: readonly Site[];
  readonly www: 'same' | 'distinct';
  readonly unique: boolean;
  readonly lagMs: number;
  readonly put: 'merge' | 'replace';
  readonly hiddenInList: readonly FieldName[];
  readonly options: Partial<PlanOptions>;
  readonly parallelism: number;
  readonly canary: number | undefined;
  readonly latencyMs: number;
  /** The fault of each call, by its number; one that is not of its operation does nothing. */
  readonly faults: readonly (FakeFault | undefined)[];
  /** Calls at which the process is killed, one after the other, and at which it is interrupted. */
  readonly kills: readonly { readonly at: number; readonly carriedOut: CarriedOut }[];
  readonly interruptAt: number | undefined;
  /** How much of the last, unsynced lines a crash leaves, from 0 to 1. */
  readonly kept: number;
}

const settings = fc.record(
  {
    privacy: fc.constantFrom(0, 1),
    email: fc.boolean(),
    exclude_params: fc.constantFrom<readonly string[]>([], ['ref'], ['ref', 'utm']),
    favorited_at: fc.constantFrom(null, '2026-01-31T09:00:00Z'),
  },
  { requiredKeys: [] },
);
const wantedSettings = fc.oneof(
  { weight: 3, arbitrary: settings },
  { weight: 1, arbitrary: fc.constant({ privacy: 2, password: { env: 'PASSWORD' } }) },
);
const carriedOut = fc.oneof(
  fc.constant('before' as const),
  fc.constant('never' as const),
  fc.record({ afterMs: fc.integer({ min: 1, max: REQUEST_TIMEOUT - 1 }) }),
);
const settled = fc.constantFrom('before' as const, 'never' as const);
const fault = fc.oneof(
  fc.record({
    kind: fc.constant('fail' as const),
    outcome: fc.constant('ended' as const),
    carriedOut: settled,
  }),
  fc.record({ kind: fc.constant('fail' as const), outcome: fc.constant('unknown' as const), carriedOut }),
  fc.record({
    kind: fc.constant('fail' as const),
    outcome: fc.constant('unknown' as const),
    carriedOut: settled,
    takesMs: fc.constant(REQUEST_TIMEOUT),
  }),
  fc.record({ kind: fc.constant('refuse' as const), status: fc.constantFrom(422, 429, 503) }),
);

const walks: fc.Arbitrary<Walk> = fc
  .record({
    sites: fc.array(
      fc.record({
        stored: fc.option(settings, { nil: undefined, freq: 2 }),
        wanted: fc.oneof(
          { weight: 4, arbitrary: wantedSettings },
          { weight: 1, arbitrary: fc.constant('absent' as const) },
          { weight: 1, arbitrary: fc.constant(undefined) },
        ),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    www: fc.constantFrom('same' as const, 'distinct' as const),
    unique: fc.boolean(),
    lagMs: fc.constantFrom(0, 0, 300, 3000),
    put: fc.constantFrom('merge' as const, 'replace' as const),
    hiddenInList: fc.constantFrom<readonly FieldName[]>([], ['favorited_at']),
    options: fc.record({ prune: fc.boolean() }),
    parallelism: fc.constantFrom(1, 2, 4),
    canary: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    latencyMs: fc.constantFrom(0, 10),
    faults: fc.array(
      fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fault }),
      { maxLength: 60, size: '+1' },
    ),
    kills: fc.array(fc.record({ at: fc.nat(6), carriedOut }), { maxLength: 3 }),
    interruptAt: fc.option(fc.nat(20), { nil: undefined, freq: 2 }),
    kept: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  // A service that shows writes late and takes a domain twice cannot be used safely by anybody.
  .map((walk) => (walk.lagMs > 0 ? { ...walk, unique: true } : walk))
  .map((walk) => (walk.put === 'replace' ? { ...walk, sites: walk.sites.map(withPrivacy) } : walk));

/** Where an update resets privacy, one of a public website is refused unless the file declares it. */
function withPrivacy(site: Site): Site {
  return typeof site.wanted === 'object' ? { ...site, wanted: { privacy: 0, ...site.wanted } } : site;
}

/** The second site has a `www.`; it is the only one whose bare domain is not another site. */
const domain = (index: number): string => (index === 1 ? `www.${domainOf(index)}` : domainOf(index));

function start(walk: Walk, clock: Clock): FakeService {
  const { unique, lagMs, put, hiddenInList, latencyMs } = walk;
  const www = walk.www === 'same' ? 'strip' : 'keep';
  const service = createFakeService({ clock, www, unique, lagMs, put, hiddenInList, latencyMs });
  walk.sites.forEach(({ stored }, index) => {
    if (stored !== undefined) service.insert(www === 'strip' ? domainOf(index) : domain(index), stored);
  });
  return service;
}

function desiredOf({ sites }: Walk): DesiredWebsite[] {
  return sites.flatMap((site, index) => {
    if (site.wanted === undefined) return [];
    if (site.wanted === 'absent') return [wanted(domain(index), {}, index + 1, { state: 'absent' })];
    return [wanted(domain(index), site.wanted, index + 1)];
  });
}

/** Checks, call by call, what no run may do. */
function watch(service: FakeService, plan: Plan): (call: FakeCall, fault: FakeFault | undefined) => void {
  const deletes = new Set(
    plan.changes.filter(({ action }) => action === 'delete').map((change) => change.domain),
  );
  const others = new Set(
    plan.changes.filter(({ action }) => action !== 'delete').map((change) => change.domain),
  );
  const safeAt = new Map<string, number>();
  return ({ operation, subject, at }, fault) => {
    if (operation === 'remove') expect(deletes).toContain(subject);
    if (operation === 'update' || operation === 'create') expect(others).toContain(subject);
    if (operation !== 'create') return;
    expect(at).toBeGreaterThanOrEqual(safeAt.get(subject) ?? 0);
    const isOpen = fault?.kind === 'dead' || (fault?.kind === 'fail' && fault.outcome === 'unknown');
    if (isOpen) safeAt.set(subject, at + REQUEST_TIMEOUT);
    expect(service.records().length).toBeLessThan(100);
  };
}

const recordOf = (records: readonly Stored[], name: string): Stored | undefined =>
  records.find((record) => record.domain === name || record.domain === name.replace(/^www\./, ''));

function showsAll(change: Change, record: Stored | undefined): boolean {
  if (change.action === 'delete' || record === undefined)
    return change.action === 'delete' && record === undefined;
  return Object.entries(change.fields).every(([name, field]) => {
    if (isSecretChange(field)) return record.password === (field.ref === null ? undefined : 's3cret-value');
    const shown = record.settings[name as FieldName];
    return shown !== undefined && FIELDS[name as FieldName].kind.equal(field.after, shown);
  });
}

/** Holds what a result says of each change against the records before and after. */
function judge(
  plan: Plan,
  result: Result,
  before: readonly Stored[],
  after: readonly Stored[],
  lagMs: number,
): void {
  const { summary } = result;
  const failed = new Map(result.failures.map((failure) => [failure.domain, failure]));
  const skipped = new Set(result.not_attempted.map((subject) => subject.domain));
  expect(summary.failed + summary.not_attempted).toBe(failed.size + skipped.size);
  expect(summary.created + summary.updated + summary.deleted + failed.size + skipped.size).toBe(
    plan.changes.length,
  );
  if (skipped.size > 0) expect(result.stopped).not.toBeNull();
  for (const change of plan.changes) {
    const was = recordOf(before, change.domain);
    const is = recordOf(after, change.domain);
    const fate = failed.get(change.domain)?.fate;
    if (fate === 'unknown') continue;
    // A create that was proven absent five times over may still show, where writes show late.
    if (fate === 'failed' && lagMs > 0 && change.action === 'create') continue;
    if (fate === 'failed' || skipped.has(change.domain)) expect(is).toEqual(was);
    else expect([change.domain, showsAll(change, is)]).toEqual([change.domain, true]);
  }
}

/** Leaves of a journal what a crash may leave: all up to the last `begun`, and some of what comes after. */
async function cut(path: string, kept: number): Promise<void> {
  const text = await readFile(path, 'utf8');
  const synced = text.indexOf('\n', text.lastIndexOf('{"entry":"begun"')) + 1;
  const opened = text.indexOf('\n', text.indexOf('\n') + 1) + 1;
  const safe = Math.max(text.includes('{"entry":"begun"') ? synced : 0, opened);
  await writeFile(path, text.slice(0, safe + Math.floor((text.length - safe) * kept)));
}

/** A walk under way. */
interface Scene {
  readonly walk: Walk;
  readonly clock: Clock;
  readonly service: FakeService;
  readonly runsFolder: string;
  /** What the next process needs. */
  prepare(): Applying;
}

function setScene(walk: Walk, runsFolder: string): Scene {
  const clock = createFakeClock();
  const service = start(walk, clock);
  const desired = desiredOf(walk);
  const planOptions = { ...walk.options, www: walk.www };
  const more = { parallelism: walk.parallelism, canary: walk.canary };
  const prepare = (): Applying =>
    applying({ service: service.reconnect(), clock, desired, planOptions, runsFolder, more });
  return { walk, clock, service, runsFolder, prepare };
}

/** What came about in any of the walks: interrupts, and faults by their kind and the operation that they struck. */
const struck = new Set<string>();

/** Has the service act as the walk says, and checks each call. */
function act({ walk, service }: Scene, plan: Plan, interrupt: () => void): { nextProcess(): void } {
  const check = watch(service, plan);
  const first = service.calls.length;
  const kills = [...walk.kills];
  let from = first;
  service.script = (call) => {
    if (call.number === first + (walk.interruptAt ?? -1)) {
      struck.add('interrupt');
      interrupt();
    }
    const isKilled = kills[0] !== undefined && call.number >= from + kills[0].at;
    const kill = isKilled ? kills.shift() : undefined;
    const fault: FakeFault | undefined =
      kill === undefined ? walk.faults[call.number - first] : { kind: 'dead', carriedOut: kill.carriedOut };
    check(call, fault);
    if (fault !== undefined)
      struck.add(fault.kind === 'refuse' ? 'refuse' : `${fault.kind} ${call.operation}`);
    return fault;
  };
  return {
    nextProcess: () => {
      from = service.calls.length;
    },
  };
}

/** Applies, and resumes for as long as the process is killed; returns the result of a first run that ended. */
async function applyAndResume(scene: Scene, plan: Plan): Promise<Result | undefined> {
  const { walk, service, runsFolder, prepare } = scene;
  let work = prepare();
  const process = act(scene, plan, () => work.interrupt());
  try {
    return (await applyPlan(plan, work.options)).result;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
  for (;;) {
    const killed = (await lastUnfinished(runsFolder, plan.service, SEALS))?.info;
    if (killed === undefined) return undefined;
    await cut(journalPath(runsFolder, killed.run), walk.kept);
    const recorded = await readJournal(runsFolder, killed.run, TRUST);
    work = prepare();
    process.nextProcess();
    try {
      const resumed = await resumeRun(recorded, { ...work.options, skipStale: false });
      struck.add('resume');
      expect(resumed.stale).toEqual([]);
      return undefined;
    } catch (error) {
      // The looking before the first write failed, and so nothing was sent.
      if (error instanceof WebsitesError) return undefined;
      if (!(error instanceof Killed)) throw error;
    } finally {
      expect(service.calls.length).toBeLessThan(1000);
    }
  }
}

async function takeWalk(walk: Walk, runsFolder: string): Promise<void> {
  const scene = setScene(walk, runsFolder);
  const { clock, service, prepare } = scene;
  await clock.sleep(MINUTE);
  const plan = await prepare().plan();
  const before = service.records();
  const result = await applyAndResume(scene, plan);
  service.script = undefined;
  await clock.sleep(MINUTE);
  if (result !== undefined) judge(plan, result, before, service.records(), walk.lagMs);

  const domains = service.records().map((record) => record.domain);
  expect(new Set(domains).size).toBe(domains.length);
  const left = new Set(service.records().map((record) => record.id));
  const deleted = new Set(plan.changes.flatMap((change) => (change.action === 'delete' ? [change.id] : [])));
  expect(before.filter(({ id }) => !left.has(id) && !deleted.has(id))).toEqual([]);

  const work = prepare();
  const last = await applyPlan(await work.plan(), work.options);
  expect(last.result).toMatchObject({ summary: { failed: 0, not_attempted: 0 }, converged: true });
  await clock.sleep(MINUTE);
  expect((await prepare().plan()).changes).toEqual([]);
}

it('whatever happens on the way', async () => {
  // In memory where there is such a folder: no run waits for a disk, and none is worn out.
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'websites-walk-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let number = 0;
  await fc.assert(
    fc.asyncProperty(walks, (walk) => {
      number += 1;
      return takeWalk(walk, join(folder, String(number)));
    }),
    {
      numRuns: RUNS,
      ...(process.env.WALK_SEED === undefined ? {} : { seed: Number(process.env.WALK_SEED) }),
    },
  );
  // Of fewer walks than usual that cannot be said.
  if (RUNS < 150) return;
  const writes = ['create', 'update', 'remove'].flatMap((write) => [`fail ${write}`, `dead ${write}`]);
  expect(['interrupt', 'resume', 'refuse', ...writes].filter((what) => !struck.has(what))).toEqual([]);
});
