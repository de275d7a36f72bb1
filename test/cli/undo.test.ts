import { readdirSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ending, refusal, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { type ScriptedOptions, startScriptedService } from '../support/scripted-service.ts';

const ELSEWHERE = { WEBSITES_API_KEY: 'key', WEBSITES_API_KEY_ONE: 'key' };

// No request reaches 127.0.0.1:9: undo notices the other service before it sends one.
test.each([
  ['', [], '.', { WEBSITES_BASE_URL: 'http://127.0.0.1:9' }, 'Pass --base-url local to undo'],
  [
    ' with --target',
    ['--target', 'one'],
    'targets/one',
    { WEBSITES_BASE_URL_ONE: 'http://127.0.0.1:9' },
    'Pass WEBSITES_BASE_URL_ONE=local to undo',
  ],
] as const)(
  'undo of a run%s on another service exits with 1 and names that service',
  async (_, flags, root, env, remedy) => {
    const where =
      flags.length === 0 ? 'service: { base_url: local }' : 'targets: { one: { base_url: local } }';
    const folder = await testFolder({ 'websites.yaml': `${where}\nwebsites: [a.example]\n` });
    expect((await runInProcess(['apply', '--auto-approve', ...flags], folder)).code).toBe(0);
    const run = readdirSync(join(folder, root, '.websites/runs'))[0]?.replace('.ndjson', '') ?? '';
    const refused = await runInProcess(['undo', run, ...flags], folder, { ...ELSEWHERE, ...env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(remedy) });
  },
);

test('undo exits with 1 if -f names a directory without YAML files', async () => {
  const folder = await testFolder({
    'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n',
    'kept/.keep': '',
  });
  expect((await runInProcess(['apply', '--auto-approve'], folder)).code).toBe(0);
  const undo = ['undo', '--auto-approve', '--allow-deletes', '1', '-f', 'websites.yaml'];
  expect(await runInProcess([...undo, '-f', 'kept'], folder)).toMatchObject(
    refusal(1, 'No YAML file in kept.'),
  );
  expect(await runInProcess(undo, folder)).toMatchObject({ code: 0 });
});

/** Applies `before`, and undoes that with the file `after`, on a service that keeps a leading `www.`. */
async function undone(before: string, after: string, records: ScriptedOptions['records'] = ['z.example']) {
  const service = await startScriptedService({ dialect: { www: 'keep' }, records });
  const folder = await testFolder({ 'websites.yaml': before });
  const { env } = service;
  expect((await runInProcess(['apply', '--auto-approve'], folder, env)).code).toBe(0);
  await writeFile(join(folder, 'websites.yaml'), after);
  // The service rejects an update with privacy 2 and no password.
  service.faults = ({ method, body }) =>
    method === 'PUT' && body.includes('privacy=2')
      ? { kind: 'status', status: 422, when: 'before', body: '{"message":{"password":["Required."]}}' }
      : undefined;
  const { code, stdout } = await runInProcess(['undo', '--auto-approve'], folder, env);
  await service.close();
  return { code, stdout, domains: service.records().map(({ domain }) => domain) };
}

test.each([
  ['protected', 5, 'blocked (protected)'],
  ['ignore', 4, 'the configuration ignores it'],
])('undo applies "%s" to the www variant of a domain if service.www is "same"', async (key, code, words) => {
  const after = `service: { www: same }\n${key}: [example.com]\nwebsites: []\n`;
  expect(await undone('websites: [www.example.com]\n', after)).toEqual({
    code,
    stdout: expect.stringContaining(words),
    domains: ['z.example', 'www.example.com'],
  });
});

test.each([
  ['full', 4],
  ['changed', 0],
])('undo uses the service.update value of the current file: %s', async (rule, code) => {
  const file = 'websites: [{ domain: p.example, email: true }]\n';
  const pinned = (update: string): string => `service: { update: ${update} }\n${file}`;
  const records = [{ domain: 'p.example', privacy: 2, password: 'old-password' }];
  expect(await undone(pinned('changed'), pinned(rule), records)).toMatchObject({ code });
});

test('undo of an unknown run exits with 1 and names the command that lists the runs', async () => {
  const service = await startScriptedService();
  const folder = await testFolder({ 'our sites.yaml': 'websites: [a.example]\n' });
  const undone = await runInProcess(['undo', 'x', '-f', 'our sites.yaml'], folder, service.env);
  expect(undone).toMatchObject(ending(1, `help: Run "websites runs -f 'our sites.yaml'" to list the runs.`));
  await service.close();
});

test('undo exits with 1 if -f omits a file of the run, because it may protect records', async () => {
  const folder = await testFolder({
    'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n',
    'more.yaml': 'websites: [b.example]\n',
  });
  const both = ['-f', 'websites.yaml', '-f', 'more.yaml'];
  const run = (...args: string[]) => runInProcess([...args, '--auto-approve'], folder);
  expect((await run('apply', ...both)).code).toBe(0);
  await writeFile(join(folder, 'more.yaml'), 'protected: [b.example]\nwebsites: []\n');
  expect(await run('undo', '--allow-deletes', '2')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /was also made from more\.yaml, but more\.yaml was not\s+loaded\.\s+help: Pass more\.yaml with -f/,
    ),
  });
  expect((await run('undo', ...both, '--allow-deletes', '2')).code).toBe(5);
  await rm(join(folder, 'more.yaml'));
  expect((await run('undo', '--allow-deletes', '2')).code).toBe(0);
});

