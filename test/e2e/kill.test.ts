/** Kills apply at random moments; the next apply finishes it. `KILLS=20` sets the number of kills. */
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Place, setPlace } from '../support/place.ts';
import { realisticWebsites, websitesFile } from '../support/websites.ts';

const KILLS = Number(process.env.KILLS ?? 1);
const COUNT = 4000;
const APPLY = 'apply --auto-approve';

const until = async (isReached: () => boolean): Promise<void> => {
  while (!isReached()) await new Promise((done) => setTimeout(done, 2));
};
const isPosted = ({ writes }: Place, before = 0): boolean =>
  writes()
    .slice(before)
    .some((write) => write.startsWith('POST'));

test.each([
  ['apply', APPLY],
  ['apply of the same plan file', 'apply plan.json'],
])('after a kill, another %s finishes without duplicates', { timeout: 180_000 * KILLS }, async (_, line) => {
  const file = websitesFile(realisticWebsites(COUNT));
  for (let kill = 0; kill < KILLS; kill += 1) {
    // The service would store a domain twice, so that only the tool can prevent it.
    const env = { SITE_PASSWORD: 'a-password', WEBSITES_REQUEST_TIMEOUT: '1s' };
    const { service, run, start, domains } = await setPlace(file, { dialect: { unique: false } }, env);
    service.faults = ({ method }) => (method === 'POST' ? { kind: 'delay', ms: 2 } : undefined);
    if (line.includes('plan.json')) await run('plan --out plan.json');
    const { child, ended } = start(line);
    const moment = 1 + Math.floor(Math.random() * (COUNT / 2));
    await until(() => domains().length >= moment || child.exitCode !== null);
    child.kill('SIGKILL');
    await ended;
    expect((await run('runs')).stdout).toMatch(/interrupted +up to 4000 changes/);

    expect({ moment, ...(await run(line)) }).toMatchObject({ code: 0 });
    expect((await run('runs')).stdout).toMatch(/interrupted +finished by \S+/);
    const { runs } = JSON.parse((await run('runs --format json')).stdout);
    expect(runs).toMatchObject([{ finished: true }, { finished: true }]);
    expect([domains().length, new Set(domains()).size]).toEqual([COUNT, COUNT]);
    expect(await run('plan --detailed-exitcode')).toMatchObject({ code: 0 });
    if (line.includes('plan.json')) expect(await run(line)).toMatchObject({ code: 6 });
  }
});

const ONE = 'version: 1\nwebsites: [a.example]\n';

/**
 * A service that breaks the connection of each POST, and stores a record for each a second later. Apply gets
 * `signal` after its first POST; then the service works again.
 */
async function setUpLate(signal: NodeJS.Signals) {
  const env = { WEBSITES_REQUEST_TIMEOUT: '2s' };
  const place = await setPlace(ONE, { dialect: { unique: false } }, env);
  const { service, start } = place;
  service.faults = ({ method }) => (method === 'POST' ? { kind: 'late', ms: 1000 } : undefined);
  const { child, ended } = start(APPLY);
  await until(() => isPosted(place));
  // By then, the interrupted run has looked for the record and not found it.
  if (signal === 'SIGINT') await new Promise((done) => setTimeout(done, 100));
  child.kill(signal);
  service.faults = undefined;
  return { ...place, ended: await ended };
}

test('apply waits until requests of a killed run are over, and creates no duplicate', async () => {
  const { run, domains } = await setUpLate('SIGKILL');
  const stderr = expect.stringMatching(/was killed[\s\S]*Waiting/);
  expect(await run(APPLY)).toMatchObject({ code: 0, stderr });
  expect(domains()).toEqual(['a.example']);
  expect((await run(APPLY)).stderr).toContain('was killed');
});

test('apply of a saved plan waits until requests of a killed run are over', async () => {
  const { run, domains } = await setUpLate('SIGKILL');
  // --exclude makes another plan than that of the killed run, even within the same second.
  await run('plan --out plan.json --exclude z.example');
  expect((await run('apply plan.json')).stderr).toMatch(/was killed[\s\S]*Waiting/);
  expect(domains()).toEqual(['a.example']);
});

test('apply of a saved plan finishes after a kill during an update that set a password', async () => {
  const file = 'websites: [{ domain: a.example, privacy: password, password: { env: SITE_PASSWORD } }]\n';
  const options = { records: [{ domain: 'a.example', privacy: 2 }] };
  const env = { SITE_PASSWORD: 'a-password', WEBSITES_REQUEST_TIMEOUT: '300ms' };
  const { service, run, start } = await setPlace(file, options, env);
  expect(await run('plan --out plan.json')).toMatchObject({ code: 0 });
  const { child, ended } = start('apply plan.json');
  service.faults = ({ method }) => {
    if (method === 'PUT') child.kill('SIGKILL');
    return undefined;
  };
  expect(await ended).toMatchObject({ code: null });
  service.faults = undefined;
  expect(service.records()).toMatchObject([{ password: 'a-password' }]);
  expect(await run('apply plan.json')).toMatchObject({ code: 0 });
});

test('apply waits after an interrupted run with an unknown create, not after a finished run', async () => {
  const { run, domains, ended } = await setUpLate('SIGINT');
  expect(ended).toMatchObject({ code: 130 });
  const again = await run(APPLY);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('Waiting') });
  expect(again.stderr).not.toContain('was killed');
  expect(domains()).toEqual(['a.example']);
  expect((await run(APPLY)).stderr).not.toContain('Waiting');
});

