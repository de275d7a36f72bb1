/** Several services in one file, with the built program: each with its own key, state and outcome. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';
import { startTestService, type TestService } from '../support/service.ts';

async function startServices(count: number): Promise<TestService[]> {
  const services = await Promise.all(Array.from({ length: count }, () => startTestService()));
  onTestFinished(async () => {
    for (const service of services) await service.close();
  });
  return services;
}

/** Two services, `one` and `two`, and a folder whose file names both. */
async function setUp(more = '') {
  const [one, two] = (await startServices(2)) as [TestService, TestService];
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

test('one is chosen, planned, applied, undone, in a folder of its own', async () => {
  const { one, two, folder, run, domains } = await setUp();
  expect(await run(['plan'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The targets are one, two.'),
  });
  expect(await run(['plan', '--target', 'tow'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Did you mean two?'),
  });
  const out = join(folder, 'plan.json');
  expect(await run(['plan', '--target', 'two', '--out', out])).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(out, 'utf8')).service).toMatchObject({ base_url: two.url, target: 'two' });
  expect(await run(['apply', out, '--target', 'one'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The plan was made for the target two, and not for one.'),
  });
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
}, 60_000);

test('undo names the target in the commands that it sends to', async () => {
  const { run } = await setUp();
  const { code, stderr } = await run(['undo', '--target', 'two']);
  expect(code).toBe(1);
  for (const command of ['runs', 'undo RUN']) expect(stderr).toContain(`"websites ${command} --target two"`);
}, 60_000);

test('all are planned and applied side by side, each under its heading, with one summary', async () => {
  const { one, two, folder, env, run, domains } = await setUp();
  const planned = await run(['plan', '--all-targets', '--detailed-exitcode']);
  expect(planned).toMatchObject({ code: 2, stderr: '' });
  expect(planned.stdout).toMatch(
    /^\n== one {2}http.*\n\n\+ create[\s\S]*\n== two {2}http.*\n\n\+ create[\s\S]*/,
  );
  expect(planned.stdout).toMatch(
    /\none {2}1 to create, 0 to update, 0 to delete\ntwo {2}2 to create, 0 to update, 0 to delete\n\n2 targets\.\n$/,
  );
  expect(await run(['apply', '--all-targets'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no interactive terminal'),
  });
  expect(await domains(one)).toEqual([]);
  const applied = await run(['apply', '--all-targets', '--auto-approve']);
  expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('two  2 created, 0 updated') });
  expect(applied.stderr.split('\n').every((line) => line === '' || /^\[(?:one|two)\] /.test(line))).toBe(
    true,
  );
  expect(await domains(one)).toEqual(['shared.example']);
  expect(await domains(two)).toEqual(['own.example', 'shared.example']);
  expect(await run(['drift', '--all-targets'])).toMatchObject({ code: 0 });
  const input = await readFile(join(folder, 'websites.yaml'), 'utf8');
  expect(await runBuilt(['drift', '--all-targets', '-f', '-'], { cwd: folder, env, input })).toMatchObject({
    code: 0,
  });
}, 60_000);

test('on GitHub, the summary says which target each part is of', async () => {
  const { folder, run, env } = await setUp();
  const GITHUB_STEP_SUMMARY = join(folder, 'summary.md');
  const inJob = { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY };
  const headsOf = async () =>
    [...(await readFile(GITHUB_STEP_SUMMARY, 'utf8')).matchAll(/^## (.*)\n\n(?:(?:No|\|).*\n+)*(\S*)/gm)].map(
      (all) => all.slice(1),
    );

  const refused = await run(['apply', '--all-targets', '--auto-approve'], {
    ...inJob,
    WEBSITES_API_KEY_TWO: 'another-key',
  });
  expect(refused.code).toBe(3);
  expect(await headsOf()).toEqual([
    ['Websites: failed', '`two`'],
    ['Websites: 1 to create, 0 to update, 0 to delete', '`one`'],
    ['Websites: 1 created, 0 updated, 0 deleted', '`one`'],
  ]);
}, 60_000);

test('nobody is asked about a target without changes', async () => {
  const { folder, run } = await setUp();
  expect(await run(['apply', '--all-targets', '--auto-approve'])).toMatchObject({ code: 0 });
  expect(await run(['apply', '--all-targets'])).toMatchObject({ code: 0 });
  await writeFile(join(folder, 'two/a.yaml'), 'websites: [own.example, new.example]\n');
  const { stdout } = await run(['apply', '--all-targets', '--format', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({
    exit: 1,
    targets: [
      { name: 'one', exit: 0 },
      { name: 'two', exit: 1, error: { code: 'approval-missing' } },
    ],
  });
}, 60_000);

test('a state folder that is named has one of its own for each', async () => {
  const { folder, run } = await setUp();
  const apply = ['apply', '--all-targets', '--auto-approve', '--state-folder', 'state'];
  expect(await run(apply)).toMatchObject({ code: 0 });
  for (const name of ['one', 'two']) {
    expect(readdirSync(join(folder, 'state/targets', name, '.websites/runs')), name).toHaveLength(1);
  }
}, 60_000);

test('the journal of a target has the fingerprint of each password', async () => {
  const { folder, run, env } = await setUp();
  const website = 'websites: [{ domain: own.example, privacy: password, password: { env: SITE } }]\n';
  await writeFile(join(folder, 'two/a.yaml'), website);
  const apply = ['apply', '--all-targets', '--auto-approve'];
  const own = { ...env, SITE: 'a-long-password' };
  expect(await run(apply, own)).toMatchObject({ code: 0 });
  const runs = join(folder, 'targets/two/.websites/runs');
  const [journal = ''] = readdirSync(runs);
  // By that a run is not resumed with another password.
  expect(await readFile(join(runs, journal), 'utf8')).toContain('"fingerprint":"');
}, 60_000);

test('how far each target has come is told for each', async () => {
  const { folder, run } = await setUp();
  const many = Array.from({ length: 150 }, (_, index) => `new${index}.example`);
  await writeFile(join(folder, 'two/a.yaml'), `websites: [${many.join(', ')}]\n`);
  const { code, stderr } = await run(['apply', '--all-targets', '--auto-approve']);
  expect(code).toBe(0);
  const lines = stderr.split('\n');
  expect(lines).toContain('[two] From here on, only failures and notes of the run are shown.');
  expect(lines.filter((line) => line.startsWith('[two] + created'))).toHaveLength(100);
  expect(lines.filter((line) => line.startsWith('[one] + created'))).toHaveLength(1);
  const verbose = await run(['plan', '--all-targets', '--verbose']);
  for (const name of ['one', 'two']) {
    expect(verbose.stderr).toMatch(new RegExp(`^\\[${name}\\] .*GET .*/websites.* 200 `, 'm'));
  }
  expect(await run(['plan', '--all-targets', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
}, 60_000);

test('whose each change is, is told for each target', async () => {
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
  const { code, stdout } = await run(['plan', '--all-targets', '--since', 'HEAD', '--format', 'json']);
  expect(code).toBe(0);
  const [added, one, two] = JSON.parse(stdout).targets;
  const originsOf = ({ plan }: { plan: Plan }) => plan.changes.map(({ domain, origin }) => [domain, origin]);
  expect(originsOf(one)).toEqual([['shared.example', 'drift']]);
  expect(originsOf(added)).toEqual([['shared.example', 'config']]);
  expect(originsOf(two)).toEqual([
    ['new.example', 'config'],
    ['own.example', 'drift'],
    ['shared.example', 'drift'],
  ]);
}, 60_000);

test('JSON is one document with an entry for each target', async () => {
  const { one, run } = await setUp();
  const planned = JSON.parse((await run(['plan', '--all-targets', '--format', 'json'])).stdout);
  expect(planned).toMatchObject({
    format: 'websites.targets/1',
    exit: 0,
    targets: [
      { name: 'one', exit: 0, service: one.url, plan: { format: 'websites.plan/1' } },
      { name: 'two', exit: 0, plan: { summary: { create: 2 } } },
    ],
  });
  const applied = await run(['apply', '--all-targets', '--auto-approve', '--format', 'json']);
  expect(JSON.parse(applied.stdout)).toMatchObject({
    exit: 0,
    targets: [
      { name: 'one', result: { summary: { created: 1 }, converged: true } },
      { name: 'two', result: { summary: { created: 2 }, converged: true } },
    ],
  });
}, 60_000);

describe('what fails on one does not stop the others', () => {
  test.each<[string, string, Readonly<Record<string, string>>, number, string]>([
    ['no key', '  bad: { base_url: "http://127.0.0.1:9" }', {}, 1, 'key-missing'],
    [
      'nobody there',
      '  bad: { base_url: "http://127.0.0.1:9" }',
      { WEBSITES_API_KEY_BAD: 'x' },
      1,
      'service-unreachable',
    ],
    [
      'a key that is refused',
      '  bad: { base_url: URL }',
      { WEBSITES_API_KEY_BAD: 'wrong' },
      3,
      'key-refused',
    ],
  ])(
    '%s',
    async (_, more, keys, exit, code) => {
      const [third] = (await startServices(1)) as [TestService];
      const { one, two, env, run, domains } = await setUp(more.replace('URL', third.url));
      const args = ['apply', '--all-targets', '--auto-approve', '--format', 'json', '--timeout', '1s'];
      const ended = await run(args, { ...env, ...keys });
      expect(ended.code).toBe(exit);
      expect(JSON.parse(ended.stdout)).toMatchObject({
        exit,
        targets: [{ exit: 0 }, { exit: 0 }, { name: 'bad', exit, error: { code } }],
      });
      expect(ended.stderr).toContain('[bad] Error: ');
      expect(await domains(one)).toEqual(['shared.example']);
      expect(await domains(two)).toHaveLength(2);
    },
    60_000,
  );

  test('nobody to ask: nothing is sent, and the exit code is the first of all', async () => {
    const { one, env, run, domains } = await setUp();
    const ended = await run(['apply', '--all-targets', '--format', 'json'], {
      ...env,
      WEBSITES_API_KEY_TWO: 'wrong',
    });
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      format: 'websites.targets/1',
      exit: 3,
      targets: [
        { name: 'one', exit: 1, plan: { summary: { create: 1 } }, error: { code: 'approval-missing' } },
        { name: 'two', exit: 3, error: { code: 'key-refused' } },
      ],
    });
    expect(ended.stderr.match(/no interactive terminal/g)).toHaveLength(1);
    expect(await domains(one)).toEqual([]);
  }, 60_000);

  test('a guard that refuses, with its exit code', async () => {
    const { one, two, run, domains, folder } = await setUp();
    expect(await run(['apply', '--all-targets', '--auto-approve'])).toMatchObject({ code: 0 });
    await writeFile(
      join(folder, 'two/a.yaml'),
      'websites: [{ domain: own.example, state: absent }, new.example]\n',
    );
    const text = await readFile(join(folder, 'websites.yaml'), 'utf8');
    await writeFile(
      join(folder, 'websites.yaml'),
      text.replace('[shared.example]', '[{ domain: shared.example, state: absent }]'),
    );
    const ended = await run([
      'apply',
      '--all-targets',
      '--auto-approve',
      '--format',
      'json',
      '--allow-empty',
    ]);
    expect(ended.code).toBe(5);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      exit: 5,
      targets: [
        { name: 'one', exit: 5, error: { code: 'guard-refused' } },
        { name: 'two', exit: 5 },
      ],
    });
    expect(await domains(one)).toEqual(['shared.example']);
    expect(await domains(two)).toHaveLength(2);
    const allowed = ['--allow-empty', '--allow-deletes', '1'];
    const some = await run(['apply', '--all-targets', '--auto-approve', '--format', 'json', ...allowed]);
    // Two deletes are more than was approved; the other target goes on.
    expect(some.code).toBe(5);
    expect(await domains(one)).toEqual([]);
    expect(await domains(two)).toHaveLength(2);
  }, 60_000);
});

describe('the key of one service', () => {
  test('is never sent to another, and never printed', async () => {
    const { one, two, env, run } = await setUp();
    const keys = { WEBSITES_API_KEY: one.key, KEY_OF_ONE: one.key };
    // The key of the first is at hand in every way but the one that is the second's.
    expect(await run(['plan', '--target', 'two'], keys)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('WEBSITES_API_KEY_TWO'),
    });
    const listed = await run(['targets'], { ...env, ...keys });
    expect(listed.stdout).toContain('key: env:KEY_OF_ONE');
    expect(listed.stdout).toContain('key: WEBSITES_API_KEY_TWO');
    const outputs = await Promise.all(
      [
        ['targets', '--format', 'json'],
        ['plan', '--all-targets', '--format', 'json'],
        ['apply', '--all-targets', '--auto-approve', '--verbose'],
      ].map((args) => run(args, { ...env, ...keys })),
    );
    for (const { stdout, stderr } of [listed, ...outputs]) {
      for (const key of [one.key, two.key]) expect(stdout + stderr).not.toContain(key);
    }
  }, 60_000);

  test.each([
    ['--api-key-file', { WEBSITES_API_KEY_FILE: 'some.key' }],
    ['--base-url', { WEBSITES_BASE_URL: 'https://elsewhere.example.com' }],
  ])('is not that of %s', async (flag, more) => {
    const { env, run } = await setUp();
    expect(await run(['plan', '--target', 'two'], { ...env, ...more })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${flag} (WEBSITES_`),
    });
    expect(await run(['plan', '--all-targets'], { ...env, ...more })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`) cannot be combined with --all-targets`),
    });
  });

  test('goes to the address that the environment pins, and nowhere else', async () => {
    const { one, two, env, run } = await setUp();
    const pinned = { ...env, WEBSITES_BASE_URL_TWO: one.url };
    // The service at that address does not know the key.
    expect(await run(['plan', '--target', 'two'], pinned)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('WEBSITES_API_KEY_NAME'),
    });
    expect(await run(['plan', '--target', 'one'], { ...env, WEBSITES_BASE_URL_TWO: two.url })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('WEBSITES_BASE_URL_ONE is not set'),
    });
    const own = { ...env, WEBSITES_BASE_URL: two.url };
    expect(await run(['plan', '--target', 'two'], own)).toMatchObject({ code: 0 });
  });
});

test('targets that are the same service with the same key are not written to at once', async () => {
  const [service] = (await startServices(1)) as [TestService];
  const target = `{ base_url: "${service.url}", api_key: { env: KEY } }`;
  const text = `targets: { a: ${target}, b: ${target} }\nwebsites: [a.example]\n`;
  const folder = await testFolder({ 'websites.yaml': text });
  const options = { cwd: folder, env: { KEY: service.key } };
  const ended = await runBuilt(['apply', '--all-targets', '--auto-approve', '--format', 'json'], options);
  expect(ended.code).toBe(1);
  const { targets } = JSON.parse(ended.stdout);
  const codes = targets.map(
    ({ exit, error }: { exit: number; error?: { code: string } }) => error?.code ?? exit,
  );
  expect(codes.sort()).toEqual([0, 'lock-held']);
  expect(await service.records()).toHaveLength(1);
});

test('the matrix is one line of JSON for CI', async () => {
  const { one, two, run } = await setUp();
  const { stdout } = await run(['targets', '--format', 'json']);
  expect(stdout.trimEnd()).not.toContain('\n');
  expect(JSON.parse(stdout)).toEqual({
    include: [
      { name: 'one', base_url: one.url },
      { name: 'two', base_url: two.url },
    ],
  });
});

test('there is no matrix where a pattern misses the files of some targets', async () => {
  const { run } = await setUp();
  const missed = await run(['targets', '--format', 'json', '-f', 'websites.yaml', '-f', 'others/*.yaml']);
  expect(missed).toMatchObject({ code: 1, stdout: expect.stringContaining('"config-missing"') });
  expect(missed.stderr).toContain('No file matches others/*.yaml.');
});

test.each([
  [
    ['plan', '--all-targets', '--target', 'one'],
    '--target (WEBSITES_TARGET) cannot be combined with --all-targets',
  ],
  [['plan', '--target', 'one', '--domain', 'two'], '"two" is a target, not a domain.'],
  [
    ['plan', '--all-targets', '--out', 'p.json'],
    '--out (WEBSITES_OUT) cannot be combined with --all-targets',
  ],
  [['plan', '--all-targets', '--format', 'html'], '--format html is for one target'],
  [['apply', '--all-targets', '--auto-approve', '-f', 'two'], 'The configuration declares no targets.'],
  [['drift', '--all-targets', '--only', 'config'], '--only and --fail-on-drift need --since.'],
  [['drift', '--all-targets', '--fail-on-drift'], '--only and --fail-on-drift need --since.'],
  [['apply', '--all-targets', '--parallelism', '300'], 'Invalid value "300" for --parallelism.'],
  [['plan', '--all-targets', '--since', 'no-such'], 'The revision no-such cannot be read'],
])('%s is refused, once', async (args, message) => {
  const { run } = await setUp();
  const { code, stderr } = await run(args);
  expect([code, stderr.split('\n').filter((line) => line.startsWith('Error: '))]).toEqual([
    1,
    [expect.stringContaining(message)],
  ]);
});
