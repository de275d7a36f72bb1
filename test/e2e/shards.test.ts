/**
 * The shards of one saved plan, and its deletes last, do together what one run of it does. `SHARD_CHANGES=10000 SHARDS=8
 * SHARD_KILLS=6` kills more of more than the suite does.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import { inShard } from '../../src/model/shard.ts';
import { type ActingService, startActingService } from '../support/acting-service.ts';
import { runBuilt } from '../support/built.ts';
import { type CliOptions, type Ended, startCli, testFolder } from '../support/cli.ts';

const CHANGES = Number(process.env.SHARD_CHANGES ?? 120);
const SHARDS = Number(process.env.SHARDS ?? 2);
const KILLS = Number(process.env.SHARD_KILLS ?? 1);
/** What the shards may cost in requests, by those of one run. */
const MOST_COST = 1.15;

const siteAt = (index: number): string => `site-${index}.example`;
const sites = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => siteAt(from + index));
const partsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}/${count}`);

/**
 * A service, which would store a domain twice, and files by which a tenth of `changes` are deletes, a fifth updates, and
 * the rest creates, beside `more` records that stay. A saved plan of all that is in `plan.json`.
 */
async function setUp(changes: number, more = 0) {
  const [deletes, updates] = [Math.ceil(changes / 10), Math.ceil(changes / 5)];
  const before = deletes + updates;
  const service = await startActingService({
    dialect: { unique: false, sorts: true },
    records: [
      ...sites(changes, changes + more).map((domain) => ({ domain, exclude_bots: 0 })),
      ...sites(0, before).map((domain) => ({ domain, exclude_bots: 1 })),
    ],
  });
  onTestFinished(() => service.close());
  const wanted = sites(deletes, changes + more);
  const folder = await testFolder({
    'websites.yaml': `service: { www: distinct }\nprune: true\ndefaults: { exclude_bots: false }\nwebsites: ${JSON.stringify(wanted)}\n`,
  });
  const options: CliOptions = {
    cwd: folder,
    env: { ...service.env, WEBSITES_REQUEST_TIMEOUT: CHANGES >= 1000 ? '15s' : '3s' },
  };
  const run = (...args: string[]): Promise<Ended> => runBuilt(args, options);
  const allow = ['--allow-deletes', String(deletes), '--allow-updates', String(updates)];
  expect(await run('plan', '--out', 'plan.json', ...allow)).toMatchObject({ code: 0 });
  const plan = JSON.parse(await readFile(join(folder, 'plan.json'), 'utf8')) as Plan;
  expect(plan.summary).toMatchObject({ create: changes - before, update: updates, delete: deletes });
  return { folder, service, options, run, plan, wanted };
}

/** Each record that is wanted is there once, and each create was sent once. */
function expectEachOnce({ records, requests }: ActingService, wanted: readonly string[]): void {
  const there = records();
  expect(there.map(({ domain }) => domain).sort()).toEqual([...wanted].sort());
  expect(there.filter(({ exclude_bots }) => exclude_bots)).toEqual([]);
  expect(requests.filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(0);
}

/** How many requests `work` sends. */
async function requestsOf(service: ActingService, work: () => Promise<void>): Promise<number> {
  const before = service.requests.length;
  await work();
  return service.requests.length - before;
}

test('4 shards of 200 changes and the deletes cost at most 1.15 times what one run does', async () => {
  const one = await setUp(200);
  const whole = await requestsOf(one.service, async () => {
    expect(await one.run('apply', 'plan.json')).toMatchObject({ code: 0 });
  });
  const { service, run, plan, wanted } = await setUp(200);
  const results: Result[] = [];
  const parts = await requestsOf(service, async () => {
    // Each on a machine of its own, which knows nothing of the others.
    for (const part of [...partsOf(4).map((shard) => ['--shard', shard]), ['--deletes-only']]) {
      const state = ['--state-folder', await testFolder(), '--format', 'json'];
      const ended = await run('apply', 'plan.json', ...part, ...state);
      expect(ended).toMatchObject({ code: 0 });
      results.push(JSON.parse(ended.stdout) as Result);
    }
  });
  const sum = (name: 'created' | 'updated' | 'deleted'): number =>
    results.reduce((total, { summary }) => total + summary[name], 0);
  const { create, update, delete: deletes } = plan.summary;
  expect([sum('created'), sum('updated'), sum('deleted')]).toEqual([create, update, deletes]);
  expect(results.map(({ summary }) => summary.deleted)).toEqual([0, 0, 0, 0, deletes]);
  for (const result of results) expect(result).toMatchObject({ converged: true, residual: [], others: 0 });
  expectEachOnce(service, wanted);
  expect(parts).toBeLessThanOrEqual(MOST_COST * whole);
});

test('a shard of a few changes among many records reads its own records alone', async () => {
  const { service, run, plan } = await setUp(10, 1900);
  const one = await setUp(10, 1900);
  const whole = await requestsOf(one.service, async () => {
    expect(await one.run('apply', 'plan.json')).toMatchObject({ code: 0 });
  });
  let parts = 0;
  for (const index of [0, 1]) {
    const before = service.requests.length;
    expect(await run('apply', 'plan.json', '--shard', `${index}/2`)).toMatchObject({ code: 0 });
    const ours = plan.changes.filter(({ domain }) => inShard({ index, count: 2 })(domain));
    const requests = service.requests.slice(before);
    parts += requests.length;
    const reads = requests.filter(({ method }) => method === 'GET');
    const searched = reads.flatMap(({ query }) => query.search ?? []);
    expect(ours.map(({ domain }) => domain)).toEqual(expect.arrayContaining(searched));
    const ids = reads.flatMap(({ path }) => /\/websites\/(\d+)$/.exec(path)?.[1] ?? []);
    const made = service.records().filter(({ domain }) => ours.some((change) => change.domain === domain));
    expect(made.map(({ id }) => String(id))).toEqual(expect.arrayContaining(ids));
    expect(searched.length + ids.length).toBe(reads.length);
  }
  parts += await requestsOf(service, async () => {
    expect(await run('apply', 'plan.json', '--deletes-only')).toMatchObject({ code: 0 });
  });
  // What the shards have created is looked for before the delete.
  expect(parts).toBe(whole + plan.summary.create);
});

/** Runs a command, and kills it once `after` more requests have arrived; without that, it ends by itself. */
async function runKilled(
  args: readonly string[],
  options: CliOptions,
  { requests }: ActingService,
  after: number | undefined,
): Promise<Ended> {
  const running = startCli(args, options);
  if (after !== undefined) {
    const moment = requests.length + after;
    while (running.child.exitCode === null && requests.length < moment) await delay(2);
    running.child.kill('SIGKILL');
  }
  return running.ended;
}

test('killed at random and started again, the shards of one plan make each record once', {
  timeout: 60_000 + 100 * CHANGES,
}, async ({ annotate }) => {
  const one = await setUp(CHANGES);
  const whole = await requestsOf(one.service, async () => {
    expect(await one.run('apply', 'plan.json')).toMatchObject({ code: 0 });
  });
  const { service, options, run, wanted } = await setUp(CHANGES);
  service.faults = ({ method }) => (method === 'POST' ? { kind: 'delay', ms: 5 } : undefined);
  let kills = 0;
  const nextKill = (): number | undefined => {
    if (kills === KILLS || Math.random() < 0.3) return undefined;
    kills += 1;
    return CHANGES * (0.05 + 0.6 * Math.random());
  };
  const carryOut = async (part: readonly string[]): Promise<void> => {
    const apply = ['apply', 'plan.json', '--parallelism', '4', ...part];
    let ended = await runKilled(apply, options, service, nextKill());
    while (ended.code === null) ended = await runKilled(apply, options, service, nextKill());
    // It may have been killed after its last change.
    if (ended.code !== 6) expect(ended.code, ended.stderr).toBe(0);
  };
  const parts = await requestsOf(service, async () => {
    await Promise.all(partsOf(SHARDS).map((shard) => carryOut(['--shard', shard])));
    await carryOut(['--deletes-only']);
  });
  expectEachOnce(service, wanted);
  expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
  await annotate(`${whole} requests in one run, ${parts} in ${SHARDS} shards with ${kills} kills`);
  // A few changes say nothing of what a kill costs.
  if (CHANGES >= 1000) expect(parts).toBeLessThanOrEqual(MOST_COST * whole);
});

describe('a part of a plan', () => {
  test('is applied once, has its run, and is undone', async () => {
    const { folder, service, run, plan, wanted } = await setUp(40);
    expect(await run('apply', 'plan.json', '--shard', '0/2')).toMatchObject({ code: 0 });
    const first = JSON.parse((await run('runs', '--format', 'json')).stdout).runs[0];
    expect(first).toMatchObject({
      shard: { index: 0, count: 2 },
      part: { plan: plan.digest, deletes: false },
      planned: { delete: 0 },
    });
    for (const part of [['--shard', '0/2'], ['--shard', '0/4'], []]) {
      expect(await run('apply', 'plan.json', ...part)).toMatchObject({
        code: 6,
        stderr: expect.stringMatching(/was applied already, by run /),
      });
    }
    expect(await run('apply', 'plan.json', '--shard', '1/2')).toMatchObject({ code: 0 });
    expect(service.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect(await run('apply', 'plan.json', '--deletes-only')).toMatchObject({ code: 0 });
    expectEachOnce(service, wanted);
    expect(await run('apply', 'plan.json', '--deletes-only')).toMatchObject({ code: 6 });
    const { stdout } = await run('runs');
    expect(stdout).toMatch(/shard 0\/2: \d+ created[\s\S]*shard 1\/2: \d+ created[\s\S]*deletes: 0 created/);
    expect((await readdir(join(folder, '.websites/runs'))).length).toBe(3);

    const approved = ['--auto-approve', '--allow-deletes', '40', '--allow-updates', '40'];
    // The last run without a shard is that of the deletes.
    expect(await run('undo', ...approved)).toMatchObject({ code: 0 });
    expect(service.records().length).toBe(40);
    expect(await run('undo', first.run, '--shard', '1/2', ...approved)).toMatchObject({ code: 1 });
    expect(await run('undo', first.run, ...approved)).toMatchObject({ code: 0 });
    expect(await run('undo', '--shard', '1/2', ...approved)).toMatchObject({ code: 0 });
    expect(
      service
        .records()
        .map(({ domain }) => domain)
        .sort(),
    ).toEqual(sites(0, 12).sort());
    expect(service.records().every(({ exclude_bots }) => exclude_bots)).toBe(true);
  });

  test('is not resumed once something other than its plan was applied', async () => {
    const { folder, run, options, service } = await setUp(40);
    service.faults = ({ method }) => (method === 'POST' ? { kind: 'delay', ms: 50 } : undefined);
    const running = startCli(['apply', 'plan.json', '--shard', '0/2', '--parallelism', '1'], options);
    while (!service.requests.some(({ method }) => method === 'POST')) await delay(2);
    running.child.kill('SIGKILL');
    await running.ended;
    service.faults = undefined;
    // Another part of the plan has nothing in common with it.
    expect(await run('apply', 'plan.json', '--shard', '1/2')).toMatchObject({ code: 0 });
    expect((await run('runs')).stdout).toContain('"websites apply --resume --shard 0/2"');
    await writeFile(join(folder, 'other.yaml'), 'websites: [other.example]\n');
    expect(await run('apply', '--auto-approve', '-f', 'other.yaml')).toMatchObject({ code: 0 });
    expect(await run('apply', 'plan.json', '--shard', '0/2')).toMatchObject({ code: 6 });
  });
});

describe('the deletes of a plan', () => {
  test('are refused while one of its creates is missing, and nothing is sent', async () => {
    const { service, run, wanted } = await setUp(40);
    const refused = (named: string) => ({ code: 5, stderr: expect.stringContaining(named) });
    expect(await run('apply', 'plan.json', '--deletes-only')).toMatchObject(refused('creates-missing'));
    for (const shard of partsOf(2))
      expect(await run('apply', 'plan.json', '--shard', shard)).toMatchObject({ code: 0 });
    const gone = service.records().at(-1);
    service.remove(Number(gone?.id));
    const missing = await run('apply', 'plan.json', '--deletes-only');
    expect(missing).toMatchObject(refused(`do not exist yet: ${gone?.domain}.`));
    expect(service.requests.some(({ method }) => method === 'DELETE')).toBe(false);
    service.insert(gone?.domain ?? '', { exclude_bots: 0 });
    expect(await run('apply', 'plan.json', '--deletes-only')).toMatchObject({ code: 0 });
    expectEachOnce(service, wanted);
  });

  test('come last, whatever the plan asked for', async () => {
    const { run } = await setUp(40);
    const allow = ['--allow-deletes', '9', '--allow-updates', '9'];
    await run('plan', '--deletes-first', '--out', 'first.json', ...allow);
    expect(await run('apply', 'first.json', '--deletes-only')).toMatchObject({ code: 1 });
    expect(await run('apply', 'first.json', '--shard', '0/2')).toMatchObject({ code: 1 });
  });
});

test('the guards of a plan hold for the whole, in each part', async () => {
  const { run, service } = await setUp(40);
  await run('plan', '--out', 'blocked.json');
  for (const part of [
    ['--shard', '0/8'],
    ['--deletes-only', '--allow-deletes', '3'],
  ])
    expect(await run('apply', 'blocked.json', ...part)).toMatchObject({ code: 5 });
  expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
});

test.each([
  [['apply', '--shard', '0/2'], 'websites apply plan.json --shard 0/2'],
  [['apply', '--deletes-only'], 'websites apply plan.json --deletes-only'],
  [['apply', '--resume', '--deletes-only'], 'websites apply plan.json --deletes-only'],
  [['apply', 'plan.json', '--deletes-only', '--shard', '0/2'], 'cannot be combined'],
  [['plan', '--shard', '0/2'], 'websites apply FILE'],
  [['reconcile', '--shard', '0/2'], 'websites apply FILE'],
  [['apply', '--shard', '8/8'], '--shard is "8/8": counting starts at 0, so the last of 8 shards is 7/8'],
])('%j is a usage error that says what to do', async (args, said) => {
  const cwd = await testFolder({ 'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n' });
  expect(await runBuilt(args, { cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
});
