/** Changes between the approval of a saved plan and its apply. */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Result } from '../../src/model/run.ts';
import { runBuilt } from '../support/built.ts';
import { type CliOptions, MAIN, testFolder } from '../support/cli.ts';
import {
  type ScriptedOptions,
  type ScriptedService,
  scripted,
  startScriptedService,
} from '../support/scripted-service.ts';

const SECRET = 'approved-password-1';
const FILE = `version: 1
websites:
  - { domain: new.example, email: true }
  - { domain: changed.example, email: true, exclude_bots: true }
  - { domain: secret.example, privacy: password, password: { env: SITE_PASSWORD } }
  - { domain: gone.example, state: absent }
`;
const RECORDS: NonNullable<ScriptedOptions['records']> = [
  { domain: 'changed.example', email: 0, exclude_bots: 0 },
  { domain: 'gone.example' },
  { domain: 'other.example' },
];

interface Drill {
  readonly what: string;
  readonly change: (setting: Setting) => unknown;
  readonly code: number;
  readonly says?: RegExp;
  readonly flags?: readonly string[];
  readonly dialect?: ScriptedOptions['dialect'];
  readonly records?: ScriptedOptions['records'];
  /** True if anything was written. */
  readonly writes?: boolean;
}

interface Setting {
  readonly folder: string;
  readonly service: ScriptedService;
  readonly env: Record<string, string>;
}

const edit = async (folder: string, name: string, from: string, to: string): Promise<void> => {
  const path = join(folder, name);
  await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
};
const record = (service: ScriptedService, domain: string) =>
  service.records().find((one) => one.domain === domain);

