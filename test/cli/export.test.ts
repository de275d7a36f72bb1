import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { startLocal } from '../../src/service/local.ts';
import { type ActingOptions, act } from '../support/acting-service.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { startTestService } from '../support/service.ts';

/** Runs a command line in `cwd` as the program does, with nothing but `env` as its environment. */
const run = (line: string, cwd: string, env: Io['env'] = {}) => runInProcess(line.split(' '), cwd, env);

async function actingService(options: ActingOptions) {
  const service = await act(options);
  const env = { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY: service.key };
  return { service, env };
}

const SECRET = 'correct-horse-battery-staple';

/** Creates records as any client would. */
async function fill(url: string, key: string, ...forms: Record<string, string>[]): Promise<void> {
  for (const form of forms) {
    const answer = await fetch(`${url}/api/v1/websites`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: new URLSearchParams(form),
    });
    expect(answer.status).toBe(201);
  }
}

/** A service on SQLite that holds three records. */
async function filledService() {
  const service = await startTestService();
  onTestFinished(() => service.close());
  await fill(
    service.url,
    service.key,
    { domain: 'xn--bcher-kva.example' },
    { domain: 'example.com', privacy: '1' },
    {
      domain: 'shop.example.com',
      privacy: '2',
      password: SECRET,
      email: '1',
      exclude_params: `utm_source\r\n\${x}\r\na b;c\r\n- 1\r\ntrue\r\n#x`,
      exclude_ips: '192.0.2.0/24\n2001:db8::1',
      favorited_at: '2026-01-31T09:00:00',
    },
  );
  return { service, env: { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY: service.key } };
}

test('the plan of an export is empty, pruning too', async () => {
  const { service, env } = await filledService();
  const folder = await testFolder();
  const exported = await run('export --out websites.yaml', folder, env);
  expect(exported).toMatchObject({ code: 0, stdout: '' });
  expect(exported.stderr).toContain('PASSWORD_SHOP_EXAMPLE_COM  shop.example.com');
  expect(exported.stderr).toMatch(/Exported 3 websites to websites\.yaml\.\n$/);
  const text = await readFile(join(folder, 'websites.yaml'), 'utf8');
  expect(text).toContain(`base_url: ${service.url}\n`);
  expect(text + exported.stderr).not.toContain(SECRET);
  expect(await run('validate', folder)).toMatchObject({ code: 0, stderr: '' });
  const planned = await run('plan --prune --detailed-exitcode', folder, env);
  expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes. 3 websites') });
});

test('what is added to a file takes no variable that is another password there', async () => {
  const records = ['a.b.example', 'a_b.example'].map((domain) => ({ domain, privacy: 2, password: SECRET }));
  const { env } = await actingService({ records });
  const own =
    'websites:\n  - { domain: a_b.example, privacy: password, password: { env: PASSWORD_A_B_EXAMPLE } }\n';
  const folder = await testFolder({ 'websites.yaml': own });
  const exported = await run('export --into websites.yaml', folder, env);
  expect(exported.stderr).toContain('  PASSWORD_A_B_EXAMPLE__2  a.b.example\n');
  const text = await readFile(join(folder, 'websites.yaml'), 'utf8');
  expect(text.match(/env: \w+/g)).toEqual(['env: PASSWORD_A_B_EXAMPLE', 'env: PASSWORD_A_B_EXAMPLE__2']);
});

test('the same records give the same text', async () => {
  const { env } = await filledService();
  const folder = await testFolder();
  const [one, other] = [await run('export', folder, env), await run('export', folder, env)];
  expect(one.stdout).toBe(other.stdout);
  expect(one.stdout.split('\n').filter((line) => line.startsWith('  - '))).toHaveLength(3);
});

test('the embedded service is exported without a key, a variable or a file', async () => {
  const folder = await testFolder();
  const local = await startLocal(join(folder, '.websites'));
  await fill(local.url, local.key, { domain: 'a.example' });
  await local.close();
  const exported = await run('export --base-url local --out there.yaml', folder);
  expect(exported).toMatchObject({ code: 0, stderr: 'Exported 1 website to there.yaml.\n' });
  expect(await readFile(join(folder, 'there.yaml'), 'utf8')).toContain('base_url: local\n');
  expect((await run('plan -f there.yaml --detailed-exitcode', folder)).code).toBe(0);
});

test.each([
  ['json', /^\[\n\{"domain":"a\.example",.*\},\n\{"domain":"b\.example",.*\}\n\]\n$/],
  ['ndjson', /^\{"domain":"a\.example",.*\}\n\{"domain":"b\.example",.*\}\n$/],
  ['csv', /^domain,privacy,.*\na\.example,private,.*\nb\.example,private,.*\n$/],
])('standard output holds the %s and nothing else', async (format, expected) => {
  const { env } = await actingService({ records: ['b.example', 'a.example'] });
  const exported = await run(`export --format ${format}`, await testFolder(), env);
  expect(exported).toEqual({
    code: 0,
    stdout: expect.stringMatching(expected),
    stderr: 'Exported 2 websites.\n',
  });
});

