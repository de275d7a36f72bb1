import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import type { Io } from '../../src/cli/io/io.ts';
import { READABLE_NAMES } from '../../src/model/field-table.ts';
import { startLocal } from '../../src/server/server.ts';
import { ending, refusal, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { type ScriptedOptions, scripted } from '../support/scripted-service.ts';
import { startTestService } from '../support/service.ts';

/** Runs a command line in `cwd`; only `env` is in its environment. */
const run = (line: string, cwd: string, env: Io['env'] = {}) => runInProcess(line.split(' '), cwd, env);

async function serveScripted(options: ScriptedOptions) {
  const service = await scripted(options);
  return { service, env: service.env };
}

const SECRET = 'correct-horse-battery-staple';

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
  return { service, env: service.env };
}

test('the plan of an exported file has no changes, with --prune too', async () => {
  const { env } = await filledService();
  const folder = await testFolder();
  const exported = await run('export --out websites.yaml', folder, env);
  expect(exported).toMatchObject({ code: 0, stdout: '' });
  expect(exported.stderr).toContain('PASSWORD_SHOP_EXAMPLE_COM  shop.example.com');
  expect(exported.stderr).toMatch(/Exported 3 websites to websites\.yaml\.\n$/);
  const text = await readFile(join(folder, 'websites.yaml'), 'utf8');
  // The URL is set in the environment, so the file omits it.
  expect(text).not.toContain('base_url');
  expect(text + exported.stderr).not.toContain(SECRET);
  expect(await run('validate', folder)).toMatchObject({ code: 0, stderr: '' });
  const planned = await run('plan --prune --detailed-exitcode', folder, env);
  expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes. 3 websites') });
});

test.each(['export --out websites.yaml', 'export --into websites.yaml'])(
  'after "%s", drift reports an edit of any setting, even one that was empty',
  async (line) => {
    const { service, env } = await filledService();
    const folder = await testFolder(line.includes('--into') ? { 'websites.yaml': 'websites: []\n' } : {});
    expect((await run(line, folder, env)).code).toBe(0);
    expect((await run('drift', folder, env)).code).toBe(0);
    const edited = (await service.records()).find(({ domain }) => domain.startsWith('xn--'));
    const answer = await fetch(`${service.url}/api/v1/websites/${edited?.id}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${service.key}` },
      body: new URLSearchParams({
        ...{ privacy: '0', email: '1', exclude_bots: '0', exclude_params: 'ref' },
        ...{ exclude_ips: '192.0.2.1', favorited_at: '2026-02-01T00:00:00' },
      }),
    });
    expect(answer.status).toBe(200);
    const { code, stdout } = await run('drift --format json', folder, env);
    expect(code).toBe(2);
    const [change] = JSON.parse(stdout).changes;
    expect(Object.keys(change.fields)).toEqual(READABLE_NAMES.toSorted());
  },
);

test('export --into uses no variable that the file has for another password', async () => {
  const records = ['a.b.example', 'a_b.example'].map((domain) => ({ domain, privacy: 2, password: SECRET }));
  const { env } = await serveScripted({ records });
  const own =
    'websites:\n  - { domain: a_b.example, privacy: password, password: { env: PASSWORD_A_B_EXAMPLE } }\n';
  const folder = await testFolder({ 'websites.yaml': own });
  const exported = await run('export --into websites.yaml', folder, env);
  expect(exported.stderr).toContain('  PASSWORD_A_B_EXAMPLE__2  a.b.example\n');
  const text = await readFile(join(folder, 'websites.yaml'), 'utf8');
  expect(text.match(/env: \w+/g)).toEqual(['env: PASSWORD_A_B_EXAMPLE', 'env: PASSWORD_A_B_EXAMPLE__2']);
});

test('two exports of the same records print the same text', async () => {
  const { env } = await filledService();
  const folder = await testFolder();
  const [one, other] = [await run('export', folder, env), await run('export', folder, env)];
  expect(one.stdout).toBe(other.stdout);
  expect(one.stdout.split('\n').filter((line) => line.startsWith('  - '))).toHaveLength(3);
});