const DRILLS: readonly Drill[] = [
  { what: 'nothing', change: () => undefined, code: 0, writes: true },
  {
    what: 'the YAML',
    change: ({ folder }) => edit(folder, 'websites.yaml', 'exclude_bots: true', 'exclude_bots: false'),
    code: 6,
    says: /websites\.yaml has changed/,
  },
  {
    what: 'the YAML, which is not there at all',
    change: ({ folder }) =>
      edit(folder, 'websites.yaml', FILE, FILE)
        .then(() => import('node:fs/promises'))
        .then((fs) => fs.rm(join(folder, 'websites.yaml'))),
    code: 0,
    writes: true,
  },
  {
    what: 'an affected record',
    change: ({ service }) => {
      const { id = 0 } = record(service, 'changed.example') ?? {};
      service.remove(id);
    },
    code: 6,
    says: /changed\.example no longer exists/,
  },
  {
    what: 'an affected record, with --skip-stale',
    change: ({ service }) => service.insert('new.example'),
    flags: ['--skip-stale'],
    code: 6,
    writes: true,
  },
  {
    what: 'a domain that was to be created',
    change: ({ service }) => service.insert('new.example'),
    code: 6,
    says: /new\.example already exists/,
  },
  {
    what: 'the password of a record to delete, which is not behind it',
    change: ({ service }) => service.change(record(service, 'gone.example')?.id ?? 0, { password: 'theirs' }),
    code: 6,
    says: /gone\.example \(#\d+\) was changed: password is set and was not set/,
  },
  {
    what: 'the password of a record to delete, which lists hide',
    dialect: { hiddenInList: ['password'] },
    change: ({ service }) => service.change(record(service, 'gone.example')?.id ?? 0, { password: 'theirs' }),
    code: 6,
    says: /password is set and was not set/,
  },
  {
    what: 'the password of a record to update',
    change: ({ service }) =>
      service.change(record(service, 'secret.example')?.id ?? 0, { password: 'theirs' }),
    records: [...RECORDS, { domain: 'secret.example', privacy: 0 }],
    code: 6,
    says: /secret\.example \(#\d+\) was changed: password is set and was not set/,
  },
  {
    what: 'an undeclared password of a record to update',
    change: ({ service }) =>
      service.change(record(service, 'changed.example')?.id ?? 0, { password: 'theirs' }),
    code: 0,
    writes: true,
  },
  {
    what: 'an unrelated record',
    change: ({ service }) => {
      service.insert('unrelated.example');
      service.remove(record(service, 'other.example')?.id ?? 0);
    },
    code: 0,
    writes: true,
  },
  {
    what: 'the key',
    change: ({ env }) => Object.assign(env, { WEBSITES_API_KEY: 'another-key-of-the-same-length' }),
    code: 6,
    says: /another API key/,
  },
  {
    what: 'the base URL',
    change: ({ env, service }) => Object.assign(env, { WEBSITES_BASE_URL: `${service.url}/stats` }),
    code: 6,
    says: /was made for/,
  },
  {
    what: 'the plan file, by one byte',
    change: ({ folder }) => edit(folder, 'plan.json', '"new.example"', '"mew.example"'),
    code: 1,
    says: /was edited, or damaged/,
  },
  {
    what: 'the plan file, cut off',
    change: async ({ folder }) =>
      writeFile(join(folder, 'plan.json'), (await readFile(join(folder, 'plan.json'), 'utf8')).slice(0, 300)),
    code: 1,
    says: /not valid JSON/,
  },
  {
    what: 'the plan file, of a future version',
    change: ({ folder }) => edit(folder, 'plan.json', 'websites.plan/1', 'websites.plan/2'),
    code: 1,
    says: /websites\.plan\/2/,
  },
  {
    what: 'the plan file, a foreign one',
    change: ({ folder }) => writeFile(join(folder, 'plan.json'), '{"resource_changes":[]}'),
    code: 1,
    says: /not a plan file/,
  },
  {
    what: 'the secret',
    change: ({ env }) => Object.assign(env, { SITE_PASSWORD: 'another-password' }),
    code: 6,
    says: /env:SITE_PASSWORD of secret\.example is not the one/,
  },
  {
    what: 'the secret, which is not set',
    change: ({ env }) => Object.assign(env, { SITE_PASSWORD: '' }),
    code: 1,
    says: /SITE_PASSWORD/,
  },
  {
    what: 'the flags',
    change: () => undefined,
    flags: ['--prune'],
    code: 1,
    says: /--prune \(WEBSITES_PRUNE\) cannot be used/,
  },
];

async function plannedAt(
  age: string,
  { records = RECORDS, ...dialect }: Pick<ScriptedOptions, 'dialect' | 'records'> = {},
): Promise<Setting & { options: CliOptions }> {
  const folder = await testFolder({ 'websites.yaml': FILE });
  const service = await startScriptedService({ records, ...dialect, key: 'the-key-that-was-used-to-plan' });
  const env = { ...service.env, SITE_PASSWORD: SECRET, WEBSITES_MAX_AGE: age };
  const options = { cwd: folder, env };
  const planned = await runBuilt(['plan', '--out', 'plan.json'], options);
  expect(planned).toMatchObject({ code: 0 });
  return { folder, service, env, options };
}

const writesOf = (service: ScriptedService) =>
  service.requests.filter(({ method }) => method !== 'GET').length;

test.for(DRILLS)(
  'after plan --out, a change of $what',
  async ({ change, code, says, flags = [], writes = false, dialect = {}, records = RECORDS }) => {
    const setting = await plannedAt('24h', { dialect, records });
    await change(setting);
    const ended = await runBuilt(['apply', 'plan.json', ...flags], setting.options);
    expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code });
    if (says !== undefined) expect(ended.stdout + ended.stderr).toMatch(says);
    expect(ended.stdout + ended.stderr).not.toContain(SECRET);
    expect(writesOf(setting.service) > 0).toBe(writes);
    await setting.service.close();
  },
);

test('the service settings of the files hold for their plan', async () => {
  const service = await startScriptedService({ dialect: { favorite: 'favorite' } });
  const file = `service: { favorite: favorite }\nwebsites: [{ domain: a.example, favorite: true }]\n`;
  const folder = await testFolder({ 'websites.yaml': file });
  const options = { cwd: folder, env: service.env };
  expect(await runBuilt(['plan', '--out', 'plan.json'], options)).toMatchObject({ code: 0 });
  expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({ code: 0 });
  const post = service.requests.find(({ method }) => method === 'POST');
  expect(post?.body).toBe('domain=a.example&favorite=1');
  await service.close();
});

