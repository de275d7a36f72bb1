import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { ending, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { scripted } from '../support/scripted-service.ts';
import { startTestService } from '../support/service.ts';

const FILE = `defaults: { privacy: private }
websites:
  - example.com
  - group: acme
    defaults: { email: true }
    websites:
      - acme.com
      - { domain: shop.acme.com, privacy: public }
      - group: inner
        websites: [i.acme.com]
      - from: acme.csv
`;
const CSV = 'domain,email\nb.acme.com,false\n';

async function setUp(file = FILE) {
  const cwd = await testFolder({ 'websites.yaml': file, 'acme.csv': CSV });
  const run = (line: string, env = {}, input?: string) => runInProcess(line.split(' '), cwd, env, input);
  return { cwd, run, text: () => readFile(join(cwd, 'websites.yaml'), 'utf8') };
}

async function withService() {
  const service = await startTestService();
  onTestFinished(() => service.close());
  return service;
}

test('undo deletes all records that an apply with --group created', async () => {
  const { run } = await setUp();
  const service = await withService();
  expect(await run('apply --auto-approve --group acme', service.env)).toMatchObject({ code: 0 });
  expect(await service.records()).toHaveLength(4);
  const undone = await run('undo --auto-approve --allow-deletes 4', service.env);
  expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('4 deleted') });
  expect(await service.records()).toEqual([]);
});

test('a plan counts changes by group, and its JSON names the group of each change', async () => {
  const { run } = await setUp();
  const { env } = await scripted({ records: [] });
  const { stdout } = await run('plan', env);
  expect(stdout).toContain(
    'By group:\n  acme: 3 to create\n  inner: 1 to create\n  (no group): 1 to create\n',
  );
  const plan = JSON.parse((await run('plan --group inner --format json', env)).stdout);
  expect(plan.changes).toMatchObject([{ domain: 'i.acme.com', group: 'inner' }]);
  expect(plan.options.group).toEqual(['inner']);
  const markdown = (await run('plan --group acme --format markdown', env)).stdout;
  expect(markdown).toContain('- acme: 3 to create: `+ acme.com`, `+ b.acme.com`, `+ shop.acme.com`\n');
  const html = (await run('plan --format html', env)).stdout;
  expect(html).toContain('<li>inner: 1 to create: + i.acme.com</li>');
  expect(await run('plan --group innr', env)).toMatchObject(ending(1, 'inner?'));
});

test('plan --group warns about a group without websites', async () => {
  const { run } = await setUp(`${FILE}  - { group: empty, websites: [] }\n`);
  const { env } = await scripted({ records: [] });
  const { warnings } = JSON.parse((await run('plan --group empty --group inner --format json', env)).stdout);
  expect(warnings).toMatchObject([
    { code: 'pattern-matches-nothing', message: expect.stringContaining('--group empty ') },
  ]);
});

test('apply --group creates only websites of that group and of groups inside it', async () => {
  const { run } = await setUp();
  const service = await scripted({ records: [] });
  expect(await run('apply --auto-approve --group acme --exclude b.*', service.env)).toMatchObject({
    code: 0,
  });
  expect(service.records().map(({ domain }) => domain)).toEqual(['acme.com', 'i.acme.com', 'shop.acme.com']);
});

test('validate --format yaml and csv print the records with all their settings', async () => {
  const { run } = await setUp();
  const yaml = parse((await run('validate --format yaml --group acme')).stdout);
  expect(yaml.websites).toEqual([
    { domain: 'acme.com', privacy: 'private', email: true },
    { domain: 'shop.acme.com', privacy: 'public', email: true },
    { domain: 'i.acme.com', privacy: 'private', email: true },
    { domain: 'b.acme.com', privacy: 'private', email: false },
  ]);
  const [head, first] = (await run('validate --format csv')).stdout.split('\n');
  expect(head).toMatch(/^domain,group,state,protect,privacy,/);
  expect(first).toMatch(/^example\.com,,present,,private,/);
});

test('validate --format json has the records, and with --domain the source of each value', async () => {
  const { run } = await setUp();
  const { valid } = JSON.parse((await run('validate --format json --domain b.acme.com')).stdout);
  expect(valid[0].records).toMatchObject([
    {
      domain: 'b.acme.com',
      group: 'acme',
      settings: { privacy: 1, email: false },
      origins: [
        { field: 'privacy', level: 'file', place: { file: 'websites.yaml', line: 1 } },
        { field: 'email', level: 'record', place: { file: 'acme.csv', line: 2 } },
      ],
    },
  ]);
  const human = (await run('validate --domain shop.acme.com')).stdout;
  expect(human).toMatch(/^shop\.acme\.com \(websites\.yaml:8, group acme\):\n/);
  expect(human).toMatch(/ {2}privacy +public +websites\.yaml:8 +this website\n/);
  expect(human).toMatch(/ {2}email +true +websites\.yaml:5 +group acme\n/);
});

test.each(['yaml', 'csv', 'json', 'human'])('validate --format %s shows no password', async (format) => {
  const { run } = await setUp(
    'websites: [{ domain: a.example, privacy: password, password: hunter2-hunter2 }]\n',
  );
  const { code, stdout } = await run(`validate --format ${format} --domain a.example`);
  expect(code).toBe(0);
  expect(stdout).toContain('(sensitive)');
  expect(stdout).not.toContain('hunter2');
});

test('import --group adds records to the group, and omits settings that equal its defaults', async () => {
  const { cwd, run, text } = await setUp();
  await writeFile(join(cwd, 'list.csv'), 'domain,email\nn.acme.com,true\nm.acme.com,false\n');
  expect(await run('import list.csv --group acme')).toMatchObject({ code: 0 });
  expect(await text()).toBe(`${FILE}      - n.acme.com\n      - domain: m.acme.com\n        email: false\n`);
});

test('import --group adds records only to the file that declares the group', async () => {
  const { cwd, run, text } = await setUp('websites: [a.example]\n');
  const acme = 'websites:\n  - { group: acme, defaults: { privacy: private }, websites: [b.example] }\n';
  await writeFile(join(cwd, 'acme.yaml'), acme);
  const line = 'import - -f acme.yaml --group acme --into';
  const refused = await run(`${line} websites.yaml`, {}, 'c.example\n');
  expect(refused).toMatchObject(ending(1, 'Pass --into acme.yaml.'));
  expect(await text()).toBe('websites: [a.example]\n');
  expect(await run(`${line} acme.yaml`, {}, 'c.example\n')).toMatchObject({ code: 0 });
});

test('import --group creates a group that the file does not have', async () => {
  const { run, text } = await setUp();
  expect(await run('import - --group beta', {}, 'beta.com\n')).toMatchObject({ code: 0 });
  expect(await text()).toBe(`${FILE}  - group: beta\n    websites:\n      - beta.com\n`);
  expect(await run('import - --group -x', {}, 'y.com\n')).toMatchObject({ code: 1 });
});

test('export --into skips and names a record that would inherit another value', async () => {
  const { run, text } = await setUp('defaults: { exclude_params: [a] }\nwebsites: []\n');
  const { env } = await scripted({ records: [{ domain: 'a.example', exclude_params: 'not\u0000writable' }] });
  const { code, stderr } = await run('export --into websites.yaml', env);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/a\.example: its exclude_params .* defaults/)]);
  expect(await text()).not.toContain('a.example');
});

test('completion of --group offers the groups of the file', async () => {
  const { run } = await setUp();
  expect((await run('__complete plan --group a')).stdout).toBe('acme\n');
});
