import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyPatch } from 'diff';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ending, refusal, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { startTestService } from '../support/service.ts';

const run = (line: string, cwd: string, env = {}, input?: string) =>
  runInProcess(line.split(' '), cwd, env, input);

const textOf = (folder: string, name = 'websites.yaml'): Promise<string> =>
  readFile(join(folder, name), 'utf8');

const KEPT = `# Ours.
service: { base_url: local }   # for now
defaults:
    privacy: 'private'

websites:
    - example.com     # the first
    -   domain: shop.example.com
        email: true

    # - old.example.com

# The end.
prune: false
`;

test('import creates websites.yaml if it does not exist', async () => {
  const folder = await testFolder({ 'list.txt': 'B.example\na.example\n' });
  expect(await run('import list.txt', folder)).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'Added 2 websites to websites.yaml.\nNext: set service.base_url in websites.yaml, or WEBSITES_BASE_URL, then: websites plan\n',
  });
  expect(await textOf(folder)).toBe('version: 1\n\nwebsites:\n  - b.example\n  - a.example\n');
  expect(await run('validate', folder)).toMatchObject({ code: 0, stderr: '' });
});

test('import without --into adds to the nearest websites.yaml in this directory or a parent', async () => {
  const folder = await testFolder({ 'websites.yaml': 'websites:\n  - a.example\n' });
  const below = join(folder, 'lists/new');
  await mkdir(below, { recursive: true });
  await writeFile(join(below, 'list.txt'), 'a.example\nb.example\n');
  expect(await run('import list.txt', below)).toEqual({
    code: 0,
    stdout: '',
    stderr: `Skipped 1 line: 1 already declared.

Already declared:
  list.txt:1: a.example: already declared in ../../websites.yaml:2

Added 1 website to ../../websites.yaml.
Next: set service.base_url in ../../websites.yaml, or WEBSITES_BASE_URL, then: websites plan
`,
  });
  expect(await textOf(folder)).toBe('websites:\n  - a.example\n  - b.example\n');
  expect(await run('import list.txt --into websites.yaml', below)).toMatchObject({
    stderr: expect.stringContaining('Added 2 websites to websites.yaml.\n'),
  });
});

test('import adds records to a file, and changes nothing else in it', async () => {
  const list = 'domain,privacy,email\nnew.example,,1\nexample.com,public,\nplain.example,private,\n';
  const folder = await testFolder({ 'websites.yaml': KEPT, 'list.csv': list });
  expect((await run('import list.csv --into websites.yaml', folder)).stderr).toBe(
    `Skipped 1 line: 1 already declared.

Already declared:
  list.csv:3: example.com: already declared in websites.yaml:7

Added 2 websites to websites.yaml.
Next: websites plan
`,
  );
  const added = '    - domain: new.example\n      email: true\n    - plain.example\n';
  const [before, after] = KEPT.split('\n    # - old');
  expect(await textOf(folder)).toBe(`${before}${added}\n    # - old${after}`);
  expect(await run('import list.csv', folder)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^Skipped 3 lines: 3 already declared\.\n.*\nNothing to add to websites\.yaml\.\nNext: websites plan\n$/s,
    ),
  });
});

test('import keeps the byte order mark, line ends, permissions and link of its file', async () => {
  const folder = await testFolder({ 'list.txt': 'b.example\n' });
  const path = join(folder, 'real.yaml');
  await writeFile(path, '\ufeffwebsites:\r\n- a.example\r\n');
  await chmod(path, 0o640);
  await symlink('real.yaml', join(folder, 'websites.yaml'));
  expect((await run('import list.txt', folder)).code).toBe(0);
  expect(await textOf(folder, 'real.yaml')).toBe('\ufeffwebsites:\r\n- a.example\r\n- b.example\r\n');
  expect((await stat(path)).mode & 0o777).toBe(0o640);
  expect((await readdir(folder)).sort()).toEqual(['list.txt', 'real.yaml', 'websites.yaml']);
});

