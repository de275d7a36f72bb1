/** A service, or a proxy, whose lists mix up IDs. */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Settings } from '../../src/model/field-table.ts';
import type { Plan } from '../../src/model/plan.ts';
import { testFolder } from '../support/cli.ts';
import type { Dialect, LoggedRequest, ScriptedService, StoredRecord } from '../support/scripted-service.ts';
import { inPlace, outcomeOf, type Place, type Run, startRun } from '../support/walk/run.ts';
import { type Scenario, siteOf } from '../support/walk/scenario.ts';

const SITES = 8;
const PROTECTED = siteOf(6);
const IGNORED = siteOf(7);

/** Mixes up the IDs of two records in a list. */
interface Mix {
  /** `swap`: each has the ID of the other. `same`: both have one ID. `stranger`: one has the name of no record. */
  readonly kind: 'swap' | 'same' | 'stranger';
  readonly one: number;
  readonly other: number;
}

function mixUp(records: readonly StoredRecord[], mixes: readonly Mix[]): readonly StoredRecord[] {
  const rows = [...records];
  for (const { kind, one, other } of mixes) {
    const [i, j] = [one, other].map((id) => records.findIndex((record) => record.id === id)) as [
      number,
      number,
    ];
    const [a, b] = [rows[i], rows[j]];
    if (a === undefined || b === undefined || i === j) continue;
    if (kind === 'stranger') rows[i] = { ...a, domain: `stranger-${one}.test` };
    else rows[i] = { ...a, id: b.id };
    if (kind === 'swap') rows[j] = { ...b, id: a.id };
  }
  return rows;
}

interface Walk {
  readonly scenario: Scenario;
  readonly mixes: readonly Mix[];
  readonly inSearches: boolean;
  /** The lists are honest for the plan, and mixed up when it is applied or undone. */
  readonly isLate: boolean;
  readonly how: 'fresh' | 'saved' | 'undo' | 'resume';
}

const settings: fc.Arbitrary<Settings> = fc.record({
  email: fc.boolean(),
  exclude_ips: fc.constant(['192.0.2.1']),
});

const site = fc.record({
  stored: fc.constantFrom<Partial<StoredRecord> | undefined>(
    { email: 0 },
    { email: 1 },
    { email: 0 },
    undefined,
  ),
  wanted: fc.oneof(settings, settings, fc.constantFrom('absent' as const, undefined)),
});

