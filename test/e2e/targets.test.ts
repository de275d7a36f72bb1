/** Several services in one file, with the built program: each with its own key, state and outcome. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';
import { type TestService, testService } from '../support/service.ts';

const fails = (code: number, text: string) => ({ code, stderr: expect.stringContaining(text) });

/** Two services, `one` and `two`, and a directory with a file that declares both. */
async function setUp(more = '') {
  const [one, two] = [await testService(), await testService()];
  const folder = await testFolder();
  await mkdir(join(folder, 'two'));
  const file = `targets:
  one:
    base_url: ${one.url}
    api_key: { env: KEY_OF_ONE }
  two:
    base_url: ${two.url}
    files: [two/]
${more}
websites: [shared.example]
`;
  await writeFile(join(folder, 'websites.yaml'), file);
  await writeFile(join(folder, 'two/a.yaml'), 'websites: [own.example]\n');
  const env = { KEY_OF_ONE: one.key, WEBSITES_API_KEY_TWO: two.key };
  const run = (args: readonly string[], other: Readonly<Record<string, string>> = env) =>
    runBuilt(args, { cwd: folder, env: other });
  const domains = async (service: TestService) =>
    (await service.records()).map(({ domain }) => domain).sort();
  return { one, two, folder, env, run, domains };
}

test('plan, apply and undo --target change one service, with state in its own directory', async () => {
  const { one, two, folder, run, domains } = await setUp();
  expect(await run(['plan'])).toMatchObject(fails(1, 'Pass --target one or two.'));
  expect(await run(['plan', '--target', 'tow'])).toMatchObject(fails(1, 'Did you mean two?'));
  const out = join(folder, 'plan.json');
  expect(await run(['plan', '--target', 'two', '--out', out])).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(out, 'utf8')).service).toMatchObject({ base_url: two.url, target: 'two' });
  expect(await run(['apply', out, '--target', 'one'])).toMatchObject(
    fails(1, 'The plan was made for the target two, and not for one.'),
  );
  expect(await run(['apply', out, '--target', 'two'])).toMatchObject({ code: 0 });
  expect(await domains(two)).toEqual(['own.example', 'shared.example']);
  expect(await domains(one)).toEqual([]);
  expect(readdirSync(join(folder, 'targets'))).toEqual(['two']);
  expect(await run(['runs', '--target', 'two', '--format', 'json'])).toMatchObject({
    stdout: expect.stringContaining('"run"'),
  });
  expect(await run(['runs', '--target', 'one'])).toMatchObject({
    stdout: expect.stringContaining('No runs in '),
  });
  expect(await run(['export', '--target', 'two'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^service:\n {2}base_url: .*\n\n/m),
  });
  expect(await run(['doctor', '--target', 'two'])).toMatchObject({ code: 0 });
  expect(await run(['undo', '--target', 'two', '--auto-approve', '--allow-deletes', '2'])).toMatchObject({
    code: 0,
  });
  expect(await domains(two)).toEqual([]);
});

test('undo --target suggests commands that name the target', async () => {
  const { run } = await setUp();
  const { code, stderr } = await run(['undo', '--target', 'two']);
  expect(code).toBe(1);
  for (const command of ['runs', 'undo RUN']) expect(stderr).toContain(`"websites ${command} --target two"`);
});

