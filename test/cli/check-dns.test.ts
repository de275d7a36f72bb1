import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { type DnsAnswer, type DnsServer, startDns } from '../support/dns.ts';
import { runInProcess } from '../support/in-process.ts';

/** A DNS server that has an address for every name, except for the answers in `names`. */
async function resolver(names: Readonly<Record<string, DnsAnswer>>): Promise<DnsServer> {
  const dns = await startDns((name) => names[name] ?? ['192.0.2.1']);
  onTestFinished(() => dns.close());
  return dns;
}

async function importDomains(domains: readonly string[], dns: string, flags = '') {
  const folder = await testFolder({ 'list.txt': `${domains.join('\n')}\n` });
  const words = `import list.txt --check-dns --dns ${dns} ${flags}`.trim().split(' ');
  const ran = await runInProcess(words, folder);
  const path = join(folder, 'websites.yaml');
  const written = existsSync(path) ? await readFile(path, 'utf8') : undefined;
  return { ...ran, written };
}

const LIST = ['a.example', 'gone.example', 'six.example', 'empty.example', 'fails.example', 'b.example'];
const NAMES = {
  'gone.example': 'NXDOMAIN',
  'six.example': ['2001:db8::1'],
  'empty.example': [],
  'fails.example': 'SERVFAIL',
} as const;

test('import --check-dns skips domains without an address and keeps those it could not look up', async () => {
  const { address } = await resolver(NAMES);
  const { code, stderr, written } = await importDomains(LIST, address);
  expect(code).toBe(0);
  expect(written).toBe(
    'version: 1\n\nwebsites:\n  - a.example\n  - six.example\n  - fails.example\n  - b.example\n',
  );
  expect(stderr).toContain('list.txt:2: gone.example: the name does not exist (NXDOMAIN)');
  expect(stderr).toContain('list.txt:4: empty.example: the name has no address');
  expect(stderr).toContain('list.txt:5: fails.example: the name servers failed (SERVFAIL)');
});

test('import --check-dns --format json lists skipped and unchecked domains with their lines', async () => {
  const { address } = await resolver(NAMES);
  const { stdout, written } = await importDomains(LIST, address, '--check --format json');
  expect(written).toBeUndefined();
  const report = JSON.parse(stdout);
  expect(report.added).toBe(4);
  const place = (line: number) => ({ file: 'list.txt', line, column: 1 });
  expect(report.skipped).toMatchObject([
    { place: place(2), reason: 'no_dns', subject: 'gone.example', message: expect.any(String) },
    { place: place(4), reason: 'no_dns', subject: 'empty.example', message: expect.any(String) },
  ]);
  const message = expect.stringContaining('SERVFAIL');
  expect(report.not_checked).toEqual([{ place: place(5), subject: 'fails.example', message }]);
});

test('import without --check-dns sends no DNS request', async () => {
  const dns = await resolver(NAMES);
  const folder = await testFolder({ 'list.txt': 'gone.example\n' });
  const { code } = await runInProcess(
    ['import', 'list.txt', '--format', 'json', '--dns', dns.address],
    folder,
  );
  expect(code).toBe(0);
  expect(dns.asked).toEqual([]);
});

test('import --check-dns imports nothing if more than half of the domains have no address', async () => {
  const { address } = await resolver({ 'gone.example': 'NXDOMAIN', 'lost.example': 'NXDOMAIN' });
  const most = await importDomains(['a.example', 'gone.example', 'lost.example'], address, '--format json');
  expect(most).toMatchObject({ code: 1, written: undefined });
  expect(JSON.parse(most.stdout)).toMatchObject({ code: 'resolver-failed' });
  const half = await importDomains(['a.example', 'gone.example'], address);
  expect(half).toMatchObject({ code: 0, written: expect.stringContaining('a.example') });
});

test('import --check-dns imports and names all domains if the DNS server does not respond', async () => {
  const { address } = await resolver({ 'a.example': 'silence', 'b.example': 'silence' });
  const { code, stdout } = await importDomains(['a.example', 'b.example'], address, '--format json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ added: 2, skipped: [] },
    not_checked: [{ subject: 'a.example' }, { subject: 'b.example' }],
  });
});

test('import --check-dns looks up each of 500 domains', async () => {
  const domains = Array.from({ length: 500 }, (_, n) => `site-${n}.example`);
  const dns = await resolver({ 'site-7.example': 'NXDOMAIN', 'site-499.example': 'SERVFAIL' });
  const { stdout } = await importDomains(domains, dns.address, '--format json');
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ added: 499, skipped: [{ subject: 'site-7.example' }] });
  expect(report.not_checked).toMatchObject([{ subject: 'site-499.example', place: { line: 500 } }]);
  expect(new Set(dns.asked)).toEqual(new Set(domains.map((domain) => `${domain} A`)));
});

test('import --check-dns --strict exits with 1 and writes nothing if a domain has no address', async () => {
  const { address } = await resolver({ 'gone.example': 'NXDOMAIN' });
  const ran = await importDomains(['a.example', 'gone.example'], address, '--strict');
  expect(ran).toMatchObject({ code: 1, written: undefined });
});

test.each(['resolver', '127.0.0.1:0', '127.0.0.1:00', '127.0.0.1:65536', '[::1', '[::1]:0', 'localhost:53'])(
  'import exits with 1 if --dns is %s, which is not a valid address and port',
  async (dns) => {
    const ran = await importDomains(['a.example'], dns);
    expect(ran).toMatchObject({ code: 1, stdout: '', written: undefined });
    expect(ran.stderr).toContain('--dns (WEBSITES_DNS)');
  },
);
