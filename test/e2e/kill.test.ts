/**
 * Kills the tool during an apply: the run file explains it, another apply converges, nothing is doubled. `KILLS=20`
 * sets the number.
 */
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { type CliOptions, startCli, testFolder } from '../support/cli.ts';
import { startScriptedService } from '../support/scripted-service.ts';
import { realisticWebsites, websitesFile } from '../support/websites.ts';

const KILLS = Number(process.env.KILLS ?? 1);
const COUNT = 4000;

test.each([
  ['apply', ['apply', '--auto-approve']],
  ['apply of the same plan file', ['apply', 'plan.json']],
])(
  'after a kill at any moment, another %s leaves each record once',
  { timeout: 180_000 * KILLS },
  async (_, line) => {
    const websites = realisticWebsites(COUNT);
    for (let kill = 0; kill < KILLS; kill += 1) {
      // A service that would store a second record: only the tool can prevent it.
      const service = await startScriptedService({ dialect: { unique: false } });
      service.faults = ({ method }) => (method === 'POST' ? { kind: 'delay', ms: 2 } : undefined);
      const folder = await testFolder({ 'websites.yaml': websitesFile(websites) });
      const env = {
        WEBSITES_BASE_URL: service.url,
        WEBSITES_API_KEY: service.key,
        SITE_PASSWORD: 'a-password',
        WEBSITES_REQUEST_TIMEOUT: '1s',
      };
      const options = { cwd: folder, env };
      if (line.includes('plan.json')) await runBuilt(['plan', '--out', 'plan.json'], options);
      const running = startCli(line, options);
      const moment = 1 + Math.floor(Math.random() * (COUNT / 2));
      while (service.records().length < moment && running.child.exitCode === null)
        await new Promise((done) => setTimeout(done, 20));
      running.child.kill('SIGKILL');
      await running.ended;
      expect((await runBuilt(['runs'], options)).stdout).toMatch(/interrupted +up to 4000 changes/);

      const again = await runBuilt(line, options);
      expect({ moment, ...again }).toMatchObject({ code: 0 });
      expect((await runBuilt(['runs'], options)).stdout).toMatch(/interrupted +finished by \S+/);
      const listed = JSON.parse((await runBuilt(['runs', '--format', 'json'], options)).stdout);
      expect(listed.runs.map(({ finished }: { finished: boolean }) => finished)).toEqual([true, true]);
      const domains = service.records().map((record) => record.domain);
      expect(domains).toHaveLength(COUNT);
      expect(new Set(domains).size).toBe(COUNT);
      expect(await runBuilt(['plan', '--detailed-exitcode'], options)).toMatchObject({ code: 0 });
      if (line.includes('plan.json')) expect(await runBuilt(line, options)).toMatchObject({ code: 6 });
      await service.close();
    }
  },
);

/**
 * A service that breaks the connection of each POST at once, and stores the record a second later, twice for two
 * requests.
 */
async function setUpLate(file: string) {
  const service = await startScriptedService({ dialect: { unique: false } });
  service.faults = ({ method }) => (method === 'POST' ? { kind: 'late', ms: 1000 } : undefined);
  const folder = await testFolder({ 'websites.yaml': file });
  const options = { cwd: folder, env: { ...service.env, WEBSITES_REQUEST_TIMEOUT: '2s' } };
  const apply = ['apply', '--auto-approve'];
  /** Ends an apply with `signal` once it has sent a POST; then the service works again. */
  const applyUntil = async (signal: NodeJS.Signals) => {
    const running = startCli(apply, options);
    while (!service.requests.some(({ method }) => method === 'POST'))
      await new Promise((done) => setTimeout(done, 2));
    // After this time, an interrupted run has looked in vain.
    if (signal === 'SIGINT') await new Promise((done) => setTimeout(done, 100));
    running.child.kill(signal);
    service.faults = undefined;
    return running.ended;
  };
  const domains = () => service.records().map((record) => record.domain);
  return { service, folder, options, apply, applyUntil, domains };
}

const ONE = 'version: 1\nwebsites: [a.example]\n';

test('a new apply after a kill waits for requests of the dead run', async () => {
  const { service, options, apply, applyUntil, domains } = await setUpLate(ONE);
  await applyUntil('SIGKILL');
  const again = await runBuilt(apply, options);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/was killed[\s\S]*Waiting/) });
  expect(domains()).toEqual(['a.example']);
  expect((await runBuilt(apply, options)).stderr).toContain('was killed');
  await service.close();
});

