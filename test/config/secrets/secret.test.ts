// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is the syntax under test
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { type Config, loadConfig } from '../../../src/config/load.ts';
import { secretResolver } from '../../../src/config/secrets/secret.ts';
import { WebsitesError } from '../../../src/model/errors.ts';
import { isSecretRef, type SecretRef } from '../../../src/model/secret.ts';
import { testFolder } from '../../support/cli.ts';
import { lines, load, noStdin, type Options, problemsOf } from '../support.ts';

const record = (password: string): string =>
  `websites:\n  - domain: a.example\n    privacy: password\n    password: ${password}\n`;

function refOf(config: Config): SecretRef {
  const ref = config.desired.websites[0]?.settings.password;
  if (!isSecretRef(ref)) throw new Error('The record has no password.');
  return ref;
}

async function secretOf(password: string, options: Options = {}): Promise<string> {
  const config = await load({ 'websites.yaml': record(password) }, options);
  return (await config.resolveSecret(refOf(config))).reveal();
}

async function refusal(resolving: Promise<unknown>): Promise<WebsitesError> {
  const error = await resolving.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof WebsitesError) return error;
  throw new Error(`not refused: ${inspect(error)}`);
}

const STAND_INS = {
  lfs: 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n',
  vault: '$ANSIBLE_VAULT;1.1;AES256\n62383331666630\n',
  age: '-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5cHRpb24\n-----END AGE ENCRYPTED FILE-----\n',
  sops: `{\n\t"data": "ENC[AES256_GCM,data:p673w==,iv:YY=,tag:A==,type:str]",\n\t"sops": { "kms": "${'x'.repeat(200)}" }\n}\n`,
};

test.each(Object.keys(STAND_INS))(
  'a password that is encrypted or a pointer is an error: %s',
  async (name) => {
    const text = STAND_INS[name as keyof typeof STAND_INS];
    const ofVariable = await load(record('{ env: P }'), { env: { P: text } });
    const error = await refusal(ofVariable.resolveSecret(refOf(ofVariable)));
    expect(error).toMatchObject({
      code: 'secret-missing',
      message: expect.stringMatching(/encrypted|pointer/),
    });
    const problems = await problemsOf(record(JSON.stringify(text)));
    expect(lines(problems)).toContainEqual(
      expect.stringMatching(/^4:15 password is (?:encrypted|a Git LFS)/),
    );
  },
);

test.each(['{ env: P }', '"${P}"', '${P}'])('a password is read from a variable: %s', async (password) => {
  const config = await load(record(password), { env: { P: ' hunter2 ' } });
  expect(refOf(config)).toEqual({ env: 'P' });
  expect((await config.resolveSecret(refOf(config))).reveal()).toBe(' hunter2 ');
});

test.each([
  [{}, 'The secret env:P is not set.'],
  [{ P: '' }, 'The secret env:P is empty.'],
])('using a password that is not set or is empty is an error: %j', async (env, message) => {
  const config = await load(record('{ env: P }'), { env });
  expect(await refusal(config.resolveSecret(refOf(config)))).toMatchObject({
    code: 'secret-missing',
    message,
    remedy: 'Set the environment variable P.',
    place: { file: 'websites.yaml', line: 4, column: 22 },
  });
});

test.each([
  [
    '{ env: WEBSITES_API_KEY }',
    '4:22 WEBSITES_API_KEY cannot be used in a file: names that start with WEBSITES_ are reserved',
  ],
  [
    '"${WEBSITES_API_KEY}"',
    '4:15 WEBSITES_API_KEY cannot be used in a file: names that start with WEBSITES_ are reserved',
  ],
  ['{ env: "a b" }', '4:22 this is not the name of an environment variable'],
  ['{ env: "${P}" }', '4:22 this is not the name of an environment variable'],
])('the password reference %s is an error', async (password, told) => {
  expect(lines(await problemsOf(record(password), { env: { P: 'x' } }))).toEqual([told]);
});

