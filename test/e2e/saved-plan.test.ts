/** Changes between the approval of a saved plan and its apply. */
import { spawnSync } from 'node:child_process';
import { readdir, readFile, rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Result } from '../../src/model/run.ts';
import { runBuilt } from '../support/built.ts';
import { MAIN, testFolder } from '../support/cli.ts';
import { type Place, setPlace } from '../support/place.ts';
import type { ScriptedOptions } from '../support/scripted-service.ts';

const SECRET = 'approved-password-1';
const FILE = `version: 1
websites:
  - { domain: new.example, email: true }
  - { domain: changed.example, email: true, exclude_bots: true }
  - { domain: secret.example, email: true, privacy: password, password: { env: SITE_PASSWORD } }
  - { domain: gone.example, state: absent }
`;
const RECORDS: NonNullable<ScriptedOptions['records']> = [
  { domain: 'changed.example', email: 0, exclude_bots: 0 },
  { domain: 'gone.example' },
  { domain: 'other.example' },
];
/** An update of this record sends its password too. */
const WITH_PASSWORD = { domain: 'secret.example', privacy: 2, password: 'a' };
const KEPT = 'prune: true\nwebsites:\n  - kept.example\n';

/** Expects a command that exits with `code` and prints `text` on standard error. */
const ends = (code: number, text: string | RegExp) => ({ code, stderr: expect.stringMatching(text) });
const APPLIED_ALREADY = ends(6, 'was applied already');

interface More {
  readonly flags?: string;
  readonly service?: ScriptedOptions;
}
type Drill = readonly [
  what: string,
  change: (place: Place) => unknown,
  code: number,
  says?: RegExp | undefined,
  more?: More,
];

const setEnv = (name: string, value: string) => (place: Place) => Object.assign(place.env, { [name]: value });
const setPassword = (domain: string) => (place: Place) => place.change(domain, { password: 'theirs' });
const SET = /was changed: password is set and was not set/;

const DRILLS: readonly Drill[] = [
  ['0 if nothing changed', () => undefined, 0],
  [
    '6 if websites.yaml changed',
    ({ edit }) => edit('websites.yaml', 'bots: true', 'bots: false'),
    6,
    /websites\.yaml has changed/,
  ],
  ['0 if websites.yaml was deleted', ({ folder }) => rm(join(folder, 'websites.yaml')), 0],
  ['6 after a delete', ({ remove }) => remove('changed.example'), 6, /changed\.example no longer exists/],
  [
    '6 and skips changed records with --skip-stale',
    ({ service, change }) => [service.insert('new.example'), change('secret.example', { privacy: 1 })],
    6,
    undefined,
    { flags: ' --skip-stale', service: { records: [...RECORDS, WITH_PASSWORD] } },
  ],
  ['6 for a taken domain', ({ service }) => service.insert('new.example'), 6, /new\.example already exists/],
  ['6 if a record to delete got a password', setPassword('gone.example'), 6, SET],
  [
    '6 if a record to delete got a password that lists hide',
    setPassword('gone.example'),
    6,
    SET,
    { service: { dialect: { hiddenInList: ['password'] } } },
  ],
  [
    '6 if a record to update got a password',
    setPassword('secret.example'),
    6,
    SET,
    { service: { records: [...RECORDS, { domain: 'secret.example', privacy: 0 }] } },
  ],
  ['0 if a record to update got an undeclared password', setPassword('changed.example'), 0],
  [
    '0 if unrelated records changed',
    ({ service, remove }) => [service.insert('unrelated.example'), remove('other.example')],
    0,
  ],
  ['6 with another key', setEnv('WEBSITES_API_KEY', 'another-key-of-the-same-length'), 6, /another API key/],
  [
    '6 if the service URL changed',
    (place) => setEnv('WEBSITES_BASE_URL', `${place.service.url}/x`)(place),
    6,
    /was made for/,
  ],
  [
    '1 if one byte of the file changed',
    ({ edit }) => edit('plan.json', '"new.example"', '"mew.example"'),
    1,
    /was edited, or damaged/,
  ],
  ['1 if the file is cut', ({ folder }) => truncate(join(folder, 'plan.json'), 300), 1, /not valid JSON/],
  [
    '1 if the file has a future version',
    ({ edit }) => edit('plan.json', 'websites.plan/1', 'websites.plan/2'),
    1,
    /websites\.plan\/2/,
  ],
  ['1 if the file is not a plan', ({ write }) => write('plan.json', '{"changes":[]}'), 1, /not a plan file/],
  [
    '6 if the secret changed',
    setEnv('SITE_PASSWORD', 'another'),
    6,
    /env:SITE_PASSWORD of secret\.example has changed since/,
  ],
  ['1 if the secret is unset', setEnv('SITE_PASSWORD', ''), 1, /SITE_PASSWORD/],
  ['1 with --prune', () => undefined, 1, /--prune \(WEBSITES_PRUNE\) cannot be used/, { flags: ' --prune' }],
];