test('import through a link creates the missing file at its target, and keeps the link', async () => {
  const folder = await testFolder({ 'list.txt': 'a.example\n' });
  await mkdir(join(folder, 'real'));
  await symlink('../made.yaml', join(folder, 'real/next.yaml'));
  await symlink('real', join(folder, 'there'));
  await symlink('there/next.yaml', join(folder, 'websites.yaml'));
  expect(await run('import list.txt', folder)).toMatchObject({ code: 0 });
  expect(await readlink(join(folder, 'websites.yaml'))).toBe('there/next.yaml');
  expect(await readlink(join(folder, 'real/next.yaml'))).toBe('../made.yaml');
  expect(await textOf(folder, 'made.yaml')).toContain('- a.example\n');
});

test.each([
  ['websites: { from: list.txt }\n', 'Records cannot be added to websites.yaml'],
  ['websites: [a.example, a.example]\n', 'declared twice'],
  ['nonsense: 1\n', 'unknown key nonsense'],
  ['', 'the file is empty'],
])('import exits with 1 and leaves an unsuitable file unchanged: %j', async (text, said) => {
  const folder = await testFolder({ 'websites.yaml': text, 'list.txt': 'b.example\n' });
  expect(await run('import list.txt', folder)).toMatchObject(refusal(1, said));
  expect(await textOf(folder)).toBe(text);
});

test('import prints the plan command for the file that it wrote', async () => {
  const folder = await testFolder({
    'list.txt': 'a.example\n',
    'main.yaml': 'service: { base_url: local }\nwebsites: [b.example]\n',
  });
  const nextOf = async (line: string, env = {}) =>
    (await run(`import list.txt${line}`, folder, env)).stderr.split('\n').at(-2);
  expect(await nextOf(' --into more.yaml -f main.yaml')).toBe(
    'Next: websites plan -f more.yaml -f main.yaml',
  );
  expect(await nextOf(' --into main.yaml')).toBe('Next: websites plan -f main.yaml');
  expect(await nextOf('', { WEBSITES_BASE_URL: 'local' })).toBe('Next: websites plan');
  const [, command = ''] = /then: websites (.*)\n/.exec((await run('import list.txt', folder)).stderr) ?? [];
  expect(await run(command, folder, { WEBSITES_BASE_URL: 'local' })).toMatchObject({ code: 0 });
});

test('import --into accepts the file in WEBSITES_FILE, before and after it exists', async () => {
  const folder = await testFolder({ 'list.txt': 'a.example\n' });
  const env = { WEBSITES_FILE: './sites.yaml' };
  for (const said of ['Added 1 website to sites.yaml.', 'Nothing to add to sites.yaml.']) {
    expect(await run('import list.txt --into sites.yaml', folder, env)).toMatchObject(ending(0, said));
  }
});

test('import --into skips domains that another file passed with -f declares or ignores', async () => {
  const folder = await testFolder({
    'main.yaml': 'ignore: ["*.internal.example"]\nwebsites: [a.example]\n',
    'list.txt': 'a.example\nx.internal.example\nb.example\n',
  });
  const { stderr } = await run('import list.txt --into more.yaml -f main.yaml', folder);
  expect(stderr).toContain('already declared in main.yaml:2');
  expect(stderr).toContain('x.internal.example: covered by a pattern under "ignore"');
  expect(await textOf(folder, 'more.yaml')).toBe('version: 1\n\nwebsites:\n  - b.example\n');
  expect(await run('validate -f main.yaml -f more.yaml', folder)).toMatchObject({ code: 0 });
});

test('import warns about a directory without YAML files, and continues', async () => {
  const files = { 'list.txt': 'b.example\n', 'websites.yaml': 'websites: [a.example]\n', 'typo/.keep': '' };
  const folder = await testFolder(files);
  expect(await run('import list.txt -f typo', folder)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^warning: no YAML file in typo\n.*Added 1 website/s),
  });
});