test('a password reference to WEBSITES_API_KEY never gives the API key', async () => {
  const resolver = secretResolver({ env: { WEBSITES_API_KEY: 'key' }, folder: '/', allowPaths: [] });
  const error = await refusal(resolver({ env: 'WEBSITES_API_KEY' }));
  expect(error).toMatchObject({
    code: 'secret-missing',
    message: 'The secret env:WEBSITES_API_KEY is not set.',
  });
});

test.each([
  ['hunter2', 'hunter2'],
  ['"a\\nb"', 'a\nb'],
  ['"$${P}"', '${P}'],
  ['"${A}-${B:-b}"', 'a-b'],
  ['|-\n      two\n      lines', 'two\nlines'],
])('a password that is written in YAML is read: %s', async (password, value) => {
  expect(await secretOf(password, { env: { A: 'a' } })).toBe(value);
});

test('a plain-text password is referenced by its location, in any working directory', async () => {
  const cwd = await testFolder({ 'sites/websites.yaml': record('hunter2') });
  const options = { env: {}, stdin: noStdin };
  const above = await loadConfig({ ...options, cwd, patterns: ['sites'] });
  const inside = await loadConfig({ ...options, cwd: join(cwd, 'sites'), patterns: [] });
  expect(refOf(above)).toEqual({ yaml: 'websites.yaml:4:15' });
  expect(refOf(inside)).toEqual(refOf(above));
  expect((await inside.resolveSecret(refOf(above))).reveal()).toBe('hunter2');
});

test('a reference to a location without a password is an error', async () => {
  const { resolveSecret } = await load(record('hunter2'));
  expect(await refusal(resolveSecret({ yaml: 'websites.yaml:1:1' }))).toMatchObject({
    code: 'secret-missing',
    message: 'The secret yaml:websites.yaml:1:1 is no longer in the file.',
  });
});

test('printing a configuration does not show a plain-text password', async () => {
  const config = await load(record('hunter2'));
  expect(inspect(config, { depth: 20, showHidden: true })).not.toContain('hunter2');
  expect(JSON.stringify(config)).not.toContain('hunter2');
});

test.each([
  ['hunter2\n', 'hunter2'],
  ['hunter2\r\n', 'hunter2'],
  ['hunter2\n\n', 'hunter2'],
  ['two\nlines\n', 'two\nlines'],
  ['hunter2', 'hunter2'],
])('a password file with %j gives the password %j', async (content, value) => {
  const config = await load({ 'websites.yaml': record('{ file: ./secret }'), secret: content });
  expect((await config.resolveSecret(refOf(config))).reveal()).toBe(value);
});

test('the path of a password file is relative to its YAML file', async () => {
  const files = {
    'a.yaml': 'websites: []\n',
    'team/b.yaml': record('{ file: "${DIR}/secret" }'),
    'team/keys/secret': 'hunter2',
  };
  const config = await load(files, { patterns: ['a.yaml', 'team'], env: { DIR: 'keys' } });
  expect(refOf(config)).toEqual({ file: 'team/keys/secret' });
  expect((await config.resolveSecret(refOf(config))).reveal()).toBe('hunter2');
});

test.each(['../secret', '/etc/hostname', '../keys/../secret', '..'])(
  'a password file outside the configuration directory is an error: %s',
  async (path) => {
    const problems = await problemsOf({ 'sites/websites.yaml': record(`{ file: ${path} }`) });
    expect(lines(problems)).toEqual([
      'sites/websites.yaml:4:23 this file is outside the directory of the configuration',
    ]);
    expect(problems[0]?.remedy).toBe(
      'Move the file into that directory, or add the directory of the file to WEBSITES_ALLOW_PATH.',
    );
  },
);

test('a password file inside the directory can have a name that starts with two dots', async () => {
  expect(await problemsOf(record('{ file: ..secret }'))).toEqual([]);
});

test.each(['utf8', 'utf16le'] as const)('a password has no byte order mark (%s)', async (encoding) => {
  const secret = Buffer.from('\ufeffhüntér2\r\n', encoding);
  const config = await load({ 'websites.yaml': record('{ file: secret }'), secret }, { patterns: [] });
  expect((await config.resolveSecret(refOf(config))).reveal()).toBe('hüntér2');
});

