/**
 * Applies that change declared settings only, on services that merge, replace, reset some settings or shift times, while
 * somebody else edits records; and the law that holds over all of them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Effect, Result } from '../../../src/model/run.ts';
import {
  type ActingRecord,
  type ActingService,
  type Dialect,
  type FaultPlan,
  startActingService,
} from '../acting-service.ts';
import { runInProcess } from '../in-process.ts';

type Field = 'privacy' | 'email' | 'exclude_bots' | 'exclude_params' | 'exclude_ips' | 'favorited_at';

const flag = fc.constantFrom(0, 1);
const VALUES: { readonly [Name in Field]: fc.Arbitrary<number | string | null> } = {
  privacy: fc.constantFrom(0, 1, 2),
  email: flag,
  exclude_bots: flag,
  exclude_params: fc.constantFrom(null, 'ref', 'utm'),
  exclude_ips: fc.constantFrom(null, '192.0.2.1', '198.51.100.7'),
  favorited_at: fc.constantFrom(null, '2026-01-31 09:00:00', '2026-02-01 10:00:00'),
};
const FIELDS = Object.keys(VALUES) as readonly Field[];

const stored = fc.record({ ...VALUES, password: fc.constantFrom(null, 'old') });
/** What the file declares; of times, only that there is none. */
const wanted = fc.record(
  {
    privacy: fc.constantFrom(0, 1),
    email: fc.boolean(),
    exclude_bots: fc.boolean(),
    exclude_params: fc.constantFrom([], ['ref'], ['a', 'b']),
    exclude_ips: fc.constantFrom([], ['192.0.2.1']),
    favorited_at: fc.constant(null),
  },
  { requiredKeys: [] },
);
/** Not a password alone: no reading tells of it before it is lost. */
const resets = fc.uniqueArray(fc.constantFrom(...FIELDS), { minLength: 1 });
const edit = fc.record({
  /** At the arrival of this request of the run, from 0. */
  at: fc.nat(14),
  record: fc.nat(5),
  field: fc.constantFrom(...FIELDS),
  pick: fc.nat(5),
});

export const undeclaredScenarios = fc.record({
  sites: fc.array(fc.record({ stored, first: wanted, second: wanted }), { minLength: 2, maxLength: 5 }),
  dialect: fc.record({
    put: fc.oneof({ weight: 2, arbitrary: fc.constant('merge' as const) }, fc.constant('replace' as const), {
      weight: 3,
      arbitrary: fc.record({ resets }),
    }),
    fresh: fc.record({ privacy: fc.constantFrom(0, 1), exclude_bots: flag }),
    zoneHours: fc.constantFrom(0, 0, 2),
    writeAnswer: fc.constantFrom(
      'record' as const,
      'record' as const,
      'id' as const,
      'empty' as const,
      'old' as const,
    ),
    hiddenInList: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      fc.subarray(['email', 'exclude_ips', 'favorited_at', 'password']),
    ),
    nulls: fc.constantFrom('shown' as const, 'shown' as const, 'left out' as const),
  }),
  edits: fc.array(edit, { minLength: 2, maxLength: 8 }),
  parallelism: fc.constantFrom(1, 1, 4),
});
export type UndeclaredScenario = typeof undeclaredScenarios extends fc.Arbitrary<infer T> ? T : never;

const domainAt = (index: number): string => `s${index}.example`;
/** A setting of a record, as effects name it. */
const keyOf = (domain: string, field: string): string => `${domain} ${field}`;

/** What somebody else did, and what no client can see. */
interface Others {
  /** The value that each undeclared setting is to have at the end. */
  readonly expected: Map<string, number | string | null>;
  /** Edits between a reading of a record and the write that followed. */
  readonly unseen: Set<string>;
  count: number;
}

/** Applies two files after each other, and checks the law. Returns what happened. */
export async function takeUndeclaredWalk(scenario: UndeclaredScenario, folder: string) {
  await mkdir(folder);
  const dialect: Partial<Dialect> = { ...scenario.dialect };
  const records = scenario.sites.map(({ stored }, index) => ({
    domain: domainAt(index),
    ...stored,
    // A website behind a password has one.
    ...(stored.privacy === 2 ? { password: 'old' } : {}),
  }));
  const service = await startActingService({ dialect, records: records as never });
  try {
    const others: Others = { expected: new Map(), unseen: new Set(), count: 0 };
    const totals = { puts: 0, edits: 0, restored: 0, side_effects: 0, changed_meanwhile: 0, failed: 0 };
    for (const which of ['first', 'second'] as const) {
      for (const record of service.records()) {
        for (const field of FIELDS) others.expected.set(keyOf(record.domain, field), record[field]);
      }
      const before = service.history.length;
      const result = await applyOnce(service, folder, scenario, which, others);
      check(service, scenario, which, others, result, before);
      for (const name of ['restored', 'side_effects', 'changed_meanwhile'] as const) {
        totals[name] += result[name]?.length ?? 0;
      }
      totals.failed += result.summary.failed;
      others.unseen.clear();
    }
    return { ...totals, puts: service.history.length, edits: others.count };
  } finally {
    await service.close();
  }
}