test('undo --target waits if the last run of the target has a create with unknown outcome', async () => {
  const place = await setPlace(targetFile('a.example'), {}, { WEBSITES_REQUEST_TIMEOUT: '100ms' });
  useTarget(place);
  expect(await place.run(`${APPLY} --target one`)).toMatchObject({ code: 0 });
  await leaveInDoubt(join(place.folder, 'targets/one/.websites/runs'));
  expect((await place.run('undo --auto-approve --target one')).stderr).toContain('Waiting');
});

const targetFile = (domains: string) => `targets: { one: { base_url: local } }\nwebsites: [${domains}]\n`;

/** Sets the URL and the key of the service for its target only. */
function useTarget({ env }: Place): void {
  const { WEBSITES_BASE_URL: url, WEBSITES_API_KEY: key } = env;
  Object.assign(env, { WEBSITES_BASE_URL_ONE: url, WEBSITES_API_KEY_ONE: key });
  Object.assign(env, { WEBSITES_BASE_URL: '', WEBSITES_API_KEY: '' });
}

/** Gives the last run a create with unknown outcome, and an end in the future, for a machine of any speed. */
async function leaveInDoubt(runs: string): Promise<void> {
  const journal = join(runs, (await readdir(runs)).sort().at(-1) ?? '');
  const text = await readFile(journal, 'utf8');
  await writeFile(journal, text.replace('"entry":"closed"', '"entry":"closed","in_doubt":1'));
  const soon = Date.now() / 1000 + 600;
  await utimes(journal, soon, soon);
}

test('apply waits after a killed run even if the journal contains only its plan', async () => {
  const { folder, run, domains } = await setUpLate('SIGKILL');
  const runs = join(folder, '.websites/runs');
  const journal = join(runs, (await readdir(runs))[0] ?? '');
  const lines = (await readFile(journal, 'utf8')).split('\n');
  expect(lines[2]).toContain('"begun"');
  await writeFile(journal, `${lines.slice(0, 2).join('\n')}\n`);
  expect(await run(APPLY)).toMatchObject({ code: 0, stderr: expect.stringContaining('Waiting') });
  expect(domains()).toEqual(['a.example']);
});

test('apply of a plan file exits with 6 if a later run changed one of its records', async () => {
  const { service, run } = await setPlace('version: 1\nwebsites: [a.example, b.example]\n');
  service.faults = ({ method }) =>
    method === 'POST' ? { kind: 'status', status: 422, when: 'before' } : undefined;
  await run('plan --out plan.json');
  expect(await run('apply plan.json --canary 1')).toMatchObject({ code: 4 });
  service.faults = undefined;
  expect(await run(`${APPLY} --domain a.*`)).toMatchObject({ code: 0 });
  const before = service.requests.length;
  const stderr = expect.stringContaining('was applied already');
  expect(await run('apply plan.json')).toMatchObject({ code: 6, stderr });
  expect((await run('runs')).stdout).toMatch(/ {2}1 change {2}/);
  expect(service.requests.length).toBe(before);
});

test('apply reports a killed run only until another run has finished', async () => {
  const { run, write } = await setUpLate('SIGKILL');
  await write('websites.yaml', 'version: 1\nwebsites: [a.example, b.example]\n');
  expect((await run(APPLY)).stderr).toContain('was killed');
  expect((await run(APPLY)).stderr).not.toContain('was killed');
});

test.each([
  ['', ''],
  [' --target', ' --target one'],
])('undo%s after a killed run reverts that run, not the one before it', async (_, flags) => {
  const file = (domains: string) =>
    flags === '' ? `version: 1\nwebsites: [${domains}]\n` : targetFile(domains);
  const env = { WEBSITES_REQUEST_TIMEOUT: '300ms' };
  const place = await setPlace(file('a.example, x.example'), { records: ['x.example'] }, env);
  if (flags !== '') useTarget(place);
  const { service, run, start, write, domains, writes } = place;
  const [apply, undo] = [`${APPLY}${flags}`, `undo --auto-approve${flags}`];
  expect(await run(apply)).toMatchObject({ code: 0 });
  await write('websites.yaml', file('a.example, b.example, x.example'));
  service.faults = ({ method }) => (method === 'POST' ? { kind: 'hang', when: 'before' } : undefined);
  const before = writes().length;
  const { child, ended } = start(`${apply} --parallelism 1`);
  await until(() => isPosted(place, before));
  child.kill('SIGKILL');
  await ended;
  service.faults = undefined;
  expect(await run(undo)).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes') });
  expect(domains()).toEqual(['x.example', 'a.example']);
  expect(await run(apply)).toMatchObject({ code: 0 });
  expect(await run(undo)).toMatchObject({ code: 0 });
  expect(domains()).toEqual(['x.example', 'a.example']);
});

test('undo keeps and names a record whose create got no response', async () => {
  const file = 'version: 1\nwebsites: [a.example, x.example]\n';
  const env = { WEBSITES_REQUEST_TIMEOUT: '300ms' };
  const { service, run, edit, domains } = await setPlace(file, { records: ['x.example'] }, env);
  expect(await run(APPLY)).toMatchObject({ code: 0 });
  await edit('websites.yaml', 'a.example', 'a.example, b.example');
  service.faults = ({ method }) => (method === 'POST' ? { kind: 'reset', when: 'before' } : undefined);
  const stdout = expect.stringContaining('outcome unknown');
  expect(await run(`${APPLY} --timeout 100ms`)).toMatchObject({ code: 4, stdout });
  service.faults = undefined;
  service.insert('b.example');
  const left = expect.stringMatching(/b\.example is left as it is: the response to its create was lost/);
  expect(await run('undo --auto-approve')).toMatchObject({ code: 4, stdout: left });
  expect(domains()).toEqual(['x.example', 'a.example', 'b.example']);
});
