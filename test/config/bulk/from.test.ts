// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is the syntax under test
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import { jsonSchema } from '../../../src/config/schema/json-schema.ts';
import { testFolder } from '../../support/cli.ts';
import { lines, load, meaning, noStdin, problemsOf } from '../support.ts';

const from = (file: string, top = ''): string => `${top}websites: { from: ${file} }\n`;

const TEXT = 'a.example\n\nshop.example.com # ours\n';
const CSV = `domain,privacy,password,exclude_params,exclude_ips,favorite,favorited_at,exclude_bots,protect,state
a.example,private,,utm_source;utm_medium ref,192.0.2.1,,,TRUE,,
b.example,PASSWORD,env:B_PASSWORD,null,,true,,0,true,
c.example,2,file:secrets/c,,,,2026-01-31T10:00:00+01:00,,,
d.example,,,,,,,,,absent
e.example,,,NULL,Null,,null,,,
f.example,,,,,,,,,
`;

test('a plain list named with "from" declares its domains', async () => {
  const { desired, files, warnings } = await load({
    'websites.yaml': from('domains.txt'),
    'domains.txt': TEXT,
  });
  const record = { state: 'present', settings: {}, protect: false };
  expect(desired.websites).toEqual([
    { domain: 'a.example', ...record, source: { file: 'domains.txt', line: 1, column: 1 } },
    { domain: 'shop.example.com', ...record, source: { file: 'domains.txt', line: 3, column: 1 } },
  ]);
  expect(files.map(({ path }) => path)).toEqual(['websites.yaml', 'domains.txt']);
  expect(warnings).toEqual([]);
});

test('a CSV table named with "from" declares the same records as YAML', async () => {
  const yaml = `websites:
  - { domain: a.example, privacy: private, exclude_params: [utm_source, utm_medium, ref], exclude_ips: [192.0.2.1], exclude_bots: true }
  - { domain: b.example, privacy: password, password: { env: B_PASSWORD }, exclude_params: null, favorite: true, exclude_bots: 0, protect: true }
  - { domain: c.example, privacy: 2, password: { file: secrets/c }, favorited_at: 2026-01-31T10:00:00+01:00 }
  - { domain: d.example, state: absent }
  - { domain: e.example, exclude_ips: null, exclude_params: null, favorited_at: null }
  - f.example
`;
  const expected = await load({ 'websites.yaml': yaml });
  for (const text of [CSV, CSV.replaceAll('\n', '\r\n'), `\ufeff${CSV}`]) {
    const found = await load({ 'websites.yaml': from('sites.csv'), 'sites.csv': text });
    expect(meaning(found)).toEqual(meaning(expected));
    expect(found.warnings).toEqual([]);
  }
});

test.each([
  ['a.csv', 'domain,email,exclude_bots,favorite,protect\na.example,Yes,OFF,on,1\n'],
  ['a.ndjson', '{"domain":"a.example","email":"yes","exclude_bots":"Off","favorite":"ON","protect":1}\n'],
])('a boolean in a bulk file can be yes, no, on, off, 1 or 0: %s', async (name, text) => {
  const { desired } = await load({ 'websites.yaml': from(name), [name]: text });
  const settings = { email: true, exclude_bots: false, favorited_at: true };
  expect(desired.websites).toMatchObject([{ settings, protect: true }]);
});

test('a list in a CSV cell must not have commas, because they are ambiguous', async () => {
  const problems = await problemsOf({
    'websites.yaml': from('a.csv'),
    'a.csv':
      'domain,email,exclude_params,exclude_ips\na.example,x,"utm_source, ref",\nb.example,,"utm_source,ref","192.0.2.1, 192.0.2.2,"\n',
  });
  const refusal = (key: string) => `${key} contains a comma, and lists are split at white space or ";"`;
  expect(lines(problems)).toEqual([
    'a.csv:2:11 email must be true or false',
    `a.csv:2:13 ${refusal('exclude_params')}`,
    `a.csv:3:12 ${refusal('exclude_params')}`,
  ]);
});