test('the job summary on GitHub names the target', async () => {
  const { folder, run, env } = await setUp();
  const GITHUB_STEP_SUMMARY = join(folder, 'summary.md');
  const inJob = { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY };
  expect(await run(['apply', '--target', 'one', '--auto-approve'], inJob)).toMatchObject({ code: 0 });
  const summary = await readFile(GITHUB_STEP_SUMMARY, 'utf8');
  expect(summary.match(/^(?:## .*|one\b)/gm)).toEqual([
    '## Websites: 1 to create, 0 to update, 0 to delete',
    'one',
    '## Websites: 1 created, 0 updated, 0 deleted',
    'one',
  ]);
});

test('WEBSITES_STATE_FOLDER contains a directory for each target', async () => {
  const { folder, run, env } = await setUp();
  const own = { ...env, WEBSITES_STATE_FOLDER: 'state' };
  for (const name of ['one', 'two']) {
    expect(await run(['apply', '--target', name, '--auto-approve'], own)).toMatchObject({ code: 0 });
    expect(readdirSync(join(folder, 'state/targets', name, '.websites/runs')), name).toHaveLength(1);
  }
});

test('the journal of a target contains the fingerprint of a password', async () => {
  const { folder, run, env } = await setUp();
  const website = 'websites: [{ domain: own.example, privacy: password, password: { env: SITE } }]\n';
  await writeFile(join(folder, 'two/a.yaml'), website);
  const apply = ['apply', '--target', 'two', '--auto-approve'];
  const own = { ...env, SITE: 'a-long-password' };
  expect(await run(apply, own)).toMatchObject({ code: 0 });
  const runs = join(folder, 'targets/two/.websites/runs');
  const [journal = ''] = readdirSync(runs);
  // Without it, the run could be applied again with another password.
  expect(await readFile(join(runs, journal), 'utf8')).toContain('"fingerprint":"');
});

test('plan --since separates drift from configuration changes for each target', async () => {
  const { folder, run } = await setUp();
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd: folder,
    });
  await git('init', '-q');
  await git('add', 'websites.yaml', 'two');
  await git('commit', '-qm', 'first');
  await writeFile(join(folder, 'two/a.yaml'), 'websites: [own.example, new.example]\n');
  const text = await readFile(join(folder, 'websites.yaml'), 'utf8');
  await writeFile(
    join(folder, 'websites.yaml'),
    text.replace('targets:', 'targets:\n  added: { base_url: local }'),
  );
  const originsOf = async (target: string) => {
    const { stdout } = await run(['plan', '--target', target, '--since', 'HEAD', '--format', 'json']);
    return (JSON.parse(stdout) as Plan).changes.map(({ domain, origin }) => [domain, origin]);
  };
  expect(await originsOf('one')).toEqual([['shared.example', 'drift']]);
  expect(await originsOf('added')).toEqual([['shared.example', 'config']]);
  expect(await originsOf('two')).toEqual([
    ['new.example', 'config'],
    ['own.example', 'drift'],
    ['shared.example', 'drift'],
  ]);
});

test('the API key of a target is never sent to another service, and never printed', async () => {
  const { one, two, env, run } = await setUp();
  const keys = { WEBSITES_API_KEY: one.key, KEY_OF_ONE: one.key };
  // The key of target one is in every variable but that of target two.
  expect(await run(['plan', '--target', 'two'], keys)).toMatchObject(fails(1, 'WEBSITES_API_KEY_TWO'));
  const outputs = await Promise.all(
    [
      ['plan', '--target', 'one', '--format', 'json'],
      ['apply', '--target', 'two', '--auto-approve', '--verbose'],
    ].map((args) => run(args, { ...env, ...keys })),
  );
  for (const { stdout, stderr } of outputs) {
    for (const key of [one.key, two.key]) expect(stdout + stderr).not.toContain(key);
  }
});

test.each([
  ['--api-key-file', { WEBSITES_API_KEY_FILE: 'some.key' }],
  ['--base-url', { WEBSITES_BASE_URL: 'https://elsewhere.example.com' }],
])('plan --target exits with 1 if %s is set too', async (flag, more) => {
  const { env, run } = await setUp();
  expect(await run(['plan', '--target', 'two'], { ...env, ...more })).toMatchObject(
    fails(1, `${flag} (WEBSITES_`),
  );
});

test('the API key of a target is sent only to the URL that the environment sets for it', async () => {
  const { one, two, env, run } = await setUp();
  const pinned = { ...env, WEBSITES_BASE_URL_TWO: one.url };
  // The service at that address does not know the key.
  expect(await run(['plan', '--target', 'two'], pinned)).toMatchObject(fails(3, 'WEBSITES_API_KEY_NAME'));
  expect(await run(['plan', '--target', 'one'], { ...env, WEBSITES_BASE_URL_TWO: two.url })).toMatchObject(
    fails(1, 'WEBSITES_BASE_URL_ONE is not set'),
  );
  const own = { ...env, WEBSITES_BASE_URL: two.url };
  expect(await run(['plan', '--target', 'two'], own)).toMatchObject({ code: 0 });
});

test('plan exits with 1 if --domain has the name of a target', async () => {
  const { run } = await setUp();
  expect(await run(['plan', '--target', 'one', '--domain', 'two'])).toMatchObject(
    fails(1, '"two" is a target, not a domain.'),
  );
});