/** If lists show only part of a record, the program reads each changed record alone and notices any mix. */
const walks: fc.Arbitrary<Walk> = fc
  .record({
    sites: fc.array(site, { minLength: SITES - 2, maxLength: SITES - 2 }),
    mixes: fc.array(
      fc.record({
        kind: fc.constantFrom<Mix['kind']>('swap', 'same', 'same', 'stranger'),
        one: fc.integer({ min: 1, max: SITES + 2 }),
        other: fc.integer({ min: 1, max: SITES + 2 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    inSearches: fc.boolean(),
    isLate: fc.boolean(),
    how: fc.constantFrom<Walk['how']>('fresh', 'fresh', 'saved', 'undo', 'resume'),
    hides: fc.boolean(),
    excludes: fc.boolean(),
    prune: fc.boolean(),
    update: fc.constantFrom<'full' | 'changed'>('full', 'changed'),
    paging: fc.constantFrom<Dialect['paging']>('total', 'links', 'numbers'),
    largestPage: fc.constantFrom(3, 100),
    parallelism: fc.constantFrom(1, 4),
    killAt: fc.nat(15),
  })
  .map(({ sites, mixes, inSearches, isLate, how, ...rest }) => {
    const usable = mixes.filter(({ kind }) => rest.hides || kind === 'same');
    const left = [
      { stored: {}, wanted: undefined },
      { stored: {}, wanted: undefined },
    ];
    const { prune, update, parallelism, paging, largestPage } = rest;
    const all = [...sites, ...left];
    const domains = all.flatMap(({ stored }, index) => (stored ? siteOf(index) : []));
    const exclude = rest.excludes
      ? usable
          .flatMap(({ one, other }) => [domains[one - 1], domains[other - 1]])
          .filter((name) => name !== undefined)
      : [];
    const scenario: Scenario = {
      sites: all,
      others: 2,
      file: { protected: [PROTECTED], ignore: [IGNORED] },
      dialect: {
        www: 'keep',
        paging,
        largestPage,
        hiddenInList: rest.hides ? ['exclude_ips'] : [],
      },
      redirect: undefined,
      options: { prune, update, exclude },
      parallelism,
      canary: undefined,
      faults: [],
      outage: undefined,
      lookupsLost: 0,
      kills: how === 'resume' ? [{ at: rest.killAt, isSent: true, next: 'resume' }] : [],
      interruptAt: undefined,
    };
    return { scenario, mixes: usable, inSearches, isLate, how };
  });

/** Returns the number of writes, and of those sent while IDs were mixed up. */
async function take({ mixes, inSearches, isLate, how, scenario }: Walk, place: Place) {
  const { service } = place;
  const watch = watching(service);
  const mix = (isOn: boolean): void => {
    const listedAs: Dialect['listedAs'] = (records, isSearch) =>
      watch.see(isOn && (inSearches || !isSearch) ? mixUp(records, mixes) : records);
    service.dialect = { ...service.dialect, listedAs };
  };
  const round = async (run: Run, go: () => ReturnType<Run['go']>): Promise<void> => {
    watch.begin();
    await outcomeOf(run, go);
    if (run.plan !== undefined) watch.plans.push(run.plan);
    watch.judge();
  };
  mix(!isLate);
  const first = startRun(place, { kill: scenario.kills[0] });
  if (how !== 'saved') await round(first, () => first.go('fresh'));
  else {
    const plan = await outcomeOf(startRun(place, {}), () => first.makePlan());
    mix(true);
    if (plan !== undefined) await round(first, () => first.applySaved(plan));
  }
  const late = isLate && how !== 'saved' ? watch.writes() : 0;
  mix(true);
  // A new process knows no domain yet.
  watch.seen.clear();
  const second = startRun(place, {});
  if (how === 'undo') {
    watch.plans.length = 0;
    await round(second, () => second.undo(undefined));
  } else if (how === 'resume') await round(second, () => second.go('resume'));
  return { writes: watch.writes(), mixed: watch.writes() - late };
}

/** Observes writes, with the domain that each written ID really has. */
function watching(service: ScriptedService) {
  const real = new Map<string, string>();
  /** The request that first showed each domain. */
  const seen = new Map<string, number>();
  const plans: Plan[] = [];
  let there = new Set<string>();
  let from = 0;

  const look = (): void => {
    for (const { id, domain } of service.records()) real.set(String(id), domain);
  };

  function judgeOne({ number, method, path, body }: LoggedRequest): void {
    if (method === 'POST') {
      const domain = new URLSearchParams(body).get('domain') ?? '';
      expect({ domain, isThere: there.has(domain) && (seen.get(domain) ?? number) < number }).toMatchObject({
        isThere: false,
      });
    }
    if (method !== 'PUT' && method !== 'DELETE') return;
    const id = path.slice(path.lastIndexOf('/') + 1);
    const domain = real.get(id);
    const meant = plans.flatMap(({ changes }) =>
      changes.flatMap((change) => (change.action !== 'create' && change.id === id ? change.domain : [])),
    );
    expect(meant, `${method} #${id}`).toContain(domain);
    expect([IGNORED, ...(method === 'DELETE' ? [PROTECTED] : [])]).not.toContain(domain);
  }

  return {
    plans,
    seen,
    see(rows: readonly StoredRecord[]) {
      const { length } = service.requests;
      for (const { domain } of rows) if (!seen.has(domain)) seen.set(domain, length);
      return rows;
    },
    begin() {
      from = service.requests.length;
      there = new Set(service.records().map(({ domain }) => domain));
      look();
    },
    judge() {
      look();
      service.requests.slice(from).forEach(judgeOne);
    },
    writes: () => service.requests.filter(({ method }) => method !== 'GET').length,
  };
}

const RUNS = Number(process.env.FAULT_WALK_RUNS ?? 40);

test(
  'apply and undo never change the record of another website if lists mix up IDs',
  async () => {
    const folder = await testFolder();
    const sum = { begun: 0, writes: 0, mixed: 0 };
    await fc.assert(
      fc.asyncProperty(walks, async (walk) => {
        sum.begun += 1;
        const { writes, mixed } = await inPlace(walk.scenario, join(folder, String(sum.begun)), (place) =>
          take(walk, place),
        );
        sum.writes += writes;
        sum.mixed += mixed;
      }),
      { numRuns: RUNS },
    );
    process.stdout.write(`${JSON.stringify(sum)}\n`);
    expect(Math.min(sum.writes, sum.mixed)).toBeGreaterThan(RUNS / 4);
  },
  30_000 + RUNS * 3000,
);