test('a "from" entry can be among records, and its file inherits defaults', async () => {
  const { desired } = await load({
    'websites.yaml': `defaults: { privacy: private, email: true }
websites:
  - first.example
  - from: a.txt
  - domain: middle.example
  - { from: lists/b.ndjson }
`,
    'a.txt': 'a.example\nb.example\n',
    'lists/b.ndjson': '"c.example"\n{"domain": "d.example", "email": 0}\n',
  });
  expect(desired.websites.map(({ domain }) => domain)).toEqual([
    'first.example',
    'middle.example',
    'a.example',
    'b.example',
    'c.example',
    'd.example',
  ]);
  const settings = desired.websites.map((website) => website.settings);
  expect(settings[5]).toEqual({ privacy: 1, email: false });
  expect(new Set(settings.slice(0, 5)).size).toBe(1);
});

test.each([
  ['a.csv', 'domain,email\nnull,1\n'],
  ['a.ndjson', '{"domain":"null","email":true}\n'],
])('a domain in a bulk file can be the word null: %s', async (name, text) => {
  const { desired } = await load({ 'websites.yaml': from(name), [name]: text });
  expect(desired.websites).toMatchObject([{ domain: 'null', settings: { email: true } }]);
});

test('the digest of the configuration changes with the content of bulk files', async () => {
  const digests = await Promise.all(
    ['a.example\n', 'b.example\n', 'a.example\n'].map(async (text) => {
      const { digest } = await load({ 'websites.yaml': from('a.txt'), 'a.txt': text });
      return digest;
    }),
  );
  expect(digests[0]).toBe(digests[2]);
  expect(digests[0]).not.toBe(digests[1]);
});

const text = fc.string({ unit: fc.constantFrom('a', 'b', '$', '{', '}', '"', '\\', 'é', '#', "'") });
const item = text.filter((one) => one.trim() !== '' && !/^null$/i.test(one) && !/[\s;,]/.test(one));
const record = fc.record(
  {
    domain: fc.nat(20).map((number) => `site-${number}.example`),
    privacy: fc.constantFrom('public', 'private', 0, 1),
    email: fc.boolean(),
    exclude_params: fc.array(item, { minLength: 1, maxLength: 3 }),
    exclude_ips: fc.constantFrom(['192.0.2.0/24'], ['2001:db8::1', '192.0.2.7']),
    favorite: fc.boolean(),
    protect: fc.boolean(),
  },
  { requiredKeys: ['domain'] },
);
const records = fc.uniqueArray(record, { selector: ({ domain }) => domain, maxLength: 8 });

const COLUMNS = [
  'domain',
  'privacy',
  'email',
  'exclude_params',
  'exclude_ips',
  'favorite',
  'protect',
] as const;
const quoted = (value: unknown): string =>
  value === undefined
    ? ''
    : `"${String(Array.isArray(value) ? value.join(' ') : value).replaceAll('"', '""')}"`;

test('records have the same meaning in YAML, CSV and NDJSON', async () => {
  await fc.assert(
    fc.asyncProperty(records, async (websites) => {
      const literal = JSON.parse(JSON.stringify(websites).replaceAll('${', () => '$${')) as unknown;
      const table = websites.map((website) => COLUMNS.map((column) => quoted(website[column])).join(','));
      const files = {
        'websites.yaml': stringify({ websites: literal }),
        'csv.yaml': from('sites.csv'),
        'sites.csv': `${COLUMNS.join(',')}\n${table.join('\n')}\n`,
        'ndjson.yaml': from('sites.ndjson'),
        'sites.ndjson': websites.map((website) => `${JSON.stringify(website)}\n`).join(''),
        'json.yaml': from('sites.json'),
        'sites.json': JSON.stringify(websites, undefined, 1),
      };
      const cwd = await testFolder(files);
      const [yaml, ...bulk] = await Promise.all(
        ['websites.yaml', 'csv.yaml', 'ndjson.yaml', 'json.yaml'].map((name) =>
          loadConfig({ patterns: [name], cwd, env: {}, stdin: noStdin }),
        ),
      );
      for (const config of bulk) expect(meaning(config)).toEqual(yaml && meaning(yaml));
    }),
    { numRuns: 30 },
  );
});

test.each([
  ['websites: { from: a.txt }', true],
  ['websites: [{ from: a.txt }, b.example]', true],
  ['websites: { from: 5 }', false],
  ['websites: {}', false],
  ['websites: [{ from: a.txt, email: true }]', false],
])('the JSON schema and the loader agree about the configuration "%s"', async (text, sound) => {
  const problems = await problemsOf({ 'websites.yaml': text, 'a.txt': 'a.example\n' });
  const schema = new Ajv({ allowUnionTypes: true }).compile(jsonSchema());
  expect({ schema: schema(parse(text)), loader: problems.length === 0 }).toEqual({
    schema: sound,
    loader: sound,
  });
});