async function planned(age: string, options: ScriptedOptions = {}): Promise<Place> {
  const key = 'the-key-that-was-used-to-plan';
  const env = { SITE_PASSWORD: SECRET, WEBSITES_MAX_AGE: age };
  const place = await setPlace(FILE, { records: RECORDS, ...options, key }, env);
  expect(await place.run('plan --out plan.json')).toMatchObject({ code: 0 });
  return place;
}

test.for(DRILLS)('apply of a saved plan exits with %s', async ([_, change, code, says, more = {}]) => {
  const { flags = '', service } = more;
  const place = await planned('24h', service);
  await change(place);
  const ended = await place.run(`apply plan.json${flags}`);
  expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code });
  if (says !== undefined) expect(ended.printed).toMatch(says);
  expect(ended.printed).not.toContain(SECRET);
  expect(place.writes().length > 0).toBe(code === 0 || flags === ' --skip-stale');
});

test('apply of a saved plan uses the service settings of its files', async () => {
  const file = `service: { favorite: favorite }\nwebsites: [{ domain: a.example, favorite: true }]\n`;
  const { service, run } = await setPlace(file, { dialect: { favorite: 'favorite' } });
  expect(await run('plan --out plan.json')).toMatchObject({ code: 0 });
  expect(await run('apply plan.json')).toMatchObject({ code: 0 });
  const post = service.requests.find(({ method }) => method === 'POST');
  expect(post?.body).toBe('domain=a.example&favorite=1');
});

test('apply of a plan from standard input needs neither standard input nor a file', async () => {
  const { run, domains } = await setPlace({});
  const input = 'websites: [a.example]\n';
  expect(await run('plan -f - --out plan.json', { input })).toMatchObject({ code: 0 });
  expect(await run('apply plan.json')).toMatchObject({ code: 0 });
  expect(domains()).toEqual(['a.example']);
});

test('a plan from standard input and a file has its journal in the working directory', async () => {
  const { folder, run } = await setPlace({ 'sites/a.yaml': 'websites: [a.example]\n' });
  const input = 'websites: [b.example]\n';
  const files = '-f - -f sites/a.yaml';
  expect(await run(`plan ${files} --out plan.json`, { input })).toMatchObject({ code: 0 });
  const created = { code: 0, stdout: expect.stringContaining('2 created') };
  expect(await run('apply plan.json')).toMatchObject(created);
  expect(await run(`runs ${files}`, { input })).toMatchObject(created);
  expect(await readdir(join(folder, 'sites'))).toEqual(['a.yaml']);
});

