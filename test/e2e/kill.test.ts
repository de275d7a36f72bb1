/**
 * The tool is killed in mid-apply: the journal explains, --resume converges, nothing is doubled. `KILLS=20` kills
 * it oftener than the suite does.
 */
import { expect, test } from 'vitest';
import { startActingService } from '../support/acting-service.ts';
import { runCli, startCli, testFolder } from '../support/cli.ts';
import { realisticWebsites, websitesFile } from '../support/websites.ts';

const KILLS = Number(process.env.KILLS ?? 3);
const COUNT = 120;

test('killed at any moment, a run is resumed to its end', { timeout: 30_000 * KILLS }, async () => {
  const websites = realisticWebsites(COUNT);
  let resumed = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    // A service that would store a second record: only the tool can prevent it.
    const service = await startActingService({ dialect: { unique: false } });
    service.faults = ({ method }) => (method === 'POST' ? { kind: 'delay', ms: 10 } : undefined);
    const folder = await testFolder({ 'websites.yaml': websitesFile(websites) });
    const env = {
      WEBSITES_BASE_URL: service.url,
      WEBSITES_API_KEY: service.key,
      SITE_PASSWORD: 'a-password',
    };
    const options = { cwd: folder, env };
    const apply = ['apply', '--auto-approve', '--request-timeout', '300ms'];
    const running = startCli(apply, options);
    const moment = 1 + Math.floor(Math.random() * (COUNT - 1));
    while (service.records().length < moment && running.child.exitCode === null)
      await new Promise((done) => setTimeout(done, 2));
    running.child.kill('SIGKILL');
    await running.ended;

    const runs = await runCli(['runs'], options);
    expect(runs.stdout).toContain('websites apply --resume');
    const resume = await runCli(['apply', '--resume', '--request-timeout', '300ms'], options);
    expect({ moment, ...resume }).toMatchObject({ code: 0 });
    resumed += 1;
    const domains = service.records().map((record) => record.domain);
    expect(domains).toHaveLength(COUNT);
    expect(new Set(domains).size).toBe(COUNT);
    expect(await runCli(['plan', '--detailed-exitcode'], options)).toMatchObject({ code: 0 });
    expect(await runCli(['apply', '--resume'], options)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no unfinished run'),
    });
    await service.close();
  }
  expect(resumed).toBe(KILLS);
});

test('a new apply after a kill waits for what the dead run may have at work', async () => {
  const service = await startActingService({ dialect: { unique: false } });
  // Its connection breaks at once, and the record appears half a second later.
  service.faults = ({ method }) => (method === 'POST' ? { kind: 'late', ms: 500 } : undefined);
  const folder = await testFolder({ 'websites.yaml': 'version: 1\nwebsites: [a.example]\n' });
  const options = { cwd: folder, env: { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY: service.key } };
  const apply = ['apply', '--auto-approve', '--request-timeout', '2s'];
  const running = startCli(apply, options);
  while (!service.requests.some(({ method }) => method === 'POST'))
    await new Promise((done) => setTimeout(done, 2));
  running.child.kill('SIGKILL');
  await running.ended;
  service.faults = undefined;
  const again = await runCli(apply, options);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/was killed[\s\S]*Waiting/) });
  expect(service.records().map((record) => record.domain)).toEqual(['a.example']);
  await service.close();
});
