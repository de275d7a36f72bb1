/** What `reconcile --git` prunes by, over its passes (decision: "Prune deletes only what the files declared"). */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { act } from '../support/acting-service.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { git, scratchRepo } from '../support/scratch-repo.ts';

const declares = (...domains: string[]): string => `prune: removed\nwebsites: ${JSON.stringify(domains)}\n`;

async function setUp(records: readonly string[], ...declared: string[]) {
  const folder = await testFolder();
  const origin = scratchRepo(folder);
  origin.commit({ 'websites.yaml': declares(...declared) });
  git(folder, 'clone', '--quiet', `file://${origin.work}`, 'checkout');
  const checkout = join(folder, 'checkout');
  const service = await act({ records: records.map((domain) => ({ domain })) });
  const pass = (...args: string[]) =>
    runInProcess(['reconcile', '--git', '--once', ...args], checkout, service.env);
  const declare = (...domains: string[]) => origin.commit({ 'websites.yaml': declares(...domains) });
  const domains = () => service.records().map(({ domain }) => domain);
  /** Somebody else makes a record. */
  const make = async (domain: string) => {
    const other = await testFolder({ 'websites.yaml': `websites: [${domain}]\n` });
    expect(await runInProcess(['apply', '--auto-approve'], other, service.env)).toMatchObject({ code: 0 });
  };
  const state = (): string => {
    const commits = join(checkout, '.websites/commits');
    return join(commits, readdirSync(commits)[0] ?? '');
  };
  return { folder, origin, checkout, service, pass, declare, domains, make, state };
}

const DONE = { code: 0 };
const FAILING = { kind: 'status', status: 422, when: 'before' } as const;

test('the first pass prunes nothing, and later ones what was removed since the last one that verified', async () => {
  const { pass, declare, domains, state, origin } = await setUp(
    ['a.example', 'b.example', 'c.example', 'foreign.example'],
    ...['a.example', 'b.example', 'c.example'],
  );
  const first = await pass();
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing is pruned') });
  expect(first.stderr).toContain('orphans=1');
  declare('a.example', 'b.example');
  // A pass over a selection, or one that only looks, says nothing of the whole.
  expect(await pass('--domain', 'a.example')).toMatchObject(DONE);
  expect(await pass('--dry-run')).toMatchObject({ code: 2 });
  expect(domains()).toContain('c.example');
  expect(await pass()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Nothing is pruned') });
  expect(domains()).toEqual(['a.example', 'b.example', 'foreign.example']);
  expect(JSON.parse(readFileSync(state(), 'utf8'))).toMatchObject({
    commit: git(origin.work, 'rev-parse', 'HEAD'),
    pruned: {},
  });
  // What nobody sealed is not believed.
  const text = readFileSync(state(), 'utf8').replace('"pruned": {}', '"pruned": { "x.example": "1" }');
  writeFileSync(state(), text);
  declare('a.example');
  expect((await pass()).stderr).toContain('Nothing is pruned');
  expect(domains()).toEqual(['a.example', 'b.example', 'foreign.example']);
});

test('a pass that never verifies deletes once, and never what somebody made since', async () => {
  const { pass, declare, domains, service, make } = await setUp(
    ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'],
    ...['a.example', 'b.example', 'c.example', 'd.example', 'e.example'],
  );
  expect(await pass()).toMatchObject(DONE);
  service.remove(5);
  declare('a.example', 'b.example', 'new.example');
  let refused = ['/3'];
  service.faults = ({ method, path }) =>
    method === 'POST' || (method === 'DELETE' && refused.some((end) => path.endsWith(end)))
      ? FAILING
      : undefined;
  // Deletes wait for creates that fail.
  expect(await pass('--deletes-first')).toMatchObject({ code: 4 });
  expect(domains()).toEqual(['a.example', 'b.example', 'c.example']);
  refused = [];
  expect(await pass('--deletes-first')).toMatchObject({ code: 4 });
  expect(domains()).toEqual(['a.example', 'b.example']);
  service.faults = undefined;
  for (const domain of ['c.example', 'd.example', 'e.example']) await make(domain);
  service.faults = ({ method }) => (method === 'POST' ? FAILING : undefined);
  const made = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'];
  const again = await pass();
  expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('pruned before') });
  expect(domains()).toEqual(made);
  service.faults = undefined;
  for (let count = 0; count < 2; count += 1) expect(await pass()).toMatchObject(DONE);
  expect(domains()).toEqual([...made, 'new.example']);
  // A later commit declares it, and another one removes it.
  declare('a.example', 'b.example', 'c.example', 'new.example');
  expect(await pass()).toMatchObject(DONE);
  declare('a.example', 'b.example', 'new.example');
  expect(await pass()).toMatchObject(DONE);
  expect(domains()).toEqual(['a.example', 'b.example', 'd.example', 'e.example', 'new.example']);
});