test('a configuration from process substitution has its state in the working directory', async () => {
  const folder = await testFolder();
  const websites = `<(printf '%s\\n' 'service: { base_url: local }' 'targets: { one: {}, two: {} }' 'websites: [a.example]')`;
  const script = [
    `"$0" "$1" plan -f ${websites} --target two --out plan.json`,
    '"$0" "$1" apply plan.json --target two',
    `"$0" "$1" apply -f ${websites} --target one --auto-approve`,
  ].join(' && ');
  const options = { cwd: folder, encoding: 'utf8', timeout: 100_000 } as const;
  const ran = spawnSync('bash', ['-c', script, process.execPath, MAIN], options);
  expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining('/dev/fd/') });
  expect(await readdir(folder)).toEqual(['.websites', 'plan.json', 'targets']);
});

test('a second apply of a saved plan exits with 6, even if its files were deleted', async () => {
  const files = {
    'sites/a.yaml': 'websites: [{ from: list.csv }]\n',
    'sites/list.csv': 'domain\na.example\n',
  };
  const { folder, run } = await setPlace(files);
  expect(await run('plan -f sites/a.yaml --out plan.json')).toMatchObject({ code: 0 });
  expect(await run('apply plan.json')).toMatchObject({ code: 0 });
  expect(await readdir(join(folder, 'sites'))).toContain('.websites');
  await rm(join(folder, 'sites/a.yaml'));
  expect(await run('apply plan.json')).toMatchObject(APPLIED_ALREADY);
});

test('a saved plan reads secrets in another directory only if WEBSITES_ALLOW_PATH allows it', async () => {
  const { service, run } = await setPlace({
    'sites/a.yaml':
      'websites: [{ domain: a.example, privacy: password, password: { file: sub/password } }]\n',
    'sites/sub/password': SECRET,
    'here/notes.txt': '',
  });
  const at = 'here';
  expect(await run('plan -f ../sites/a.yaml --out plan.json', { at })).toMatchObject({ code: 0 });
  const refused = await run('apply plan.json', { at });
  expect(refused).toMatchObject(ends(1, 'add the directory of the file to WEBSITES_ALLOW_PATH'));
  expect(service.records()).toEqual([]);
  const allowed = await run('apply plan.json', { at, env: { WEBSITES_ALLOW_PATH: '../sites' } });
  expect(allowed).toMatchObject({ code: 0, stderr: expect.not.stringContaining(SECRET) });
  expect(service.records()).toMatchObject([{ password: SECRET }]);
});

test('"runs -f DIR" finds the same journal after a file was added, and from another directory', async () => {
  const site = 'websites: [{ domain: b.example, privacy: password, password: { file: ../b/password } }]\n';
  const files = { 'sites/b/w.yaml': site, 'sites/b/password': SECRET, 'sites/a/x': '', 'here/notes': '' };
  const { run, write } = await setPlace(files);
  expect(await run('plan -f sites --out plan.json')).toMatchObject({ code: 0 });
  expect(await run('apply plan.json')).toMatchObject({ code: 0 });
  const { stdout } = await run('runs -f sites');
  expect(stdout).toContain('1 created');
  const id = /\d{8}T\d{6}\.\d+Z-\w+/.exec(stdout)?.[0] ?? 'no run';
  await write('sites/a/w.yaml', 'websites: [a.example]\n');
  expect((await run('runs -f sites')).stdout).toContain(id);
  expect(await run('apply plan.json')).toMatchObject(ends(6, 'sites/a/w.yaml is new'));
  expect((await run('runs -f ../sites', { at: 'here' })).stdout).toContain(id);
});

test('apply exits with 6 if a planned file changed, even if a parent directory has the old one', async () => {
  const names = ['a', 'b', 'c'];
  const files = names.flatMap((name) =>
    ['', 'below/'].map((folder) => [`${folder}${name}.yaml`, `websites: [${name}.example]\n`]),
  );
  const { folder, service, run, edit } = await setPlace(Object.fromEntries(files));
  const flags = names.map((name) => `-f ${name}.yaml`).join(' ');
  expect(await run(`plan ${flags} --out plan.json`, { at: 'below' })).toMatchObject({ code: 0 });
  await edit('below/a.yaml', 'a.example', 'other.example');
  await rm(join(folder, 'below/c.yaml'));
  const refused = await run('apply plan.json', { at: 'below' });
  expect(refused).toMatchObject(ends(6, 'a.yaml has changed since the plan was made.'));
  expect(service.records()).toEqual([]);
});

