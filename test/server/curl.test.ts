/** The commands of the interface's table (specification, section 4), with the real curl. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mintKey } from '../../src/server/key.ts';
import { startTestService, type TestService } from '../support/service.ts';

const run = promisify(execFile);
const curlExists = spawnSync('curl', ['--version']).status === 0;
const key = mintKey();

describe.skipIf(!curlExists)('curl', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ key });
  });
  afterAll(() => service.close());

  /** Returns the status and the JSON body; `options` follow the address. */
  async function curl(path: string, ...options: string[]) {
    const address = `${service.url}/api/v1/websites${path}`;
    const { stdout } = await run('curl', ['-sS', '-w', '\n%{http_code}', address, ...options]);
    const end = stdout.lastIndexOf('\n');
    return { status: Number(stdout.slice(end)), body: JSON.parse(stdout.slice(0, end)) };
  }

  const AUTH = ['-H', `Authorization: Bearer ${key}`];
  const READ = ['-H', 'Accept: application/json', ...AUTH];
  const WRITE = ['-H', 'Content-Type: application/x-www-form-urlencoded', ...AUTH];

  test('curl can run all five operations of the service', async () => {
    const created = await curl(
      '',
      ...['-X', 'POST', ...WRITE, '-d', 'domain=https://www.Shop.example', '-d', 'privacy=2'],
      ...['--data-urlencode', 'password=pass & word', '-d', 'email=0', '-d', 'exclude_bots=1'],
      ...['--data-urlencode', 'exclude_params=utm_source\nutm_medium', '-d', 'exclude_ips=192.0.2.1'],
      ...['-d', 'favorited_at=2026-01-31T09:00:00'],
    );
    expect(created).toMatchObject({
      status: 201,
      body: {
        data: { domain: 'shop.example', privacy: 2, password: true, favorited_at: '2026-01-31 09:00:00' },
      },
    });
    const { id } = created.body.data;

    const listed = await curl('', '-X', 'GET', ...READ);
    expect(listed.body).toMatchObject({ data: [created.body.data], meta: { total: 1, per_page: 50 } });
    expect(await curl(`/${id}`, '-X', 'GET', ...READ)).toEqual({
      status: 200,
      body: { data: created.body.data, status: 200 },
    });

    const updated = await curl(`/${id}`, '-X', 'PUT', ...WRITE, '-d', 'privacy=0&exclude_ips=');
    expect(updated.body.data).toMatchObject({ id, privacy: 0, exclude_ips: null, exclude_bots: 1 });

    expect(await curl(`/${id}`, '-X', 'DELETE', ...AUTH)).toEqual({
      status: 200,
      body: { id, object: 'website', deleted: true, status: 200 },
    });
    expect((await curl(`/${id}`, '-X', 'GET', ...READ)).status).toBe(404);
  });
});