test('import --target exits with 1 and writes nothing if no file declares the target', async () => {
  const files = { 'list.txt': 'b.example\n' };
  for (const folder of [await testFolder(files), await testFolder({ ...files, 'websites.yaml': KEPT })]) {
    const before = await readdir(folder);
    const { code, stderr } = await run('import list.txt --target two', folder);
    expect({ code, stderr }).toMatchObject(ending(1, 'Unknown target: "two"'));
    expect(await readdir(folder)).toEqual(before);
  }
});

const files = {
  'websites.yaml':
    'targets:\n  s: { base_url: local }\n  p: { base_url: local, files: [p.yaml] }\nwebsites: []\n',
  'p.yaml': 'websites: [a.example]\n',
  'list.txt': 'a.example\nb.example\n',
};

test('import exits with 1 and asks for --target if the files declare targets', async () => {
  const refused = await run('import list.txt', await testFolder(files));
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Pass --target ') });
});

test.each([
  ['s', 'Added 2 websites'],
  ['p', 'Added 1 website '],
])('import --target %s skips only domains that this target declares', async (target, said) => {
  const folder = await testFolder(files);
  const { code, stderr } = await run(`import list.txt --target ${target}`, folder);
  expect([code, stderr]).toEqual([0, expect.stringContaining(said)]);
  expect(await textOf(folder)).toContain('- b.example\n');
});

const LIST = 'domain,privacy,exclude_params\na.example,,\nb.example,public,null\n';

test('import --default writes the settings as defaults of a new file', async () => {
  const folder = await testFolder({ 'list.csv': LIST });
  await run('import list.csv --default privacy=1 --default exclude_bots=TRUE', folder);
  expect(await textOf(folder)).toBe(`version: 1

defaults:
  privacy: private
  exclude_bots: true

websites:
  - a.example
  - domain: b.example
    privacy: public
    exclude_params: []
`);
  expect(await run('validate', folder)).toMatchObject({ code: 0, stderr: '' });
});

test('import --default writes the settings on each record if the file has other defaults', async () => {
  const folder = await testFolder({
    'list.csv': LIST,
    'websites.yaml': 'defaults: { privacy: public, email: true }\nwebsites: [x.example]\n',
  });
  await run('import list.csv --default privacy=1 --default email=1', folder);
  expect(await textOf(folder)).toBe(
    'defaults: { privacy: public, email: true }\nwebsites: [{ domain: a.example, privacy: private },\n' +
      '    { domain: b.example, exclude_params: [] },\n    x.example]\n',
  );
});

test.each([
  ['favorite: true', '2026-01-31', 'favorited_at: 2026-01-31T00:00:00Z'],
  ['favorited_at: 2026-01-31T00:00:00Z', 'true', 'favorite: true'],
])('with the default "%s", import writes the cell "%s" as "%s"', async (common, cell, written) => {
  const column = cell === 'true' ? 'favorite' : 'favorited_at';
  const folder = await testFolder({
    'list.csv': `domain,${column}\na.example,${cell}\nb.example,\n`,
    'websites.yaml': `defaults: { ${common} }\nwebsites: []\n`,
  });
  expect(await run('import list.csv', folder)).toMatchObject({ code: 0 });
  expect(await textOf(folder)).toBe(
    `defaults: { ${common} }\nwebsites:\n  - domain: a.example\n    ${written}\n  - b.example\n`,
  );
});

