/**
 * Deletes by `prune: removed`, with commits of a real repository (decision: "Prune deletes only what the files
 * declared").
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { load, plan as makePlan } from '../../src/library/index.ts';
import type { Plan } from '../../src/model/plan.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { git, scratchRepo } from '../support/scratch-repo.ts';
import { scripted } from '../support/scripted-service.ts';

type Files = Readonly<Record<string, string>>;

const declares = (...domains: string[]): string => `prune: removed\nwebsites: ${JSON.stringify(domains)}\n`;

/** A repository with one commit of `files`, and a service that has `records`. */
async function setUp(files: Files, records: readonly string[]) {
  const folder = await testFolder();
  const repo = scratchRepo(folder);
  const first = repo.commit(files);
  const service = await scripted({ records: records.map((domain) => ({ domain })) });
  const run = (args: readonly string[], cwd = repo.work) => runInProcess(args, cwd, service.env);
  const plan = async (since: string, ...args: string[]) => {
    const { code, stdout, stderr } = await run(['plan', '--since', since, '--format', 'json', ...args]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const made = JSON.parse(stdout) as Plan;
    const deleted = made.changes.flatMap(({ action, domain }) => (action === 'delete' ? domain : []));
    return { deleted, kept: made.orphans.map(({ domain }) => domain), warnings: made.warnings, plan: made };
  };
  const branch = (name: string, start = 'HEAD') =>
    void git(repo.work, 'checkout', '--quiet', '-B', name, start);
  return { ...repo, folder, first, service, run, plan, branch };
}

const THREE = ['a.example', 'b.example', 'foreign.example'];
const BOTH = { 'websites.yaml': declares('a.example', 'b.example') };
const A = { 'websites.yaml': declares('a.example') };

const warning = (code: string, part: string) => ({ code, message: expect.stringContaining(part) });

test('prune: removed deletes a record that --since declares and the files no longer declare', async () => {
  const { first, commit, plan } = await setUp(BOTH, THREE);
  commit(A);
  const made = await plan(first);
  expect(made).toMatchObject({ deleted: ['b.example'], kept: ['foreign.example'], warnings: [] });
  expect(made.plan.commits).toEqual({ since: first, merge_base: first });
  expect((await plan('HEAD')).deleted).toEqual([]);
});

test('prune: removed deletes a record that was removed in a merged branch', async () => {
  const { first, commit, plan, branch, work } = await setUp(BOTH, THREE);
  branch('feature');
  commit(A);
  branch('main', 'main');
  commit({ 'other.md': 'text' });
  git(work, 'merge', '--quiet', '--no-ff', '--message', 'Merge', 'feature');
  expect((await plan(first)).deleted).toEqual(['b.example']);
  expect((await plan('HEAD^1')).deleted).toEqual(['b.example']);
  expect((await plan('HEAD^2')).deleted).toEqual([]);
});

test('prune: removed deletes a record that was removed in a squashed branch', async () => {
  const { first, commit, plan, branch, squash } = await setUp(BOTH, THREE);
  branch('feature');
  commit({ 'websites.yaml': declares('a.example', 'b.example', 'c.example') });
  commit(A);
  squash('feature');
  expect((await plan(first)).deleted).toEqual(['b.example']);
  // Only the branch declared b.example.
  expect((await plan('feature~1')).deleted).toEqual(['b.example']);
});

test('prune: removed keeps a record that only another branch declares', async () => {
  const { commit, plan, branch } = await setUp(A, THREE);
  branch('feature');
  commit({ 'other.md': 'text' });
  branch('main', 'main');
  commit(BOTH);
  branch('feature', 'feature');
  const made = await plan('main');
  expect(made).toMatchObject({ deleted: [], kept: ['b.example', 'foreign.example'] });
});

test('prune: removed deletes nothing if a force-push dropped the commit that declared a record', async () => {
  const { first, commit, plan, work } = await setUp(A, THREE);
  const lost = commit(BOTH);
  git(work, 'reset', '--quiet', '--hard', first);
  commit({ 'other.md': 'text' });
  const made = await plan(lost);
  expect(made.deleted).toEqual([]);
  expect(made.plan.commits).toEqual({ since: lost, merge_base: first });
});

test('prune: removed fails on a shallow clone, an unknown revision or unrelated histories', async () => {
  const { first, commit, run, work, folder, branch } = await setUp(BOTH, THREE);
  commit(A);
  const refused = { code: 1, stderr: expect.stringContaining('revision-missing') };
  git(folder, 'clone', '--quiet', '--depth=1', `file://${work}`, 'shallow');
  const shallow = join(folder, 'shallow');
  expect(await run(['plan', '--since', first], shallow)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--unshallow'),
  });
  expect(await run(['plan', '--since', 'nowhere'])).toMatchObject(refused);
  git(work, 'checkout', '--quiet', '--orphan', 'other');
  commit(A);
  expect(await run(['plan', '--since', first])).toMatchObject(refused);
  branch('main', 'main');
});

