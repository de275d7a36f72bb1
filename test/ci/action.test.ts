/** Runs action.yml as a runner does, against a service and a GitHub on 127.0.0.1. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { testFolder } from '../support/cli.ts';
import { type FakeGitHub, startFakeGitHub } from '../support/github/api.ts';
import type { Repository } from '../support/github/machine.ts';
import { runAction } from '../support/github/runner.ts';
import { testService } from '../support/service.ts';

const TWO = 'version: 1\nwebsites:\n  - { domain: a.example, email: true }\n  - b.example\n';
const PULL_REQUEST = {
  event: 'pull_request',
  sha: 'a'.repeat(40),
  run: 1,
  payload: { pull_request: { number: 7 } },
};
const PLAN_FILE = { 'plan-file': 'plan.json' };
const PUSH = { event: 'push', sha: 'a'.repeat(40), run: 1 };

interface World {
  readonly github: FakeGitHub;
  readonly workspace: string;
  readonly env: Record<string, string>;
  readonly repository: Repository;
  run(
    inputs: Readonly<Record<string, string>>,
    occasion?: typeof PUSH,
    env?: Readonly<Record<string, string>>,
  ): ReturnType<typeof runAction>;
  declare(yaml: string): void;
}

/** A checkout with `yaml`, an empty service, and a GitHub. */
async function setUp(yaml = TWO, byNode = false): Promise<World> {
  const folder = await testFolder();
  const workspace = join(folder, 'checkout');
  mkdirSync(workspace);
  const [github, service] = [await startFakeGitHub(), await testService()];
  const { env } = service;
  const repository = { github, source: '', folder, byNode };
  const declare = (text: string) => writeFileSync(join(workspace, 'websites.yaml'), text);
  declare(yaml);
  const run: World['run'] = (inputs, occasion = PUSH, more = {}) =>
    runAction(repository, inputs, occasion, { ...env, ...more }, workspace);
  return { github, workspace, env, repository, run, declare };
}

test('the action saves a plan with outputs and a job summary, and applies that file', async () => {
  const { workspace, env, run } = await setUp(TWO, true);
  const planned = await run(PLAN_FILE);
  expect(planned).toMatchObject({
    conclusion: 'success',
    outputs: { changes: '2', create: '2', update: '0', delete: '0', ...PLAN_FILE, 'exit-code': '0' },
  });
  const plan = JSON.parse(readFileSync(join(workspace, 'plan.json'), 'utf8')) as Plan;
  expect(planned.outputs.digest).toBe(plan.digest);
  expect(planned.summary).toContain('## Websites: 2 to create');
  expect(readFileSync(planned.outputs.report ?? '', 'utf8')).toBe(planned.summary);

  const applied = await run({ command: 'apply', ...PLAN_FILE });
  expect(applied).toMatchObject({ conclusion: 'success', outputs: { create: '2', digest: plan.digest } });
  const again = await run({ args: '--detailed-exitcode' });
  expect(again).toMatchObject({ conclusion: 'success', outputs: { changes: '0', 'exit-code': '0' } });
  const twice = await run({ command: 'apply', ...PLAN_FILE });
  expect(twice).toMatchObject({ conclusion: 'failure', outputs: { 'exit-code': '6' } });
  for (const { log, summary } of [planned, applied, again, twice])
    expect(log + summary).not.toContain(env.WEBSITES_API_KEY);
});

test('the action creates one comment on a pull request, and then updates it', async () => {
  const { github, run, declare } = await setUp();
  // Other users commented before, on more than one page, one of them with the marker of the action.
  for (let id = 1; id < 120; id++) {
    const body = id === 1 ? '<!-- websites-as-code:plan -->\nNo changes, trust me.' : 'And another.';
    github.comments.push({ id, issue: 7, login: 'somebody', body });
  }
  await run({}, PULL_REQUEST);
  await run({}, PULL_REQUEST);
  declare('version: 1\nwebsites: [c.example]\n');
  const last = await run({}, PULL_REQUEST);
  const own = github.comments.filter(({ login }) => login === 'github-actions[bot]');
  expect(own).toMatchObject([{ issue: 7 }]);
  expect(own[0]?.body).toContain('Merging this');
  expect(last.summary).not.toContain('Merging this');
  expect(own[0]?.body).toContain('1 to create');
  expect(github.comments[0]?.body).toContain('trust me');
});