test('import --default writes the settings on each record if another file has defaults', async () => {
  const main = 'defaults: { email: true }\nwebsites: [{ domain: old.example, privacy: private }]\n';
  const folder = await testFolder({ 'main.yaml': main, 'list.csv': LIST });
  const line = 'import list.csv --into more.yaml -f main.yaml --default privacy=public --default email=0';
  expect(await run(line, folder)).toMatchObject({ code: 0 });
  expect(await textOf(folder, 'more.yaml')).toBe(`version: 1

websites:
  - domain: a.example
    privacy: public
    email: false
  - domain: b.example
    privacy: public
    email: false
    exclude_params: []
`);
  expect(await run('validate -f main.yaml -f more.yaml', folder)).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  ['--default privacy=secret', 'privacy must be public, private, password'],
  ['--default privcy=1', 'Did you mean privacy?'],
  ['--default privacy', '--default needs NAME=VALUE'],
  ['--default password=hunter2', '--default: password is stored in plain text'],
  ['--default privacy=1 --default privacy=2', '--default privacy is given twice.'],
  ['--map Shown=privacy --map shown=email', '--map shown is given twice.'],
  ['--map privacy=domian', 'Unknown key for --map: "domian"'],
  ['--map nowhere=privacy', 'No list has the column "nowhere"'],
])('"import list.csv %s" exits with 1 and writes nothing', async (flags, said) => {
  const folder = await testFolder({ 'list.csv': LIST });
  const refused = await run(`import list.csv ${flags}`, folder);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(said) });
  expect(refused.stderr).not.toContain('hunter2');
  expect(await readdir(folder)).toEqual(['list.csv']);
});

