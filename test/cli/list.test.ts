import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { ending, type Files, testFolder } from '../support/cli.ts';
import { type ScriptedOptions, scripted } from '../support/scripted-service.ts';

const FILE = `version: 1
ignore: ["*.staging.example"]
websites:
  - { domain: shop.example, privacy: private }
  - { domain: gone.example, state: absent }
  - missing.example
`;
const RECORDS = [
  { domain: 'shop.example', privacy: 1, email: 1, exclude_ips: '192.0.2.1' },
  'gone.example',
  'old.example',
  'a.staging.example',
];

/** Records for which a list takes more requests than a look-up. */
const MANY = Array.from({ length: 400 }, (_, index) => `many-${index}.test`);

async function setUp(
  files: Files = { 'websites.yaml': FILE },
  options: ScriptedOptions = { records: RECORDS },
) {
  const service = await scripted(options);
  const folder = await testFolder(files);
  const run = (...args: string[]) => runBuilt(['list', ...args], { cwd: folder, env: { ...service.env } });
  const list = async (...args: string[]) => JSON.parse((await run(...args, '--format', 'json')).stdout);
  return { service, run, list };
}

const statuses = ({ records }: { records: { domain: string; status: string }[] }) =>
  Object.fromEntries(records.map(({ domain, status }) => [domain, status]));

const ALL = {
  'a.staging.example': 'ignored',
  'gone.example': 'absent',
  'old.example': 'orphan',
  'shop.example': 'declared',
};

test('list --format json prints each record with its settings and its location', async () => {
  const { list, service } = await setUp();
  const document = await list();
  expect(document).toMatchObject({
    format: 'websites.list/1',
    service: service.url,
    read: { kind: 'list', requests: service.requests.length },
    complete: true,
  });
  expect(statuses(document)).toEqual(ALL);
  expect(document.records.at(-1)).toEqual({
    id: '1',
    domain: 'shop.example',
    status: 'declared',
    source: { file: 'websites.yaml', line: 4, column: 5 },
    settings: {
      privacy: 1,
      email: true,
      exclude_bots: expect.anything(),
      exclude_params: [],
      exclude_ips: ['192.0.2.1'],
      favorited_at: null,
    },
    password_set: false,
  });
  expect(document.records[0].source).toBeNull();
});

test('list prints a table of records by default', async () => {
  const { run } = await setUp();
  const { stdout, stderr, code } = await run();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [header = '', ...rows] = stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(header).toEqual(['ID', 'DOMAIN', 'CONFIGURATION', 'SETTINGS']);
  expect(rows.slice(0, 4).map((cells) => cells.slice(0, 3))).toEqual([
    ['#4', 'a.staging.example', 'ignored'],
    ['#2', 'gone.example', 'websites.yaml:5 (absent)'],
    ['#3', 'old.example', 'orphan'],
    ['#1', 'shop.example', 'websites.yaml:4'],
  ]);
  expect(rows[3]?.[3]).toMatch(/^privacy: private; email: true; .*exclude_ips: 192\.0\.2\.1/);
});