test.each<[string, Files, string]>([
  ['was moved', { 'team-b.yaml': 'websites: [b.example]\n' }, 'team-b.yaml:1:12'],
  ['was split', { 'x/one.yaml': 'websites: []\n', 'x/two.yml': '# B.EXAMPLE.\n' }, 'x/two.yml:1:3'],
  ['became a bulk file', { 'list.csv': 'domain\nc.example\n"b.example",1\n' }, 'list.csv:3:2'],
  ['became a TSV file', { 'list.TSV': 'domain\nb.example\n' }, 'list.TSV:2:1'],
  ['is escaped in JSON', { 'list.json': '["\\u0062.example"]\n' }, 'list.json:1:3'],
])('prune: removed keeps a domain if its file %s', async (_, files, place) => {
  const { first, commit, plan } = await setUp(BOTH, THREE);
  commit({ ...A, ...files });
  const made = await plan(first);
  expect(made).toMatchObject({ deleted: [], kept: ['b.example', 'foreign.example'] });
  expect(made.warnings).toEqual([warning('removed-kept', place)]);
});

test('prune: removed keeps a domain only if a tracked list or YAML file contains it exactly', async () => {
  const { first, commit, plan, work } = await setUp(BOTH, THREE);
  commit({ ...A, 'more.yaml': '# x.b.example b.example.org *.b.example\n', 'notes.md': 'b.example' });
  writeFileSync(join(work, 'local.csv'), 'b.example\n');
  expect(await plan(first)).toMatchObject({ deleted: ['b.example'], warnings: [] });
});