test('a plan of standard input is applied without it, and without any file', async () => {
  const service = await startScriptedService();
  const folder = await testFolder();
  const { env } = service;
  const planned = await runBuilt(['plan', '-f', '-', '--out', 'plan.json'], {
    cwd: folder,
    env,
    input: 'websites: [a.example]\n',
  });
  expect(planned).toMatchObject({ code: 0 });
  expect(await runBuilt(['apply', 'plan.json'], { cwd: folder, env })).toMatchObject({ code: 0 });
  expect(service.records()).toMatchObject([{ domain: 'a.example' }]);
  await service.close();
});

test('a plan of standard input and a file elsewhere is journaled where it would be without a plan file', async () => {
  const folder = await testFolder({ 'sites/a.yaml': 'websites: [a.example]\n' });
  const files = ['-f', '-', '-f', 'sites/a.yaml'];
  const input = 'service: { base_url: local }\nwebsites: [b.example]\n';
  expect(await runBuilt(['plan', ...files, '--out', 'plan.json'], { cwd: folder, input })).toMatchObject({
    code: 0,
  });
  const applied = await runBuilt(['apply', 'plan.json'], { cwd: folder });
  expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('2 created') });
  const runs = await runBuilt(['runs', ...files], { cwd: folder, input });
  expect(runs.stdout).toContain('2 created');
  expect(await readdir(join(folder, 'sites'))).toEqual(['a.yaml']);
});

test("a file from a shell's process substitution counts as one of the working folder", async () => {
  const folder = await testFolder();
  const websites = `<(printf '%s\\n' 'service: { base_url: local }' 'targets: { one: {}, two: {} }' 'websites: [a.example]')`;
  const script = [
    `"$0" "$1" plan -f ${websites} --target two --out plan.json`,
    '"$0" "$1" apply plan.json --target two',
    `"$0" "$1" apply -f ${websites} --target one --auto-approve`,
  ].join(' && ');
  const ran = spawnSync('bash', ['-c', script, process.execPath, MAIN], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 100_000,
  });
  expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining('/dev/fd/') });
  expect(await readdir(folder)).toEqual(['.websites', 'plan.json', 'targets']);
});

test('a plan of a file elsewhere, and of what that names, is applied once, be the files here or not', async () => {
  const service = await startScriptedService();
  const folder = await testFolder();
  const sites = join(folder, 'sites');
  await mkdir(sites);
  await writeFile(join(sites, 'a.yaml'), 'websites: [{ from: list.csv }]\n');
  await writeFile(join(sites, 'list.csv'), 'domain\na.example\n');
  const options = { cwd: folder, env: service.env };
  expect(await runBuilt(['plan', '-f', 'sites/a.yaml', '--out', 'plan.json'], options)).toMatchObject({
    code: 0,
  });
  expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({ code: 0 });
  expect(await readdir(sites)).toContain('.websites');
  await rm(join(sites, 'a.yaml'));
  expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('was applied already'),
  });
  await service.close();
});

test('a secret next to files in another folder is read if WEBSITES_ALLOW_PATH names the folder', async () => {
  const folder = await testFolder({
    'sites/a.yaml':
      'websites: [{ domain: a.example, privacy: password, password: { file: sub/password } }]\n',
    'sites/sub/password': SECRET,
    'here/notes.txt': '',
  });
  const service = await scripted();
  const options = { cwd: join(folder, 'here'), env: service.env };
  const planned = await runBuilt(['plan', '-f', '../sites/a.yaml', '--out', 'plan.json'], options);
  expect(planned).toMatchObject({ code: 0 });
  const refused = await runBuilt(['apply', 'plan.json'], options);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('name that directory in WEBSITES_ALLOW_PATH'),
  });
  expect(service.records()).toEqual([]);
  const env = { ...service.env, WEBSITES_ALLOW_PATH: '../sites' };
  const allowed = await runBuilt(['apply', 'plan.json'], { ...options, env });
  expect(allowed).toMatchObject({ code: 0, stderr: expect.not.stringContaining(SECRET) });
  expect(service.records()).toMatchObject([{ password: SECRET }]);
});

