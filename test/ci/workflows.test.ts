/** The example workflows under faults: they apply the approved plan, or nothing. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { artifact } from '../support/github/actions.ts';
import { HAS_JQ, pullRequest, startRepository } from '../support/github/repository.ts';
import { runJob } from '../support/github/runner.ts';
import { git } from '../support/scratch-repo.ts';

const MAIN = 'version: 1\nwebsites:\n  - { domain: a.example, email: false }\n';
const BRANCH = 'version: 1\nwebsites:\n  - { domain: a.example, email: true }\n  - b.example\n';

/** The service matches main, and the branch `b` is planned. */
async function planned() {
  const world = await startRepository(MAIN);
  await world.write('POST', '', { domain: 'a.example', email: '0' });
  git(world.repo.work, 'checkout', '--quiet', '-b', 'b');
  world.repo.commit({ 'websites.yaml': BRANCH });
  expect(await world.plan('b')).toMatchObject({ conclusion: 'success' });
  return world;
}

test.skipIf(!HAS_JQ)('a record that changed after approval stops apply before its first write', async () => {
  const { write, merge, domains } = await planned();
  await write('PUT', '/1', { exclude_bots: '0' });
  const applied = await merge('b');
  expect(applied).toMatchObject({ conclusion: 'failure', steps: { apply: { 'exit-code': '6' } } });
  expect(applied.log).toContain('a.example (#1) was changed: exclude_bots is false and was true');
  expect(await domains()).toEqual(['a.example']);
});

test.skipIf(!HAS_JQ)('a main branch that differs from the plan stops the apply', async () => {
  const { repo, merge, domains } = await planned();
  git(repo.work, 'checkout', '--quiet', 'main');
  repo.commit({ 'websites.yaml': MAIN.replace('version: 1\n', 'version: 1\nignore: [c.example]\n') });
  const applied = await merge('b');
  expect(applied).toMatchObject({ conclusion: 'failure', steps: { apply: { 'exit-code': '6' } } });
  expect(applied.log).toContain('websites.yaml has changed since the plan was made');
  expect(await domains()).toEqual(['a.example']);
});

test.skipIf(!HAS_JQ)('a push without a pull request applies nothing, but a manual start does', async () => {
  const { repo, start, domains } = await planned();
  git(repo.work, 'checkout', '--quiet', 'main');
  repo.commit({ 'websites.yaml': BRANCH });
  const pushed = await start('websites-apply.yml', 'apply', 'push');
  expect(pushed).toMatchObject({
    conclusion: 'failure',
    log: expect.stringContaining('start the workflow manually'),
  });
  expect(await domains()).toEqual(['a.example']);
  expect(await start('websites-apply.yml', 'apply')).toMatchObject({ conclusion: 'success' });
  expect(await domains()).toEqual(['a.example', 'b.example']);
});

test.skipIf(!HAS_JQ)('a failed plan and a plan from a fork do not count as approval', async () => {
  const { github, repository, merge, domains } = await planned();
  const [run] = github.runs.splice(0);
  if (run === undefined) throw new Error('there is no run');
  const plan = artifact(repository, run.id, 'websites-plan');
  cpSync(plan, artifact(repository, 900, 'websites-plan'), { recursive: true });
  github.runs.push({ ...run, status: 'failure' });
  github.runs.push({ ...run, id: 900, head_repository: { full_name: 'stranger/websites' } });
  expect(await merge('b')).toMatchObject({
    conclusion: 'failure',
    log: expect.stringContaining('There is no plan of the commit that was merged'),
  });
  expect(await domains()).toEqual(['a.example']);
});

test.skipIf(!HAS_JQ)(
  'the apply workflow fails and reports that earlier commits were not applied',
  async () => {
    const { github, repo, write, merge, plan, domains } = await startRepository(MAIN);
    await write('POST', '', { domain: 'a.example', email: '0' });
    github.runs.push({
      id: 1,
      workflow: 'websites-apply.yml',
      head_sha: git(repo.work, 'rev-parse', 'main'),
      status: 'success',
      head_repository: { full_name: github.repository },
    });
    git(repo.work, 'checkout', '--quiet', '-b', 'b');
    repo.commit({ 'websites.yaml': BRANCH });
    repo.squash('b');

    git(repo.work, 'checkout', '--quiet', '-b', 'c');
    repo.commit({ 'websites.yaml': `${BRANCH}  - c.example\n` });
    expect((await plan('c')).summary).toContain('1 to create, 0 to update, 0 to delete');
    expect(await merge('c')).toMatchObject({
      conclusion: 'failure',
      steps: { apply: { 'exit-code': '0' } },
      log: expect.stringContaining('Earlier commits are not applied'),
    });
    expect(await domains()).toEqual(['a.example', 'c.example']);
  },
);

test('a pull request from a fork is planned without secrets, against the configuration on main', async () => {
  const { github, service, repo, repository } = await planned();
  const payload = pullRequest(github, repo, 'b', 'stranger/websites');
  const occasion = { event: 'pull_request', sha: repo.mergePreview('b'), run: 500, payload };
  const file = (name: string) => join(repo.work, '.github/workflows', name);
  expect(await runJob(repository, file('websites-plan.yml'), 'plan', occasion)).toMatchObject({
    conclusion: 'skipped',
  });

  // GitHub gives a fork neither secrets nor variables, and a read-only token.
  github.readOnly = true;
  await service.close();
  const bare = { ...repository, secrets: {}, vars: {} };
  const forked = await runJob(bare, file('websites-fork.yml'), 'plan', occasion);
  expect(forked.conclusion).toBe('success');
  expect(forked.summary).toContain('1 to create, 1 to update, 0 to delete');
  expect(forked.summary).not.toContain('created');

  const own = { ...occasion, payload: pullRequest(github, repo, 'b', github.repository) };
  expect(await runJob(bare, file('websites-fork.yml'), 'plan', own)).toMatchObject({ conclusion: 'skipped' });
});