test('prune: removed also searches the files that a partial clone lacks', async () => {
  const { first, commit, work, service } = await setUp(BOTH, THREE);
  commit({ ...A, 'more/b.yaml': '# b.example\n' });
  git(work, 'config', 'uploadpack.allowFilter', 'true');
  git(work, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  const top = await testFolder();
  git(top, 'clone', '--quiet', '--filter=blob:none', '--sparse', `file://${work}`, 'clone');
  const args = ['plan', '--since', first, '--format', 'json'];
  const { stdout } = await runInProcess(args, join(top, 'clone'), service.env);
  expect((JSON.parse(stdout) as Plan).warnings).toEqual([warning('removed-kept', 'HEAD:more/b.yaml:1')]);
});

test('prune: removed keeps a domain while HEAD or the working tree names it', async () => {
  const { first, commit, plan, work } = await setUp(BOTH, THREE);
  writeFileSync(join(work, 'websites.yaml'), A['websites.yaml']);
  expect((await plan(first)).warnings).toEqual([warning('removed-kept', 'HEAD:websites.yaml:2')]);
  commit({ 'b.txt': 'b.example\n' });
  rmSync(join(work, 'b.txt'));
  expect((await plan(first)).warnings).toEqual([warning('removed-kept', 'HEAD:b.txt:1')]);
});

test('a record that moves to another target is kept on the old service until declared absent', async () => {
  const top = (url: string): string => `prune: removed
targets:
  old: { base_url: ${url}, api_key: { env: KEY }, files: [old/] }
  new: { base_url: https://new.example, api_key: { env: KEY }, files: [new/] }
`;
  const service = await scripted({ records: [{ domain: 'a.example' }, { domain: 'b.example' }] });
  const repo = scratchRepo(await testFolder());
  const first = repo.commit({
    'websites.yaml': top(service.url),
    'old/a.yaml': 'websites: [a.example, b.example]\n',
    'new/a.yaml': 'websites: []\n',
  });
  const plan = async (files: Files) => {
    repo.commit(files);
    const args = ['plan', '--target', 'old', '--since', first, '--format', 'json'];
    return JSON.parse((await runInProcess(args, repo.work, { KEY: service.key })).stdout) as Plan;
  };
  const moved = { 'old/a.yaml': 'websites: [a.example]\n', 'new/a.yaml': 'websites: [b.example]\n' };
  expect(await plan(moved)).toMatchObject({
    changes: [],
    orphans: [{ domain: 'b.example' }],
    warnings: [warning('removed-kept', 'new/a.yaml:1')],
  });
  const absent = 'websites: [a.example, { domain: b.example, state: absent }]\n';
  expect((await plan({ 'old/a.yaml': absent })).changes).toMatchObject([
    { domain: 'b.example', cause: 'absent' },
  ]);
  const elsewhere = { 'websites.yaml': top('http://127.0.0.1:1'), 'old/a.yaml': 'websites: [a.example]\n' };
  const since = repo.commit({ ...elsewhere, 'old/a.yaml': 'websites: [a.example, c.example]\n' });
  service.remove(2);
  repo.commit({ 'websites.yaml': top(service.url), 'old/a.yaml': 'websites: [a.example]\n' });
  const args = ['plan', '--target', 'old', '--since', since, '--format', 'json'];
  const other = JSON.parse((await runInProcess(args, repo.work, { KEY: service.key })).stdout) as Plan;
  expect(other).toMatchObject({ changes: [], warnings: [warning('prune-skipped', 'http://127.0.0.1:1')] });
});

test('prune: removed keeps domains of a list that Git does not track', async () => {
  const config = 'prune: removed\nwebsites: [a.example, { from: list.txt }]\n';
  const { first, work, plan, commit } = await setUp(
    { 'websites.yaml': config, 'list.txt': 'b.example\n', '.gitignore': 'list.txt\n' },
    THREE,
  );
  git(work, 'add', '--force', 'list.txt');
  const tracked = commit({});
  git(work, 'rm', '--quiet', '--cached', 'list.txt');
  commit({ 'list.txt': 'c.example\n' });
  for (const since of [tracked, first]) {
    const made = await plan(since);
    expect(made.deleted).toEqual([]);
    expect(made.warnings).toEqual([warning('prune-skipped', 'list.txt')]);
  }
});

test('prune: removed keeps a domain that is ignored now, and deletes one that is absent', async () => {
  const { first, commit, plan } = await setUp(BOTH, THREE);
  commit({ 'websites.yaml': `ignore: [b.example]\n${A['websites.yaml']}` });
  expect(await plan(first)).toMatchObject({ deleted: [], kept: ['foreign.example'], warnings: [] });
  commit({ 'websites.yaml': `protected: [b.example]\n${A['websites.yaml']}` });
  expect((await plan(first)).deleted).toEqual([]);
  commit({
    'websites.yaml': 'prune: removed\nwebsites: [a.example, { domain: b.example, state: absent }]\n',
  });
  expect((await plan(first)).plan.changes).toMatchObject([{ domain: 'b.example', cause: 'absent' }]);
});

test('prune: removed does not delete a domain twice since the same revision', async () => {
  const { first, commit, plan, run, service } = await setUp(BOTH, THREE);
  commit(A);
  const apply = ['apply', '--auto-approve', '--since', first];
  service.faults = ({ method }) =>
    method === 'DELETE' ? { kind: 'status', status: 422, when: 'before' } : undefined;
  expect(await run(apply)).toMatchObject({ code: 4 });
  service.faults = undefined;
  expect(await run(apply)).toMatchObject({ code: 0 });
  expect(service.records().map(({ domain }) => domain)).toEqual(['a.example', 'foreign.example']);
  const other = await testFolder({ 'websites.yaml': 'websites: [b.example]\n' });
  expect(await run(['apply', '--auto-approve'], other)).toMatchObject({ code: 0 });
  const made = await plan(first);
  expect(made).toMatchObject({ deleted: [], warnings: [warning('removed-kept', 'pruned before')] });
});

test('applying a saved plan with prune: removed deletes the records in the plan', async () => {
  const { first, commit, run, service } = await setUp(BOTH, THREE);
  commit(A);
  expect(await run(['plan', '--since', first, '--out', 'plan.json'])).toMatchObject({ code: 0 });
  expect(await run(['apply', 'plan.json'])).toMatchObject({ code: 0 });
  expect(service.records().map(({ domain }) => domain)).toEqual(['a.example', 'foreign.example']);
});

test('the library accepts a revision as "since" for prune: removed', async () => {
  const { first, commit, work, service } = await setUp(BOTH, THREE);
  commit(A);
  const configuration = await load({ file: [join(work, 'websites.yaml')], cwd: work, env: {} });
  const { url: baseUrl, key: apiKey } = service;
  const made = await makePlan(configuration, { baseUrl, apiKey, since: first });
  expect(made.changes).toMatchObject([{ action: 'delete', domain: 'b.example', origin: 'config' }]);
  expect((await makePlan(configuration, { baseUrl, apiKey })).changes).toEqual([]);
});