test('plans with different comment names have separate comments', async () => {
  const { github, run, declare } = await setUp();
  for (const name of ['staging', 'production', '']) await run({ 'comment-name': name }, PULL_REQUEST);
  declare('version: 1\nwebsites: [c.example]\n');
  await run({ 'comment-name': 'production' }, PULL_REQUEST);
  expect(github.comments.map(({ body }) => body?.split('\n')[0])).toEqual([
    '<!-- websites-as-code:plan staging -->',
    '<!-- websites-as-code:plan production -->',
    '<!-- websites-as-code:plan -->',
  ]);
  expect(github.comments.map(({ body }) => body?.includes('1 to create'))).toEqual([false, true, false]);
  const forged = await run({ 'comment-name': '--> <b>' }, PULL_REQUEST);
  expect(forged.log).toContain('comment-name takes letters');
  expect(github.comments).toHaveLength(3);
});

test('a plan that fails replaces the comment, and removes earlier outputs and the plan file', async () => {
  const { github, workspace, run, declare } = await setUp();
  expect(await run(PLAN_FILE, PULL_REQUEST)).toMatchObject({ outputs: { create: '2' } });
  declare('version: 1\nwebsites: [{ domain: a.example, privacy: secret }]\n');
  const none = { changes: '', create: '', update: '', delete: '', 'plan-file': '', digest: '' };
  expect(await run(PLAN_FILE, PULL_REQUEST)).toMatchObject({
    conclusion: 'failure',
    outputs: { ...none, 'exit-code': '1' },
  });
  expect(existsSync(join(workspace, 'plan.json'))).toBe(false);
  expect(github.comments).toMatchObject([{ body: expect.stringContaining('## Websites: failed') }]);
});

test('a pull request cannot redirect the plan file with a link', async () => {
  const { workspace, run } = await setUp();
  const elsewhere = join(await testFolder(), 'profile');
  symlinkSync(elsewhere, join(workspace, 'plan.json'));
  expect(await run(PLAN_FILE)).toMatchObject({ outputs: { create: '2' } });
  expect(existsSync(elsewhere)).toBe(false);
});

test('the action does not touch files behind a linked directory of the pull request', async () => {
  const { workspace, run } = await setUp();
  const elsewhere = await testFolder({ 'plan.json': 'precious' });
  symlinkSync(elsewhere, join(workspace, 'out'));
  mkdirSync(join(workspace, 'own'));
  symlinkSync('own', join(workspace, 'near'));
  for (const file of ['out/plan.json', join(workspace, 'out/plan.json')]) {
    const planned = await run({ 'plan-file': file });
    expect(planned).toMatchObject({ conclusion: 'failure', outputs: { create: '' } });
    expect(planned.log).toContain('::error::plan-file leads out of the workspace');
  }
  expect(readFileSync(join(elsewhere, 'plan.json'), 'utf8')).toBe('precious');
  for (const file of ['near/plan.json', join(await testFolder(), 'plan.json')])
    expect(await run({ 'plan-file': file })).toMatchObject({
      conclusion: 'success',
      outputs: { create: '2' },
    });
});

test('a line break in an input cannot forge an output', async () => {
  const { workspace, run } = await setUp();
  const forged = await run({ 'plan-file': 'plan.json\nchanges=0' });
  expect(forged).toMatchObject({ conclusion: 'failure', outputs: { changes: '' } });
  const file = join(workspace, 'p.json\nchanges=0');
  writeFileSync(file, JSON.stringify({ summary: { create: 1, update: 0, delete: 0 }, digest: 'abc' }));
  const outputs = execFileSync(process.execPath, ['scripts/action-outputs.mjs', 'plan', file, '2']);
  expect(String(outputs).match(/^changes=.*$/gm)).toEqual(['changes=1']);
});

