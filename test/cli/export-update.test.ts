import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import { expect, test } from 'vitest';
import { type Files, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { git } from '../support/scratch-repo.ts';
import { type ScriptedOptions, scripted } from '../support/scripted-service.ts';

type Records = NonNullable<ScriptedOptions['records']>;

async function setUp(files: Files, records: Records) {
  const folder = await testFolder(files);
  const service = await scripted({ records });
  const run = (line: string, env = {}) => runInProcess(line.split(' '), folder, { ...service.env, ...env });
  const read = (name = 'websites.yaml'): Promise<string> => readFile(join(folder, name), 'utf8');
  return { folder, service, run, read };
}

const UPDATE = 'export --into websites.yaml --update';

const LISTS = {
  'list.csv': 'domain;privacy;email\r\nf.example;private;\r\n',
  'list.ndjson': '{"domain":"g.example","email":true}\n"h.example"\n',
};

test('export --update writes changed values in place, or on the record if they are inherited', async () => {
  const { run, read } = await setUp(
    {
      'websites.yaml': `# Ours
x-ips: &ips [192.0.2.1]
x-base: &base { email: true }
defaults: { privacy: private }
websites:
  - a.example   # plain
  - domain: b.example
    privacy: 'private'   # why
    exclude_params:
      - x   # keeps
      - y   # goes
  - { domain: c.example, exclude_ips: *ips }   # flow
  - <<: *base
    domain: d.example
  - group: g
    defaults: { exclude_bots: true }
    websites: [e.example]
  - from: list.csv
  - from: list.ndjson
`,
      ...LISTS,
    },
    [
      { domain: 'a.example', privacy: 0 },
      { domain: 'b.example', privacy: 0, exclude_params: `x\nz$\{q}` },
      { domain: 'c.example', privacy: 1, exclude_ips: '10.0.0.0/8' },
      { domain: 'd.example', privacy: 1, email: 0 },
      { domain: 'e.example', privacy: 1, exclude_bots: 0 },
      { domain: 'f.example', privacy: 0, email: 1 },
      { domain: 'g.example', privacy: 1, email: 0 },
      { domain: 'h.example', privacy: 0 },
      'orphan.example',
    ],
  );
  const before = await read();
  const checked = await run(`${UPDATE} --check`);
  expect(checked).toMatchObject({ code: 2, stderr: expect.stringContaining('Would update 5 websites') });
  expect(await read()).toBe(before);
  const updated = await run(UPDATE);
  expect(updated).toMatchObject({ code: 0, stdout: '' });
  expect(updated.stderr).toContain('b.example: privacy, exclude_params (websites.yaml:7)');
  expect(updated.stderr).toContain('Updated 5 websites in websites.yaml.');
  expect(await read()).toBe(`# Ours
x-ips: &ips [192.0.2.1]
x-base: &base { email: true }
defaults: { privacy: private }
websites:
  - domain: a.example   # plain
    privacy: public
  - domain: b.example
    privacy: public   # why
    exclude_params:
      - x   # keeps
      - "z$\${q}"
  - { domain: c.example, exclude_ips: [10.0.0.0/8] }   # flow
  - <<: *base
    domain: d.example
    email: false
  - group: g
    defaults: { exclude_bots: true }
    websites: [{ domain: e.example, exclude_bots: false }]
  - from: list.csv
  - from: list.ndjson
`);
  for (const [name, text] of Object.entries(LISTS)) expect(await read(name)).toBe(text);
  for (const said of [
    'f.example: privacy is not written into list.csv: the service has privacy: public (list.csv:2)',
    'g.example: email is not written into list.ndjson: the service has email: false (list.ndjson:1)',
    'h.example: privacy is not written into list.ndjson: the service has privacy: public (list.ndjson:2)',
  ])
    expect(updated.stderr).toContain(said);
  expect(applyPatch(before, checked.stdout)).toBe(await read());
  expect(await run(`${UPDATE} --check`)).toMatchObject({ code: 0, stdout: '' });
  expect(await run(UPDATE)).toMatchObject({
    stderr: expect.stringContaining('Nothing to update in websites.yaml.'),
  });
});

test('export --update names the drift that it cannot write into a file', async () => {
  const secret = 'literal-secret-4711';
  const files = {
    'websites.yaml': `x-record: &record { domain: alias.example, email: true }
x-first: &first true
websites:
  - { domain: variable.example, privacy: "\${PRIVACY:-private}" }
  - { domain: absent.example, state: absent }
  - *record
  - { domain: anchor.example, email: &email true }
  - { domain: uses.example, email: *email }
  - domain: password.example
    privacy: password
    password: ${secret}
  - { domain: lost.example, privacy: password, password: { env: LOST } }
  - { from: list.txt }
  - { from: list.csv }
`,
    'list.txt': 'text.example\n',
    'list.csv': 'domain,email\ncsv.example,true\n',
    'other.yaml': 'websites: [{ domain: other.example, email: true }]\ndefaults: { privacy: private }\n',
  };
  const { run, read } = await setUp(files, [
    { domain: 'variable.example', privacy: 0 },
    'absent.example',
    { domain: 'alias.example', privacy: 1 },
    { domain: 'anchor.example', privacy: 1 },
    { domain: 'uses.example', privacy: 1, email: 1 },
    { domain: 'password.example', privacy: 0, password: 'old' },
    { domain: 'lost.example', privacy: 2, password: null },
    { domain: 'text.example', privacy: 0 },
    { domain: 'csv.example', privacy: 0, email: 1 },
    { domain: 'other.example', privacy: 1 },
  ]);
  const { code, stdout, stderr } = await run(`${UPDATE} --check -f other.yaml`, { LOST: 'lost-secret' });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  const named = [
    ...stderr.matchAll(/^ {2}(\w+)\.example: (?:(\w+) (?:cannot|is written|is not written)|is declared)/gm),
  ];
  expect(named.map(([, name, field]) => [name, field])).toEqual([
    ['variable', 'privacy'],
    ['absent', undefined],
    ['alias', 'email'],
    ['anchor', 'email'],
    ['password', 'privacy'],
    ['lost', 'password'],
    ['text', 'privacy'],
    ['csv', 'privacy'],
  ]);
  expect(stderr).toContain('In other files. Update each with --into:\n  other.yaml: other.example\n');
  expect(await run(`${UPDATE} -f other.yaml`)).toMatchObject({ code: 0 });
  for (const [name, text] of Object.entries(files)) expect(await read(name)).toBe(text);
});

test('export --update shows no secret in its diff, and keeps a plain-text password in the file', async () => {
  const secret = 'literal-secret-4711';
  const yaml = `websites:
  - { domain: a.example, email: true }
  - { domain: b.example, privacy: password, password: ${secret}, email: true }
`;
  const { run, read } = await setUp({ 'websites.yaml': yaml }, [
    'a.example',
    { domain: 'b.example', privacy: 2, password: secret },
  ]);
  const { code, stdout, stderr } = await run(`${UPDATE} --check`);
  expect(code).toBe(2);
  expect(stdout).toContain('+  - { domain: a.example, email: false }');
  expect(stdout + stderr).not.toContain(secret);
  expect(await run(UPDATE)).toMatchObject({ code: 0 });
  expect(await read()).toBe(yaml.replaceAll('email: true', 'email: false'));
});

test('export --update writes only drift with --since, and only matching domains with --domain', async () => {
  const yaml = (email: boolean) => `websites:
  - { domain: a.example, privacy: private, email: ${email}, exclude_bots: true }
  - { domain: b.example, privacy: private }
`;
  const { folder, run, read } = await setUp({ 'websites.yaml': yaml(false) }, [
    { domain: 'a.example', privacy: 1, email: 0, exclude_bots: 0 },
    { domain: 'b.example', privacy: 0 },
  ]);
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'First');
  await writeFile(join(folder, 'websites.yaml'), yaml(true));
  const narrowed = await run(`${UPDATE} --since HEAD --domain a.example`);
  expect(narrowed).toMatchObject({ code: 0, stderr: expect.stringContaining('Updated 1 website') });
  expect(await read()).toBe(yaml(true).replace('exclude_bots: true', 'exclude_bots: false'));
  expect(await run(`${UPDATE} --since HEAD`)).toMatchObject({ code: 0 });
  expect(await read()).toContain('{ domain: b.example, privacy: public }');
  expect(await read()).toContain('email: true');
});