async function applyOnce(
  service: ActingService,
  folder: string,
  { sites, edits, parallelism }: UndeclaredScenario,
  which: Which,
  others: Others,
): Promise<Result & { readonly code: number }> {
  const websites = sites.map((site, index) => ({ domain: domainAt(index), ...site[which] }));
  await writeFile(join(folder, 'websites.yaml'), JSON.stringify({ websites }));
  service.faults = editing(service, sites, edits, which, others);
  const args = ['apply', '--auto-approve', '--format', 'json', '--allow-updates', '99'];
  const flags = ['--parallelism', String(parallelism)];
  const { code, stdout, stderr } = await runInProcess([...args, ...flags], folder, service.env);
  service.faults = undefined;
  expect(stdout, stderr).not.toBe('');
  return { code, ...(JSON.parse(stdout) as Result) };
}

type Which = 'first' | 'second';
type Sites = UndeclaredScenario['sites'];

/** Makes the edits as requests arrive, and notes those that no client can see. */
function editing(
  service: ActingService,
  sites: Sites,
  edits: UndeclaredScenario['edits'],
  which: Which,
  others: Others,
): FaultPlan {
  let arrived = -1;
  /** Records that were read, and not written since. */
  const open = new Set<number>();
  /** Edits that no reading has shown: an update that resets the setting undoes them, and nobody can tell. */
  const unread = new Map<string, number>();

  function make({ record, field, pick }: UndeclaredScenario['edits'][number]): void {
    const target = service.records()[record % service.records().length];
    if (target === undefined || field in declaredOf(sites, target, which)) return;
    const value = fc.sample(VALUES[field], { numRuns: 1, seed: pick })[0] ?? null;
    const key = keyOf(target.domain, field);
    if (open.has(target.id)) others.unseen.add(key);
    if (isReset(service.dialect, field)) unread.set(key, target.id);
    others.expected.set(key, value);
    others.count += 1;
    const isClosed = field === 'privacy' && value === 2;
    service.change(target.id, { [field]: value, ...(isClosed ? { password: 'theirs' } : {}) });
  }

  function follow(method: string, id: number, search?: string): void {
    for (const [key, edited] of unread) {
      const isListed = !service.dialect.hiddenInList.some((field) => key.endsWith(` ${field}`));
      const isFound = search === undefined || key.startsWith(search);
      if (method === 'GET' && (edited === id || (Number.isNaN(id) && isListed && isFound)))
        unread.delete(key);
      if (method === 'PUT' && edited === id) others.unseen.add(key);
    }
  }

  return ({ method, path, query }) => {
    arrived += 1;
    const id = Number(/\d+$/.exec(path)?.[0]);
    for (const edit of edits) if (edit.at === arrived) make(edit);
    if (method === 'GET' && !Number.isNaN(id)) open.add(id);
    if (method === 'PUT') open.delete(id);
    follow(method, id, query.search);
    return undefined;
  };
}

function declaredOf(sites: Sites, { domain }: ActingRecord, which: Which): object {
  return sites[Number(domain.slice(1).replace('.example', ''))]?.[which] ?? {};
}

function isReset({ put }: Dialect, field: Field): boolean {
  return put === 'replace' || (put !== 'merge' && put.resets.includes(field));
}

/** The law. */
function check(
  service: ActingService,
  { sites }: UndeclaredScenario,
  which: Which,
  others: Others,
  result: Result & { readonly code: number },
  before: number,
): void {
  const named = new Set(
    [...(result.restored ?? []), ...(result.side_effects ?? []), ...(result.changed_meanwhile ?? [])].map(
      ({ domain, field }: Effect) => keyOf(domain, field),
    ),
  );
  checkValues(service, sites, which, others, named);
  checkOpenness(service.history.slice(before), sites, which, others);
  const isShort = result.summary.failed + result.summary.not_attempted > 0 || result.converged !== true;
  expect(result.code).toBe(isShort || result.side_effects !== undefined ? 4 : 0);
}

/** Nothing undeclared differs without being named, but by an edit that no client can see. */
function checkValues(
  service: ActingService,
  sites: Sites,
  which: Which,
  { expected, unseen }: Others,
  named: ReadonlySet<string>,
): void {
  for (const record of service.records()) {
    for (const field of FIELDS) {
      const key = keyOf(record.domain, field);
      if (field in declaredOf(sites, record, which) || unseen.has(key)) continue;
      const isRight = record[field] === expected.get(key) || named.has(key);
      expect(isRight, `${which}: ${key} is ${record[field]}, not ${expected.get(key)}`).toBe(true);
    }
  }
}

/** No website was ever more open than it was, but as declared. */
function checkOpenness(
  history: ActingService['history'],
  sites: Sites,
  which: Which,
  { unseen }: Others,
): void {
  for (const { before, after } of history) {
    if ('privacy' in declaredOf(sites, after, which) || unseen.has(keyOf(after.domain, 'privacy'))) continue;
    expect(openness(after), `${which}: ${after.domain}`).toBeLessThanOrEqual(openness(before));
  }
}

/** From nobody but the owner to everybody. */
function openness({ privacy, password }: ActingRecord): number {
  if (privacy === 1) return 0;
  return privacy === 2 ? (password === null ? 2 : 1) : 3;
}
