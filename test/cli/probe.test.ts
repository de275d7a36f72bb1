/** `websites probe` and `import --probe`: what they read, print and end with. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { type DnsAnswer, startDns } from '../support/dns.ts';
import { runInProcess } from '../support/in-process.ts';
import { startProxy } from '../support/proxy.ts';
import { startSites } from '../support/sites.ts';

/** All names lead to an address that is not public, but for those of `names`. */
async function resolver(names: Readonly<Record<string, DnsAnswer>> = {}): Promise<string> {
  const dns = await startDns((name) => names[name] ?? ['169.254.169.254']);
  onTestFinished(() => dns.close());
  return dns.address;
}

const LIST = '# bought\nA.example\nhttps://gone.example/x\na.example\n192.0.2.1\nfails.example\n';
const NAMES = { 'gone.example': 'NXDOMAIN', 'fails.example': 'SERVFAIL' } as const;

test('lists are read as an import reads them, and reported in their order', async () => {
  const folder = await testFolder({ 'list.txt': LIST });
  const ran = await runInProcess(`probe list.txt --dns ${await resolver(NAMES)}`.split(' '), folder);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual(
    expect.arrayContaining([
      ['DOMAIN', 'VERDICT'],
      ['a.example', 'blocked'],
      ['gone.example', 'no-dns'],
      ['fails.example', 'no-answer'],
    ]),
  );
  expect(ran.stdout).toContain('Skipped 2 lines');
  expect(ran.stdout).toContain('3 websites: 1 no-dns, 1 no-answer, 1 blocked.');
});

test('JSON has a result for each domain, and what was skipped', async () => {
  const folder = await testFolder({ 'list.txt': LIST });
  const line = `probe list.txt --format json --dns ${await resolver(NAMES)}`;
  const { stdout, stderr } = await runInProcess(line.split(' '), folder);
  expect(stderr).toBe('');
  const { format, summary, results, skipped } = JSON.parse(stdout);
  expect(format).toBe('websites.probe/1');
  expect(summary).toMatchObject({ ok: 0, 'no-dns': 1, 'no-answer': 1, blocked: 1 });
  expect(results[0]).toEqual({
    domain: 'a.example',
    source: { file: 'list.txt', line: 2, column: 1 },
    verdict: 'blocked',
    reason: '169.254.169.254 is not a public address',
    url: 'https://a.example/',
    status: null,
    address: null,
    location: null,
  });
  expect(skipped.map(({ reason }: { reason: string }) => reason)).toEqual(['duplicate', 'ip_address']);
});

test('CSV and NDJSON have a line for each, and nothing else on standard output', async () => {
  const folder = await testFolder({ 'list.txt': LIST });
  const dns = await resolver(NAMES);
  const csv = await runInProcess(`probe list.txt --format csv --dns ${dns}`.split(' '), folder);
  expect(csv.stdout.split('\n')).toEqual([
    'domain,verdict,reason,url,status,address,location,source',
    'a.example,blocked,169.254.169.254 is not a public address,https://a.example/,,,,list.txt:2',
    expect.stringMatching(/^gone\.example,no-dns,/),
    expect.stringMatching(/^fails\.example,no-answer,/),
    '',
  ]);
  expect(csv.stderr).toContain('3 websites: ');
  const ndjson = await runInProcess(`probe list.txt --format ndjson --dns ${dns}`.split(' '), folder);
  const lines = ndjson.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ domain }) => domain).toSorted()).toEqual([
    'a.example',
    'fails.example',
    'gone.example',
  ]);
});

test('the websites of the configuration are probed, as far as they are selected', async () => {
  const yaml = 'websites: [a.example, b.test, { domain: c.test, state: absent }]\n';
  const folder = await testFolder({ 'websites.yaml': yaml, 'list.txt': 'x.test\ny.example\n' });
  const dns = await resolver();
  const domains = async (words: string) => {
    const { stdout } = await runInProcess(
      `probe ${words} --format json --dns ${dns}`.split(' ').filter(Boolean),
      folder,
    );
    return JSON.parse(stdout).results.map(({ domain }: { domain: string }) => domain);
  };
  expect(await domains('')).toEqual(['a.example', 'b.test']);
  expect(await domains('-f websites.yaml --domain *.test')).toEqual(['b.test']);
  expect(await domains('list.txt --domain x.test')).toEqual(['x.test']);
  const none = await runInProcess(`probe list.txt --domain z.test --dns ${dns}`.split(' '), folder);
  expect(none).toMatchObject({ code: 0, stderr: expect.stringContaining('pattern-matches-nothing') });
  expect(await runInProcess(['probe', 'list.txt', '-f', 'websites.yaml'], folder)).toMatchObject({ code: 1 });
});

