/** Checks examples/gitlab/.gitlab-ci.yml: its shape, the jobs of a pipeline, and runs of their scripts. */
import { cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { testFolder } from '../support/cli.ts';
import { runProcess } from '../support/process.ts';
import { scratchRepo } from '../support/scratch-repo.ts';
import { testService } from '../support/service.ts';
import { websitesBin } from '../support/websites-bin.ts';

/** Jobs and rules are read without a type: the tests check their shapes. */
type Yaml = ReturnType<typeof parse>;

const FILE = resolve(import.meta.dirname, '../../examples/gitlab/.gitlab-ci.yml');
const { variables, stages, workflow, default: defaults, ...jobs } = parse(readFileSync(FILE, 'utf8')) as Yaml;

const job = (name: string): Yaml => jobs[name];

const ORIGIN = { CI_DEFAULT_BRANCH: 'main', CI_MERGE_REQUEST_PROJECT_ID: '1' };
const PIPELINES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a merge request': { CI_PIPELINE_SOURCE: 'merge_request_event', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '1' },
  'a merge request from a fork': {
    CI_PIPELINE_SOURCE: 'merge_request_event',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '2',
  },
  'a push to the default branch': { CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: 'main' },
  'a push to another branch': { CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: 'topic' },
  'a schedule': { CI_PIPELINE_SOURCE: 'schedule', CI_COMMIT_BRANCH: 'main' },
};

/** Evaluates the condition of a rule: comparisons of variables and strings, joined by `&&`. */
function holds(condition: string, values: Readonly<Record<string, string>>): boolean {
  return condition.split(' && ').every((comparison) => {
    const [left = '', sign, right = ''] = comparison.split(' ');
    const wordOf = (word: string) =>
      word.startsWith('$') ? (values[word.slice(1)] ?? '') : word.slice(1, -1);
    if (sign !== '==' && sign !== '!=') throw new Error(`not understood: ${comparison}`);
    return (wordOf(left) === wordOf(right)) === (sign === '==');
  });
}

function jobsOf(pipeline: string): string[] {
  const values = { ...ORIGIN, ...PIPELINES[pipeline] };
  const isIn = ({ rules }: Yaml): boolean => rules.some((rule: Yaml) => holds(rule.if, values));
  return isIn({ rules: workflow.rules }) ? Object.keys(jobs).filter((name) => isIn(job(name))) : [];
}

test('the GitLab example has valid stages, and its apply waits for a person', () => {
  expect(variables.WEBSITES_BASE_URL).toMatch(/^https:/);
  expect(JSON.stringify(variables)).not.toContain('API_KEY');
  for (const [name, { stage, script, rules, needs = [] }] of Object.entries<Yaml>(jobs)) {
    expect(stages).toContain(stage);
    expect(script.length, name).toBeGreaterThan(0);
    expect(rules.length, name).toBeGreaterThan(0);
    for (const needed of needs) expect(stages.indexOf(job(needed).stage)).toBeLessThan(stages.indexOf(stage));
  }
  // Jobs that write wait for their turn, and for a person.
  expect(job('apply')).toMatchObject({
    resource_group: 'websites',
    needs: ['plan'],
    rules: [expect.objectContaining({ when: 'manual' })],
  });
  expect(job('plan').artifacts?.reports).toEqual({ terraform: 'plan-gitlab.json' });
});

test.for([
  ['a merge request', 'validate plan'],
  ['a merge request from a fork', 'validate'],
  ['a push to the default branch', 'plan apply'],
  ['a push to another branch', ''],
  ['a schedule', 'drift'],
] as const)('for %s, GitLab runs the jobs: %s', ([pipeline, names]) => {
  expect(jobsOf(pipeline).join(' ')).toBe(names);
});

/** A project that runs each job in a fresh checkout, with the artifacts that it needs. */
async function startProject(yaml: string) {
  const folder = await testFolder();
  const service = await testService();
  // Installs the package by name, and runs the program as built.
  const bin = await websitesBin(folder, { npm: 'echo "npm $*"\n' });
  const env = {
    ...variables,
    PATH: [bin, process.env.PATH].join(delimiter),
    WEBSITES_BASE_URL: service.url,
    WEBSITES_API_KEY: service.key,
  };
  const repo = scratchRepo(folder);
  repo.commit({ 'websites.yaml': yaml });
  const kept = join(folder, 'artifacts');

  async function run(name: string, more: Readonly<Record<string, string>> = {}, own = job(name)) {
    const { script, needs = [], artifacts } = own;
    const build = mkdtempSync(join(folder, 'build-'));
    cpSync(repo.work, build, { recursive: true });
    for (const needed of needs.filter((needed: string) => existsSync(join(kept, needed))))
      cpSync(join(kept, needed), build, { recursive: true });
    const lines = ['set -eo pipefail', ...defaults.before_script, ...script].join('\n');
    const ended = await runProcess('bash', ['-c', lines], { cwd: build, env: { ...env, ...more } });
    for (const path of [...(artifacts?.paths ?? []), ...Object.values(artifacts?.reports ?? {})])
      if (existsSync(join(build, path)))
        cpSync(join(build, path), join(kept, name, path), { recursive: true });
    return ended;
  }
  return { kept, run, repo };
}

test('the GitLab scripts validate, plan, apply that plan, and find no drift', {
  timeout: 60_000,
}, async () => {
  const { kept, run, repo } = await startProject('version: 1\nwebsites: [a.example]\n');
  expect(await run('validate')).toMatchObject({ code: 0, text: expect.stringContaining('Valid: 1 website') });
  expect(await run('drift')).toMatchObject({ code: 2 });
  expect(await run('plan')).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(kept, 'plan/plan-gitlab.json'), 'utf8'))).toEqual({
    create: 1,
    update: 0,
    delete: 0,
  });
  expect(readFileSync(join(kept, 'plan/plan.md'), 'utf8')).toContain('1 to create');
  expect(await run('apply')).toMatchObject({ code: 0, text: expect.stringContaining('1 created') });
  expect(existsSync(join(kept, 'apply/.websites/runs'))).toBe(true);
  expect(await run('drift')).toMatchObject({ code: 0 });

  // A merge request plans its own changes; the default branch plans those of earlier commits.
  const base = repo.commit({ 'websites.yaml': 'version: 1\nwebsites: [a.example, left.example]\n' });
  repo.commit({ 'websites.yaml': 'version: 1\nwebsites: [a.example, left.example, b.example]\n' });
  const counts = () => JSON.parse(readFileSync(join(kept, 'plan/plan-gitlab.json'), 'utf8'));
  expect(await run('plan', { CI_MERGE_REQUEST_DIFF_BASE_SHA: base })).toMatchObject({ code: 0 });
  expect(counts()).toMatchObject({ create: 1 });
  expect(await run('plan')).toMatchObject({ code: 0 });
  expect(counts()).toMatchObject({ create: 2 });
});