test('export of the embedded service needs no API key, environment variable or file', async () => {
  const folder = await testFolder();
  const local = await startLocal(join(folder, '.websites'));
  await fill(local.url, local.key, { domain: 'a.example' });
  await local.close();
  const exported = await run('export --base-url local --out there.yaml', folder);
  expect(exported).toMatchObject({ code: 0, stderr: 'Exported 1 website to there.yaml.\n' });
  expect(await readFile(join(folder, 'there.yaml'), 'utf8')).toContain('base_url: local\n');
  expect((await run('plan -f there.yaml --detailed-exitcode', folder)).code).toBe(0);
});

test('export prints only the YAML on standard output', async () => {
  const { env } = await serveScripted({ records: ['b.example', 'a.example'] });
  const exported = await run('export', await testFolder(), env);
  expect(exported).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^# .*\nversion: 1\n.*a\.example\n.*b\.example\n$/s),
    stderr: 'Exported 2 websites.\n',
  });
});

test('export --out of an existing file exits with 1 before any request, unless --force is set', async () => {
  const { service, env } = await serveScripted({ records: ['a.example'] });
  const folder = await testFolder({ 'mine.yaml': 'mine' });
  const refused = await run('export --out mine.yaml', folder, env);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('exists already') });
  expect(await readFile(join(folder, 'mine.yaml'), 'utf8')).toBe('mine');
  expect(service.requests).toHaveLength(0);
  expect(await run('export --out mine.yaml --force', folder, env)).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, 'mine.yaml'), 'utf8')).toContain('- domain: a.example\n');
});

test('export --out creates the directory, and leaves no file if writing fails', async () => {
  const { env } = await serveScripted({ records: ['a.example'] });
  const folder = await testFolder();
  expect(await run('export --out new/a.yaml', folder, env)).toMatchObject({ code: 0 });
  const failed = await run('export --out new --force', folder, env);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be written') });
  expect(await readdir(folder, { recursive: true })).toEqual(['new', 'new/a.yaml']);
});

/** A service with a list that is not known to be complete. */
const INCOMPLETE: ScriptedOptions = {
  records: Array.from({ length: 60 }, (_, index) => `site-${index}.example`),
  dialect: { paging: 'ignored', defaultPage: 50, largestPage: 50 },
};

test('export exits with 1 and writes no file if the list may be incomplete', async () => {
  const { env } = await serveScripted(INCOMPLETE);
  const folder = await testFolder();
  const refused = await run('export --out all.yaml', folder, env);
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /: it serves the same records on every page\.\n.*--allow-incomplete[\s\S]*explain list-incomplete\n/,
    ),
  });
  expect(existsSync(join(folder, 'all.yaml'))).toBe(false);
});

test('export --allow-incomplete exports an incomplete list, with a note in the file', async () => {
  const { env } = await serveScripted(INCOMPLETE);
  const exported = await run('export --allow-incomplete', await testFolder(), env);
  expect(exported.code).toBe(0);
  expect(exported.stdout).toContain(
    '# The service may not have returned all of its records: some may be missing.\n',
  );
  expect(exported.stdout.match(/^ {2}- /gm)).toHaveLength(50);
});

const records = [
  { domain: 'a.example', exclude_params: 'ref' },
  { domain: 'b.example', email: 1 },
];

test('export reads each record on its own if lists hide some of its fields', async () => {
  const { service, env } = await serveScripted({
    records,
    dialect: { hiddenInList: ['exclude_params', 'email'] },
  });
  const exported = await run('export', await testFolder(), env);
  const { websites } = parse(exported.stdout) as { websites: unknown[] };
  expect(websites).toMatchObject([
    { domain: 'a.example', exclude_params: ['ref'] },
    { domain: 'b.example', email: true },
  ]);
  expect(service.requests.filter(({ path }) => /\/\d+$/.test(path))).toHaveLength(2);
});

