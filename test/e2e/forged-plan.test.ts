/** Plan files by a stranger (SECURITY.md), without the API key, or sealed by somebody who has it. */
import { readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { canonicalJson, planDigest } from '../../src/planner/plan-file/write.ts';
import { sha256 } from '../../src/util/node/sha256.ts';
import { testFolder } from '../support/cli.ts';
import { listen } from '../support/listen.ts';
import { setPlace } from '../support/place.ts';
import type { ScriptedService } from '../support/scripted-service.ts';
import { sealsOf } from '../support/seals.ts';

const FILE =
  'version: 1\nwebsites: [{ domain: a.example, privacy: password, password: { env: SITE_PASSWORD } }]\n';

/** Returns the seal of a forged plan. */
type SealWith = (plan: Plan, service: ScriptedService) => Promise<string | undefined>;

const byKey: SealWith = async ({ digest }, { key, url }) => (await sealsOf(key, url)).of('plan', digest);

/** A saved plan of a create with a password, next to a link to `link`. */
async function planned(link?: string) {
  const place = await setPlace(FILE, {}, { SITE_PASSWORD: 'of-the-site' });
  if (link !== undefined) await symlink(link, join(place.folder, 'link'));
  expect(await place.run('plan --out plan.json')).toMatchObject({ code: 0 });
  return { ...place, saved: await readFile(join(place.folder, 'plan.json'), 'utf8') };
}

/** Plans a create with a password, lets `forge` change the text of the plan, adds digest and seal, and applies it. */
async function applyForged(
  forge: (plan: string) => string,
  given: Readonly<Record<string, string>> = {},
  link?: string,
  seal = byKey,
) {
  const { service, run, write, saved } = await planned(link);
  const plan = JSON.parse(saved) as Plan;
  expect(planDigest(plan, sha256)).toBe(plan.digest);
  const forged = JSON.parse(forge(canonicalJson(plan))) as Plan;
  expect(canonicalJson(forged)).not.toBe(canonicalJson(plan));
  const whole = { ...forged, digest: planDigest(forged, sha256) };
  await write('plan.json', JSON.stringify({ ...whole, seal: await seal(whole, service) }));
  const before = service.requests.length;
  const ended = await run('apply plan.json', { env: given });
  return { ...ended, records: service.records(), requests: service.requests.length - before };
}

const pruning = (plan: string): string => plan.replace('"prune":false', '"prune":true');

test.for<[what: string, seal: SealWith]>([
  ['no seal', async () => undefined],
  ['the seal of the original plan', async ({ seal }) => seal],
  [
    'a seal of another key',
    async ({ digest }, { url }) => (await sealsOf('another-key', url)).of('plan', digest),
  ],
  [
    'a seal of another service',
    async ({ digest }, { key }) => (await sealsOf(key, 'http://b.example')).of('plan', digest),
  ],
  [
    'a seal of a journal',
    async ({ digest }, { key, url }) => (await sealsOf(key, url)).of('journal', digest),
  ],
])('apply of a plan with %s exits with 1 before any request', async ([_, seal]) => {
  const ended = await applyForged(pruning, {}, undefined, seal);
  expect(ended).toMatchObject({
    code: 1,
    records: [],
    requests: 0,
    stderr: expect.stringContaining('The plan was not written with this API key.'),
  });
  expect(await applyForged(pruning)).toMatchObject({ code: 0, records: [{ domain: 'a.example' }] });
});

test('an error about a forged plan does not mention the variable that the plan names', async () => {
  const forge = (plan: string): string =>
    plan.replace('SITE_PASSWORD', 'OTHER').replace(/"fingerprint":"[^"]*"/, '"fingerprint":"00"');
  const ended = await applyForged(forge, { OTHER: 'guess' }, undefined, async () => undefined);
  expect(ended).toMatchObject({ code: 1, stderr: expect.not.stringContaining('OTHER') });
});

test('apply exits with 6 if the plan was made with another API key', async () => {
  const { run } = await planned();
  const rotated = await run('apply plan.json', { env: { WEBSITES_API_KEY: 'another-key' } });
  const stderr = expect.stringContaining('The plan was made with another API key.');
  expect(rotated).toMatchObject({ code: 6, stderr });
  expect(await run('apply plan.json')).toMatchObject({ code: 0 });
});

test('show works without an API key, and reports whether the seal is missing or unchecked', async () => {
  const { run, write } = await planned();
  const show = (flags = '') => run(`show plan.json${flags}`, { env: { WEBSITES_API_KEY: '' } });
  const unchecked = expect.stringContaining('Seal not checked');
  expect(await show()).toMatchObject({ code: 0, stderr: unchecked });
  const { stdout, stderr } = await show(' --format json');
  const { seal, ...plan } = JSON.parse(stdout);
  expect([seal, stderr]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), unchecked]);
  await write('plan.json', JSON.stringify(plan));
  expect(await show()).toMatchObject({ code: 0, stderr: expect.stringContaining('has no seal') });
});