test.each<[file: string, text: string, ...told: string[]]>([
  [
    'a.txt',
    'a.example\n  b b.example\n192.0.2.1\nhttps://c.example/x\nd.example\n',
    'a.txt:2:3 "b b.example" is not a domain: it contains white space',
    'a.txt:3:1 warning: 192.0.2.1 is an IP address, not a domain',
    'a.txt:4:1 warning: ignored the scheme and the path of "https://c.example/x"',
  ],
  [
    'a.csv',
    'domain,privacy,exclude_ips,favorite,favorited_at\na.example,secret,192.0.2.1 x,,\nb.example,,,true,2026-01-31\n,1,,,\n',
    'a.csv:2:11 privacy must be public, private, password or a number (0, 1, 2)',
    'a.csv:2:18 exclude_ips: "x" is not an IP address or network',
    'a.csv:3:13 favorite and favorited_at cannot be declared together',
    'a.csv:4:1 this record has no domain',
  ],
  [
    'a.csv',
    'Domain,Privcy,Note\na.example,1,\n',
    'a.csv:1:8 unknown column "Privcy"',
    'a.csv:1:15 unknown column "Note"',
  ],
  ['a.csv', 'domian\n', 'a.csv:1:1 the first line has no column of domains'],
  ['a.csv', 'a.example,password,hunter2\n', 'a.csv:1:1 the first line has no column of domains'],
  [
    'a.ndjson',
    '{"domain": "a.example", "email": "maybe"}\n{"domain": 5}\n{}\n{"dom\n',
    'a.ndjson:1:25 email must be true or false',
    'a.ndjson:2:2 domain must be a string, such as shop.example.com',
    'a.ndjson:3:1 this record has no domain',
    'a.ndjson:4:1 this is not valid JSON',
  ],
  [
    'a.json',
    '[\n  {\n    "domain": "a.example",\n    "email": 2\n  },\n  { "domain": "b.example" },\n  {\n    "domain": 5\n  }\n]',
    'a.json:4:5 email must be true or false',
    'a.json:8:5 domain must be a string, such as shop.example.com',
  ],
  ['a.json', '[\n{"domain": "a.example", "owner": 1}]', 'a.json:2:25 unknown column "owner"'],
  [
    'a.ndjson',
    '{"domain": "email", "email": 5}\n{"domain": "a.example", "exclude_params": ["note"], "note" : 1}\n',
    'a.ndjson:1:2 warning: email is a single label, without a dot',
    'a.ndjson:1:21 email must be true or false',
    'a.ndjson:2:53 unknown column "note"',
  ],
  [
    'a.txt',
    'a.example\n\0',
    'a.txt:2:1 the file contains a NUL character: it may be UTF-16 without a byte order mark',
  ],
  ['a.csv', 'domain,password\na.example,env:A\n', 'a.csv:2:11 password is only used with privacy: password'],
  [
    'a.csv',
    'domain,privacy,password\na.example,2,env:WEBSITES_API_KEY\n',
    'a.csv:2:13 WEBSITES_API_KEY cannot be used in a file: names that start with WEBSITES_ are reserved',
  ],
  [
    'a.ndjson',
    '{"domain": "${HOME}.example"}\n',
    'a.ndjson:1:2 "${HOME}.example" is not a domain: it contains "$"',
  ],
])('a problem in the bulk file %s is reported with its location: %j: %j', async (file, text, ...told) => {
  expect(lines(await problemsOf({ 'websites.yaml': from(file), [file]: text }))).toEqual(told);
});

test('a domain of a bulk file is an error if it is declared twice or ignored', async () => {
  const problems = await problemsOf({
    'websites.yaml': 'ignore: ["*.internal.example"]\nwebsites:\n  - a.example\n  - from: a.txt\n',
    'a.txt': 'b.example\na.example\nB.example\nx.internal.example\n',
  });
  expect(lines(problems)).toEqual([
    'a.txt:2:1 a.example is declared twice, first at websites.yaml:3:5',
    'a.txt:3:1 b.example is declared twice, first at a.txt:1:1',
    'a.txt:4:1 x.internal.example is declared, and ignored by "*.internal.example" (websites.yaml:1:10)',
  ]);
});