const ABOVE = { 'websites.yaml': KEPT, 'below/x': '' };
const OWN = { 'sites/own.yaml': KEPT, 'sites/below/x': '', 'below/x': '' };
const LIST = {
  'websites.yaml': 'prune: true\nwebsites: { from: below/list.txt }\n',
  'below/list.txt': 'kept.example\n',
  'beside/x': '',
};
const SHARED = { 'base.yaml': 'defaults: { email: false }\n', 'a/own.yaml': KEPT, 'b/x': '' };
const FOLDER = { 'sites/a.yaml': KEPT };
const TARGET = { ...FOLDER, 'websites.yaml': 'targets: { one: { files: [sites] } }\n' };

type Held = readonly [
  file: string,
  flags: string,
  from: string,
  out: string,
  to: string,
  files: Readonly<Record<string, string>>,
];

test.each<Held>([
  ['websites.yaml', '', 'below', 'plan.json', '.', ABOVE],
  ['websites.yaml', '', '.', 'plan.json', 'below', ABOVE],
  ['sites/own.yaml', ' -f sites/own.yaml', '.', 'plan.json', 'sites', OWN],
  ['sites/own.yaml', ' -f sites/own.yaml', '.', 'plan.json', 'below', OWN],
  ['sites/own.yaml', ' -f ../sites/own.yaml', 'below', 'plan.json', '.', OWN],
  ['sites/own.yaml', ' -f own.yaml', 'sites', 'sites/plan.json', '.', OWN],
  ['sites/own.yaml', ' -f own.yaml', 'sites', 'sites/plan.json', 'below', OWN],
  ['sites/own.yaml', ' -f - -f own.yaml', 'sites', 'plan.json', 'sites/below', OWN],
  ['below/list.txt', '', 'below', 'plan.json', '.', LIST],
  ['below/list.txt', '', 'below', 'plan.json', 'beside', LIST],
  ['a/own.yaml', ' -f own.yaml -f ../base.yaml', 'a', 'a/plan.json', 'b', SHARED],
  ['sites/b.yaml', ' -f sites', '.', 'plan.json', '.', FOLDER],
  ['sites/b.yaml', ' --target one', '.', 'plan.json', '.', TARGET],
  ['sites/b.yaml', ' --target one', 'sites', 'sites/plan.json', 'sites', TARGET],
])(
  'apply exits with 6 if %s changed or is new (plan%s in %s to %s, apply in %s)',
  async (file, flags, from, out, to, files) => {
    const place = await setPlace(files, { records: ['kept.example', 'other.example'] });
    const { folder, env, run, write, domains } = place;
    if (flags.includes('target')) {
      const { WEBSITES_BASE_URL: url, WEBSITES_API_KEY: key } = env;
      Object.assign(env, { WEBSITES_BASE_URL_ONE: url, WEBSITES_API_KEY_ONE: key });
      Object.assign(env, { WEBSITES_BASE_URL: '', WEBSITES_API_KEY: '' });
    }
    const saved = join(folder, out);
    const input = 'version: 1\n';
    expect(await run(`plan${flags} --out ${saved}`, { at: from, input })).toMatchObject({ code: 0 });
    const before = (files as Record<string, string>)[file];
    const line = file.endsWith('.txt') ? 'other.example\n' : '  - other.example\n';
    await write(file, `${before ?? 'websites:\n'}${line}`);
    const what = before === undefined ? 'is new' : 'has changed';
    expect(await run(`apply ${saved}`, { at: to })).toMatchObject(
      ends(6, `${file.split('/').at(-1)} ${what} since`),
    );
    expect(domains()).toHaveLength(2);
    await (before === undefined ? rm(join(folder, file)) : write(file, before));
    expect(await run(`apply ${saved}`, { at: to })).toMatchObject({ code: 0 });
    expect(domains()).toHaveLength(1);
    expect(await run(`apply ${saved}`, { at: from })).toMatchObject(APPLIED_ALREADY);
    if (files === ABOVE) expect(await readdir(join(folder, 'below'))).toEqual(['x']);
  },
);