test('export reads websites with privacy "password" singly if lists hide passwords', async () => {
  const { service, env } = await serveScripted({
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

test('export omits and names a field that neither lists nor single records show', async () => {
  const { service, env } = await serveScripted({
    records,
    dialect: { hiddenInList: ['email'], hiddenInRead: ['email'] },
  });
  const exported = await run('export', await testFolder(), env);
  expect(exported.stdout).not.toContain('email');
  expect(exported.stderr).toContain('Never returned by the service, so not in the file:\n  email\n');
  expect(service.requests.filter(({ path }) => /\/\d+$/.test(path))).toHaveLength(1);
});

test('export writes "favorite: true" if the service has no favorite time', async () => {
  const { env } = await serveScripted({
    records: [{ domain: 'a.example', favorited_at: '2026-01-31 09:00:00' }],
    dialect: { favorite: 'favorite' },
  });
  const folder = await testFolder();
  expect((await run('export --out websites.yaml', folder, env)).code).toBe(0);
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toContain('    favorite: true\n');
  expect((await run('plan --detailed-exitcode', folder, env)).code).toBe(0);
});

test('export takes the service settings from the file, and writes them to its output', async () => {
  const { service, env } = await serveScripted({ records: ['a.example'] });
  const yaml = `version: 1\nservice: { base_url: "${service.url}", update: changed }\nwebsites: []\n`;
  const folder = await testFolder({ 'websites.yaml': yaml });
  const exported = await run('export', folder, { WEBSITES_API_KEY: env.WEBSITES_API_KEY });
  expect(exported).toMatchObject({ code: 0 });
  expect(exported.stdout).toContain(`service:\n  base_url: ${service.url}\n  update: changed\n`);
  // WEBSITES_BASE_URL names another service than the file.
  const other = await testFolder({ 'websites.yaml': yaml.replace(service.url, 'local') });
  expect((await run('export', other, env)).stdout).toContain('service:\n  update: changed\n');
});

test.each([
  ['export', 'No service is configured'],
  ['export -f nowhere.yaml', 'nowhere.yaml'],
  ['export -f broken.yaml', 'broken.yaml:1'],
  ['export --base-url https://analytics.example.com', 'explain key-missing'],
  ['export --format csv', 'format'],
])('"%s" exits with 1, because a file, service, key or format is missing or invalid', async (line, said) => {
  const folder = await testFolder({ 'broken.yaml': 'nonsense: [' });
  const ended = await run(line, folder);
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(said) });
});

const RECORDS = [
  { domain: 'example.com', privacy: 0 },
  { domain: 'shop.example.com', privacy: 1, email: 1 },
  { domain: 'gone.example', privacy: 1 },
  { domain: 'x.internal.example' },
  { domain: 'new.example', privacy: 1, exclude_params: 'a\nb' },
  { domain: 'locked.example', privacy: 2, password: 'kept' },
  { domain: 'twin.example', privacy: 1 },
];
const FILE = `ignore: ["*.internal.example"] # not ours
defaults:
  privacy: private
  email: false
  exclude_bots: true
websites:
  - example.com # the first
  - domain: shop.example.com
    email: true
  - { domain: gone.example, state: absent }
  - www.twin.example
protected: []
service: { www: same }
`;

test('export --into skips a record that would inherit a wrong default, and reports why', async () => {
  const { env } = await serveScripted({
    records: [
      { domain: 'address.example', privacy: 1, exclude_ips: 'nowhere' },
      { domain: 'control.example', privacy: 1, exclude_params: 'a\u0001' },
      { domain: 'idle.example', privacy: 1, password: 'kept' },
      { domain: 'open.example', privacy: 2 },
      { domain: 'sound.example', privacy: 2, password: 'kept', exclude_params: 'z' },
    ],
  });
  const defaults = 'privacy: password, password: { env: PW }, exclude_params: [z]';
  const folder = await testFolder({ 'websites.yaml': `defaults: { ${defaults} }\nwebsites: []\n` });
  const { code, stderr } = await run('export --into websites.yaml', folder, env);
  expect(code).toBe(0);
  expect(stderr).toContain('Settings not exported:\n  address.example: exclude_ips (nowhere)');
  expect(stderr).toMatch(
    /prune would delete these:\n {2}control\.example: its exclude_params .*defaults of the file/,
  );
  expect(stderr).toContain('Added 4 websites');
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toContain(
    '  - domain: open.example\n    password: null\n',
  );
  const planned = await run('plan --detailed-exitcode', folder, {
    ...env,
    PW: 'x',
    PASSWORD_SOUND_EXAMPLE: 'y',
  });
  expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes. 4 websites') });
});

test('export --into keeps the favorite time of a record under the default "favorite: true"', async () => {
  const { env } = await serveScripted({
    records: [
      { domain: 'none.example', privacy: 1 },
      { domain: 'timed.example', privacy: 1, favorited_at: '2026-01-31T09:00:00' },
    ],
  });
  const defaults = 'defaults: { favorite: true, privacy: private, email: false, exclude_bots: true }';
  const folder = await testFolder({ 'websites.yaml': `${defaults}\nwebsites: []\n` });
  expect(await run('export --into websites.yaml', folder, env)).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toBe(`${defaults}
websites:
  - domain: none.example
    exclude_params: []
    exclude_ips: []
    favorite: false
  - domain: timed.example
    exclude_params: []
    exclude_ips: []
    favorited_at: 2026-01-31T09:00:00Z
`);
  expect((await run('plan', folder, env)).stdout).toContain('No changes. 2 websites');
});

test('export --into writes an empty list to override a default, even if the service omits it', async () => {
  const { env } = await serveScripted({
    records: [
      { domain: 'declared.example', exclude_params: null },
      { domain: 'empty.example', exclude_params: null },
      { domain: 'filled.example', exclude_params: 'ref' },
    ],
    dialect: { nulls: 'left out' },
  });
  const defaults = 'defaults: { privacy: 1, email: 0, exclude_bots: 1, exclude_params: [ref] }';
  const own = `${defaults}\nwebsites:\n  - declared.example\n`;
  const folder = await testFolder({ 'websites.yaml': own });
  await run('export --into websites.yaml', folder, env);
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toContain(
    '  - domain: empty.example\n    exclude_params: []\n',
  );
  const planned = await run('plan', folder, env);
  expect(planned.stdout).toContain('Plan: 0 to create, 1 to update, 0 to delete, 2 unchanged.');
});

test('export --into skips a record if the defaults would remove its password', async () => {
  const { env } = await serveScripted({
    records: [
      { domain: 'idle.example', privacy: 1, password: 'kept' },
      { domain: 'locked.example', privacy: 2, password: 'kept' },
      { domain: 'plain.example', privacy: 1 },
    ],
  });
  const folder = await testFolder({ 'websites.yaml': 'defaults: { password: null }\nwebsites: []\n' });
  const { code, stderr } = await run('export --into websites.yaml', folder, env);
  expect(code).toBe(0);
  expect(stderr).toContain('Added 2 websites');
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).not.toContain('idle.example');
  expect((await run('plan', folder, { ...env, PASSWORD_LOCKED_EXAMPLE: 'x' })).stdout).toContain(
    'No changes. 2 websites',
  );
});

test('export --into adds missing records, and leaves the rest of the file unchanged', async () => {
  const { env } = await serveScripted({ records: RECORDS });
  const folder = await testFolder({ 'websites.yaml': FILE });
  const { code, stdout, stderr } = await run('export --into websites.yaml', folder, env);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain('PASSWORD_LOCKED_EXAMPLE  locked.example');
  expect(stderr).toMatch(/Added 2 websites to websites\.yaml\. Already declared: 4\.\n$/);
  const added = `  - domain: locked.example
    privacy: password
    password: { env: PASSWORD_LOCKED_EXAMPLE }
    exclude_params: []
    exclude_ips: []
    favorite: false
  - domain: new.example
    exclude_params: [a, b]
    exclude_ips: []
    favorite: false
`;
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toBe(
    FILE.replace('protected', `${added}protected`),
  );
  const again = await run('export --into websites.yaml', folder, env);
  expect(again.stderr).toMatch(/Added 0 websites to websites\.yaml\. Already declared: 6\.\n$/);
  const planned = await run('plan --detailed-exitcode', folder, env);
  expect(planned.stdout).toContain('Plan: 0 to create, 1 to update, 1 to delete, 4 unchanged, 1 ignored.');
});

test.each([
  ['service: { www: same }', 'example.com', 'www.example.com'],
  ['version: 1', 'www.example.com', 'example.com'],
])('export --into skips a www variant of an ignored domain (%s, %s)', async (rule, ignored, domain) => {
  const { env } = await serveScripted({ records: [domain, 'new.example'] });
  const file = `${rule}\nignore: [${ignored}]\nwebsites: []\n`;
  const folder = await testFolder({ 'websites.yaml': file });
  expect((await run('export --into websites.yaml', folder, env)).stderr).toContain('Added 1 website to');
  expect((await run('plan', folder, env)).stdout).toBe(
    'No changes. 1 website matches the configuration, 1 ignored.\n',
  );
});

test('export --into warns about a directory without YAML files, and continues', async () => {
  const { env } = await serveScripted({ records: ['new.example'] });
  const folder = await testFolder({ 'websites.yaml': 'websites: []\n', 'typo/.keep': '' });
  expect(await run('export --into websites.yaml -f typo', folder, env)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^warning: no YAML file in typo\n.*Added 1 website/s),
  });
});