test('list --format csv and --format ndjson print one record per line', async () => {
  const { run, list } = await setUp();
  const [header, first, ...others] = (await run('--format', 'csv')).stdout.trim().split('\n');
  expect(header).toMatch(/^id,domain,status,source,privacy,password,email,/);
  expect(first).toMatch(/^4,a\.staging\.example,ignored,,private,/);
  expect(others.at(-1)).toMatch(/^1,shop\.example,declared,websites\.yaml:4,private,,true,/);
  const lines = (await run('--format', 'ndjson')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toEqual((await list()).records);
});

test.each([
  [['--orphans'], ['old.example']],
  [['*.example', '--orphans'], ['old.example']],
  [['*.staging.example'], ['a.staging.example']],
  [
    ['shop.example', 'OLD.example'],
    ['old.example', 'shop.example'],
  ],
  [
    ['shop.example', '--domain', 'g*'],
    ['gone.example', 'shop.example'],
  ],
  [['nothing.*'], []],
])('list with the arguments %j prints only %j', async (args, domains) => {
  const { list } = await setUp();
  const { records, read } = await list(...args);
  expect(records.map(({ domain }: { domain: string }) => domain)).toEqual(domains);
  expect(read.kind).toBe('list');
});

test('list of one exact domain uses a look-up, and shows the fields that lists hide', async () => {
  const records = [...RECORDS, ...MANY];
  const { list, run, service } = await setUp(undefined, {
    records,
    dialect: { hiddenInList: ['exclude_ips'] },
  });
  const document = await list('shop.example');
  expect(service.requests.length).toBe(3);
  expect(document).toMatchObject({ read: { kind: 'lookup', requests: service.requests.length }, hidden: [] });
  expect(document.records).toMatchObject([{ status: 'declared', settings: { exclude_ips: ['192.0.2.1'] } }]);
  expect((await list('missing.example')).records).toEqual([]);
  expect((await list('old.example', '--orphans')).records).toHaveLength(1);
  expect((await run('none.example')).stdout).toContain('No records.');
  expect((await list()).hidden).toEqual(['exclude_ips']);
});

test('list of one domain reports an incomplete list if the service ignores the search', async () => {
  const records = Array.from({ length: 120 }, (_, index) => `many-${index}.example`);
  const dialect = { search: 'ignored', paging: 'ignored' } as const;
  const { list } = await setUp(undefined, { records, dialect });
  const { read, complete, reason } = await list('many-0.example');
  expect({ kind: read.kind, complete }).toEqual({ kind: 'list', complete: false });
  expect(reason).not.toBeNull();
});

test('list warns if the service may not have returned all records', async () => {
  const dialect = { paging: 'ignored', largestPage: 2 } as const;
  const { run } = await setUp(undefined, { records: RECORDS, dialect });
  expect(await run()).toMatchObject(ending(0, 'may not have returned all'));
});

test('list reads all records to classify a www variant, unless service.www is set', async () => {
  const file = (www: string) => `version: 1\n${www}websites: [www.shop.example]\n`;
  const own = ['shop.example', 'www.other.example'];
  const undecided = await setUp({ 'websites.yaml': file('') }, { records: own, dialect: { www: 'keep' } });
  expect(await undecided.list('shop.example')).toMatchObject({
    read: { kind: 'list' },
    records: [{ status: 'orphan' }],
  });
  const same = await setUp(
    { 'websites.yaml': file('service: { www: same }\n') },
    { records: ['shop.example', ...MANY] },
  );
  expect(await same.list('shop.example')).toMatchObject({
    read: { kind: 'lookup' },
    records: [{ status: 'declared' }],
  });
  expect((await same.list('www.shop.example')).records).toHaveLength(1);
});

test('list marks extra records of one domain as duplicates', async () => {
  const { list } = await setUp(undefined, {
    records: ['shop.example', 'shop.example', 'old.example', 'old.example'],
    dialect: { unique: false },
  });
  const { records } = await list();
  expect(records.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual(
    expect.arrayContaining([
      ['1', 'declared'],
      ['2', 'duplicate'],
      ['3', 'duplicate'],
      ['4', 'duplicate'],
    ]),
  );
});

test('list without a configuration reports that, and prints records without a status', async () => {
  const { run, list } = await setUp({});
  const shown = await run();
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('No configuration found') });
  expect(shown.stdout).toMatch(/^ID +DOMAIN +SETTINGS$/m);
  expect(statuses(await list())).toEqual(Object.fromEntries(Object.keys(ALL).map((name) => [name, null])));
  expect(await run('--orphans')).toMatchObject({ code: 1, stderr: expect.stringContaining('--orphans') });
  expect(await run('-f', 'none.yaml')).toMatchObject({ code: 1 });
});

test('list exits with 1 without a service or with an invalid domain pattern', async () => {
  const folder = await testFolder({});
  expect(await runBuilt(['list'], { cwd: folder })).toMatchObject(ending(1, 'No service is configured'));
  const { run } = await setUp();
  expect(await run('https://shop.example')).toMatchObject(ending(1, 'is not a valid domain pattern'));
});

test('list escapes control characters from the service, and sends only GET requests', async () => {
  const odd = { 'old.example': { domain: '\u001b[2J::error::x', email: '\n##[error]y' } };
  const { run, service } = await setUp(undefined, { records: RECORDS, dialect: { odd } });
  for (const format of ['human', 'json', 'csv', 'ndjson']) {
    const { stdout, code } = await run('--format', format);
    expect(code).toBe(0);
    if (format === 'csv') continue;
    for (const harmful of ['\u001b', '##[']) expect(stdout).not.toContain(harmful);
  }
  expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
});

test('list marks a record outside "scope" as out_of_scope, not as an orphan', async () => {
  const { list } = await setUp(
    { 'websites.yaml': FILE.replace('ignore:', 'scope: ["*.example"]\nignore:') },
    { records: [...RECORDS, 'old.example.net'] },
  );
  expect(statuses(await list())).toEqual({ ...ALL, 'old.example.net': 'out_of_scope' });
});
