/**
 * Which records `prune: removed` deletes, by what earlier commits declared (decision: "Prune deletes only what the files
 * declared").
 */
import { expect, test } from 'vitest';
import { GONE, type Removals, type Removed } from '../../src/model/plan.ts';
import type { WwwRule } from '../../src/model/website.ts';
import { pruning } from '../../src/planner/removed.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { scripted } from '../support/scripted-service.ts';

const removals = (removed: Readonly<Record<string, Removed>>): Removals => ({
  commits: { since: 'cafe', merge_base: 'cafe' },
  removed: new Map(Object.entries(removed)),
  warnings: [],
});

const takes = (
  domain: string,
  removed: Readonly<Record<string, Removed>>,
  { www = 'undecided', declared = [] }: { www?: WwwRule | 'undecided'; declared?: readonly string[] } = {},
): boolean => {
  const match = { www, declared: new Map(declared.map((name, index) => [name, index])) };
  return pruning({ prune: 'removed' }, removals(removed), match)({ id: '7', domain, settings: {} });
};

test('prune: removed deletes a record that was declared, in any letter case', () => {
  expect(takes('A.example', { 'a.example': {} })).toBe(true);
  expect(takes('b.example', { 'a.example': {} })).toBe(false);
});

test('prune: removed keeps a record that a tracked file names', () => {
  expect(takes('a.example', { 'a.example': { named: { file: 'b.csv', line: 3, column: 1 } } })).toBe(false);
});

test('prune: removed keeps a record if another record with its domain was deleted before', () => {
  expect(takes('a.example', { 'a.example': { pruned: '6' } })).toBe(false);
  expect(takes('a.example', { 'a.example': { pruned: GONE } })).toBe(false);
  expect(takes('a.example', { 'a.example': { pruned: '7' } })).toBe(true);
});

test('prune: removed counts a www variant as declared only if service.www is "same"', () => {
  for (const www of ['distinct', 'undecided'] as const) {
    expect(takes('a.example', { 'www.a.example': {} }, { www })).toBe(false);
  }
  expect(takes('a.example', { 'www.a.example': {} }, { www: 'same' })).toBe(true);
});

test('prune: removed without --since deletes nothing and warns', async () => {
  const folder = await testFolder({ 'websites.yaml': 'prune: removed\nwebsites: [a.example]\n' });
  const service = await scripted({ records: [{ domain: 'a.example' }, { domain: 'b.example' }] });
  const { stdout } = await runInProcess(['plan', '--format', 'json'], folder, service.env);
  expect(JSON.parse(stdout)).toMatchObject({
    options: { prune: 'removed' },
    changes: [],
    orphans: [{ domain: 'b.example' }],
    warnings: [{ code: 'prune-skipped', message: expect.stringContaining('--since') }],
  });
});

test('a record out of scope is not compared, counted or deleted', async () => {
  const file = 'scope: [team.example, "*.team.example"]\nwebsites: [team.example]\n';
  const folder = await testFolder({ 'websites.yaml': file });
  const domains = ['new.team.example', 'old.team.example', 'other.example', 'more.example'];
  const service = await scripted({ records: domains.map((domain) => ({ domain })) });
  const env = { ...service.env, WEBSITES_PRUNE: 'true' };
  const run = (...args: string[]) => runInProcess(args, folder, env);
  const { stdout } = await run('plan', '--format', 'json', '--no-prune');
  expect(JSON.parse(stdout)).toMatchObject({
    scope: ['team.example', '*.team.example'],
    summary: { create: 1, orphan: 2, ignored: 0 },
  });
  expect((await run('plan')).stdout).toContain('Scope: team.example, *.team.example');
  expect(await run('apply', '--auto-approve', '--allow-deletes', '2')).toMatchObject({ code: 0 });
  expect(service.records().map(({ domain }) => domain)).toEqual([
    'other.example',
    'more.example',
    'team.example',
  ]);
  expect(await run('undo', '--auto-approve', '--allow-deletes', '1')).toMatchObject({ code: 0 });
  expect(service.records()).toHaveLength(4);
});

test('the www variant of a domain in scope is matched, and never pruned', async () => {
  const folder = await testFolder({
    'websites.yaml': 'service: { www: same }\nscope: [a.example, b.example]\nwebsites: [a.example]\n',
  });
  const service = await scripted({
    records: [{ domain: 'www.a.example' }, { domain: 'www.b.example' }, { domain: 'b.example' }],
  });
  const { stdout } = await runInProcess(['plan', '--prune', '--format', 'json'], folder, service.env);
  expect(JSON.parse(stdout)).toMatchObject({
    summary: { create: 0, unchanged: 1, delete: 1, orphan: 0 },
    changes: [{ domain: 'b.example', cause: 'prune' }],
  });
});

test.each([
  ['--prune', true],
  ['--no-prune', false],
  ['--prune=removed', 'removed'],
  ['--prune=false', false],
  ['--prune=yes', true],
])('%s overrides prune in the file', async (flag, prune) => {
  const folder = await testFolder({ 'websites.yaml': 'prune: true\nwebsites: [a.example]\n' });
  const service = await scripted({});
  const { stdout } = await runInProcess(['plan', '--format', 'json', flag], folder, service.env);
  expect(JSON.parse(stdout).options).toMatchObject({ prune });
});

test('--prune with an unknown value ends with exit 1 and names the valid values', async () => {
  const folder = await testFolder({ 'websites.yaml': 'websites: [a.example]\n' });
  const refused = await runInProcess(['plan', '--prune=gone'], folder, {});
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('true, false or removed') });
});