test('a plan of a directory is applied from the place of the journal, which no file that is new below moves', async () => {
  const site = 'websites: [{ domain: b.example, privacy: password, password: { file: ../b/password } }]\n';
  const folder = await testFolder({ 'sites/b/w.yaml': site, 'sites/b/password': SECRET, 'here/notes': '' });
  const service = await scripted();
  const options = { cwd: folder, env: service.env };
  const files = ['-f', 'sites'];
  const web = async (args: readonly string[], cwd = folder) => runBuilt(args, { ...options, cwd });
  expect(await web(['plan', ...files, '--out', 'plan.json'])).toMatchObject({ code: 0 });
  expect(await web(['apply', 'plan.json'])).toMatchObject({ code: 0 });
  const { stdout } = await web(['runs', ...files]);
  expect(stdout).toContain('1 created');
  const run = /\d{8}T\d{6}\.\d+Z-\w+/.exec(stdout)?.[0] ?? 'no run';
  await mkdir(join(folder, 'sites', 'a'));
  await writeFile(join(folder, 'sites', 'a', 'w.yaml'), 'websites: [a.example]\n');
  expect((await web(['runs', ...files])).stdout).toContain(run);
  const gone = await web(['apply', 'plan.json']);
  expect(gone).toMatchObject({ code: 6, stderr: expect.stringContaining('sites/a/w.yaml is new') });
  expect((await web(['runs', '-f', '../sites'], join(folder, 'here'))).stdout).toContain(run);
});

test('a whole copy of the files in a folder above does not count where some have changed here', async () => {
  const files = Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [`${name}.yaml`, `websites: [${name}.example]\n`]),
  );
  const below = Object.entries(files).map(([name, text]) => [`below/${name}`, text]);
  const folder = await testFolder({ ...files, ...Object.fromEntries(below) });
  const service = await scripted();
  const options = { cwd: join(folder, 'below'), env: service.env };
  const flags = Object.keys(files).flatMap((name) => ['-f', name]);
  expect(await runBuilt(['plan', ...flags, '--out', 'plan.json'], options)).toMatchObject({ code: 0 });
  await edit(options.cwd, 'a.yaml', 'a.example', 'other.example');
  await rm(join(options.cwd, 'c.yaml'));
  expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('a.yaml has changed since the plan was made.'),
  });
  expect(service.records()).toEqual([]);
});

test.each([
  ['below, and is applied above', 'below', '.'],
  ['above, and is applied below', '.', 'below'],
])('a plan that was made in a folder %s, is held against the file that both look up', async (_, from, to) => {
  const folder = await testFolder({
    'project/websites.yaml': 'prune: true\nwebsites: [kept.example]\n',
    'project/below/notes.txt': '',
  });
  const service = await startScriptedService({ records: ['kept.example', 'other.example'] });
  const { env } = service;
  const at = (...names: string[]) => ({ cwd: join(folder, 'project', ...names), env });
  const saved = join(folder, 'plan.json');
  expect(await runBuilt(['plan', '--out', saved], at(from))).toMatchObject({ code: 0 });
  await edit(at().cwd, 'websites.yaml', '[kept', '[other.example, kept');
  expect(await runBuilt(['apply', saved], at(to))).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('websites.yaml has changed since the plan was made.'),
  });
  expect(service.records()).toHaveLength(2);
  await edit(at().cwd, 'websites.yaml', '[other.example, kept', '[kept');
  expect(await runBuilt(['apply', saved], at(to))).toMatchObject({ code: 0 });
  expect(service.records()).toHaveLength(1);
  expect(await runBuilt(['apply', saved], at(from))).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('was applied already'),
  });
  expect(await readdir(at().cwd)).toEqual(['.websites', 'below', 'websites.yaml']);
  await service.close();
});