/** Replaces the reference to the password in a plan, and removes its fingerprint. */
const refer = (ref: object) => (plan: string) =>
  plan.replace(/"fingerprint":"[^"]*","ref":\{[^}]*\}/, `"ref":${JSON.stringify(ref)}`);

test('a forged plan cannot send the API key as a password', async () => {
  const ended = await applyForged(refer({ env: 'WEBSITES_API_KEY' }));
  expect(ended).toMatchObject({ code: 1, records: [], stderr: expect.stringContaining('WEBSITES_API_KEY') });
});

test.for(['/etc/hosts', `${'../'.repeat(20)}etc/hosts`])(
  'a forged plan cannot send the file %s as a password',
  async (file) => {
    const ended = await applyForged(refer({ file }));
    expect(ended).toMatchObject({ code: 1, records: [], stderr: expect.stringContaining('is outside') });
  },
);

const KNOWN = 'version: 1\n';

test.for<[what: string, path: string, file: string]>([
  ['a directory that it names', '/etc/none.yaml', 'hosts'],
  ['a directory that a link leads to', 'link/none.yaml', 'hosts'],
  ['a directory with another file of the plan', '/etc/known.yaml', 'hosts'],
])('a forged plan cannot read a password from %s', async ([_, path, file]) => {
  const elsewhere = await testFolder({ 'known.yaml': KNOWN, hosts: 'of-the-machine' });
  const digest = sha256(KNOWN);
  const config = { files: [{ path: path.replace('/etc', elsewhere), digest }], digest };
  const forge = (plan: string): string =>
    JSON.stringify({ ...(JSON.parse(refer({ file })(plan)) as Plan), config });
  const ended = await applyForged(forge, {}, elsewhere);
  expect(ended).toMatchObject({ code: 1, records: [], stderr: expect.stringContaining('ALLOW_PATH') });
});

test('a forged plan cannot send a file through a link in an allowed directory', async () => {
  const elsewhere = await testFolder({ hosts: 'of-the-machine' });
  const allowed = await testFolder({});
  await symlink(join(elsewhere, 'hosts'), join(allowed, 'link'));
  const forge = (plan: string): string => {
    const forged = JSON.parse(refer({ file: join(allowed, 'link') })(plan)) as Plan;
    return JSON.stringify({ ...forged, config: { files: [], digest: '', folder: elsewhere } });
  };
  const ended = await applyForged(forge, { WEBSITES_ALLOW_PATH: allowed });
  expect(ended).toMatchObject({ code: 1, records: [], stderr: expect.stringContaining('ALLOW_PATH') });
});

/** A server that records the requests it gets. */
async function startStranger() {
  const asked: string[] = [];
  const stranger = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  return { asked, url: `http://127.0.0.1:${await listen(stranger)}` };
}

test('a forged plan cannot send the API key to another URL than WEBSITES_BASE_URL', async () => {
  const { asked, url } = await startStranger();
  const ended = await applyForged((plan) => plan.replace(/"base_url":"[^"]*"/, `"base_url":"${url}"`));
  expect(ended).toMatchObject({ code: 6, records: [], stderr: expect.stringContaining('was made for') });
  expect(asked).toEqual([]);
});

test('a forged plan without files cannot send the API key of a target to another URL', async () => {
  const { asked, url } = await startStranger();
  const forge = (text: string): string => {
    const plan = JSON.parse(text) as Plan;
    const service = { ...plan.service, base_url: url, target: 'prod' };
    return JSON.stringify({ ...plan, service, config: { ...plan.config, files: [] } });
  };
  const ended = await applyForged(forge, {
    WEBSITES_BASE_URL: '',
    WEBSITES_BASE_URL_PROD: 'http://127.0.0.1:9',
    WEBSITES_API_KEY_PROD: 'scripted-key',
  });
  expect(ended).toMatchObject({ code: 6, records: [], stderr: expect.stringContaining('was made for') });
  expect(asked).toEqual([]);
});