test('WEBSITES_ALLOW_PATH allows password files in another directory', async () => {
  const files = { 'sites/websites.yaml': record('{ file: ../keys/secret }'), 'keys/secret': 'hunter2' };
  const config = await load(files, { patterns: ['sites'], allowPaths: ['keys'] });
  expect(refOf(config)).toEqual({ file: '../keys/secret' });
  expect((await config.resolveSecret(refOf(config))).reveal()).toBe('hunter2');
});

test('using a password file is an error if it links out of the directory', async () => {
  const cwd = await testFolder({
    'sites/websites.yaml': record('{ file: link }'),
    'keys/secret': 'hunter2',
  });
  await symlink('../keys/secret', join(cwd, 'sites/link'));
  const options = { cwd, env: {}, stdin: noStdin, patterns: ['sites/websites.yaml'] };
  const config = await loadConfig(options);
  expect(await refusal(config.resolveSecret(refOf(config)))).toMatchObject({
    code: 'secret-missing',
    message: 'The secret file:link cannot be read: this file is outside the directory of the configuration.',
  });
  const allowed = await loadConfig({ ...options, allowPaths: ['keys'] });
  expect((await allowed.resolveSecret(refOf(allowed))).reveal()).toBe('hunter2');
});

test.each([
  ['missing', 'cannot be read: file not found'],
  ['folder', 'cannot be read: it is a directory'],
  ['large', 'cannot be read: it is larger than 64 KiB'],
  ['pipe', 'cannot be read: it is a pipe, a socket or a device'],
  ['empty', 'is empty'],
  ['latin1', 'is not UTF-8 text: it may be in an older encoding, such as Windows-1252'],
  ['utf16', 'contains a NUL character: it may be UTF-16 without a byte order mark'],
  ['lfs', 'is a Git LFS pointer, not the content of the file'],
  ['vault', 'is encrypted with Ansible Vault'],
  ['age', 'is encrypted with age'],
  ['sops', 'is encrypted with SOPS'],
])('using a password file that cannot be used is an error: %s: %s', async (name, reason) => {
  const cwd = await testFolder({ 'websites.yaml': record(`{ file: ${name} }`) });
  await mkdir(join(cwd, 'folder'));
  await writeFile(join(cwd, 'large'), 'x'.repeat(100_000));
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  await writeFile(join(cwd, 'empty'), '\n');
  await writeFile(join(cwd, 'latin1'), 'hüntér2\n', 'latin1');
  await writeFile(join(cwd, 'utf16'), 'hunter2\n', 'utf16le');
  for (const [file, text] of Object.entries(STAND_INS)) await writeFile(join(cwd, file), text);
  const config = await loadConfig({ cwd, env: {}, stdin: noStdin, patterns: [] });
  expect(await refusal(config.resolveSecret(refOf(config)))).toMatchObject({
    code: 'secret-missing',
    message: `The secret file:${name} ${reason}.`,
  });
});

test.each<[string, string, Options, string[]]>([
  [
    'a variable',
    '{ env: P }',
    { env: { P: 'hunter2\n' } },
    ['4:22 warning: the value of P ends in a line end, which is not sent'],
  ],
  [
    'a reference',
    '"${P}"',
    { env: { P: 'hunter2\r\n' } },
    ['4:15 warning: the value of P ends in a line end, which is not sent'],
  ],
  [
    'a block of YAML',
    '|\n      hunter2',
    {},
    [
      '4:5 warning: password is stored in plain text',
      '4:15 warning: password ends in a line end, which is not sent',
    ],
  ],
  [
    'a text with a variable',
    '"hunter${P}"',
    { env: { P: '2\n' } },
    ['4:15 warning: password ends in a line end, which is not sent'],
  ],
  ['a file', '{ file: secret }', {}, []],
])('a line end after a password is not sent: %s', async (_, password, options, told) => {
  const files = { 'websites.yaml': record(password), secret: 'hunter2\n' };
  const config = await load(files, { ...options });
  expect((await config.resolveSecret(refOf(config))).reveal()).toBe('hunter2');
  expect(lines(config.warnings)).toEqual(told);
});