test('a plan that a guard blocks is shown and saved, and fails the step', async () => {
  const { github, run, declare } = await setUp();
  await run({ command: 'apply' });
  declare('version: 1\nprune: true\nwebsites: [c.example]\n');
  const planned = await run({}, PULL_REQUEST);
  expect(planned).toMatchObject({
    conclusion: 'failure',
    outputs: { delete: '2', 'exit-code': '5', 'plan-file': expect.any(String) },
  });
  expect(github.comments[0]?.body).toContain('**Blocked (deletes):**');
  const approved = await run({ args: '--allow-deletes 2' }, PULL_REQUEST);
  expect(approved).toMatchObject({ conclusion: 'success', outputs: { delete: '2' } });
});

test('a plan with 4,000 changes is cut to fit the comment', async () => {
  const domains = Array.from({ length: 4000 }, (_, number) => `site-${number}.some-customer.example`);
  const { github, run } = await setUp(`version: 1\nwebsites: [${domains.join(', ')}]\n`);
  expect(await run({}, PULL_REQUEST)).toMatchObject({ conclusion: 'success', outputs: { create: '4000' } });
  expect(github.comments[0]?.body).toContain('Cut to fit');
});

test.for([
  { why: 'a token that may not write', set: { readOnly: true }, said: '::notice::' },
  { why: 'a GitHub that is down', set: { broken: 502 }, said: '::warning::' },
])('$why prevents the comment, but not the plan', async ({ set, said }) => {
  const { github, run } = await setUp();
  Object.assign(github, set);
  const planned = await run({}, PULL_REQUEST);
  expect(planned).toMatchObject({ conclusion: 'success', outputs: { create: '2' } });
  expect(planned.log).toContain(`${said}The plan is in the job summary only`);
  expect(github.comments).toEqual([]);
});

test.for([
  { why: 'if comments are turned off', inputs: { comment: 'false' }, occasion: PULL_REQUEST },
  { why: 'on a push', inputs: {}, occasion: PUSH },
  { why: 'for validate', inputs: { command: 'validate' }, occasion: PULL_REQUEST },
])('the action writes no comment $why', async ({ inputs, occasion }) => {
  const { github, run } = await setUp();
  expect(await run(inputs, occasion)).toMatchObject({ conclusion: 'success' });
  expect(github.comments).toEqual([]);
});

test.for(['merge_group', 'workflow_dispatch', 'schedule', 'issue_comment'])(
  'a notice explains why the event %s gets no comment',
  async (event) => {
    const { github, run } = await setUp();
    const occasion = { ...PUSH, event, payload: { [event]: {} } };
    const planned = await run({}, occasion);
    expect(planned).toMatchObject({ conclusion: 'success' });
    expect(planned.log).toContain(`::notice::The plan is in the job summary only: the event ${event} `);
    const applied = await run({ command: 'apply' }, occasion);
    expect(applied.log).toContain(`::notice::The result is in the job summary only: the event ${event} `);
    expect(github.comments).toEqual([]);
  },
);

test('the action registers the problem matcher before it runs the command', async () => {
  const { run, declare } = await setUp();
  declare('version: 1\nwebsites: [{ domain: a.example, timezone: 1 }]\n');
  const { log } = await run({ command: 'validate' });
  const [, file = '', rest = ''] = /^::add-matcher::([^\n]+)\n(.*)/ms.exec(log) ?? [];
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ problemMatcher: expect.any(Array) });
  expect(rest).toMatch(/^websites\.yaml:2:/m);
});