test.each([
  ['sites/own.yaml', '.', 'plan.json', 'sites'],
  ['sites/own.yaml', '.', 'plan.json', 'below'],
  ['../sites/own.yaml', 'below', 'plan.json', '.'],
  ['own.yaml', 'sites', 'sites/plan.json', '.'],
  ['own.yaml', 'sites', 'sites/plan.json', 'below'],
  ['- own.yaml', 'sites', 'plan.json', 'sites/below'],
])(
  'a plan of %s that was made in %s and saved as %s is held against that in %s',
  async (files, from, out, to) => {
    const top = await testFolder({
      'sites/own.yaml': 'prune: true\nwebsites: [kept.example]\n',
      'sites/below/x': '',
      'below/x': '',
    });
    const service = await scripted({ records: ['kept.example', 'other.example'] });
    const { env } = service;
    const web = (at: string, args: readonly string[]) =>
      runBuilt(args, { cwd: join(top, at), env, input: 'version: 1\n' });
    const saved = join(top, out);
    const named = files.split(' ').flatMap((file) => ['-f', file]);
    expect(await web(from, ['plan', ...named, '--out', saved])).toMatchObject({ code: 0 });
    await edit(top, 'sites/own.yaml', '[kept', '[other.example, kept');
    expect(await web(to, ['apply', saved])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('own.yaml has changed since the plan was made.'),
    });
    await edit(top, 'sites/own.yaml', '[other.example, kept', '[kept');
    expect(await web(to, ['apply', saved])).toMatchObject({ code: 0 });
    expect(service.records()).toHaveLength(1);
    expect(await web(from, ['apply', saved])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('was applied already'),
    });
  },
);

test('a plan of a folder by its whole path is held against what is new in it, wherever the checkout is by then', async () => {
  const top = await testFolder({ 'old/sites/own.yaml': 'prune: true\nwebsites: [kept.example]\n' });
  const service = await scripted({ records: ['kept.example', 'other.example'] });
  const { env } = service;
  const options = { cwd: join(top, 'old'), env };
  const planned = await runBuilt(['plan', '-f', join(top, 'old/sites'), '--out', 'plan.json'], options);
  expect(planned).toMatchObject({ code: 0 });
  await rename(join(top, 'old'), join(top, 'new'));
  await writeFile(join(top, 'new/sites/more.yaml'), 'websites: [other.example]\n');
  expect(await runBuilt(['apply', 'plan.json'], { ...options, cwd: join(top, 'new') })).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('sites/more.yaml is new since the plan was made.'),
  });
});

test.each(['.', 'beside'])(
  'a plan that names files in the folder that it was made in is held against them in %s',
  async (to) => {
    const folder = await testFolder({
      'project/websites.yaml': 'prune: true\nwebsites: { from: below/list.txt }\n',
      'project/below/list.txt': 'kept.example\n',
      'project/beside/notes.txt': '',
    });
    const service = await scripted({ records: ['kept.example', 'other.example'] });
    const { env } = service;
    const at = (name: string) => ({ cwd: join(folder, 'project', name), env });
    const saved = join(folder, 'plan.json');
    expect(await runBuilt(['plan', '--out', saved], at('below'))).toMatchObject({ code: 0 });
    await edit(at('below').cwd, 'list.txt', 'kept', 'other.example\nkept');
    expect(await runBuilt(['apply', saved], at(to))).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('list.txt has changed since the plan was made.'),
    });
    expect(service.records()).toHaveLength(2);
    await edit(at('below').cwd, 'list.txt', 'other.example\n', '');
    expect(await runBuilt(['apply', saved], at(to))).toMatchObject({ code: 0 });
    expect(service.records()).toHaveLength(1);
  },
);

test.each(['shown', 'left out'] as const)(
  'an update is stale if its record shows what was empty when it was planned, with nulls %s',
  async (nulls) => {
    const records = [{ domain: 'a.example', email: 0 }];
    const service = await scripted({ dialect: { nulls }, records });
    const cwd = await testFolder({
      'websites.yaml':
        'websites: [{ domain: a.example, email: true, exclude_params: [], favorite: false }]\n',
    });
    const options = { cwd, env: service.env };
    await runBuilt(['plan', '--out', 'plan.json'], options);
    for (const edit of [{ exclude_params: 'ref' }, { favorited_at: '2026-01-31 09:00:00' }]) {
      service.change(1, { exclude_params: null, favorited_at: null, ...edit });
      expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({ code: 6 });
      expect(service.records()).toMatchObject([{ email: 0, ...edit }]);
    }
  },
);