describe('the file', () => {
  test('is not overwritten, and then nothing is asked of the service', async () => {
    const { service, env } = await actingService({ records: ['a.example'] });
    const folder = await testFolder({ 'mine.yaml': 'mine' });
    const refused = await run('export --out mine.yaml', folder, env);
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('exists already') });
    expect(await readFile(join(folder, 'mine.yaml'), 'utf8')).toBe('mine');
    expect(service.requests).toHaveLength(0);
    expect(await run('export --out mine.yaml --force', folder, env)).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'mine.yaml'), 'utf8')).toContain('- domain: a.example\n');
  });

  test('is not there at all where it cannot be written', async () => {
    const { env } = await actingService({ records: ['a.example'] });
    const folder = await testFolder();
    await mkdir(join(folder, 'folder'));
    for (const out of ['nowhere/a.yaml', 'folder --force']) {
      const failed = await run(`export --out ${out}`, folder, env);
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be written') });
    }
    expect(await readdir(folder)).toEqual(['folder']);
  });

  test('points at the schema where there is one', async () => {
    const { env } = await actingService({ records: ['a.example'] });
    const folder = await testFolder();
    expect((await run('export', folder, env)).stdout).not.toContain('$schema');
    await mkdir(join(folder, 'schema'));
    await writeFile(join(folder, 'schema/websites.schema.json'), '{}');
    expect((await run('export', folder, env)).stdout).toMatch(
      /^# yaml-language-server: \$schema=\.\/schema\/websites\.schema\.json\n/,
    );
  });
});

describe('a list that is not proven complete', () => {
  const records = Array.from({ length: 60 }, (_, index) => `site-${index}.example`);

  test('is refused, and no file is written', async () => {
    const { env } = await actingService({
      records,
      dialect: { paging: 'ignored', defaultPage: 50, largestPage: 50 },
    });
    const folder = await testFolder();
    const refused = await run('export --out all.yaml', folder, env);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /not proven complete: it serves the same records on every page\.\n.*--allow-incomplete/,
      ),
    });
    expect(existsSync(join(folder, 'all.yaml'))).toBe(false);
  });

  test('is exported with --allow-incomplete, and the file says so', async () => {
    const { env } = await actingService({
      records,
      dialect: { paging: 'ignored', defaultPage: 50, largestPage: 50 },
    });
    const exported = await run('export --allow-incomplete', await testFolder(), env);
    expect(exported.code).toBe(0);
    expect(exported.stdout).toContain('# The list was not proven complete: records may be missing.\n');
    expect(exported.stdout.match(/^ {2}- /gm)).toHaveLength(50);
  });
});

describe('what the list hides', () => {
  const records = [
    { domain: 'a.example', exclude_params: 'ref' },
    { domain: 'b.example', email: 1 },
  ];

  test('is read record by record', async () => {
    const { service, env } = await actingService({
      records,
      dialect: { hiddenInList: ['exclude_params', 'email'] },
    });
    const exported = await run('export --format ndjson', await testFolder(), env);
    expect(
      exported.stdout
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { domain: 'a.example', email: false, exclude_params: ['ref'] },
      { domain: 'b.example', email: true },
    ]);
    expect(service.requests.filter(({ path }) => /\/\d+$/.test(path))).toHaveLength(2);
  });

  test('of passwords is read where a website needs one', async () => {
    const { service, env } = await actingService({
      records: [
        { domain: 'open.example', privacy: 2, password: null },
        { domain: 'locked.example', privacy: 2, password: SECRET },
        { domain: 'private.example', privacy: 1 },
      ],
      dialect: { hiddenInList: ['password'] },
    });
    const folder = await testFolder();
    const exported = await run('export --out websites.yaml', folder, env);
    expect(exported.stderr).toContain('PASSWORD_LOCKED_EXAMPLE  locked.example\n');
    expect(exported.stderr).not.toContain('open.example');
    expect(service.requests.filter(({ path }) => /\/\d+$/.test(path))).toHaveLength(2);
    expect((await run('plan --detailed-exitcode', folder, env)).code).toBe(0);
  });

  test('and records hide too, is told', async () => {
    const { service, env } = await actingService({
      records,
      dialect: { hiddenInList: ['email'], hiddenInRead: ['email'] },
    });
    const exported = await run('export', await testFolder(), env);
    expect(exported.stdout).not.toContain('email');
    expect(exported.stderr).toContain('Not shown by the service, and so not in the file:\n  email\n');
    expect(service.requests.filter(({ path }) => /\/\d+$/.test(path))).toHaveLength(1);
  });
});

test('favourites are exported in the form that the service has', async () => {
  const { env } = await actingService({
    records: [{ domain: 'a.example', favorited_at: '2026-01-31 09:00:00' }],
    dialect: { favorite: 'favorite' },
  });
  const folder = await testFolder();
  expect((await run('export --out websites.yaml', folder, env)).code).toBe(0);
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toContain('    favorite: true\n');
  expect((await run('plan --detailed-exitcode', folder, env)).code).toBe(0);
});

describe('which service', () => {
  test('the files say, with what else they say of it', async () => {
    const { service, env } = await actingService({ records: ['a.example'] });
    const yaml = `version: 1\nservice: { base_url: "${service.url}", update: changed }\nwebsites: []\n`;
    const folder = await testFolder({ 'websites.yaml': yaml });
    const exported = await run('export', folder, { WEBSITES_API_KEY: env.WEBSITES_API_KEY });
    expect(exported).toMatchObject({ code: 0 });
    expect(exported.stdout).toContain(`service:\n  base_url: ${service.url}\n  update: changed\n`);
  });

  test.each([
    ['export', 'No service is named'],
    ['export -f nowhere.yaml', 'nowhere.yaml'],
    ['export -f broken.yaml', 'broken.yaml:1'],
    ['export --base-url https://analytics.example.com', 'no API key'],
    ['export --format xml', 'yaml, csv, json, ndjson'],
  ])('is asked for: %s', async (line, said) => {
    const folder = await testFolder({ 'broken.yaml': 'nonsense: [' });
    const ended = await run(line, folder);
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(said) });
  });
});