test('a domain that is declared again after it was pruned is pruned again, though no pass between verified', async () => {
  const { pass, declare, domains, service } = await setUp(
    ['a.example', 'c.example'],
    'a.example',
    'c.example',
  );
  expect(await pass()).toMatchObject(DONE);
  service.faults = ({ body }) => (body.includes('new.example') ? FAILING : undefined);
  declare('a.example', 'new.example');
  expect(await pass('--deletes-first')).toMatchObject({ code: 4 });
  expect(domains()).toEqual(['a.example']);
  declare('a.example', 'c.example', 'new.example');
  expect(await pass()).toMatchObject({ code: 4 });
  expect(domains()).toEqual(['a.example', 'c.example']);
  declare('a.example');
  expect(await pass()).toMatchObject(DONE);
  expect(domains()).toEqual(['a.example']);
});

test('a domain that moved is named until nothing names it, and pruned then', async () => {
  const { origin, pass, domains } = await setUp(
    ['a.example', 'b.example', 'c.example', 'd.example'],
    ...['a.example', 'b.example', 'c.example'],
  );
  const commit = (...names: string[]) =>
    origin.commit({ 'websites.yaml': declares('a.example'), 'other.txt': `${names.join('\n')}\n` });
  expect(await pass()).toMatchObject(DONE);
  commit('x', 'b.example', 'c.example');
  for (let count = 0; count < 2; count += 1) {
    const { code, stderr } = await pass();
    expect(code).toBe(0);
    for (const place of ['other.txt:2', 'other.txt:3']) expect(stderr).toContain(place);
  }
  expect(domains()).toHaveLength(4);
  origin.commit({
    'websites.yaml': `ignore: [c.example]\n${declares('a.example')}`,
    'other.txt': 'nothing\n',
  });
  expect(await pass()).toMatchObject(DONE);
  expect(domains()).toEqual(['a.example', 'c.example', 'd.example']);
  commit();
  expect(await pass()).toMatchObject(DONE);
  expect(domains()).toEqual(['a.example', 'c.example', 'd.example']);
});

test('a commit that a force-push took away is an error, and its remedy starts over', async () => {
  const { folder, origin, checkout, pass, declare, domains, state } = await setUp(
    ['a.example', 'b.example'],
    ...['a.example', 'b.example'],
  );
  declare('a.example', 'b.example', 'c.example');
  expect(await pass()).toMatchObject(DONE);
  git(origin.work, 'reset', '--quiet', '--hard', 'HEAD~1');
  declare('a.example');
  git(origin.work, 'reflog', 'expire', '--expire=now', '--all');
  git(origin.work, 'gc', '--quiet', '--prune=now');
  const path = state();
  git(folder, 'clone', '--quiet', `file://${origin.work}`, 'again');
  rmSync(join(checkout, '.git'), { recursive: true });
  git(folder, 'clone', '--quiet', '--bare', `file://${origin.work}`, join(checkout, '.git'));
  git(checkout, 'config', 'core.bare', 'false');
  git(checkout, 'config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
  git(checkout, 'fetch', '--quiet');
  git(checkout, 'branch', '--quiet', '--set-upstream-to=origin/main');
  git(checkout, 'reset', '--quiet', '--hard');
  const missing = await pass();
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('revision-missing') });
  expect(missing.stderr).toContain(path);
  expect(domains()).toEqual(['a.example', 'b.example', 'c.example']);
  rmSync(path);
  expect(await pass()).toMatchObject(DONE);
  expect(domains()).toEqual(['a.example', 'b.example', 'c.example']);
});

test('without --git nothing is pruned', async () => {
  const { checkout, service, domains } = await setUp(['b.example'], 'a.example');
  const once = await runInProcess(['reconcile', '--once'], checkout, service.env);
  expect(once).toMatchObject({ code: 0, stderr: expect.stringContaining('--git') });
  expect(domains()).toEqual(['b.example', 'a.example']);
});