test('a plan expires after its maximum age', async () => {
  const setting = await plannedAt('1s');
  await new Promise((done) => setTimeout(done, 2100));
  const ended = await runBuilt(['apply', 'plan.json'], setting.options);
  expect(ended).toMatchObject({ code: 6, stderr: expect.stringMatching(/The plan expired at/) });
  expect(writesOf(setting.service)).toBe(0);
  await setting.service.close();
});

test('a plan is applied once, as it was approved', async () => {
  const { service, options } = await plannedAt('24h');
  const first = await runBuilt(['apply', 'plan.json', '--format', 'json'], options);
  expect(first).toMatchObject({ code: 0 });
  const result = JSON.parse(first.stdout) as Result;
  expect(result).toMatchObject({ converged: true, summary: { created: 2, updated: 1, deleted: 1 } });
  expect(service.records().map((one) => one.domain)).toEqual([
    'changed.example',
    'other.example',
    'new.example',
    'secret.example',
  ]);
  expect(record(service, 'secret.example')?.password).toBe(SECRET);
  const sent = writesOf(service);
  const second = await runBuilt(['apply', 'plan.json'], options);
  expect(second).toMatchObject({ code: 6, stderr: expect.stringContaining('applied already') });
  expect(writesOf(service)).toBe(sent);
  await service.close();
});

test('a tripped guard is approved with the plan, or with the apply', async () => {
  const names = Array.from({ length: 5 }, (_, index) => `a${index}.example`);
  const folder = await testFolder({ 'websites.yaml': 'version: 1\nprune: true\nwebsites: [kept.example]\n' });
  const service = await startScriptedService({ records: ['kept.example', ...names] });
  const options = { cwd: folder, env: service.env };
  expect(await runBuilt(['plan', '--out', 'plan.json'], options)).toMatchObject({ code: 5 });
  expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({ code: 5 });
  expect(await runBuilt(['apply', 'plan.json', '--allow-deletes', '4'], options)).toMatchObject({ code: 5 });
  expect(writesOf(service)).toBe(0);
  expect(await runBuilt(['apply', 'plan.json', '--allow-deletes', '5'], options)).toMatchObject({ code: 0 });
  expect(service.records().map((one) => one.domain)).toEqual(['kept.example']);
  await service.close();
});

test('a saved plan without changes says that there is nothing to apply', async () => {
  const folder = await testFolder({ 'websites.yaml': 'version: 1\nwebsites: [kept.example]\n' });
  const service = await startScriptedService({ records: ['kept.example'] });
  const options = { cwd: folder, env: service.env };
  await runBuilt(['plan', '--out', 'plan.json'], options);
  expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({
    code: 0,
    stdout: 'Nothing to apply. 1 website matches the configuration.\n',
    stderr: '',
  });
  const GITHUB_STEP_SUMMARY = join(folder, 'summary.md');
  const env = { ...options.env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY };
  expect(await runBuilt(['apply', 'plan.json'], { cwd: folder, env })).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(GITHUB_STEP_SUMMARY, 'utf8')).toContain('## Websites: nothing to apply');
  const { stdout } = await runBuilt(['apply', 'plan.json', '--format', 'ndjson'], options);
  for (const line of stdout.trimEnd().split('\n')) JSON.parse(line);
  await service.close();
});

test.for(['human', 'json', 'markdown', 'diff', 'html', 'gitlab'])(
  'show renders a saved plan as %s',
  async (format) => {
    const { service, options } = await plannedAt('24h');
    const shown = await runBuilt(['show', 'plan.json', '--format', format], options);
    expect(shown).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/(?:^|\n)Made at .*\nSeal not checked: .*\n$/),
    });
    if (format === 'gitlab') expect(JSON.parse(shown.stdout)).toEqual({ create: 2, update: 1, delete: 1 });
    else
      for (const domain of ['new.example', 'changed.example', 'gone.example'])
        expect(shown.stdout).toContain(domain);
    if (format === 'json') expect(shown.stdout).toBe(await readFile(join(options.cwd, 'plan.json'), 'utf8'));
    await service.close();
  },
);