test('undo in another directory needs each file of the run, or a link to it', async () => {
  const folder = await testFolder({
    'sites/own.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n',
    'sites/more.yaml': 'websites: [b.example]\n',
    'below/x': '',
  });
  await symlink('more.yaml', join(folder, 'sites', 'link.yaml'));
  const applied = ['apply', '-f', 'sites/own.yaml', '-f', 'sites/more.yaml', '--auto-approve'];
  expect((await runInProcess(applied, folder)).code).toBe(0);
  const undo = (...files: string[]) =>
    runInProcess(['undo', ...files, '--auto-approve', '--allow-deletes', '2'], join(folder, 'below'));
  const own = ['-f', '../sites/own.yaml'];
  expect(await undo(...own)).toMatchObject(ending(1, 'was also made from sites/more.yaml'));
  expect(await undo(...own, '-f', '../sites/link.yaml')).toMatchObject({ code: 0 });
});

test('undo exits with 1 if -f omits a new file in a directory of the run', async () => {
  const folder = await testFolder({
    'sites/own.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n',
  });
  const run = (...args: string[]) => runInProcess([...args, '--auto-approve'], folder);
  expect((await run('apply', '-f', 'sites')).code).toBe(0);
  await writeFile(join(folder, 'sites', 'more.yaml'), 'protected: [a.example]\n');
  expect(await run('undo', '-f', 'sites/own.yaml', '--allow-deletes', '1')).toMatchObject(
    ending(1, 'would also read sites/more.yaml today'),
  );
  expect((await run('undo', '-f', 'sites', '--allow-deletes', '1')).code).toBe(5);
});

test('undo reverts the second run of a plan file separately from the first', async () => {
  const service = await startScriptedService();
  const folder = await testFolder({ 'websites.yaml': 'websites: [a.example, b.example, c.example]\n' });
  const { env } = service;
  service.faults = ({ method, body }) =>
    method === 'POST' && body.includes('b.example')
      ? { kind: 'status', status: 422, when: 'before' }
      : undefined;
  await runInProcess(['plan', '--out', 'plan.json'], folder, env);
  expect((await runInProcess(['apply', 'plan.json', '--canary', '2'], folder, env)).code).toBe(4);
  service.faults = undefined;
  expect((await runInProcess(['apply', 'plan.json'], folder, env)).code).toBe(0);
  const [first = ''] = readdirSync(join(folder, '.websites/runs'))
    .sort()
    .map((name) => name.replace('.ndjson', ''));
  const allow = ['--auto-approve', '--allow-deletes', '3'];
  const undo = await runInProcess(['undo', ...allow], folder, env);
  expect(undo).toMatchObject({ code: 0 });
  expect(service.records().map(({ domain }) => domain)).toEqual(['a.example']);
  const again = await runInProcess(['undo', first, ...allow], folder, env);
  expect(again).toMatchObject({ code: 0 });
  expect(service.records()).toEqual([]);
  await service.close();
});

test('undo --domain reverts one record, and names values that others edited', async () => {
  const service = await startScriptedService({ records: ['x.example'] });
  const folder = await testFolder({
    'websites.yaml': 'websites: [a.example, b.example, { domain: x.example, email: true }]\n',
  });
  const run = (...args: string[]) => runInProcess([...args, '--auto-approve'], folder, service.env);
  const idOf = (domain: string) => service.records().find((record) => record.domain === domain)?.id ?? 0;
  expect((await run('apply')).code).toBe(0);
  service.change(idOf('b.example'), { exclude_params: 'ref' });
  expect(await run('undo', '--domain', 'y.example')).toMatchObject({ code: 1 });
  expect(await run('undo', '--domain', 'b.example')).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('b.example is left as it is: its exclude_params changed since'),
  });
  expect(await run('undo', '--domain', 'x.example')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Plan \(undo of run [\s\S]*is still that of the undone run/m),
  });
  expect(service.records()).toMatchObject([
    { domain: 'x.example', email: 0 },
    { domain: 'a.example' },
    { domain: 'b.example' },
  ]);
  await service.close();
});