test('apply exits with 6 if a planned directory has a new file, even in a moved checkout', async () => {
  const options = { records: ['kept.example', 'other.example'] };
  const { folder, run, write } = await setPlace({ 'old/sites/own.yaml': KEPT }, options);
  const plan = `plan -f ${join(folder, 'old/sites')} --out plan.json`;
  expect(await run(plan, { at: 'old' })).toMatchObject({ code: 0 });
  await rename(join(folder, 'old'), join(folder, 'new'));
  await write('new/sites/more.yaml', 'websites: [other.example]\n');
  const refused = await run('apply plan.json', { at: 'new' });
  expect(refused).toMatchObject(ends(6, 'sites/more.yaml is new since the plan was made.'));
});

test.each(['shown', 'left out'] as const)(
  'apply of a saved plan exits with 6 if an empty setting got a value (null fields %s)',
  async (nulls) => {
    const file = 'websites: [{ domain: a.example, email: true, exclude_params: [], favorite: false }]\n';
    const options = { dialect: { nulls }, records: [{ domain: 'a.example', email: 0 }] };
    const { service, run } = await setPlace(file, options);
    await run('plan --out plan.json');
    for (const edit of [{ exclude_params: 'ref' }, { favorited_at: '2026-01-31 09:00:00' }]) {
      service.change(1, { exclude_params: null, favorited_at: null, ...edit });
      expect(await run('apply plan.json')).toMatchObject({ code: 6 });
      expect(service.records()).toMatchObject([{ email: 0, ...edit }]);
    }
  },
);

test('apply of a saved plan exits with 6 after its maximum age', async () => {
  const { run, writes } = await planned('1s');
  await new Promise((done) => setTimeout(done, 2100));
  expect(await run('apply plan.json')).toMatchObject(ends(6, 'The plan expired at'));
  expect(writes()).toEqual([]);
});

test('apply of a saved plan makes its changes once, and exits with 6 the second time', async () => {
  const { run, domains, recordOf, writes } = await planned('24h');
  const first = await run('apply plan.json --format json');
  expect(first).toMatchObject({ code: 0 });
  const result = JSON.parse(first.stdout) as Result;
  expect(result).toMatchObject({ converged: true, summary: { created: 2, updated: 1, deleted: 1 } });
  expect(domains()).toEqual(['changed.example', 'other.example', 'new.example', 'secret.example']);
  expect(recordOf('secret.example')?.password).toBe(SECRET);
  const sent = writes();
  expect(await run('apply plan.json')).toMatchObject(APPLIED_ALREADY);
  expect(writes()).toEqual(sent);
});

test('apply --allow-deletes approves a saved plan that a guard blocked, if N suffices', async () => {
  const names = Array.from({ length: 5 }, (_, index) => `a${index}.example`);
  const { run, domains, writes } = await setPlace(KEPT, { records: ['kept.example', ...names] });
  expect(await run('plan --out plan.json')).toMatchObject({ code: 5 });
  expect(await run('apply plan.json')).toMatchObject({ code: 5 });
  expect(await run('apply plan.json --allow-deletes 4')).toMatchObject({ code: 5 });
  expect(writes()).toEqual([]);
  expect(await run('apply plan.json --allow-deletes 5')).toMatchObject({ code: 0 });
  expect(domains()).toEqual(['kept.example']);
});

