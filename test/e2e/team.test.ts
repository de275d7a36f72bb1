/** Work in a team: origins of changes, undo, and changed passwords. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { exists } from '../../src/config/files/disk.ts';
import type { Plan } from '../../src/model/plan.ts';
import { runBuilt } from '../support/built.ts';
import { MAIN, testFolder } from '../support/cli.ts';
import { runProcess } from '../support/process.ts';
import { type ScriptedService, startScriptedService } from '../support/scripted-service.ts';

async function setUp(
  file: string,
  records: NonNullable<Parameters<typeof startScriptedService>[0]>['records'] = [],
) {
  const folder = await testFolder({ 'websites.yaml': file });
  const service = await startScriptedService({ records });
  const env: Record<string, string> = service.env;
  const run = (...args: string[]) => runBuilt(args, { cwd: folder, env });
  const declare = (text: string) => writeFile(join(folder, 'websites.yaml'), text);
  return { folder, service, env, run, declare };
}

const shown = (service: ScriptedService) =>
  service.records().map(({ id: _, password, ...record }) => ({ ...record, hasPassword: Boolean(password) }));

test('--since shows the origin of a change, and --only and --fail-on-drift use it', async () => {
  const before = `version: 1
prune: true
websites:
  - { domain: a.example, email: false }
  - { domain: b.example, email: false }
  - { domain: c.example, email: false, exclude_bots: true }
  - { domain: left.example }
`;
  const { folder, service, run, declare } = await setUp(before, [
    { domain: 'a.example', email: 0 },
    { domain: 'b.example', email: 1 },
    { domain: 'c.example', email: 0, exclude_bots: 0 },
    { domain: 'left.example' },
    { domain: 'foreign.example' },
  ]);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  await declare(
    before
      .replace('a.example, email: false', 'a.example, email: true')
      .replace('c.example, email: false', 'c.example, email: true')
      .replace('  - { domain: left.example }\n', ''),
  );

  const planned = await run('plan', '--since', 'HEAD', '--format', 'json');
  const origins = (text: string) =>
    Object.fromEntries((JSON.parse(text) as Plan).changes.map((change) => [change.domain, change.origin]));
  expect(origins(planned.stdout)).toEqual({
    'a.example': 'config',
    'b.example': 'drift',
    'c.example': 'both',
    'foreign.example': 'drift',
    'left.example': 'config',
  });
  const config = await run('plan', '--since', 'HEAD', '--only', 'config', '--format', 'json');
  expect(Object.keys(origins(config.stdout))).toEqual(['a.example', 'c.example', 'left.example']);
  expect(await run('plan', '--since', 'HEAD', '--fail-on-drift')).toMatchObject({
    code: 5,
    stdout: expect.stringContaining('The service was changed outside this tool'),
  });
  expect(await run('plan', '--only', 'config')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--since'),
  });
  expect(await run('plan', '--since', 'nowhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The revision nowhere cannot be read'),
  });
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' })).toBe(
    ' M websites.yaml\n',
  );
  await service.close();
});

test('undo reverts creates, updates and deletes, reports losses, and can be undone', async () => {
  const { service, run, declare } = await setUp('version: 1\nprune: true\nwebsites: [kept.example]\n', [
    { domain: 'changed.example', email: 0, exclude_ips: '192.0.2.1', privacy: 1 },
    { domain: 'gone.example', privacy: 2, password: 'former', exclude_params: 'ref' },
    { domain: 'kept.example' },
    { domain: 'other.example' },
  ]);
  await declare(`version: 1
prune: true
websites:
  - { domain: changed.example, email: true, exclude_ips: [], privacy: public }
  - { domain: new.example, email: true }
  - kept.example
  - other.example
`);
  const before = shown(service);
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  const after = shown(service);
  expect(after).not.toEqual(before);

  const undone = await run('undo', '--auto-approve');
  expect(undone).toMatchObject({ code: 4 });
  expect(undone.stdout).toContain('its password cannot be restored, so it comes back private');
  expect(undone.stdout).toContain('it gets a new id');
  const byDomain = (records: ReturnType<typeof shown>) =>
    [...records].sort((a, b) => (a.domain < b.domain ? -1 : 1));
  expect(byDomain(shown(service))).toEqual(
    byDomain(before).map((record) =>
      record.domain === 'gone.example' ? { ...record, privacy: 1, hasPassword: false } : record,
    ),
  );
  // The undo is a run like any other.
  expect(await run('undo', '--auto-approve')).toMatchObject({ code: 0 });
  expect(byDomain(shown(service))).toEqual(byDomain(after));
  const runs = JSON.parse((await run('runs', '--format', 'json')).stdout) as { runs: unknown[] };
  expect(runs.runs).toHaveLength(3);
  await service.close();
});

test('undo skips records that changed since', async () => {
  const { service, run } = await setUp(
    'version: 1\nwebsites: [{ domain: a.example, email: true }, { domain: b.example, email: true }]\n',
    [
      { domain: 'a.example', email: 0 },
      { domain: 'b.example', email: 0 },
    ],
  );
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  const [a] = service.records();
  service.remove(a?.id ?? 0);
  const undone = await run('undo', '--auto-approve');
  expect(undone).toMatchObject({ code: 4, stdout: expect.stringContaining('a.example is left as it is') });
  expect(shown(service)).toMatchObject([{ domain: 'b.example', email: 0 }]);
  await service.close();
});

test('undo reverts only the changes on its own service', async () => {
  const { folder, service, env, run } = await setUp('version: 1\nwebsites: [a.example]\n');
  const other = await startScriptedService({ key: service.key });
  const undo = (...args: string[]) => run('undo', '--auto-approve', '--allow-deletes', '1', ...args);
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  env.WEBSITES_BASE_URL = other.url;
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  const [first = ''] = (await readdir(join(folder, '.websites/runs'))).sort();
  expect(await undo(basename(first, '.ndjson'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`was on ${service.url}, and the service here is ${other.url}.`),
  });
  env.WEBSITES_BASE_URL = service.url;
  expect(await undo()).toMatchObject({ code: 0 });
  expect([service.records(), other.records()]).toMatchObject([[], [{ domain: 'a.example' }]]);
  await service.close();
  await other.close();
});

test.each([
  ['a change is undone', '[a.example, b.example]', 1],
  ['no change is', '[a.example]', 0],
])('undo names skipped changes in JSON too, if %s', async (_, websites, deleted) => {
  const { service, run } = await setUp(`version: 1\nwebsites: ${websites}\n`, [{ domain: 'x.example' }]);
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  service.change(service.records().find(({ domain }) => domain === 'a.example')?.id ?? 0, { email: 1 });
  const { code, stdout } = await run('undo', '--auto-approve', '--format', 'json');
  expect(code).toBe(4);
  const still = deleted === 0 ? [] : [expect.stringContaining('The files still declare')];
  expect(JSON.parse(stdout)).toMatchObject({
    summary: { deleted },
    notes: ['a.example is left as it is: its email changed since.', ...still],
  });
  await service.close();
});

test('undo of a rename creates before it deletes, and loses nothing where the create is refused', async () => {
  const kept = ['k1.example', 'k2.example'];
  const { service, run } = await setUp(
    `version: 1\nprune: true\nwebsites: [new.example, ${kept.join(', ')}]\n`,
    [{ domain: 'old.example' }, ...kept.map((domain) => ({ domain }))],
  );
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  service.faults = ({ method }) =>
    method === 'POST' ? { kind: 'status', status: 422, when: 'before' } : undefined;
  const refused = await run('undo', '--auto-approve');
  expect(refused).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('Not attempted: 1 change (a create did not succeed'),
  });
  expect(shown(service).map(({ domain }) => domain)).toEqual([...kept, 'new.example']);

  service.faults = undefined;
  const again = /"(websites undo \S+)" again/.exec(refused.stdout)?.[1]?.split(' ').slice(1) ?? [];
  expect(await run(...again, '--auto-approve')).toMatchObject({ code: 0 });
  expect(shown(service).map(({ domain }) => domain)).toEqual([...kept, 'old.example']);
  const written = service.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  expect(written.slice(-2)).toEqual(['POST', 'DELETE']);
  await service.close();
});

test.each([
  ['by its record', 'websites: [{ domain: a.example, protect: true }, b.example]'],
  ['by its www variant', 'protected: [www.a.example]\nwebsites: [a.example, b.example]'],
])('undo deletes nothing that is protected %s', async (_, files) => {
  const { service, run } = await setUp(`version: 1\n${files}\n`, [{ domain: 'x.example' }]);
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  expect(await run('undo', '--auto-approve')).toMatchObject({
    code: 5,
    stdout: expect.stringContaining('blocked (protected)'),
  });
  expect(shown(service)).toHaveLength(3);
  await service.close();
});

test('undo skips records that the files ignore now', async () => {
  const { service, run, declare } = await setUp('version: 1\nwebsites: [a.example, b.example]\n', [
    { domain: 'x.example' },
  ]);
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  await declare('version: 1\nignore: [a.example]\nwebsites: [b.example]\n');
  const undone = await run('undo', '--auto-approve');
  expect(undone).toMatchObject({ code: 4, stdout: expect.stringContaining('a.example is left as it is') });
  expect(shown(service).map(({ domain }) => domain)).toEqual(['x.example', 'a.example']);
  await service.close();
});

test('undo does not report as verified a delete that the service did not carry out', async () => {
  const { service, run } = await setUp('version: 1\nwebsites: [www.new.example, x.example]\n', [
    { domain: 'x.example' },
  ]);
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  expect(shown(service)).toMatchObject([{ domain: 'x.example' }, { domain: 'new.example' }]);
  const kept = { kind: 'status', status: 200, when: 'before', body: '{"deleted":false}' } as const;
  service.faults = ({ method }) => (method === 'DELETE' ? kept : undefined);
  expect(await run('undo', '--auto-approve')).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('www.new.example still exists'),
  });
  await service.close();
});

test('undo finds no run in a new folder', async () => {
  const { service, run } = await setUp('version: 1\nwebsites: [a.example]\n');
  expect(await run('undo', '--auto-approve')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No run here'),
  });
  await service.close();
});

test.each([
  ['lists that may lack records', 'prune: true\nwebsites: [a.example]', 'incomplete'],
  ['files that list nothing', 'websites: []', 'empty'],
])('drift does not report %s as no drift', async (_, file, guard) => {
  const { service, run } = await setUp(`version: 1\n${file}\n`, [{ domain: 'a.example' }]);
  service.dialect = { ...service.dialect, paging: 'ignored' };
  const refused = expect.stringContaining(`blocked (${guard})`);
  expect(await run('drift')).toMatchObject({ code: 5, stdout: refused });
  expect(await run('drift', '--format', 'json')).toMatchObject({ code: 5 });
  await service.close();
});

test('drift prints nothing without drift, and exits 2 with it', async () => {
  const { service, run } = await setUp('version: 1\nwebsites: [{ domain: a.example, email: true }]\n', [
    { domain: 'a.example', email: 1 },
  ]);
  expect(await run('drift')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  service.remove(service.records()[0]?.id ?? 0);
  expect(await run('drift')).toMatchObject({ code: 2, stdout: expect.stringContaining('1 missing') });
  for (const format of ['json', 'markdown', 'html', 'gitlab']) {
    expect(await run('drift', '--format', format)).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/a\.example|"create":1/),
    });
  }
  await service.close();
});

test('GitHub gets a summary, and standard output stays the plan', async () => {
  const { folder, service, env } = await setUp(
    'version: 1\nwebsites: [{ domain: a.example, privacy: public }]\n',
    [{ domain: 'a.example', privacy: 1 }],
  );
  const summary = join(folder, 'summary.md');
  const options = { cwd: folder, env: { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary } };
  const { code, stdout, stderr } = await runBuilt(
    ['plan', '--format', 'json', '--report', 'gitlab=tf.json', '--report', 'html=plan.html'],
    options,
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ format: 'websites.plan/1' });
  expect(stderr).toBe('');
  expect(await readFile(summary, 'utf8')).toContain('a.example');
  expect(JSON.parse(await readFile(join(folder, 'tf.json'), 'utf8'))).toEqual({
    create: 0,
    update: 1,
    delete: 0,
  });
  expect(await readFile(join(folder, 'plan.html'), 'utf8')).toContain('a.example');
  expect(await runBuilt(['plan', '--report', 'pdf=x'], options)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--report'),
  });
  await service.close();
});

test('GitHub gets no summary that it would not show for its size', async () => {
  const { folder, service, env } = await setUp('websites: [a.example]\n', []);
  const summary = join(folder, 'summary.md');
  const options = { cwd: folder, env: { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary } };
  const before = `${'x'.repeat(1024 * 1024 - 50)}\n`;
  await writeFile(summary, before);
  expect(await runBuilt(['plan'], options)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The step summary was not written: it would exceed 1 MiB'),
  });
  expect(await readFile(summary, 'utf8')).toBe(before);
  await service.close();
});

test('a plan is written to its own file, a pipe or a device', async () => {
  const { folder, service, env } = await setUp('websites: [a.example]\n', []);
  const options = { cwd: folder, env };
  for (const files of [
    ['--out', 'plan.json', '--report', 'html=./plan.json'],
    ['--report', 'html=plan.json', '--report', 'json=plan.json'],
  ]) {
    expect(await runBuilt(['plan', ...files], options)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('plan.json would be written twice.'),
    });
    expect(await exists(join(folder, 'plan.json'))).toBe(false);
  }
  for (const output of [
    ['--out', './websites.yaml'],
    ['--report', `html=${join(folder, 'websites.yaml')}`],
  ]) {
    expect(await runBuilt(['plan', ...output], options)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('websites.yaml is an input of the plan and would be overwritten.'),
    });
  }
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toContain('websites: [a.example]');
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const reader = runProcess('cat', [join(folder, 'pipe')], options);
  expect(await runBuilt(['plan', '--out', 'pipe'], options)).toMatchObject({ code: 0 });
  expect(JSON.parse((await reader).text)).toMatchObject({ format: 'websites.plan/1' });
  expect((await stat(join(folder, 'pipe'))).isFIFO()).toBe(true);
  await service.close();
});

test('a pipe without a name is written to by its number', async () => {
  const { folder, service, env } = await setUp('websites: [a.example]\n', []);
  const line = `"${process.execPath}" "${MAIN}" plan --report gitlab=/dev/fd/3 3>&1 >/dev/null | cat`;
  const { text } = await runProcess('sh', ['-c', line], { cwd: folder, env });
  expect(text).toBe('{"create":1,"update":0,"delete":0}\n');
  await service.close();
});

test('a plan says that it could not compare passwords, and apply --resend-passwords sends those of --domain', async () => {
  const website = (domain: string) =>
    `  - { domain: ${domain}, privacy: password, password: { env: SITE_PASSWORD } }\n`;
  const { service, env, run } = await setUp(
    `version: 1\nwebsites:\n${website('a.example')}${website('b.example')}`,
  );
  env.SITE_PASSWORD = 'first-password';
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  env.SITE_PASSWORD = 'second-password';
  const plan = await run('plan', '--detailed-exitcode', '--format', 'json');
  expect([plan.code, JSON.parse(plan.stdout).warnings]).toEqual([
    0,
    [{ code: 'password-not-compared', message: expect.stringContaining('2 declared passwords') }],
  ]);
  const args = ['apply', '--auto-approve', '--resend-passwords', '--domain', 'a.example'];
  expect(await run(...args)).toMatchObject({ code: 0 });
  const passwords = () => service.records().map(({ password }) => password);
  expect(passwords()).toEqual(['second-password', 'first-password']);
  expect(await run('apply', '--auto-approve', '--resend-passwords')).toMatchObject({ code: 0 });
  expect(passwords()).toEqual(['second-password', 'second-password']);
  await service.close();
});