test('a pull request from a fork is planned for the target that the workflow sets', async () => {
  const targets = "targets: { staging: { base_url: 'http://127.0.0.1:1' } }\n";
  const { github, repo, repository } = await startRepository(MAIN + targets);
  git(repo.work, 'checkout', '--quiet', '-b', 'b');
  repo.commit({ 'websites.yaml': BRANCH + targets });
  const file = join(repo.work, '.github/workflows/websites-fork.yml');
  const chosen = readFileSync(file, 'utf8')
    .replace('      WEBSITES_BASE_URL: local\n', '')
    .replace(/# (WEBSITES_(?:TARGET|BASE_URL_STAGING): )/g, '$1');
  writeFileSync(file, chosen);
  const payload = pullRequest(github, repo, 'b', 'stranger/websites');
  const occasion = { event: 'pull_request', sha: repo.mergePreview('b'), run: 500, payload };
  const forked = await runJob({ ...repository, secrets: {}, vars: {} }, file, 'plan', occasion);
  expect(forked).toMatchObject({ conclusion: 'success' });
  expect(forked.summary).toContain('1 to create, 1 to update, 0 to delete');
});

test('each target is planned in its own job, with its own URL and API key', async () => {
  const yaml = `version: 1
targets: { staging: { base_url: local }, production: { base_url: 'http://127.0.0.1:1' } }
websites: [a.example]
`;
  const { github, service, repo, repository } = await startRepository(yaml);
  const payload = pullRequest(github, repo, 'main', github.repository);
  const occasion = { event: 'pull_request', sha: payload.pull_request.head.sha, run: 700, payload };
  const file = join(repo.work, '.github/workflows/websites-targets.yml');

  const vars = { WEBSITES_BASE_URL_STAGING: service.url, WEBSITES_BASE_URL_PRODUCTION: service.url };
  const secrets = { WEBSITES_API_KEY_STAGING: service.key, WEBSITES_API_KEY_PRODUCTION: 'another-key' };
  const planOf = (target: string, set = vars) =>
    runJob({ ...repository, vars: set, secrets }, file, 'plan', occasion, { matrix: { target } });
  expect(await planOf('staging')).toMatchObject({ conclusion: 'success', steps: { plan: { create: '1' } } });
  expect(await planOf('production')).toMatchObject({
    conclusion: 'failure',
    steps: { plan: { 'exit-code': '3' } },
  });
  // A target without a URL in the workflow gets no request.
  expect(await planOf('production', { ...vars, WEBSITES_BASE_URL_PRODUCTION: '' })).toMatchObject({
    conclusion: 'failure',
    log: expect.stringContaining('WEBSITES_BASE_URL_PRODUCTION is not set'),
  });
});

test('the workflow of this repository runs the action on the embedded service', async () => {
  const root = resolve(import.meta.dirname, '../..');
  const { repository, repo } = await startRepository(readFileSync(join(root, 'websites.yaml'), 'utf8'));
  const occasion = { event: 'push', sha: git(repo.work, 'rev-parse', 'main'), run: 800 };
  const tried = await runJob(repository, join(root, '.github/workflows/ci.yml'), 'action', occasion);
  expect(tried).toMatchObject({ conclusion: 'success', steps: { plan: { create: '5' } } });
});

test.skipIf(!HAS_JQ)('the drift workflow opens one pull request, and closes it after the drift', async () => {
  const { github, repo, write, start } = await startRepository(MAIN);
  const remote = join(repo.work, '../remote.git');
  git(repo.work, 'init', '--quiet', '--bare', remote);
  git(repo.work, 'remote', 'add', 'origin', remote);
  const offered = (): string => git(remote, 'show', 'websites-drift:websites.yaml');
  const check = () => start('websites-drift.yml', 'drift', 'schedule');
  await write('POST', '', { domain: 'a.example', email: '1' });
  expect(await check()).toMatchObject({ conclusion: 'success' });
  expect(github.opened).toMatchObject([{ head: 'websites-drift', base: 'main', state: 'open' }]);
  expect(offered()).toBe(MAIN.replace('email: false', 'email: true').trimEnd());
  const commit = git(remote, 'rev-parse', 'websites-drift');
  await check();
  expect(git(remote, 'rev-parse', 'websites-drift')).toBe(commit);
  expect(github.opened).toHaveLength(1);

  await write('PUT', '/1', { email: '0' });
  expect(await check()).toMatchObject({ conclusion: 'success' });
  expect(github.opened).toMatchObject([{ state: 'closed' }]);
});

test.skipIf(!HAS_JQ)('a manual start of the workflow sends the changed password of one domain', async () => {
  const website = (domain: string) =>
    `  - { domain: ${domain}, privacy: password, password: { file: secret } }\n`;
  const { repo, start } = await startRepository(
    `version: 1\nwebsites:\n${website('a.example')}${website('b.example')}`,
  );
  repo.commit({ secret: 'the-first' });
  expect(await start('websites-apply.yml', 'apply')).toMatchObject({ conclusion: 'success' });
  repo.commit({ secret: 'the-second' });
  const inputs = { domain: 'a.example', 'resend-passwords': 'true' };
  const { conclusion, log } = await start('websites-apply.yml', 'apply', 'workflow_dispatch', inputs);
  expect([conclusion, log]).toEqual(['success', expect.stringMatching(/Applied: 0 created, 1 updated/)]);
  expect(log).toMatch(/update +a\.example/);
});
