/** The main workflow on 200 records: the built program, with the service in a separate process. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Result } from '../../src/model/run.ts';
import { runBuilt } from '../support/built.ts';
import { type CliOptions, startCli, testFolder } from '../support/cli.ts';
import { startServe } from '../support/serve.ts';
import { readRecords } from '../support/service.ts';
import { realisticWebsites, websitesFile } from '../support/websites.ts';

const SECRET = 'correct-horse-battery-staple';

async function setUp(count: number) {
  const websites = realisticWebsites(count);
  const folder = await testFolder({ 'websites.yaml': websitesFile(websites) });
  const service = await startServe(folder);
  const options: CliOptions = {
    cwd: folder,
    env: { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY_FILE: service.keyFile, SITE_PASSWORD: SECRET },
  };
  const apply = async (...flags: string[]) => {
    const ended = await runBuilt(['apply', '--auto-approve', '--format', 'json', ...flags], options);
    return { ...ended, result: JSON.parse(ended.stdout) as Result };
  };
  const planIsEmpty = () => runBuilt(['plan', '--detailed-exitcode'], options);
  const declare = (now: ReturnType<typeof realisticWebsites>) =>
    writeFile(join(folder, 'websites.yaml'), websitesFile(now));
  return { websites, folder, service, options, apply, planIsEmpty, declare };
}

test('apply creates 200 records, updates 20 and prunes 8, and the next plan has no changes', async () => {
  const { websites, service, apply, planIsEmpty, declare } = await setUp(200);

  const first = await apply();
  expect(first.stderr).not.toContain('failed');
  expect(first).toMatchObject({ code: 0, result: { converged: true, summary: { created: 200, failed: 0 } } });
  expect(await planIsEmpty()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('No changes. 200 websites'),
  });
  const created = readRecords(service.db);
  expect(new Set(created.map((row) => row.domain)).size).toBe(200);

  const changed = websites
    .slice(8)
    .map((website, index) =>
      index < 20 ? { ...website, email: index % 2 === 0, exclude_bots: false } : website,
    );
  await declare(changed);
  expect(await apply()).toMatchObject({
    code: 0,
    result: { summary: { created: 0, updated: 20, deleted: 0 } },
  });
  expect(readRecords(service.db)).toHaveLength(200);
  const second = await apply('--prune');
  expect(second).toMatchObject({ code: 0, result: { summary: { updated: 0, deleted: 8 }, converged: true } });
  expect(await planIsEmpty()).toMatchObject({ code: 0 });
  const kept = readRecords(service.db);
  expect(kept.map((row) => row.domain)).toEqual(
    created.map((row) => row.domain).filter((domain) => kept.some((row) => row.domain === domain)),
  );
  expect(kept).toHaveLength(192);
}, 60_000);

test('a service that is killed during apply loses no record, and the next apply doubles none', async () => {
  const { service, options, apply, planIsEmpty } = await setUp(120);
  // Slow enough that even a busy machine kills the service in time.
  const flags = ['--parallelism', '2', '--timeout', '10s'];
  const env = { ...options.env, WEBSITES_MAX_FAILURES: '1', WEBSITES_REQUEST_TIMEOUT: '1s' };
  const args = ['apply', '--auto-approve', '--format', 'json', ...flags];
  const running = startCli(args, { ...options, env });
  while (readRecords(service.db).length < 30) await sleep(5);
  const acknowledged = readRecords(service.db);
  await service.kill();
  const ended = await running.ended;
  expect(ended.code).toBe(4);
  const result = JSON.parse(ended.stdout) as Result;
  expect(result.converged).toBeNull();
  expect(result.summary.not_attempted).toBeGreaterThan(0);

  await service.restart();
  const survived = readRecords(service.db);
  for (const row of acknowledged) expect(survived).toContainEqual(row);
  expect(survived.length).toBeGreaterThanOrEqual(result.summary.created);
  const second = await apply();
  expect(second).toMatchObject({
    code: 0,
    result: { converged: true, summary: { created: 120 - survived.length } },
  });
  expect(await planIsEmpty()).toMatchObject({ code: 0 });
  const rows = readRecords(service.db);
  expect(rows).toHaveLength(120);
  expect(new Set(rows.map((row) => row.domain)).size).toBe(120);
}, 60_000);