test.each([
  ['websites: { from: nowhere.csv }', '1:19 file not found'],
  ['websites: { from: a.yaml }', '1:19 unknown file extension'],
  ['websites: { from: ../a.txt }', '1:19 this file is outside the directory of the configuration'],
  ['websites: { from: /etc/resolv.txt }', '1:19 this file is outside the directory of the configuration'],
  ['websites: { from: secret }', '1:19 unknown file extension'],
  ['websites: { from: .env }', '1:19 unknown file extension'],
  ['websites: { from: folder.csv }', '1:19 it is a directory'],
  ['websites: { from: 5 }', '1:19 from must be the name of a file, such as domains.csv'],
  ['websites: { from: "${NONE:-a}.txt" }', '1:19 a file name cannot contain variables'],
  ['websites: { from: a.txt, email: true }', '1:26 unknown key email'],
  ['websites: [{ from: a.txt, domain: b.example }]', '1:14 unknown key from'],
  ['websites: [{ group: g, from: b.txt, websites: { from: a.txt } }]', '1:24 unknown key from'],
])('an invalid "from" is an error with its location: %s', async (text, told) => {
  const files = { 'websites.yaml': text, 'a.txt': 'a.example\n', 'folder.csv/x.txt': '' };
  expect(lines(await problemsOf(files))).toEqual([told]);
});

test('a bulk file cannot be a link that leads out of the configuration directory', async () => {
  const outside = await testFolder({ 'list.txt': 'outside.example\n' });
  const cwd = await testFolder({ 'websites.yaml': from('list.txt') });
  await symlink(join(outside, 'list.txt'), join(cwd, 'list.txt'));
  const options = { patterns: [], cwd, env: {}, stdin: noStdin };
  await expect(loadConfig(options)).rejects.toMatchObject({
    problems: [{ message: 'this file is outside the directory of the configuration' }],
  });
  const { desired } = await loadConfig({ ...options, allowPaths: [outside] });
  expect(desired.websites).toHaveLength(1);
});

test('a secret file cannot be read as a list through a link with a list extension', async () => {
  const secrets = await testFolder({ 'api-key': 'key-of.example\n' });
  const cwd = await testFolder({ 'websites.yaml': from('list.txt') });
  await symlink(join(secrets, 'api-key'), join(cwd, 'list.txt'));
  const options = { patterns: [], cwd, env: {}, stdin: noStdin, allowPaths: [secrets] };
  await expect(loadConfig(options)).rejects.toMatchObject({
    problems: [{ message: 'unknown file extension' }],
  });
});

test('WEBSITES_ALLOW_PATH allows bulk files in another directory', async () => {
  const cwd = await testFolder({
    'sites/eu/websites.yaml': from('../../lists/a.txt'),
    'lists/a.txt': 'a.example\n',
  });
  await mkdir(join(cwd, 'elsewhere'));
  await writeFile(join(cwd, 'elsewhere/main.yaml'), 'websites: []\n');
  const options = { patterns: ['sites/eu/websites.yaml'], cwd, env: {}, stdin: noStdin };
  await expect(loadConfig(options)).rejects.toMatchObject({ code: 'config-invalid' });
  const { desired } = await loadConfig({ ...options, allowPaths: ['lists'] });
  expect(desired.websites.map(({ source }) => source.file)).toEqual(['lists/a.txt']);
});

test('a deeply nested value in a bulk file is an error', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const text = `{"domain": "a.example", "exclude_ips": ${deep}}\n{"domain": "b.example", "privacy": 1}\n`;
  expect(lines(await problemsOf({ 'websites.yaml': from('a.ndjson'), 'a.ndjson': text }))).toEqual([
    'a.ndjson:1:1 this is not valid JSON',
  ]);
});

test('a long value with many escapes in a bulk file is read without a stack overflow', async () => {
  const many = `{"domain":"a.example","note":[${'"",'.repeat(2_000_000)}"\\\\"]}`;
  const long = `{"domain":"b.example","note":"${'\\n'.repeat(5_000_000)}"}`;
  const problems = await problemsOf({ 'websites.yaml': from('a.json'), 'a.json': `[${many},\n${long}]` });
  expect(lines(problems)).toEqual(['a.json:1:24 unknown column "note"']);
});

test('loading reports at most 100 unknown columns of a CSV file', async () => {
  const list = Array.from({ length: 1000 }, (_, index) => `site-${index}.example`).join(',');
  const problems = lines(await problemsOf({ 'websites.yaml': from('a.csv'), 'a.csv': `domain,${list}\n` }));
  expect(problems).toHaveLength(100);
});

