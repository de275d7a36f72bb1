/** Requests for one website among 1,001, on a service that allows 20 requests per minute. */
import Database from 'libsql';
import { expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';
import { scratchRepo } from '../support/scratch-repo.ts';
import { testService } from '../support/service.ts';

const COUNT = 1001;
const DECLARED = Array.from({ length: COUNT }, (_, index) => `  - site-${index}.example`);

const yaml = (...more: readonly string[]): string =>
  `version: 1\nwebsites:\n${[...DECLARED.filter((line) => !more.some((one) => one.includes(line.slice(4)))), ...more.map((one) => `  - ${one}`)].join('\n')}\n`;

async function largeService() {
  let requests = 0;
  const service = await testService({
    rateLimit: 20,
    log: () => {
      requests += 1;
    },
  });
  const database = new Database(service.db);
  database.exec(`
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${COUNT})
    INSERT INTO websites (domain, privacy, email, exclude_bots, created_at, updated_at)
    SELECT 'site-' || i || '.example', 1, 0, 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00' FROM n`);
  database.close();
  return {
    env: service.env,
    /** Requests since the last call. */
    requests() {
      const made = requests;
      requests = 0;
      return made;
    },
  };
}

const CASES: readonly [what: string, domain: string, setting: string, plan: number, apply: number][] = [
  ['an update', 'site-7.example', ', email: true', 2, 6],
  ['a create', 'new.example', '', 3, 6],
  ['a create with www.', 'www.new.example', '', 4, 7],
  ['a delete', 'site-9.example', ', state: absent', 2, 6],
];

test.each(CASES)('%s in 1,001 records takes at most 7 requests', async (_, domain, setting, plan, apply) => {
  const { env, requests } = await largeService();
  const cwd = await testFolder({ 'websites.yaml': yaml(`{ domain: ${domain}${setting} }`) });
  const args = ['--domain', domain, '--format', 'json'];

  const planned = await runBuilt(['plan', ...args], { cwd, env });
  const { read, summary, changes, complete } = JSON.parse(planned.stdout) as Plan;
  expect(changes.map((change) => change.domain)).toEqual([domain]);
  expect(read).toEqual({ kind: 'lookup', requests: requests(), domains: 1 });
  expect(read.requests).toBeLessThanOrEqual(plan);
  expect(summary).toMatchObject({ unchanged: null, orphan: null, ignored: null });
  expect(complete).toBe(true);

  const applied = await runBuilt(['apply', '--auto-approve', ...args], { cwd, env });
  const result = JSON.parse(applied.stdout) as Result;
  expect(result).toMatchObject({ converged: true, failures: [] });
  expect(result.requests).toBe(requests());
  expect(result.requests).toBeLessThanOrEqual(apply);
});

test('plan --since for one changed website among 1,001 needs 2 requests', async () => {
  const { env, requests } = await largeService();
  const repo = scratchRepo(await testFolder());
  const before = repo.commit({ 'websites.yaml': yaml() });
  repo.commit({ 'websites.yaml': yaml('{ domain: site-7.example, email: true }') });
  const args = ['--since', before, '--only', 'config'];

  const planned = await runBuilt(['plan', '--out', 'plan.json', ...args], { cwd: repo.work, env });
  expect(planned).toMatchObject({ code: 0 });
  expect(planned.stdout).toContain('Looked up 1 domain. The other records were not read.');
  expect(planned.stdout).toContain(`Changes in commits before ${before} are not covered.`);
  expect(requests()).toBe(2);

  const applied = await runBuilt(['apply', 'plan.json'], { cwd: repo.work, env });
  expect(applied.stdout).toContain('Verified: 1 of 1 change.');
  expect(requests()).toBeLessThanOrEqual(5);

  const again = await runBuilt(['plan', ...args], { cwd: repo.work, env });
  expect(again.stdout).toContain('No changes.');
  expect(requests()).toBe(2);
});

test('plan --since without changed websites requests only the first page', async () => {
  const { env, requests } = await largeService();
  const repo = scratchRepo(await testFolder());
  repo.commit({ 'websites.yaml': yaml() });
  repo.commit({ 'websites.yaml': yaml().replace('version: 1', '# nothing else\nversion: 1') });
  const planned = await runBuilt(['plan', '--since', 'HEAD^', '--only', 'config'], { cwd: repo.work, env });
  expect(planned).toMatchObject({ code: 0 });
  expect(requests()).toBe(1);
});

test('"prune: removed" deletes a record without reading the full list', async () => {
  const { env, requests } = await largeService();
  const repo = scratchRepo(await testFolder());
  const file = yaml().replace('version: 1', 'version: 1\nprune: removed');
  const before = repo.commit({ 'websites.yaml': file });
  repo.commit({ 'websites.yaml': file.replace('  - site-3.example\n', '') });
  const args = ['--since', before, '--only', 'config', '--format', 'json'];

  const planned = await runBuilt(['plan', ...args], { cwd: repo.work, env });
  const { read, changes } = JSON.parse(planned.stdout) as Plan;
  expect(changes).toMatchObject([{ action: 'delete', domain: 'site-3.example', cause: 'prune' }]);
  expect(read).toEqual({ kind: 'lookup', requests: requests(), domains: 1 });

  const applied = await runBuilt(['apply', '--auto-approve', ...args], { cwd: repo.work, env });
  expect(JSON.parse(applied.stdout)).toMatchObject({ converged: true, summary: { deleted: 1 } });
  expect(requests()).toBeLessThanOrEqual(6);
});
