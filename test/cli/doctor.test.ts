import { expect, onTestFinished, test } from 'vitest';
import type { Findings } from '../../src/model/doctor-findings.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { type ScriptedOptions, startScriptedService } from '../support/scripted-service.ts';

interface Document extends Findings {
  readonly format: string;
}

async function act(options: ScriptedOptions = {}) {
  const service = await startScriptedService(options);
  onTestFinished(() => service.close());
  return { service, env: service.env };
}

/** Runs doctor on a service, in a directory without files. */
async function doctor(options: ScriptedOptions): Promise<Document> {
  const { service, env } = await act(options);
  const ran = await runInProcess(['doctor', '--format', 'json'], await testFolder(), env);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
  return JSON.parse(ran.stdout) as Document;
}

const domains = Array.from({ length: 120 }, (_, index) => `site-${index}.example`);

test('doctor reports the list format, paging and favorite field of a typical service', async () => {
  const document = await doctor({ records: domains });
  expect(document).toMatchObject({
    format: 'websites.doctor/1',
    list: { envelope: 'data', paging: 'total', records: 120, complete: true },
    favorite: 'favorited_at',
  });
});

test('doctor reports cursor paging, a hidden field and a rate limit of an unusual service', async () => {
  const lists = { exclude_params: 'a\nb', favorited_at: '2026-01-31 09:00:00' };
  const document = await doctor({
    records: [...domains, { domain: 'www.a.example', ...lists }],
    dialect: {
      envelope: 'websites',
      one: '',
      paging: 'cursor',
      ids: 'string',
      numbers: 'string',
      lineEnd: '\r\n',
      times: 'offset',
      www: 'keep',
      errors: 'html',
      hiddenInList: ['email', 'password'],
      hiddenInRead: ['password'],
      rateLimit: { requests: 60, windowMs: 3_600_000, headers: 'plain' },
    },
  });
  expect(document).toMatchObject({
    list: { envelope: 'websites', paging: 'cursor', records: 121 },
    tells_password_set: false,
    www: { with: 1 },
    rate_limit: { limit: 60 },
    pins: [
      { key: 'www', value: 'distinct' },
      { key: 'favorite', value: 'favorited_at' },
    ],
  });
  expect(document.fields).toContainEqual({ name: 'email', shown: 'read' });
});

test('doctor reports an incomplete list if the service returns the first page for every page', async () => {
  const document = await doctor({ records: domains, dialect: { paging: 'ignored', envelope: '' } });
  expect(document.list).toMatchObject({ envelope: '', complete: false });
});

test('doctor reads the service URL from a file, and ignores its other service settings', async () => {
  const { service } = await act({ records: ['a.example'], dialect: { favorite: 'favorite' } });
  const pins = `{ base_url: "${service.url}", favorite: favorited_at, www: same }`;
  const folder = await testFolder({
    'websites.yaml': `version: 1\nservice: ${pins}\nwebsites: [a.example]\n`,
  });
  const ran = await runInProcess(['doctor'], folder, { WEBSITES_API_KEY: service.key });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('shown as favorite');
  expect(ran.stdout).toMatch(/^service:\n {2}# www: .*\n {2}favorite: favorite /m);
});

test('doctor reports on the embedded service', async () => {
  const ran = await runInProcess(['doctor', '--base-url', 'local'], await testFolder());
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('0 records, complete') });
});

test.each(['json', 'login'] as const)('doctor exits with 3 for a rejected key (%s)', async (unauthorised) => {
  const { env } = await act({ dialect: { unauthorised } });
  const ran = await runInProcess(['doctor'], await testFolder(), { ...env, WEBSITES_API_KEY: 'another' });
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).not.toContain('another');
});

test('doctor exits with 1 if the service is unreachable or no service URL is set', async () => {
  const env = { WEBSITES_BASE_URL: 'http://127.0.0.1:1', WEBSITES_API_KEY: 'k' };
  const folder = await testFolder();
  const gone = await runInProcess(['doctor', '--timeout', '1s'], folder, env);
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('the connection was refused') });
  const unnamed = await runInProcess(['doctor'], folder, { WEBSITES_API_KEY: 'k' });
  expect(unnamed).toMatchObject({ code: 1, stderr: expect.stringContaining('No service is configured') });
});