test('a saved plan waits for requests of the dead run too', async () => {
  const { service, options, applyUntil, domains } = await setUpLate(ONE);
  await applyUntil('SIGKILL');
  // Not the plan of the run, even if it was made in the same second.
  await runBuilt(['plan', '--out', 'plan.json', '--exclude', 'z.example'], options);
  const again = await runBuilt(['apply', 'plan.json'], options);
  expect(again.stderr).toMatch(/was killed[\s\S]*Waiting/);
  expect(domains()).toEqual(['a.example']);
  await service.close();
});

test('a saved plan whose update set a password before a kill is applied to its end', async () => {
  const site = '{ domain: a.example, privacy: password, password: { env: SITE_PASSWORD } }';
  const folder = await testFolder({ 'websites.yaml': `websites: [${site}]\n` });
  const service = await startScriptedService({ records: [{ domain: 'a.example', privacy: 2 }] });
  const env = { ...service.env, SITE_PASSWORD: 'a-password', WEBSITES_REQUEST_TIMEOUT: '300ms' };
  const options = { cwd: folder, env };
  expect(await runBuilt(['plan', '--out', 'plan.json'], options)).toMatchObject({ code: 0 });
  const { child, ended } = startCli(['apply', 'plan.json'], options);
  service.faults = ({ method }) => {
    if (method === 'PUT') child.kill('SIGKILL');
    return undefined;
  };
  expect(await ended).toMatchObject({ code: null });
  service.faults = undefined;
  expect(service.records()).toMatchObject([{ password: 'a-password' }]);
  expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({ code: 0 });
  await service.close();
});

test('a run that ended with a create in doubt is waited for too, and one that ended well is not', async () => {
  const { service, options, apply, applyUntil, domains } = await setUpLate(ONE);
  expect(await applyUntil('SIGINT')).toMatchObject({ code: 130 });
  const again = await runBuilt(apply, options);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('Waiting') });
  expect(again.stderr).not.toContain('was killed');
  expect(domains()).toEqual(['a.example']);
  expect((await runBuilt(apply, options)).stderr).not.toContain('Waiting');
  await service.close();
});

test('undo of a target waits for requests of the dead run too', async () => {
  const service = await startScriptedService();
  const file = `targets: { one: { base_url: "${service.url}" } }\nwebsites: [a.example]\n`;
  const folder = await testFolder({ 'websites.yaml': file });
  const options = {
    cwd: folder,
    env: { WEBSITES_API_KEY_ONE: service.key, WEBSITES_REQUEST_TIMEOUT: '100ms' },
  };
  const apply = (args: readonly string[]) => runBuilt([...args, '--auto-approve'], options);
  expect(await apply(['apply', '--target', 'one'])).toMatchObject({ code: 0 });
  await leaveInDoubt(join(folder, 'targets/one/.websites/runs'));
  expect((await apply(['undo', '--target', 'one'])).stderr).toContain('Waiting');
  await service.close();
});

/** Sets the end of the last run to now, on a machine of any speed, with a create in doubt. */
async function leaveInDoubt(runs: string): Promise<void> {
  const journal = join(runs, (await readdir(runs)).sort().at(-1) ?? '');
  const text = await readFile(journal, 'utf8');
  await writeFile(journal, text.replace('"entry":"closed"', '"entry":"closed","in_doubt":1'));
  const soon = Date.now() / 1000 + 600;
  await utimes(journal, soon, soon);
}

test('an apply waits for requests of the dead run, even with an almost empty journal', async () => {
  const { service, folder, options, apply, applyUntil, domains } = await setUpLate(ONE);
  await applyUntil('SIGKILL');
  const journal = join(folder, '.websites/runs', (await readdir(join(folder, '.websites/runs')))[0] ?? '');
  const lines = (await readFile(journal, 'utf8')).split('\n');
  expect(lines[2]).toContain('"begun"');
  await writeFile(journal, `${lines.slice(0, 2).join('\n')}\n`);
  expect(await runBuilt(apply, options)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Waiting'),
  });
  expect(domains()).toEqual(['a.example']);
  await service.close();
});

test('a plan file is not applied again after a later run, if only of some of its records', async () => {
  const service = await startScriptedService();
  const folder = await testFolder({ 'websites.yaml': 'version: 1\nwebsites: [a.example, b.example]\n' });
  const options = { cwd: folder, env: service.env };
  service.faults = ({ method }) =>
    method === 'POST' ? { kind: 'status', status: 422, when: 'before' } : undefined;
  await runBuilt(['plan', '--out', 'plan.json'], options);
  expect(await runBuilt(['apply', 'plan.json', '--canary', '1'], options)).toMatchObject({ code: 4 });
  service.faults = undefined;
  expect(await runBuilt(['apply', '--auto-approve', '--domain', 'a.*'], options)).toMatchObject({ code: 0 });
  const [, second] = (await readdir(join(folder, '.websites/runs')))
    .sort()
    .map((name) => name.replace('.ndjson', ''));
  const before = service.requests.length;
  expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('was applied already'),
  });
  expect((await runBuilt(['runs'], options)).stdout).toContain(`1 change (followed by ${second})`);
  expect(service.requests.length).toBe(before);
  await service.close();
});

