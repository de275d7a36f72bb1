/** Four shards in four processes do together exactly what one plan of all says, each on its own part. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Change } from '../../src/model/change.ts';
import { compareDomains, domainKey } from '../../src/model/domain.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import { runBuilt } from '../support/built.ts';
import { type CliOptions, type Ended, startCli, testFolder } from '../support/cli.ts';
import { readRecords, startTestService } from '../support/service.ts';
import { realisticWebsites, websitesFile } from '../support/websites.ts';

const COUNT = 4;
const SHARDS = Array.from({ length: COUNT }, (_, index) => `${index}/${COUNT}`);

async function setUp(count: number, env: Readonly<Record<string, string>> = {}) {
  const websites = realisticWebsites(count);
  const folder = await testFolder({ 'websites.yaml': websitesFile(websites) });
  const service = await startTestService();
  onTestFinished(() => service.close());
  const options: CliOptions = {
    cwd: folder,
    env: {
      WEBSITES_BASE_URL: service.url,
      WEBSITES_API_KEY: service.key,
      SITE_PASSWORD: 'a-secret',
      ...env,
    },
  };
  const run = (...args: string[]): Promise<Ended> => runBuilt(args, options);
  return { websites, folder, service, options, run };
}

const byDomain = (changes: readonly Change[]): Change[] =>
  [...changes].sort((a, b) => compareDomains(a.domain, b.domain));

test('4 shards plan and apply exactly what one plan of all says, updates and prune included', async () => {
  const { websites, folder, service, options, run } = await setUp(160);
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  const changed = websites
    .slice(40)
    .map((website, index) => (index < 30 ? { ...website, exclude_bots: false } : website));
  const added = realisticWebsites(220).slice(160);
  await writeFile(join(folder, 'websites.yaml'), websitesFile([...changed, ...added]));

  const asked = ['--prune', '--allow-deletes', '40', '--allow-updates', '40'];
  const whole = JSON.parse((await run('plan', '--format', 'json', ...asked)).stdout) as Plan;
  expect(whole.summary).toMatchObject({ create: 60, delete: 40 });
  const planned: Ended[] = [];
  for (const shard of SHARDS) planned.push(await run('plan', '--format', 'json', '--shard', shard, ...asked));
  const plans = planned.map(({ stdout }) => JSON.parse(stdout) as Plan);
  expect(plans.map((plan) => plan.options.shard?.index)).toEqual(SHARDS.map((_, index) => index));
  expect(byDomain(plans.flatMap((plan) => plan.changes))).toEqual(byDomain(whole.changes));
  for (const plan of plans) expect(plan.changes.length).toBeLessThan(whole.changes.length);

  const apply = ['apply', '--auto-approve', '--format', 'json', ...asked];
  const applied = await Promise.all(
    SHARDS.map((shard) => startCli([...apply, '--shard', shard], options).ended),
  );
  const results = applied.map(({ stdout }) => JSON.parse(stdout) as Result);
  for (const [index, result] of results.entries()) {
    expect(applied[index]).toMatchObject({ code: 0 });
    expect(result).toMatchObject({ converged: true, residual: [] });
    const { created, updated, deleted } = result.summary;
    const own = created + updated + deleted;
    expect(own).toBe(plans[index]?.changes.length);
    // What the other shards have still to do by then.
    expect(result.others).toBeLessThanOrEqual(whole.changes.length - own);
  }
  expect(await run('plan', '--prune', '--detailed-exitcode')).toMatchObject({ code: 0 });
  const domains = readRecords(service.db).map((row) => row.domain);
  const wanted = [...changed, ...added].map(({ domain }) => domainKey(domain));
  expect(domains.map(domainKey).sort()).toEqual(wanted.sort());
  expect((await readdir(join(folder, '.websites/runs'))).length).toBe(1 + COUNT);
}, 120_000);

test('prune of one shard takes its own records alone, and is guarded within it', async () => {
  const { folder, service, run } = await setUp(60);
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  await writeFile(join(folder, 'websites.yaml'), 'websites: [new.example.com]\n');
  const shard = ['--shard', '1/2', '--prune', '--format', 'json'];
  const refused = await run('plan', ...shard);
  expect(refused.code).toBe(5);
  const plan = JSON.parse(refused.stdout) as Plan;
  const { delete: deletes } = plan.summary;
  expect(plan.guards[0]?.message).toBe(`The plan deletes ${deletes} of ${deletes} records.`);
  const approved = await run('apply', '--auto-approve', '--allow-deletes', String(deletes), ...shard);
  expect(approved.code).toBe(0);
  const left = readRecords(service.db).map((row) => row.domain);
  const taken = new Set(plan.changes.filter(({ action }) => action === 'delete').map(({ domain }) => domain));
  expect(left.filter((domain) => taken.has(domain))).toEqual([]);
  expect(left.length).toBe(60 - deletes + plan.summary.create);
}, 60_000);

describe('a shard', () => {
  test('has its saved plan, its runs, its undo and nobody else’s', async () => {
    const { folder, service, run } = await setUp(30);
    const out = join(folder, 'plan.json');
    expect(await run('plan', '--shard', '0/2', '--out', out)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('This is shard 1 of 2 (i=0)'),
    });
    expect(await run('show', out, '--format', 'markdown')).toMatchObject({
      stdout: expect.stringContaining('## Websites, shard 1 of 2 (i=0): '),
    });
    expect(await run('show', out, '--format', 'html')).toMatchObject({
      stdout: expect.stringContaining('<h1>Websites plan, shard 1 of 2 (i=0)</h1>'),
    });
    expect(await run('apply', out, '--shard', '1/2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The plan was made with --shard 0/2, and not with --shard 1/2.'),
    });
    expect(await run('apply', out, '--shard', '0/2')).toMatchObject({ code: 0 });
    const first = readRecords(service.db).length;
    expect(await run('apply', '--auto-approve', '--shard', '1/2')).toMatchObject({ code: 0 });
    expect(readRecords(service.db).length).toBe(30);

    const again = await run('apply', '--auto-approve', '--shard', '1/2', '--format', 'json');
    expect(JSON.parse(again.stdout)).toMatchObject({ run: null, scope: '--shard 1/2', converged: true });

    const { runs } = JSON.parse((await run('runs', '--format', 'json')).stdout);
    expect(runs.map(({ shard }: { shard: unknown }) => shard)).toEqual([
      { index: 0, count: 2 },
      { index: 1, count: 2 },
    ]);
    expect(await run('runs')).toMatchObject({ stdout: expect.stringContaining('shard 0/2: ') });
    const approved = ['--auto-approve', '--allow-deletes', '30'];
    expect(await run('undo', ...approved)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No run without --shard here'),
    });
    expect(await run('undo', runs[0].run, '--shard', '1/2', ...approved)).toMatchObject({ code: 1 });
    expect(await run('undo', '--shard', '0/2', ...approved)).toMatchObject({ code: 0 });
    expect(readRecords(service.db).length).toBe(30 - first);
    expect(await run('undo', runs[1].run, ...approved)).toMatchObject({ code: 0 });
    expect(readRecords(service.db)).toEqual([]);
  }, 60_000);

  test('goes on with its own run that was killed, while the run of another shard waits for its own', async () => {
    const { folder, service, run, options } = await setUp(60, { WEBSITES_REQUEST_TIMEOUT: '1s' });
    const kill = async (shard: string): Promise<void> => {
      const before = readRecords(service.db).length;
      const running = startCli(['apply', '--auto-approve', '--parallelism', '1', '--shard', shard], options);
      while (readRecords(service.db).length < before + 3) await new Promise((done) => setTimeout(done, 5));
      running.child.kill('SIGKILL');
      await running.ended;
    };
    await kill('0/2');
    await kill('1/2');
    const resumed = await run('apply', '--resume', '--shard', '0/2', '--format', 'json');
    expect(resumed.code).toBe(0);
    const journals = await readdir(join(folder, '.websites/runs'));
    const last = await readFile(join(folder, '.websites/runs', journals.sort().at(-1) ?? ''), 'utf8');
    expect(JSON.parse(last.split('\n')[0] ?? '')).toMatchObject({ shard: { index: 0, count: 2 } });
    expect(await run('apply', '--resume', '--shard', '0/2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'No unfinished run with --shard 0/2 on this service.\n' +
          '  help: "websites runs" lists the runs, with their shards; "websites apply --shard 0/2" plans again.',
      ),
    });
    expect(await run('apply', '--resume')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No unfinished run without --shard on this service.'),
    });
    expect(await run('apply', '--resume', '--shard', '1/2')).toMatchObject({ code: 0 });
    expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
    const domains = readRecords(service.db).map((row) => row.domain);
    expect(new Set(domains).size).toBe(60);
    expect(domains.length).toBe(60);
  }, 60_000);

  test.each([
    ['8/8', 'counting starts at 0, so the last of 8 shards is 7/8'],
    ['x', 'write i/n'],
  ])('%s is refused, from the variable too', async (shard, reason) => {
    const folder = await testFolder({
      'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n',
    });
    expect(await runBuilt(['plan', '--shard', shard], { cwd: folder })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`--shard is "${shard}": ${reason}`),
    });
    expect(await runBuilt(['plan'], { cwd: folder, env: { WEBSITES_SHARD: shard } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`WEBSITES_SHARD is "${shard}": ${reason}`),
    });
  });
});