test.each([
  ['blocked', 2],
  ['no-dns,blocked', 2],
  ['no-dns --fail-on refused', 0],
])('--fail-on %s ends with %i', async (verdicts, code) => {
  const folder = await testFolder({ 'list.txt': 'a.example\n' });
  const line = `probe list.txt --dns ${await resolver()} --fail-on ${verdicts}`;
  expect(await runInProcess(line.split(' '), folder)).toMatchObject({ code });
});

test.each([
  'list.txt --fail-on gone',
  ...['resolver', '127.0.0.1:0', '127.0.0.1:65536', '[::1'].map((dns) => `list.txt --dns ${dns}`),
  'list.txt --concurrency 0',
  'list.txt --timeout 0',
  'list.xyz',
])('"websites probe %s" is refused', async (words) => {
  const folder = await testFolder({ 'list.txt': 'a.example\n' });
  const ran = await runInProcess(`probe ${words}`.split(' '), folder);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('usage');
});

test('a website behind a proxy is asked at the address that was looked up', async () => {
  const sites = await startSites({ 'there.example': (_request, response) => response.end('analytics.js') });
  const folder = await testFolder({ 'list.txt': 'there.example\n' });
  const proxy = await startProxy(sites.ports.http);
  const line = `probe list.txt --dns ${sites.dns.address} --allow-private --look-for analytics.js --format json`;
  const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, WEBSITES_API_KEY: 'the-key' };
  const { stdout } = await runInProcess(line.split(' '), folder, env);
  expect(JSON.parse(stdout).results).toMatchObject([
    { verdict: 'ok', url: 'http://there.example/', status: 200 },
  ]);
  expect(proxy.seen.map(({ line: seen }) => seen)).toEqual(['CONNECT 127.0.0.1:443', 'CONNECT 127.0.0.1:80']);
  expect(JSON.stringify(sites.headers)).not.toContain('the-key');
});

describe('import --probe', () => {
  test('skips what is not in DNS, and reports the others', async () => {
    const folder = await testFolder({ 'list.txt': LIST });
    const dns = await resolver(NAMES);
    const ran = await runInProcess(`import list.txt --probe --dns ${dns}`.split(' '), folder);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toBe(
      'version: 1\n\nwebsites:\n  - a.example\n  - fails.example\n',
    );
    expect(ran.stderr).toContain('1 no address in DNS');
    expect(ran.stderr).toMatch(/^a\.example +blocked/m);
    expect(ran.stderr).toContain('Added 2 websites');
  });

  test('tells so in JSON', async () => {
    const folder = await testFolder({ 'list.txt': LIST });
    const dns = await resolver(NAMES);
    const line = `import list.txt --probe --check --format json --dns ${dns}`;
    const report = JSON.parse((await runInProcess(line.split(' '), folder)).stdout);
    expect(report.summary).toEqual({ added: 2, skipped: 3 });
    expect(report.skipped).toContainEqual(
      expect.objectContaining({ reason: 'no_dns', subject: 'gone.example', line: 3 }),
    );
    expect(report.probe).toMatchObject({ format: 'websites.probe/1', summary: { 'no-dns': 0, blocked: 1 } });
  });

  test('imports nothing where more than half is not in DNS', async () => {
    const folder = await testFolder({
      'list.txt': 'gone.example\n',
      'half.txt': 'gone.example\na.example\n',
    });
    const dns = await resolver(NAMES);
    const ran = await runInProcess(`import list.txt --probe --format json --dns ${dns}`.split(' '), folder);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({ format: 'websites.error/1', code: 'resolver-failed' });
    await expect(readFile(join(folder, 'websites.yaml'))).rejects.toThrow('ENOENT');
    expect((await runInProcess(`import half.txt --probe --dns ${dns}`.split(' '), folder)).code).toBe(0);
  });
});
