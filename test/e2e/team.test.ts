/** Work in a team: origins of changes, undo, and changed passwords. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { exists } from '../../src/config/files/paths.ts';
import type { Plan } from '../../src/model/plan.ts';
import { MAIN } from '../support/cli.ts';
import { setPlace } from '../support/place.ts';
import { runProcess } from '../support/process.ts';
import { git } from '../support/scratch-repo.ts';
import { type ScriptedService, scripted } from '../support/scripted-service.ts';

const shown = (service: ScriptedService) =>
  service.records().map(({ id: _, password, ...record }) => ({ ...record, hasPassword: Boolean(password) }));

const APPLY = 'apply --auto-approve';
const UNDO = 'undo --auto-approve';
const out = (text: string) => expect.stringContaining(text);

test('plan --since labels each change by origin, for --only and --fail-on-drift', async () => {
  const before = `version: 1
prune: true
websites:
  - { domain: a.example, email: false }
  - { domain: b.example, email: false }
  - { domain: c.example, email: false, exclude_bots: true }
  - { domain: left.example }
`;
  const records = [
    { domain: 'a.example', email: 0 },
    { domain: 'b.example', email: 1 },
    { domain: 'c.example', email: 0, exclude_bots: 0 },
    'left.example',
    'foreign.example',
  ];
  const { folder, run, edit } = await setPlace(before, { records });
  git(folder, 'init', '-q');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  for (const site of ['a', 'c'])
    await edit('websites.yaml', `${site}.example, email: false`, `${site}.example, email: true`);
  await edit('websites.yaml', '  - { domain: left.example }\n', '');

  const originsOf = async (flags = '') => {
    const { stdout } = await run(`plan --since HEAD --format json${flags}`);
    return Object.fromEntries(
      (JSON.parse(stdout) as Plan).changes.map(({ domain, origin }) => [domain, origin]),
    );
  };
  const config = { 'a.example': 'config', 'c.example': 'both', 'left.example': 'config' };
  expect(await originsOf()).toEqual({ ...config, 'b.example': 'drift', 'foreign.example': 'drift' });
  expect(Object.keys(await originsOf(' --only config'))).toEqual(Object.keys(config));
  expect(await run('plan --since HEAD --fail-on-drift')).toMatchObject({
    code: 5,
    stdout: out('The service was changed outside this tool'),
  });
  expect(await run('plan --only config')).toMatchObject({ code: 1, stderr: out('--since') });
  expect(await run('plan --since nowhere')).toMatchObject({
    code: 1,
    stderr: out('The revision nowhere cannot be read'),
  });
  expect(git(folder, 'status', '--porcelain')).toBe('M websites.yaml');
});

test('undo reverts creates, updates and deletes, reports a lost password, and can be undone', async () => {
  const file = `version: 1
prune: true
websites:
  - { domain: changed.example, email: true, exclude_ips: [], privacy: public }
  - { domain: new.example, email: true }
  - kept.example
  - other.example
`;
  const records = [
    { domain: 'changed.example', email: 0, exclude_ips: '192.0.2.1', privacy: 1 },
    { domain: 'gone.example', privacy: 2, password: 'former', exclude_params: 'ref' },
    'kept.example',
    'other.example',
  ];
  const { service, run } = await setPlace(file, { records });
  const byDomain = (all: ReturnType<typeof shown>) => [...all].sort((a, b) => (a.domain < b.domain ? -1 : 1));
  const before = shown(service);
  expect(await run(APPLY)).toMatchObject({ code: 0 });
  const after = shown(service);
  expect(after).not.toEqual(before);

  const undone = await run(UNDO);
  expect(undone).toMatchObject({ code: 4 });
  expect(undone.stdout).toContain('its password cannot be restored, so it comes back private');
  expect(undone.stdout).toContain('it gets a new id');
  const lost = { privacy: 1, hasPassword: false };
  expect(byDomain(shown(service))).toEqual(
    byDomain(before).map((record) => (record.domain === 'gone.example' ? { ...record, ...lost } : record)),
  );
  // An undo is a run too, so it can be undone.
  expect(await run(UNDO)).toMatchObject({ code: 0 });
  expect(byDomain(shown(service))).toEqual(byDomain(after));
  expect(JSON.parse((await run('runs --format json')).stdout).runs).toHaveLength(3);
});

test('undo reverts the last run on this service, and exits with 1 for a run on another', async () => {
  const { folder, service, env, run } = await setPlace('version: 1\nwebsites: [a.example]\n');
  const other = await scripted({ key: service.key });
  expect(await run(APPLY)).toMatchObject({ code: 0 });
  env.WEBSITES_BASE_URL = other.url;
  expect(await run(APPLY)).toMatchObject({ code: 0 });
  const [first = ''] = (await readdir(join(folder, '.websites/runs'))).sort();
  expect(await run(`${UNDO} --allow-deletes 1 ${basename(first, '.ndjson')}`)).toMatchObject({
    code: 1,
    stderr: out(`was on ${service.url}, and the service here is ${other.url}.`),
  });
  env.WEBSITES_BASE_URL = service.url;
  expect(await run(`${UNDO} --allow-deletes 1`)).toMatchObject({ code: 0 });
  expect([service.records(), other.records()]).toMatchObject([[], [{ domain: 'a.example' }]]);
});

test.each([
  ['another is undone', '[a.example, b.example]', 1],
  ['no change is undone', '[a.example]', 0],
])('undo --format json names each skipped change (%s)', async (_, websites, deleted) => {
  const { run, change } = await setPlace(`version: 1\nwebsites: ${websites}\n`, { records: ['x.example'] });
  expect(await run(APPLY)).toMatchObject({ code: 0 });
  change('a.example', { email: 1 });
  const { code, stdout } = await run(`${UNDO} --format json`);
  expect(code).toBe(4);
  const still = deleted === 0 ? [] : [out('still that of the undone run')];
  expect(JSON.parse(stdout)).toMatchObject({
    summary: { deleted },
    notes: ['a.example is left as it is: its email changed since.', ...still],
  });
});

test('undo of a rename creates before it deletes, and deletes nothing if the create fails', async () => {
  const kept = ['k1.example', 'k2.example'];
  const file = `version: 1\nprune: true\nwebsites: [new.example, ${kept.join(', ')}]\n`;
  const { service, run, domains, writes } = await setPlace(file, { records: ['old.example', ...kept] });
  expect(await run(APPLY)).toMatchObject({ code: 0 });
  service.faults = ({ method }) =>
    method === 'POST' ? { kind: 'status', status: 422, when: 'before' } : undefined;
  const refused = await run(UNDO);
  expect(refused).toMatchObject({
    code: 4,
    stdout: out('Not attempted: 1 change (a create did not succeed'),
  });
  expect(domains()).toEqual([...kept, 'new.example']);

  service.faults = undefined;
  const again = /"websites (undo \S+)" again/.exec(refused.stdout)?.[1];
  expect(await run(`${again} --auto-approve`)).toMatchObject({ code: 0 });
  expect(domains()).toEqual([...kept, 'old.example']);
  expect(writes().slice(-2)).toEqual(['POST /websites', expect.stringContaining('DELETE')]);
});

test.each([
  ['with "protect: true"', 'websites: [{ domain: a.example, protect: true }, b.example]'],
  ['under the name of its www variant', 'protected: [www.a.example]\nwebsites: [a.example, b.example]'],
])('undo exits with 5 if the files protect a created record %s', async (_, files) => {
  const { run, domains } = await setPlace(`version: 1\n${files}\n`, { records: ['x.example'] });
  expect(await run(APPLY)).toMatchObject({ code: 0 });
  expect(await run(UNDO)).toMatchObject({ code: 5, stdout: out('blocked (protected)') });
  expect(domains()).toHaveLength(3);
});

test('undo skips records that the files ignore now', async () => {
  const file = 'version: 1\nwebsites: [a.example, b.example]\n';
  const { run, write, domains } = await setPlace(file, { records: ['x.example'] });
  expect(await run(APPLY)).toMatchObject({ code: 0 });
  await write('websites.yaml', 'version: 1\nignore: [a.example]\nwebsites: [b.example]\n');
  expect(await run(UNDO)).toMatchObject({ code: 4, stdout: out('a.example is left as it is') });
  expect(domains()).toEqual(['x.example', 'a.example']);
});

test('undo exits with 4 if a record still exists after its delete', async () => {
  const file = 'version: 1\nwebsites: [www.new.example, x.example]\n';
  const { service, run, domains } = await setPlace(file, { records: ['x.example'] });
  expect(await run(APPLY)).toMatchObject({ code: 0 });
  expect(domains()).toEqual(['x.example', 'new.example']);
  const kept = { kind: 'status', status: 200, when: 'before', body: '{"deleted":false}' } as const;
  service.faults = ({ method }) => (method === 'DELETE' ? kept : undefined);
  expect(await run(UNDO)).toMatchObject({ code: 4, stdout: out('www.new.example still exists') });
});

test.each([
  ['an incomplete list', 'prune: true\nwebsites: [a.example]', 'incomplete'],
  ['files without websites', 'websites: []', 'empty'],
])('drift exits with 5 for %s', async (_, file, guard) => {
  const options = { records: ['a.example'], dialect: { paging: 'ignored' } } as const;
  const { run } = await setPlace(`version: 1\n${file}\n`, options);
  expect(await run('drift')).toMatchObject({ code: 5, stdout: out(`blocked (${guard})`) });
  expect(await run('drift --format json')).toMatchObject({ code: 5 });
});

test('drift prints nothing and exits with 0 without drift, and exits with 2 otherwise', async () => {
  const file = 'version: 1\nwebsites: [{ domain: a.example, email: true }]\n';
  const { run, remove } = await setPlace(file, { records: [{ domain: 'a.example', email: 1 }] });
  expect(await run('drift')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  remove('a.example');
  expect(await run('drift')).toMatchObject({ code: 2, stdout: out('1 missing') });
  for (const format of ['json', 'markdown', 'html', 'gitlab']) {
    const stdout = expect.stringMatching(/a\.example|"create":1/);
    expect(await run(`drift --format ${format}`)).toMatchObject({ code: 2, stdout });
  }
});

test('plan writes a job summary on GitHub, and standard output remains valid JSON', async () => {
  const file = 'version: 1\nwebsites: [{ domain: a.example, privacy: public }]\n';
  const { folder, env, run } = await setPlace(file, { records: [{ domain: 'a.example', privacy: 1 }] });
  Object.assign(env, { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') });
  const line = 'plan --format json --report gitlab=tf.json --report html=plan.html';
  const { code, stdout, stderr } = await run(line);
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ format: 'websites.plan/1' });
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  for (const name of ['summary.md', 'plan.html']) expect(await read(name)).toContain('a.example');
  expect(JSON.parse(await read('tf.json'))).toEqual({ create: 0, update: 1, delete: 0 });
  expect(await run('plan --report pdf=x')).toMatchObject({ code: 1, stderr: out('--report') });
});

test('plan warns and writes no job summary that would exceed the limit of GitHub', async () => {
  const before = `${'x'.repeat(1024 * 1024 - 50)}\n`;
  const { folder, env, run } = await setPlace({
    'websites.yaml': 'websites: [a.example]\n',
    'summary.md': before,
  });
  Object.assign(env, { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') });
  expect(await run('plan')).toMatchObject({
    code: 0,
    stderr: out('The step summary was not written: it would exceed 1 MiB'),
  });
  expect(await readFile(join(folder, 'summary.md'), 'utf8')).toBe(before);
});

test('plan writes to a pipe, but does not overwrite an input or write one file twice', async () => {
  const { folder, env, run } = await setPlace('websites: [a.example]\n');
  for (const files of [
    '--out plan.json --report html=./plan.json',
    '--report html=plan.json --report json=plan.json',
  ]) {
    const stderr = out('plan.json would be written twice.');
    expect(await run(`plan ${files}`)).toMatchObject({ code: 1, stderr });
    expect(await exists(join(folder, 'plan.json'))).toBe(false);
  }
  for (const output of ['--out ./websites.yaml', `--report html=${join(folder, 'websites.yaml')}`]) {
    const stderr = out('websites.yaml is an input of the plan and would be overwritten.');
    expect(await run(`plan ${output}`)).toMatchObject({ code: 1, stderr });
  }
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toBe('websites: [a.example]\n');
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const reader = runProcess('cat', [join(folder, 'pipe')], { cwd: folder, env });
  expect(await run('plan --out pipe')).toMatchObject({ code: 0 });
  expect(JSON.parse((await reader).text)).toMatchObject({ format: 'websites.plan/1' });
  expect((await stat(join(folder, 'pipe'))).isFIFO()).toBe(true);
});

test('plan --report writes to a file descriptor such as /dev/fd/3', async () => {
  const { folder, env } = await setPlace('websites: [a.example]\n');
  const line = `"${process.execPath}" "${MAIN}" plan --report gitlab=/dev/fd/3 3>&1 >/dev/null | cat`;
  const { text } = await runProcess('sh', ['-c', line], { cwd: folder, env });
  expect(text).toBe('{"create":1,"update":0,"delete":0}\n');
});

test('plan warns about passwords that are not compared, and --resend-passwords sends them', async () => {
  const website = (domain: string) =>
    `  - { domain: ${domain}, privacy: password, password: { env: SITE_PASSWORD } }\n`;
  const file = `version: 1\nwebsites:\n${website('a.example')}${website('b.example')}`;
  const { service, env, run } = await setPlace(file, {}, { SITE_PASSWORD: 'first-password' });
  expect(await run(APPLY)).toMatchObject({ code: 0 });
  env.SITE_PASSWORD = 'second-password';
  const plan = await run('plan --detailed-exitcode --format json');
  const message = out('2 declared passwords');
  expect([plan.code, JSON.parse(plan.stdout).warnings]).toEqual([
    0,
    [{ code: 'password-not-compared', message }],
  ]);
  const passwords = () => service.records().map(({ password }) => password);
  expect(await run(`${APPLY} --resend-passwords --domain a.example`)).toMatchObject({ code: 0 });
  expect(passwords()).toEqual(['second-password', 'first-password']);
  expect(await run(`${APPLY} --resend-passwords`)).toMatchObject({ code: 0 });
  expect(passwords()).toEqual(['second-password', 'second-password']);
});
