import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULTS } from '../../src/server/schema.ts';
import { call, PATH } from '../server/http.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { testService } from '../support/service.ts';
import { realisticWebsites } from '../support/websites.ts';

const TEAMS = ['retail', 'media', 'corp'];

test('drift reports each manual edit of 300 exported records, and export --update accepts it', async () => {
  const service = await testService();
  const cwd = await testFolder();
  const run = (line: string) => runInProcess(line.split(' '), cwd, service.env);
  const ids = new Map<string, number>();
  for (const [index, { email, exclude_ips }] of realisticWebsites(300).entries()) {
    const domain = `site-${index}.${TEAMS[index % 3]}.example`;
    const settings = { ...DEFAULTS, email: email ? 1 : 0, exclude_ips: String(exclude_ips ?? '') || null };
    const made = await service.store.create(domain, settings, '2026-01-31T09:00:00Z');
    if (made !== 'taken') ids.set(domain, made.id);
  }

  expect((await run('export --out websites.yaml')).stderr).toBe('Exported 300 websites to websites.yaml.\n');
  for (const team of TEAMS) await run(`export --domain *.${team}.example --out websites/${team}/all.yaml`);
  await rm(join(cwd, 'websites.yaml'));
  expect((await run('plan --prune')).stdout).toBe('No changes. 300 websites match the configuration.\n');

  const edits: readonly [domain: string, form: Record<string, string>][] = [
    ['site-0.retail.example', { exclude_ips: '' }],
    ['site-1.media.example', { privacy: '0' }],
    ['site-2.corp.example', { exclude_ips: '192.0.2.9' }],
    ['site-3.retail.example', { email: '0' }],
    ['site-4.media.example', { exclude_bots: '0' }],
    ['site-5.corp.example', { exclude_params: 'ref\r\nutm' }],
    ['site-6.retail.example', { favorited_at: '2026-05-05T05:05:05' }],
    ['site-7.media.example', { privacy: '2', password: 'set-by-hand' }],
  ];
  const { url, key } = service;
  for (const [domain, form] of edits) await call(url, 'PATCH', `${PATH}/${ids.get(domain)}`, { key, form });
  await call(url, 'DELETE', `${PATH}/${ids.get('site-8.corp.example')}`, { key });
  await call(url, 'POST', PATH, { key, form: { domain: 'by-hand.corp.example' } });
  const drift = await run('drift');
  expect(drift.code).toBe(2);
  for (const [domain] of edits) expect(drift.stdout).toContain(`~ different  ${domain} `);
  expect(drift.stdout).toContain('+ missing  site-8.corp.example ');
  expect(drift.stdout).toContain('9 records differ: 1 missing, 8 different. 291 websites match');

  for (const team of TEAMS)
    expect((await run(`export --into websites/${team}/all.yaml --update`)).code).toBe(0);
  expect((await run('export --into websites/corp/all.yaml')).stderr).toContain('Added 1 website to');
  expect((await run('drift')).stdout).toContain('1 record differs: 1 missing. 300 websites match');
});