test('the inputs domain and resend-passwords select websites and send their passwords again', async () => {
  const { workspace, run } = await setUp();
  const inputs = { domain: 'a.example *.test', 'resend-passwords': 'true' };
  const planned = await run({ ...inputs, ...PLAN_FILE });
  expect(planned).toMatchObject({ conclusion: 'success', outputs: { create: '1' } });
  const plan = JSON.parse(readFileSync(join(workspace, 'plan.json'), 'utf8')) as Plan;
  expect(plan.options).toMatchObject({ domain: ['a.example', '*.test'], resend_passwords: true });
  const applied = await run({ ...inputs, command: 'apply' });
  expect(applied).toMatchObject({ conclusion: 'success', outputs: { create: '1' } });
});

test.for([{ domain: 'a.example' }, { 'resend-passwords': 'true' }])(
  'the action fails to apply a saved plan with the input %o',
  async (inputs) => {
    const { run } = await setUp();
    await run(PLAN_FILE);
    const applied = await run({ ...inputs, command: 'apply', ...PLAN_FILE });
    expect(applied).toMatchObject({ conclusion: 'failure', outputs: { 'exit-code': '1' } });
  },
);

test('the command drift of the action sets outputs and does not fail the step', async () => {
  const { run } = await setUp();
  const differs = await run({ command: 'drift' });
  expect(differs).toMatchObject({ conclusion: 'success', outputs: { changes: '2', 'exit-code': '2' } });
  expect(differs.summary).toContain('2 missing');
  await run({ command: 'apply' });
  const same = await run({ command: 'drift' });
  expect(same).toMatchObject({ conclusion: 'success', outputs: { changes: '0', 'exit-code': '0' } });
});

test('the action passes several files, names with spaces and several arguments to the command', async () => {
  const { workspace, run } = await setUp('version: 1\nwebsites: [a.example]\n');
  mkdirSync(join(workspace, 'my sites'));
  writeFileSync(join(workspace, 'my sites/more.yaml'), 'version: 1\nwebsites: [b.example, c.example]\n');
  const planned = await run({ files: 'websites.yaml\nmy sites\n', args: '  --exclude c.*\n--prune ' });
  expect(planned).toMatchObject({ conclusion: 'success', outputs: { create: '2' } });
});

test('the shell never runs text from an input of the action', async () => {
  const { workspace, run } = await setUp();
  const evil = '$(touch caught) `touch caught` "; touch caught; "';
  // Inputs of one list run together; a rejected one would hide the next.
  for (const names of [
    ['command'],
    ['version'],
    ['base-url'],
    ['files', 'plan-file', 'args'],
    ['domain', 'resend-passwords'],
    ['comment'],
    ['comment-name'],
  ]) {
    await run(Object.fromEntries(names.map((name) => [name, evil])), PULL_REQUEST);
    expect(existsSync(join(workspace, 'caught'))).toBe(false);
  }
});

test.for([
  { what: 'no service URL', inputs: {}, env: { WEBSITES_BASE_URL: '' }, said: 'Set WEBSITES_BASE_URL' },
  { what: 'another command', inputs: { command: 'undo' }, said: 'The input command is not' },
  { what: 'a version that is not valid', inputs: { version: '../evil' }, said: 'is not a version' },
])('with $what, the action fails with a one-line error', async ({ inputs, env, said }) => {
  const { run } = await setUp();
  const refused = await run(inputs, PUSH, env);
  expect(refused.conclusion).toBe('failure');
  expect(refused.log).toMatch(new RegExp(`^::error::.*${said}.*\\n$`));
});

test('the service URL of the workflow overrides the URL in the files', async () => {
  const { github, run, declare } = await setUp();
  declare(`version: 1\nservice: { base_url: "${github.url}" }\nwebsites: [a.example]\n`);
  const before = github.requests.length;
  expect(await run({})).toMatchObject({ conclusion: 'success', outputs: { create: '1' } });
  expect(github.requests.slice(before)).toEqual([]);
});