test('export --update names a value whose edit would break the YAML, and writes the others', async () => {
  // The edit would find the colon of the next website.
  const yaml = (email: boolean) =>
    `websites:\n  - domain: a.example\n    email: ${email}\n  - { domain: b.example, exclude_params }\n  - domain: c.example\n`;
  const { run, read } = await setUp({ 'websites.yaml': yaml(true) }, [
    'a.example',
    { domain: 'b.example', exclude_params: 'x' },
    'c.example',
  ]);
  const { code, stderr } = await run(UPDATE);
  expect(code).toBe(0);
  expect(stderr).toContain(
    'Not updated. Edit these in the file:\n  b.example: exclude_params cannot be written',
  );
  expect(await read()).toBe(yaml(false));
});

test.each([
  ['export --update', 'usage'],
  ['export --check', 'usage'],
  ['export --since HEAD', 'usage'],
  [`${UPDATE} --out x.yaml`, 'usage'],
  [`${UPDATE} --format csv`, 'usage'],
  [`${UPDATE} --into list.csv`, 'usage'],
  ['export --into nowhere.yaml --update', 'config-missing'],
  ['export --into list.csv --update -f list.csv', 'config-invalid'],
  ['export --into . --update', 'file-failed'],
  ['export --into link.yaml --update', 'file-failed'],
  [`${UPDATE} --domain a,b`, 'usage'],
  [`${UPDATE} --since nowhere`, 'revision-missing'],
])('"%s" exits with 1 and names an error code', async (line, code) => {
  const { folder, run } = await setUp(
    { 'websites.yaml': 'websites: [a.example]\n', 'list.csv': 'domain\na.example\n' },
    [],
  );
  await symlink('/etc/hostname', join(folder, 'link.yaml'));
  const { code: exit, stdout, stderr } = await run(line);
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
  expect(stderr).toContain(`websites explain ${code}`);
});

test('export --domain omits other domains, with and without --into', async () => {
  const { run } = await setUp({ 'websites.yaml': 'websites: []\n' }, ['a.example', 'b.example']);
  expect((await run('export --domain b.example')).stdout).not.toContain('a.example');
  expect((await run('export --into websites.yaml --domain b.example')).stderr).toContain('Added 1 website');
});
