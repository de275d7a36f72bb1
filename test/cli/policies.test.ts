/** Policies on the command line: what they block, and who may approve it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { startTestService } from '../support/service.ts';

const FILE = `websites:
  - a.example.com
  - { domain: b.internal, privacy: public }
  - { domain: c.internal, privacy: private }
`;
const policy = (name: string, level: string, on: string, rule: string): string =>
  `  - { name: ${name}, level: ${level}, on: ${on}, rule: '${rule}', message: M. }\n`;
const PRIVATE = '!like(domain, "*.internal") || site.privacy == "private"';
const DENY = policy('private', 'deny', 'website', PRIVATE);
const APPROVE = policy('few', 'approve', 'plan', 'plan.summary.create < 2');
const WARN = policy('grouped', 'warn', 'website', 'group != ""');

async function setUp(policies: string, file = FILE) {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const cwd = await testFolder({ 'websites.yaml': file, 'p.yaml': `policies:\n${policies}` });
  const run = (line: string, env = {}) => runInProcess(line.split(' '), cwd, { ...service.env, ...env });
  const write = (name: string, text: string) => writeFile(join(cwd, name), text);
  return { run, write, service };
}

test('what is denied is blocked, whatever is approved, and by the environment too', async () => {
  const { run, service } = await setUp(DENY);
  const allowed = 'apply --auto-approve --policy p.yaml --allow-policy private --allow-empty';
  expect(await run(allowed)).toMatchObject({ code: 5 });
  expect(await run('apply --auto-approve', { WEBSITES_POLICY: 'p.yaml' })).toMatchObject({ code: 5 });
  expect(await service.records()).toEqual([]);
  const { code, stdout } = await run('plan --policy p.yaml --format json');
  expect(code).toBe(5);
  expect(JSON.parse(stdout)).toMatchObject({
    guards: [
      {
        code: 'policy',
        approved: false,
        policy: {
          name: 'private',
          place: { file: 'p.yaml', line: 2 },
          count: 1,
          first: [{ domain: 'b.internal', place: { file: 'websites.yaml', line: 3 } }],
        },
      },
    ],
    policies: { digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
});

test('what needs an approval is applied with its name alone', async () => {
  const { run } = await setUp(APPROVE + WARN);
  expect(await run('apply --auto-approve --policy p.yaml')).toMatchObject({ code: 5 });
  const mistyped = await run('apply --auto-approve --policy p.yaml --allow-policy fewer');
  expect(mistyped).toMatchObject({ code: 1, stderr: expect.stringContaining('few') });
  expect(await run('plan --allow-policy few')).toMatchObject({ code: 1 });
  const { code, stdout } = await run('apply --auto-approve --policy p.yaml --allow-policy few');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('policy-violated') });
});

test('only what is selected is checked', async () => {
  const { run } = await setUp(DENY);
  expect(await run('plan --policy p.yaml --domain *.example.com')).toMatchObject({ code: 0 });
  expect(await run('plan --policy p.yaml --domain b.internal')).toMatchObject({ code: 5 });
});

describe('a saved plan', () => {
  test('is stale under policies that it was not checked by', async () => {
    const { run, write } = await setUp(WARN);
    await run('plan --out none.json');
    await run('plan --policy p.yaml --out some.json');
    expect(await run('apply none.json --policy p.yaml')).toMatchObject({ code: 6 });
    await write('p.yaml', `policies:\n${WARN}${DENY}`);
    expect(await run('apply some.json', { WEBSITES_POLICY: 'p.yaml' })).toMatchObject({ code: 6 });
    await write('p.yaml', `policies:\n${WARN}`);
    expect(await run('apply some.json --policy p.yaml')).toMatchObject({ code: 0 });
  });

  test('is approved by the name of the policy, without the policies too', async () => {
    const { run } = await setUp(APPROVE);
    expect(await run('plan --policy p.yaml --out plan.json')).toMatchObject({ code: 5 });
    expect(await run('apply plan.json')).toMatchObject({ code: 5 });
    expect(await run('apply plan.json --allow-policy few')).toMatchObject({ code: 0 });
  });
});

test('an undo is checked as a change, and not by what the files declare', async () => {
  const creates = policy('kept', 'approve', 'change', 'change.action != "delete" || change.cause != "undo"');
  const { run } = await setUp(DENY + creates);
  expect(await run('apply --auto-approve')).toMatchObject({ code: 0 });
  const undo = 'undo --auto-approve --allow-deletes 3 --policy p.yaml';
  const { code, stdout } = await run(undo);
  expect(code).toBe(5);
  expect(stdout).toContain('Policy kept');
  expect(stdout).not.toContain('Policy private');
  expect(await run(`${undo} --allow-policy kept`)).toMatchObject({ code: 0 });
});

test('reconcile and drift are checked', async () => {
  const { run, service } = await setUp(DENY);
  expect(await run('reconcile --once --policy p.yaml')).toMatchObject({ code: 5 });
  expect(await service.records()).toEqual([]);
  await run('apply --auto-approve');
  expect(await run('drift --policy p.yaml')).toMatchObject({ code: 5 });
});

describe('validate', () => {
  test('names the policy and the websites, offline', async () => {
    const { run } = await setUp(DENY + WARN);
    const { code, stdout, stderr } = await run('validate --policy p.yaml --format json');
    expect(code).toBe(5);
    expect(stderr).toContain('p.yaml:2:5');
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'guard-refused',
      problems: [
        { severity: 'warning', code: 'policy-violated', place: { line: 2 } },
        { severity: 'error', place: { file: 'websites.yaml', line: 3 } },
      ],
    });
  });

  test('warns of what a plan must be approved for, and reads the rules on plans', async () => {
    const { run, write } = await setUp(DENY.replace('deny', 'approve'));
    expect(await run('validate --policy p.yaml')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('policy-violated'),
    });
    await write('p.yaml', `policies:\n${APPROVE.replace('summary.create', 'sumary.create')}`);
    expect(await run('validate --policy p.yaml')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^p\.yaml:2:\d+: error/),
    });
  });
});

test('annotations are at the website', async () => {
  const { run } = await setUp(DENY + WARN);
  const { stderr } = await run('plan --policy p.yaml', { GITHUB_ACTIONS: 'true' });
  expect(stderr).toMatch(/^::error file=websites\.yaml,line=3,col=5,title=Blocked by a guard \(policy\)::/m);
  expect(stderr).toMatch(/^::warning file=websites\.yaml,line=2,col=5,title=policy-violated::/m);
});