test('with only target URLs in the environment, no API key is sent to a URL from the files', async () => {
  const { github, run, declare } = await setUp();
  declare(`version: 1\nservice: { base_url: "${github.url}" }\nwebsites: [a.example]\n`);
  const before = github.requests.length;
  const env = { WEBSITES_BASE_URL: '', WEBSITES_BASE_URL_STAGING: 'https://analytics.example.com' };
  const ended = await run({}, PUSH, env);
  expect(github.requests.slice(before)).toEqual([]);
  expect(ended).toMatchObject({ conclusion: 'failure', outputs: { 'exit-code': '1' } });
  expect(ended.log).toContain('::notice::WEBSITES_API_KEY is not used');
  declare('version: 1\ntargets: { staging: { base_url: local } }\nwebsites: [a.example]\n');
  const local = { ...env, WEBSITES_BASE_URL_STAGING: 'local', WEBSITES_TARGET: 'staging' };
  expect(await run({}, PUSH, local)).toMatchObject({ conclusion: 'success', outputs: { create: '1' } });
});

test('the action fails and sets no outputs for an invalid plan file', async () => {
  const { workspace, run } = await setUp();
  const summary = { create: 1, update: 0, delete: 0 };
  for (const forged of ['{', '[]', 'null', JSON.stringify({ summary, digest: 'x\ncreate=9' })]) {
    writeFileSync(join(workspace, 'plan.json'), forged);
    const applied = await run({ command: 'apply', ...PLAN_FILE });
    expect(applied).toMatchObject({
      conclusion: 'failure',
      outputs: { create: '', digest: '', 'exit-code': '1' },
    });
  }
});

/** A directory with an npm that installs a package with the program `main`. */
function fakeNpm(folder: string, main: string): string {
  const bin = join(folder, 'fake-bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/bash
echo "npm in $(pwd): $*"
dist="$RUNNER_TEMP/websites/node_modules/websites-as-code/dist"
mkdir -p "$dist" && cat > "$dist/main.js" <<'END'
${main}
END
`,
  );
  chmodSync(join(bin, 'npm'), 0o755);
  return bin;
}

test('the action installs a version from the registry, outside the checkout', async () => {
  const { repository, workspace, env } = await setUp();
  const bin = fakeNpm(repository.folder, 'console.log("released:", process.argv[2])');
  const ran = await runAction({ ...repository, bin }, { version: '1.2.3' }, PUSH, env, workspace);
  expect(ran).toMatchObject({ conclusion: 'success' });
  expect(ran.log).toMatch(/npm in \S+\/temp: install .*websites-as-code@1\.2\.3\n/);
  expect(ran.log).toContain('released: plan');
});

test('a cancelled job interrupts the command and reports the outcome', async () => {
  const { repository, workspace, env } = await setUp();
  // The runner sends both signals to bash only, the second one later.
  const main = `
let told = 0;
process.on('SIGTERM', () => {
  told += 1;
  console.log('interrupted', told);
  if (told === 1) process.kill(process.ppid, 'SIGTERM');
  else process.exit(130);
});
process.kill(process.ppid, 'SIGINT');
setTimeout(() => undefined, 20_000);`;
  const bin = fakeNpm(repository.folder, main);
  const inputs = { command: 'apply', version: '1.2.3' };
  const ran = await runAction({ ...repository, bin }, inputs, PUSH, env, workspace);
  expect(ran).toMatchObject({ conclusion: 'failure', outputs: { 'exit-code': '130' } });
  expect(ran.log).toContain('interrupted 1\ninterrupted 2\n');
});

test('the action fails and names the needed version if Node is too old', async () => {
  const { repository, workspace, env } = await setUp();
  const bin = join(repository.folder, 'fake-bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'node'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(bin, 'node'), 0o755);
  const ran = await runAction({ ...repository, bin }, {}, PUSH, env, workspace);
  expect(ran).toMatchObject({ conclusion: 'failure', log: expect.stringContaining('Node 20.19 or newer') });
});