test('export --into exits with 1 if -f omits other files, and adds only undeclared records', async () => {
  const { service, env } = await serveScripted({ records: ['a.example', 'b.example', 'new.example'] });
  const files = { 'teams/a.yaml': 'websites: [a.example]\n', 'teams/b.yaml': 'websites:\n  - b.example\n' };
  const folder = await testFolder({
    ...files,
    'one.yaml': 'websites: []\n',
    'compose.yaml': 'services: {}\n',
  });
  const textOf = () => readFile(join(folder, 'teams/b.yaml'), 'utf8');
  for (const update of ['', ' --update']) {
    expect(await run(`export --into teams/b.yaml${update}`, folder, env)).toMatchObject(
      ending(1, 'teams/b.yaml may be one of several files, such as teams/a.yaml.'),
    );
  }
  expect(service.requests).toHaveLength(0);
  expect((await run('export --into one.yaml --check', folder, env)).code).toBe(2);
  const check = await run('export --into teams/b.yaml -f teams --check', folder, env);
  expect(check.code).toBe(2);
  expect(check.stdout.match(/^[+-] .*/gm)?.[0]).toBe('+  - domain: new.example');
  expect(check.stdout).not.toContain('a.example');
  expect(check.stderr).toBe('Would add 1 website to teams/b.yaml. Already declared: 2.\n');
  expect(await textOf()).toBe(files['teams/b.yaml']);
  expect((await run('export --into teams/b.yaml -f teams', folder, env)).stderr).toBe(
    'Added 1 website to teams/b.yaml. Already declared: 2.\n',
  );
  expect((await textOf()).startsWith(`${files['teams/b.yaml']}  - domain: new.example\n`)).toBe(true);
  expect(await run('export --into teams/b.yaml -f teams --check', folder, env)).toMatchObject({
    code: 0,
    stdout: '',
  });
});

test.each([
  ['export --into nowhere.yaml', 'File not found: nowhere.yaml'],
  ['export --into websites.yaml --out other.yaml', '--into'],
  ['export --into from.yaml -f from.yaml', 'Records cannot be added to from.yaml'],
])('"%s" exits with 1 and leaves websites.yaml unchanged', async (line, said) => {
  const folder = await testFolder({
    'websites.yaml': FILE,
    'from.yaml': 'websites: { from: a.txt }\n',
    'a.txt': 'a.example\n',
  });
  expect(await run(line, folder)).toMatchObject(refusal(1, said));
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toBe(FILE);
});

test('export --into needs --allow-incomplete to add records from an incomplete list', async () => {
  const { env } = await serveScripted(INCOMPLETE);
  const folder = await testFolder({ 'websites.yaml': 'websites: []\n' });
  expect(await run('export --into websites.yaml', folder, env)).toMatchObject({ code: 1 });
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toBe('websites: []\n');
  expect(await run('export --into websites.yaml --allow-incomplete', folder, env)).toMatchObject({
    code: 0,
  });
  expect((await readFile(join(folder, 'websites.yaml'), 'utf8')).match(/^ {2}- /gm)).toHaveLength(50);
});