describe('import reports what it skips and writes', () => {
  const LIST = 'a.example\nA.example\nco.uk\n';

  test('import --check prints the report and the diff, and writes nothing', async () => {
    const folder = await testFolder({ 'list.txt': LIST });
    expect(await run('import list.txt --check', folder)).toEqual({
      code: 0,
      stdout: `--- /dev/null
+++ websites.yaml
@@ -0,0 +1,4 @@
+version: 1
+
+websites:
+  - a.example
`,
      stderr: `Skipped 2 lines: 1 public suffix alone, 1 duplicate.

Public suffix alone:
  list.txt:3: co.uk: only a public suffix, not a registered domain

Duplicate:
  list.txt:2: a.example: duplicate of line 1

Would add 1 website to websites.yaml.
`,
    });
    expect(await readdir(folder)).toEqual(['list.txt']);
  });

  test('import --check prints exactly the diff that import then applies', async () => {
    const list = 'domain,email\nnew.example,1\n';
    const folder = await testFolder({ 'websites.yaml': KEPT, 'list.csv': list });
    const { stdout } = await run('import list.csv --check', folder);
    expect(await textOf(folder)).toBe(KEPT);
    await run('import list.csv', folder);
    expect(applyPatch(KEPT, stdout)).toBe(await textOf(folder));
    expect(stdout).toContain('     email: true\n');
    expect((await run('import list.csv --check', folder)).stdout).toBe('');
    expect((await run('import list.csv --check --format json', folder)).stdout).toMatch(/^\{/);
  });

  test.each([
    [
      'between brackets',
      'websites: [{ domain: b.example, privacy: password, password: hunter2 },\n  { domain: c.example, privacy: password, password: hunter3 }]\n',
    ],
    ['on its own line', 'websites:\n  - domain: b.example\n    privacy: password\n    password: hunter2\n'],
    [
      'over several lines',
      'websites:\n  - domain: b.example\n    privacy: password\n    password: >-\n      hunter2\n      hunter3\n',
    ],
  ])('import --check hides a password in the file that is written %s', async (_, yaml) => {
    const folder = await testFolder({ 'list.txt': 'a.example\n', 'websites.yaml': yaml });
    const { code, stdout, stderr } = await run('import list.txt --check', folder);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\+.*a\.example/m);
    expect(stdout).toContain('(sensitive)');
    expect(stdout + stderr).not.toContain('hunter');
  });

  test('import --strict exits with 1 if a line is skipped, and writes nothing', async () => {
    const folder = await testFolder({ 'list.txt': LIST, 'good.txt': 'b.example\n' });
    for (const check of ['', ' --check']) {
      expect(await run(`import list.txt --strict${check}`, folder)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/Would add 1 website to websites\.yaml\.\nNothing was written/),
      });
    }
    expect((await readdir(folder)).sort()).toEqual(['good.txt', 'list.txt']);
    expect(await run('import good.txt --strict', folder)).toMatchObject({ code: 0 });
    expect(await textOf(folder)).toContain('- b.example\n');
  });

  test('import --format json prints the report as JSON on standard output', async () => {
    const folder = await testFolder({ 'list.txt': LIST, 'more.csv': 'site,owner\nb.example,me\n' });
    const { code, stdout, stderr } = await run('import list.txt more.csv --format json', folder);
    const place = (line: number) => ({ file: 'list.txt', line, column: 1 });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({
      format: 'websites.import/1',
      into: 'websites.yaml',
      written: true,
      refused: false,
      added: 2,
      skipped: [
        { place: place(2), reason: 'duplicate', subject: 'a.example', message: expect.any(String) },
        { place: place(3), reason: 'public_suffix', subject: 'co.uk', message: expect.any(String) },
      ],
      readings: [
        { file: 'list.txt', taken: [], misnamed: [], unknown: [] },
        {
          file: 'more.csv',
          taken: [{ column: 'site', key: 'domain' }],
          ...{ misnamed: [], unknown: ['owner'] },
        },
      ],
      next: 'websites plan',
      unset: expect.stringContaining('service.base_url'),
    });
  });

  test('import names the columns that it read, and --map can skip them', async () => {
    const folder = await testFolder({
      'registrar.csv': 'Domain,Privacy,State\na.example,On,CA\nb.example,1,present\nc.example,Off,\n',
    });
    const skipped = await run('import registrar.csv --check', folder);
    expect(skipped).toMatchObject({ code: 0 });
    expect(skipped.stderr).toBe(`Skipped 2 lines: 2 not valid.

Not valid:
  registrar.csv:2: a.example: State "CA" must be present or absent
  registrar.csv:4: c.example: Privacy "Off" must be public, private, password or a number (0, 1, 2)

registrar.csv:
  read "Domain" as domain, "Privacy" as privacy, "State" as state. To read another column, add --map "COLUMN=KEY". To skip one, add --map "COLUMN=".

Would add 1 website to websites.yaml.
`);
    expect(await run('import registrar.csv --map Privacy= --map State=', folder)).toMatchObject(
      refusal(0, '\nAdded 3 websites to websites.yaml.\n'),
    );
    expect(await textOf(folder)).toContain('websites:\n  - a.example\n  - b.example\n  - c.example\n');
  });

  test('import reports the key of each column, and ignores columns with only unusable values', async () => {
    const folder = await testFolder({
      'export.csv': 'Domain Name;Status;State;Privacy\na.example;Active;CA;On\nb.example;Active;;Off\n',
    });
    expect((await run('import export.csv --check', folder)).stderr).toBe(`export.csv:
  ignored columns: Status, State, Privacy
  ignored State ("CA" 1 ×): state must be present or absent. To read the column anyway, add --map 'State=state'.
  ignored Privacy ("On" 1 ×, "Off" 1 ×): privacy must be public, private, password or a number (0, 1, 2). To read the column anyway, add --map 'Privacy=privacy'.
  read "Domain Name" as domain. To read another column, add --map "COLUMN=KEY". To skip one, add --map "COLUMN=".

Would add 2 websites to websites.yaml.
`);
    const forced = await run('import export.csv --map Privacy=privacy --check', folder);
    expect(forced.stderr).toContain('Skipped 2 lines: 2 not valid.');
  });

  test('import reports which list of a JSON object it reads, and --map chooses another', async () => {
    const folder = await testFolder({
      'one.json': '{"result":[{"name":"a.example"}],"success":true,"errors":[]}',
      'two.json': '{"Data":{"Domains":[{"fqdn":"b.example"}],"Old":["c.example"]}}',
    });
    const one = await run('import one.json --check', folder);
    expect(one.stderr).toContain('one.json:\n  read the list result\n  read "name" as domain. To');
    const two = await run('import two.json', folder);
    expect(two).toMatchObject({ code: 1, stderr: expect.stringContaining('"Data.Domains", "Data.Old"') });
    await run('import two.json --map Data.Domains=domain', folder);
    expect(await textOf(folder)).toMatch(/websites:\n {2}- b\.example\n$/);
  });

  test('the import report lists invalid lines before lines that are already declared', async () => {
    const known = Array.from({ length: 60 }, (_, index) => `s${index}.example`);
    const folder = await testFolder({
      'websites.yaml': `version: 1\nwebsites: ${JSON.stringify(known)}\n`,
      'list.txt': [...known, 'no domain', ''].join('\n'),
    });
    const { stderr } = await run('import list.txt', folder);
    expect(stderr).toMatch(
      /^Skipped 61 lines: .*\n\nNot a domain:\n {2}list\.txt:61: "no domain": .*\n\nAlready declared:\n {2}list\.txt:1: s0\.example: already declared in websites\.yaml/,
    );
    expect(stderr).toContain('… and 40 more lines\n');
  });

  test('the import report groups equal lines, shows twenty per reason, and counts the others', async () => {
    const others = Array.from({ length: 30 }, (_, index) => `no domain ${index}\n`);
    const list = 'no domain\n'.repeat(80) + others.join('');
    const folder = await testFolder({ 'list.txt': list });
    const { code, stderr } = await run('import list.txt', folder);
    expect(stderr).toMatch(/^ {2}80 × "no domain": .*, first in list\.txt:1$/m);
    expect(stderr.split('\n').filter((line) => line.startsWith('  list.txt:'))).toHaveLength(19);
    expect(stderr).toContain('… and 11 more lines\n\nNothing to add to websites.yaml.\n');
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('Next:')]);
    expect(await readdir(folder)).toEqual(['list.txt']);
  });

  test('the import report escapes control characters, and contains no password', async () => {
    const folder = await testFolder({
      'list.csv': 'domain,privacy,password,\u001b[31m\na\u001b[2J\u202eb,1,,x\nc.example,2,hunter2,\n',
    });
    const { stderr } = await run('import list.csv', folder);
    expect(stderr).not.toContain('hunter2');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  });
});