test('a killed run is not reported after another run has finished', async () => {
  const { service, folder, options, apply, applyUntil } = await setUpLate(ONE);
  await applyUntil('SIGKILL');
  await writeFile(join(folder, 'websites.yaml'), 'version: 1\nwebsites: [a.example, b.example]\n');
  expect((await runBuilt(apply, options)).stderr).toContain('was killed');
  expect((await runBuilt(apply, options)).stderr).not.toContain('was killed');
  await service.close();
});

/** Applies, and is killed when `isReached` is true. */
async function applyUntil(
  isReached: () => boolean,
  options: CliOptions,
  flags: readonly string[] = [],
): Promise<void> {
  const running = startCli(['apply', '--auto-approve', '--parallelism', '1', ...flags], options);
  while (!isReached()) await new Promise((done) => setTimeout(done, 2));
  running.child.kill('SIGKILL');
  await running.ended;
}

const TARGET = ['--target', 'one'];

test.each([
  ['', [], ''],
  [' of a target', TARGET, 'targets: { one: { base_url: local } }\n'],
])('undo passes over no killed run%s that may have changed something', async (_, flags, targets) => {
  const service = await startScriptedService({ records: ['x.example'] });
  const file = (domains: string) => `version: 1\n${targets}websites: [${domains}]\n`;
  const folder = await testFolder({ 'websites.yaml': file('a.example, x.example') });
  const name = targets === '' ? '' : '_ONE';
  const env = {
    [`WEBSITES_BASE_URL${name}`]: service.url,
    [`WEBSITES_API_KEY${name}`]: service.key,
    WEBSITES_REQUEST_TIMEOUT: '300ms',
  };
  const options = { cwd: folder, env };
  const undo = ['undo', '--auto-approve', ...flags];
  const domains = () => service.records().map((record) => record.domain);
  expect(await runBuilt(['apply', '--auto-approve', ...flags], options)).toMatchObject({ code: 0 });
  await writeFile(join(folder, 'websites.yaml'), file('a.example, b.example, x.example'));
  service.faults = ({ method }) => (method === 'POST' ? { kind: 'hang', when: 'before' } : undefined);
  const before = service.requests.length;
  const isPosted = () => service.requests.slice(before).some(({ method }) => method === 'POST');
  await applyUntil(isPosted, options, flags);
  service.faults = undefined;
  expect(await runBuilt(undo, options)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('No changes'),
  });
  expect(domains()).toEqual(['x.example', 'a.example']);
  const again = ['apply', '--auto-approve', ...flags];
  expect(await runBuilt(again, options)).toMatchObject({ code: 0 });
  expect(await runBuilt(undo, options)).toMatchObject({ code: 0 });
  expect(domains()).toEqual(['x.example', 'a.example']);
  await service.close();
});

test('undo looks up a create whose answer was lost, and leaves and names what it finds', async () => {
  const service = await startScriptedService({ records: ['x.example'] });
  const folder = await testFolder({ 'websites.yaml': 'version: 1\nwebsites: [a.example, x.example]\n' });
  const options = { cwd: folder, env: { ...service.env, WEBSITES_REQUEST_TIMEOUT: '300ms' } };
  expect(await runBuilt(['apply', '--auto-approve'], options)).toMatchObject({ code: 0 });
  await writeFile(join(folder, 'websites.yaml'), 'version: 1\nwebsites: [a.example, b.example, x.example]\n');
  service.faults = ({ method }) => (method === 'POST' ? { kind: 'reset', when: 'before' } : undefined);
  const ended = await runBuilt(['apply', '--auto-approve', '--timeout', '100ms'], options);
  expect(ended).toMatchObject({ code: 4, stdout: expect.stringContaining('outcome unknown') });
  service.faults = undefined;
  service.insert('b.example');
  expect(await runBuilt(['undo', '--auto-approve'], options)).toMatchObject({
    code: 4,
    stdout: expect.stringMatching(/b\.example is left as it is: its create was not answered/),
  });
  expect(service.records().map((record) => record.domain)).toEqual(['x.example', 'a.example', 'b.example']);
  await service.close();
});
