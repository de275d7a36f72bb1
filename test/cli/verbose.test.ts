import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';
import { startScriptedService } from '../support/scripted-service.ts';

const KEY = 'key-that-nobody-may-see-0123456789';
const PASSWORD = 'password-that-nobody-may-see';

const FILE = `version: 1
websites:
  - domain: new.example
    privacy: password
    password: { env: SITE_PASSWORD }
  - domain: old.example
    email: true
`;

test('--verbose logs each request with retries and waits on standard error, without secrets', async () => {
  const service = await startScriptedService({ key: KEY, records: ['old.example'] });
  let puts = 0;
  let lists = 0;
  service.faults = ({ method }) => {
    if (method === 'PUT') {
      puts += 1;
      if (puts === 1) return { kind: 'status', status: 500, when: 'before' };
    }
    if (method !== 'GET') return undefined;
    lists += 1;
    return lists === 1
      ? { kind: 'status', status: 429, when: 'before', headers: { 'retry-after': '1' } }
      : undefined;
  };
  const cwd = await testFolder({ 'websites.yaml': FILE });
  const env = {
    WEBSITES_BASE_URL: service.url,
    WEBSITES_API_KEY: KEY,
    SITE_PASSWORD: PASSWORD,
    WEBSITES_VERBOSE: '1',
  };
  const { code, stdout, stderr } = await runBuilt(['apply', '--auto-approve', '--format', 'json'], {
    cwd,
    env,
  });
  await service.close();
  expect(code).toBe(0);
  const told = stderr.split('\n').filter((line) => /^\d{4}-\d\d-\d\dT/.test(line));
  const plain = told.map((line) =>
    line.slice('2026-11-20T09:30:00.123Z '.length).replace(/\b\d+ ms/, 'N ms'),
  );
  expect(plain).toHaveLength(service.requests.length);
  expect(plain[0]).toBe(
    'GET /api/v1/websites?per_page=100&sort_by=id&sort=desc 429 N ms, asked to wait 1.0 s',
  );
  expect(plain[1]).toMatch(/^GET .* 200 N ms, waited 1\.\d s for its turn$|^GET .* 200 N ms$/);
  expect(plain).toContain('POST /api/v1/websites 201 N ms');
  expect(plain).toContain('PUT /api/v1/websites/1 500 N ms');
  expect(plain.some((line) => /^PUT \/api\/v1\/websites\/1 200 N ms, attempt 2/.test(line))).toBe(true);
  for (const secret of [KEY, PASSWORD, 'Bearer', 'authorization']) {
    expect(stdout + stderr).not.toContain(secret);
    expect(stderr).not.toContain(encodeURIComponent(secret));
  }
  expect(JSON.parse(stdout)).toMatchObject({ summary: { created: 1, updated: 1 } });
});