test.each([
  ['import', '"websites import" needs LIST…'],
  ['import nowhere.txt', 'nowhere.txt cannot be read: file not found'],
  ['import list.xlsx', 'Export the sheet as CSV'],
  ['import list.txt list.doc', '--from-format'],
  ['import list.json', 'list.json:1:1'],
  ['import list.txt --into -', '--into cannot be'],
  ['export --into -', '--into cannot be'],
  ['export --out -', '--out cannot be'],
  ['plan --out -', '--out cannot be'],
  ['init --out -', '--out cannot be'],
])('"%s" exits with 1 and writes nothing', async (line, said) => {
  const folder = await testFolder({ 'list.txt': 'a.example\n', 'list.xlsx': '', 'list.json': '{}' });
  expect(await run(line, folder)).toMatchObject(refusal(1, said));
  expect(await readdir(folder)).toHaveLength(3);
});

test('import reads a list from standard input', async () => {
  const folder = await testFolder();
  expect(
    (await run('import - --from-format ndjson', folder, {}, '{"url":"https://a.example/","privacy":0}\n'))
      .stderr,
  ).toContain('Added 1 website to websites.yaml.\n');
  expect((await run('import -', folder, {}, 'a.example\nb.example')).stderr).toContain(
    '-:1: a.example: already declared in',
  );
  expect(await textOf(folder)).toContain('  - domain: a.example\n    privacy: public\n  - b.example\n');
});

test('apply of a saved plan exits with 6 if a list in "from" changed since', async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const { env } = service;
  const folder = await testFolder({
    'websites.yaml': 'websites: { from: many.txt }\n',
    'many.txt': 'a.example\nb.example\n',
  });
  expect(await run('plan --out plan.json', folder, env)).toMatchObject({ code: 0 });
  await writeFile(join(folder, 'many.txt'), 'a.example\n');
  expect(await run('apply plan.json', folder, env)).toMatchObject(
    ending(6, 'many.txt has changed since the plan was made'),
  );
  await writeFile(join(folder, 'many.txt'), 'a.example\nb.example\n');
  expect(await run('apply plan.json', folder, env)).toMatchObject({ code: 0 });
  expect(await service.records()).toHaveLength(2);
});