test('a line end after a password in a bulk file is not sent', async () => {
  const files = {
    'websites.yaml': 'websites: { from: a.csv }\n',
    'a.csv': 'domain,privacy,password\na.example,password,env:P\nb.example,password,env:P\n',
  };
  const config = await load(files, { env: { P: 'hunter2\n' } });
  expect((await config.resolveSecret(refOf(config))).reveal()).toBe('hunter2');
  expect(lines(config.warnings)).toEqual([
    'a.csv:2:20 warning: the value of P ends in a line end, which is not sent',
  ]);
});

test.each(['"\\n"', '|+\n\n'])('a password that has only line ends counts as empty: %j', async (password) => {
  expect(lines(await problemsOf(record(password)))).toEqual(['4:15 password is empty']);
  const config = await load(record('{ env: P }'), { env: { P: '\n' } });
  expect(await refusal(config.resolveSecret(refOf(config)))).toMatchObject({
    code: 'secret-missing',
    message: 'The secret env:P is empty.',
  });
});

test.each([
  ['"\'hunter2\'"', '4:15 warning: password is in quotes'],
  ['<PASSWORD>', '4:15 warning: password is a placeholder'],
  ['$SHOP_PASSWORD', '4:15 warning: password is a placeholder'],
  ['changeme', '4:15 warning: password is a placeholder'],
  ['(sensitive)', '4:15 password is a placeholder'],
  ['"{{ shop }}"', '4:15 password is a placeholder'],
  ['env:SHOP_PASSWORD', '4:15 password is a string that starts with env:'],
  ['"file: secrets/shop"', '4:15 password is a string that starts with file:'],
])('a problem with the password %s is reported without its value', async (password, told) => {
  const problems = await problemsOf(record(password));
  expect(lines(problems)).toContain(told);
  expect(problems.map(({ excerpt }) => excerpt?.text ?? '').join()).not.toContain(password);
});

test('a password with a doubled $ causes no warning', async () => {
  expect(lines(await problemsOf(record('"$${P}"')))).toEqual([]);
});

test('a warning about the value of a variable is reported once, at its first use', async () => {
  const two = `${record('{ env: P }')}  - { domain: b.example, privacy: password, password: { env: P } }\n`;
  expect(lines(await problemsOf(two, { env: { P: '"hunter2"' } }))).toEqual([
    '4:22 warning: the value of P is in quotes',
  ]);
});

test.each(['${SHOP}', '(sensitive)'])('a password in a variable or a file cannot be %s', async (value) => {
  const files = { 'websites.yaml': record('{ file: secret }'), secret: `${value}\n` };
  const ofFile = await load(files);
  const ofVariable = await load(record('{ env: P }'), { env: { P: value } });
  for (const config of [ofFile, ofVariable]) {
    expect(await refusal(config.resolveSecret(refOf(config)))).toMatchObject({
      code: 'secret-missing',
      message: expect.stringMatching(/ is a placeholder\.$/),
    });
  }
});

test('a password is returned with the warnings that loading could not give', async () => {
  const cwd = await testFolder({ secret: '"hunter2"\n' });
  const resolver = secretResolver({ env: { P: 'changeme\n' }, folder: cwd, allowPaths: [] });
  expect((await resolver({ file: 'secret' })).warnings).toMatchObject([
    { message: expect.stringContaining('quotes') },
  ]);
  expect((await resolver({ env: 'P' })).warnings).toHaveLength(2);
  const config = await load(record('{ env: P }'), { env: { P: 'changeme' } });
  expect((await config.resolveSecret(refOf(config))).warnings).toEqual([]);
});

test('loading a configuration does not read any password', async () => {
  const config = await load(
    'websites:\n  - { domain: a.example, privacy: password, password: { env: NONE } }\n  - { domain: b.example, privacy: password, password: { file: none } }\n',
  );
  expect(config.warnings).toEqual([]);
});

test.each(['pas', 'ord', 'pw_of_shop'])('an error about the key %s does not quote its value', async (key) => {
  const text = record('{ env: SHOP }').replace('password: {', `${key}: hunter2secret # {`);
  const problems = await problemsOf({ 'websites.yaml': text });
  expect(problems).toContainEqual(expect.objectContaining({ message: `unknown key ${key}` }));
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});