test('loading reports at most 100 errors and 100 warnings of each bulk file', async () => {
  const bad = Array.from({ length: 5000 }, (_, index) => `bad ${index}`).join('\n');
  const problems = await problemsOf({ 'websites.yaml': from('a.txt'), 'a.txt': `${bad}\n` });
  expect(problems).toHaveLength(101);
  expect(lines(problems).at(-1)).toBe('a.txt:100:1 stopped reading after 100 errors');
  const doubtful = Array.from({ length: 5000 }, (_, index) => `https://site-${index}.example/`).join('\n');
  const { desired, warnings } = await load({ 'websites.yaml': from('a.txt'), 'a.txt': doubtful });
  expect(desired.websites).toHaveLength(5000);
  expect(warnings).toHaveLength(101);
  expect(lines(warnings)).toContain('a.txt:1:1 warning: 4900 more warnings of this file are not shown');
});

const SECRET = 'correct-horse';

test.each([
  ['a.csv', `domain,privacy,password\na.example,2,${SECRET}\n`, 'a.csv:2:13'],
  ['a.csv', `domain,privacy,password\n"a.example",2,"${SECRET}"\n`, 'a.csv:2:15'],
  ['a.csv', `domain,privacy,password\na.example,2,\${X_${SECRET}}\n`, 'a.csv:2:13'],
  ['a.ndjson', `{"domain": "a.example", "privacy": 2, "password": "${SECRET}"}\n`, 'a.ndjson:1:39'],
  ['a.json', `[{"domain": "a.example", "privacy": 2, "password": "${SECRET}"}]`, 'a.json:1:40'],
])('a plain-text password in %s is an error that does not show it', async (file, text, place) => {
  const problems = await problemsOf({ 'websites.yaml': from(file), [file]: text });
  expect(lines(problems)).toEqual([`${place} password is stored in plain text`]);
  expect(JSON.stringify(problems)).not.toContain(SECRET);
});

test('an error next to a password in a bulk file does not show the password', async () => {
  const problems = await problemsOf({
    'websites.yaml': from('a.csv'),
    'a.csv': `domain,privacy,Kennwort\na b,2,${SECRET}\n`,
  });
  expect(problems).toHaveLength(2);
  expect(JSON.stringify(problems)).not.toContain(SECRET);
});

test('a password in a bulk file is read from the variable or file that it names', async () => {
  const { desired, resolveSecret } = await load(
    {
      'websites.yaml': from('lists/a.csv'),
      'lists/a.csv': 'domain,privacy,password\na.example,2,env:A_PASSWORD\nb.example,2,file:b.secret\n',
      'lists/b.secret': `${SECRET}-b\n`,
    },
    { env: { A_PASSWORD: `${SECRET}-a` } },
  );
  const refs = desired.websites.map(({ settings }) => settings.password);
  expect(refs).toEqual([{ env: 'A_PASSWORD' }, { file: 'lists/b.secret' }]);
  const values = await Promise.all(refs.map((ref) => resolveSecret(ref as { env: string })));
  expect(values.map((value) => value.reveal())).toEqual([`${SECRET}-a`, `${SECRET}-b`]);
});

test.for([
  ['a.csv', 'domain,privacy,password\na.example,2,env:A_PASSWORD\n'],
  ['a.ndjson', '{"domain":"a.example","privacy":2,"password":"env:A_PASSWORD"}\n'],
  ['a.ndjson', '{"domain":"a.example","privacy":2,"password":{"env":"A_PASSWORD"}}\n'],
  ['a.json', '[{"domain":"a.example","privacy":2,"password":{ "env" :\n"A_PASSWORD"}}]\n'],
  ['a.json', '[{"domain":"a.example","privacy":2,"password":"env\\u003aA\\u005FPASSWORD"}]\n'],
  ['a.json', '[{"domain":"a.example","privacy":2,"password":{"\\u0065nv":"\\u0041_PASSWORD"}}]\n'],
] as const)('a password variable of a bulk file cannot be used in other text: %j', async ([name, text]) => {
  const problems = await problemsOf(
    { 'websites.yaml': `websites:\n  - "\${A_PASSWORD}.example"\n  - from: ${name}\n`, [name]: text },
    { env: { A_PASSWORD: SECRET } },
  );
  expect(lines(problems)).toEqual([
    '2:6 A_PASSWORD is used for a secret, and cannot be used in other values',
  ]);
});