test('a saved plan is not applied again with another password than was approved', async () => {
  const service = await startScriptedService();
  const file = `websites:\n  - a.example\n  - { domain: b.example, privacy: password, password: { env: SITE_PASSWORD } }\n`;
  const folder = await testFolder({ 'websites.yaml': file });
  const env = { ...service.env, SITE_PASSWORD: SECRET };
  await runBuilt(['plan', '--out', 'plan.json'], { cwd: folder, env });
  service.faults = ({ method }) =>
    method === 'POST' ? { kind: 'status', status: 403, when: 'before' } : undefined;
  const stopped = await runBuilt(['apply', 'plan.json', '--parallelism', '1'], { cwd: folder, env });
  expect(stopped).toMatchObject({ code: 4 });
  service.faults = undefined;
  const again = (password: string) =>
    runBuilt(['apply', 'plan.json'], { cwd: folder, env: { ...env, SITE_PASSWORD: password } });
  expect(await again('another-password-2')).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/SITE_PASSWORD of b\.example is not the one/),
  });
  expect(service.records()).toEqual([]);
  expect(await again(SECRET)).toMatchObject({ code: 0 });
  expect(service.records()).toHaveLength(2);
  expect(await runBuilt(['apply', 'plan.json'], { cwd: folder, env })).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/applied already[\s\S]*Nothing was changed\. Plan again\./),
  });
  await service.close();
});

test('a saved plan that is longer than any text can be is refused with what to do', async () => {
  const folder = await testFolder({ 'plan.json': '' });
  await truncate(join(folder, 'plan.json'), 3 * 2 ** 30);
  for (const command of ['apply', 'show']) {
    expect(await runBuilt([command, 'plan.json'], { cwd: folder })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^Error: The plan plan\.json cannot be read: it is larger than 500 MB\.\n {2}help: .*--group NAME/,
      ),
    });
  }
});

test('a plan is refused if a changed variable makes the same files list a domain that it deletes', async () => {
  const folder = await testFolder({
    'websites.yaml': `prune: true\nwebsites: [kept.example, "\${SITE}.example"]\n`,
  });
  const service = await startScriptedService({ records: ['kept.example', 'old.example'] });
  const { env } = service;
  const planned = await runBuilt(['plan', '--out', 'plan.json'], {
    cwd: folder,
    env: { ...env, SITE: 'new' },
  });
  expect(planned).toMatchObject({ code: 0 });
  expect(await runBuilt(['apply', 'plan.json'], { cwd: folder, env: { ...env, SITE: 'old' } })).toMatchObject(
    { code: 6, stderr: expect.stringContaining('The plan deletes old.example, but') },
  );
  expect(service.records()).toHaveLength(2);
  const applied = await runBuilt(['apply', 'plan.json'], { cwd: folder, env: { ...env, SITE: 'new' } });
  expect(applied).toMatchObject({ code: 0 });
  await service.close();
});

test.each([
  ['a folder', ['-f', 'sites'], '', '.'],
  ['a folder of its target', ['--target', 'one'], 'targets: { one: { files: [sites] } }\n', '.'],
  ['the folder that it is made in', ['--target', 'one'], 'targets: { one: { files: [sites] } }\n', 'sites'],
])('a file that is new in %s may list what the plan deletes', async (_, flags, top, at) => {
  const folder = await testFolder({
    'websites.yaml': `version: 1\n${top}`,
    'sites/a.yaml': 'prune: true\nwebsites: [kept.example]\n',
  });
  const service = await startScriptedService({ records: ['kept.example', 'other.example'] });
  const own = { WEBSITES_BASE_URL_ONE: service.url, WEBSITES_API_KEY_ONE: service.key };
  const env = top === '' ? service.env : own;
  const options = { cwd: join(folder, at), env };
  expect(await runBuilt(['plan', ...flags, '--out', 'plan.json'], options)).toMatchObject({ code: 0 });
  await writeFile(join(folder, 'sites/b.yaml'), 'websites: [other.example]\n');
  expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('b.yaml is new since the plan was made'),
  });
  expect(service.records()).toHaveLength(2);
  await rm(join(folder, 'sites/b.yaml'));
  expect(await runBuilt(['apply', 'plan.json'], options)).toMatchObject({ code: 0 });
  expect(service.records()).toHaveLength(1);
  await service.close();
});