test('apply of a saved plan without changes prints that there is nothing to apply', async () => {
  const { folder, run } = await setPlace(KEPT, { records: ['kept.example'] });
  await run('plan --out plan.json');
  const stdout = 'Nothing to apply. 1 website matches the configuration.\n';
  expect(await run('apply plan.json')).toMatchObject({ code: 0, stdout, stderr: '' });
  const GITHUB_STEP_SUMMARY = join(folder, 'summary.md');
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY };
  expect(await run('apply plan.json', { env })).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(GITHUB_STEP_SUMMARY, 'utf8')).toContain('## Websites: nothing to apply');
  const events = await run('apply plan.json --format ndjson');
  for (const line of events.stdout.trimEnd().split('\n')) JSON.parse(line);
});

test.for(['human', 'json', 'markdown', 'diff', 'html', 'gitlab'])(
  'show --format %s prints a saved plan',
  async (format) => {
    const { folder, run } = await planned('24h');
    const { code, stdout, stderr } = await run(`show plan.json --format ${format}`);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/(?:^|\n)Made at .*\. Expires at .*\nSeal not checked: .*\n$/),
    ]);
    if (format === 'gitlab') return expect(JSON.parse(stdout)).toEqual({ create: 2, update: 1, delete: 1 });
    for (const domain of ['new.example', 'changed.example', 'gone.example']) expect(stdout).toContain(domain);
    if (format === 'json') expect(stdout).toBe(await readFile(join(folder, 'plan.json'), 'utf8'));
  },
);

test('apply exits with 6 if a password differs from the one that the plan approved', async () => {
  const file = `websites:\n  - a.example\n  - { domain: b.example, privacy: password, password: { env: SITE_PASSWORD } }\n`;
  const { service, run } = await setPlace(file, {}, { SITE_PASSWORD: SECRET });
  await run('plan --out plan.json');
  service.faults = ({ method }) =>
    method === 'POST' ? { kind: 'status', status: 403, when: 'before' } : undefined;
  expect(await run('apply plan.json --parallelism 1')).toMatchObject({ code: 4 });
  service.faults = undefined;
  const other = await run('apply plan.json', { env: { SITE_PASSWORD: 'another-password-2' } });
  expect(other).toMatchObject(ends(6, /SITE_PASSWORD of b\.example has changed since/));
  expect(service.records()).toEqual([]);
  expect(await run('apply plan.json')).toMatchObject({ code: 0 });
  expect(service.records()).toHaveLength(2);
  const again = await run('apply plan.json');
  expect(again).toMatchObject(ends(6, /applied already[\s\S]*Nothing was changed\. Plan again\./));
});

test('apply and show exit with 1 and a remedy if the plan file is too large', async () => {
  const folder = await testFolder({ 'plan.json': '' });
  await truncate(join(folder, 'plan.json'), 3 * 2 ** 30);
  const words =
    /^Error: The plan plan\.json cannot be read: it is larger than 500 MB\.\n {2}help: .*--group NAME/;
  for (const command of ['apply', 'show']) {
    const refused = await runBuilt([command, 'plan.json'], { cwd: folder });
    expect(refused).toMatchObject({ ...ends(1, words), stdout: '' });
  }
});

test('apply exits with 6 if a changed variable now declares a domain that the plan deletes', async () => {
  const file = `prune: true\nwebsites: [kept.example, "\${SITE}.example"]\n`;
  const options = { records: ['kept.example', 'old.example'] };
  const { run, domains } = await setPlace(file, options, { SITE: 'new' });
  expect(await run('plan --out plan.json')).toMatchObject({ code: 0 });
  const refused = await run('apply plan.json', { env: { SITE: 'old' } });
  expect(refused).toMatchObject(ends(6, 'The plan deletes old.example, but'));
  expect(domains()).toHaveLength(2);
  expect(await run('apply plan.json')).toMatchObject({ code: 0 });
});
