// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is the syntax under test
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadEach, loadTargetNames } from '../../../src/config/load.ts';
import type { Problem } from '../../../src/model/errors.ts';
import { testFolder } from '../../support/cli.ts';
import { lines, load, noStdin, problemsOf } from '../support.ts';

const KEY = 'sk-live-51H7-very-secret';

const FILES = {
  'websites.yaml': `
service: { update: changed }
targets:
  staging:
    base_url: https://staging.example.com
    files: [staging/]
  production:
    base_url: https://analytics.example.com
    api_key: { env: PROD_KEY }
    www: same
    files: [production/b.yaml]
  bare:
websites: [shared.example]
`,
  'staging/a.yaml': 'websites: [s.example]\n',
  'production/b.yaml': 'prune: true\nwebsites: [p.example]\nprotected: [p.example]\n',
};

test('a target combines the shared keys with its own keys', async () => {
  const config = await load(FILES, { target: 'production' });
  expect(config.desired.websites.map(({ domain }) => domain)).toEqual(['shared.example', 'p.example']);
  expect(config.desired.protected).toEqual(['p.example']);
  expect(config.pins).toMatchObject({
    base_url: 'https://analytics.example.com',
    www: 'same',
    update: 'changed',
  });
  expect(config.prune).toBe(true);
  expect(config.files.map(({ path }) => path)).toEqual(['websites.yaml', 'production/b.yaml']);
  expect(config.root).toMatch(/\/targets\/production$/);
});

test('a target can have no keys of its own', async () => {
  const config = await load(FILES, { target: 'bare' });
  expect(config.desired.websites.map(({ domain }) => domain)).toEqual(['shared.example']);
  expect(config).toMatchObject({ prune: undefined, pins: { update: 'changed' } });
});

test('each target has its own configuration digest', async () => {
  const one = await load(FILES, { target: 'staging' });
  const other = await load(FILES, { target: 'production' });
  expect(one.digest).not.toBe(other.digest);
});

test('a directory of a target that contains no YAML files is reported', async () => {
  const text = 'targets: { a: { files: [none] } }\nwebsites: [a.example]\n';
  const files = { 'websites.yaml': text, 'none/.keep': '' };
  expect(await load(files, { target: 'a' })).toMatchObject({ unmatched: ['none'] });
});

test.each([
  [undefined, 'none is selected', 'Pass --target staging or production or bare.'],
  ['prodution', 'Unknown target: "prodution"', 'Did you mean production?'],
  ['elsewhere', 'Unknown target: "elsewhere"', 'Pass --target staging or production or bare.'],
  ['shop.example', 'Unknown target: "shop.example"', '--domain "shop.example"'],
  ['shop*', 'Unknown target: "shop*"', '--domain "shop*"'],
])('an unknown target is an error: %s', async (target, message, remedy) => {
  await expect(load(FILES, { target })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
    remedy: expect.stringContaining(remedy),
  });
});

test('choosing a target is an error if the configuration declares no targets', async () => {
  await expect(load('websites: [a.example]\n', { target: 'a' })).rejects.toMatchObject({
    code: 'usage',
    remedy: 'Omit --target: the configuration declares no targets.',
  });
});

test('all targets can be loaded at once, each with the source of the API key', async () => {
  const cwd = await testFolder(FILES);
  const options = {
    patterns: [],
    cwd,
    stdin: noStdin,
    env: { WEBSITES_API_KEY_STAGING: KEY, PROD_KEY: KEY },
  };
  expect(await loadTargetNames(options)).toEqual(['staging', 'production', 'bare']);
  const configs = await loadEach(options);
  expect(configs.map(({ pins }) => pins.target?.keySource)).toEqual([
    'WEBSITES_API_KEY_STAGING',
    'env:PROD_KEY',
    undefined,
  ]);
  expect(JSON.stringify(configs)).not.toContain(KEY);
  expect(
    await loadEach({ ...options, cwd: await testFolder({ 'websites.yaml': 'websites: []\n' }) }),
  ).toHaveLength(1);
});

test('loading all targets reports all problems together, and shared problems once', async () => {
  const cwd = await testFolder({
    ...FILES,
    'websites.yaml': `${FILES['websites.yaml']}x: 1\n`,
    'staging/a.yaml': 'emial: 1\n',
    'production/b.yaml': 'privcy: 1\n',
  });
  const error = await loadEach({ patterns: [], cwd, env: {}, stdin: noStdin }).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'config-invalid', message: '3 errors in 3 files.' });
  expect(error.problems.map(({ place }: Problem) => place?.file)).toEqual([
    'production/b.yaml',
    'staging/a.yaml',
    'websites.yaml',
  ]);
});

const keyOf = async (target: string, env: Record<string, string>) => {
  const { pins } = await load(FILES, { target, env });
  return pins.target?.key();
};

test('the API key of a target comes from its variable, or else from api_key', async () => {
  expect(await keyOf('production', { WEBSITES_API_KEY_PRODUCTION: 'own', PROD_KEY: 'other' })).toBe('own');
  expect(await keyOf('production', { PROD_KEY: 'named' })).toBe('named');
  const files = {
    ...FILES,
    'websites.yaml': 'targets: { a: { api_key: { file: keys/a } } }\n',
    'keys/a': 'filed\n',
  };
  const { pins } = await load(files, { target: 'a' });
  expect(await pins.target?.key()).toBe('filed');
});

test('a target never uses the API key of another target', async () => {
  const env = { WEBSITES_API_KEY: KEY, PROD_KEY: KEY, WEBSITES_API_KEY_PRODUCTION: KEY };
  await expect(keyOf('staging', env)).rejects.toMatchObject({
    code: 'key-missing',
    remedy: expect.stringContaining('WEBSITES_API_KEY_STAGING'),
  });
  await expect(keyOf('production', { WEBSITES_API_KEY: KEY })).rejects.toMatchObject({
    code: 'secret-missing',
  });
});

test('a blank API key of a target counts as missing, and the remedy names its variable', async () => {
  const missing = { code: 'key-missing', remedy: expect.stringContaining('WEBSITES_API_KEY_PRODUCTION') };
  await expect(keyOf('production', { PROD_KEY: ' \n' })).rejects.toMatchObject(missing);
});

test('an API key of a target loses its line end, and a placeholder is an error', async () => {
  expect(await keyOf('production', { WEBSITES_API_KEY_PRODUCTION: 'own\n' })).toBe('own');
  expect(await keyOf('production', { PROD_KEY: 'named\r\n' })).toBe('named');
  await expect(keyOf('production', { WEBSITES_API_KEY_PRODUCTION: '<KEY>' })).rejects.toMatchObject({
    code: 'usage',
    message: 'The API key in WEBSITES_API_KEY_PRODUCTION is a placeholder.',
  });
  await expect(keyOf('production', { PROD_KEY: '"named"' })).rejects.toMatchObject({
    code: 'usage',
    message: 'The API key in env:PROD_KEY is in quotes.',
  });
});

test.each(['', '\n', undefined, 'x'.repeat(100_000)])(
  'an unusable API key file of a target is called a missing secret, not a password',
  async (key) => {
    const files = {
      ...FILES,
      'websites.yaml': 'targets: { a: { api_key: { file: keys/a } } }\n',
      ...(key === undefined ? {} : { 'keys/a': key }),
    };
    const { pins } = await load(files, { target: 'a' });
    const error = await pins.target?.key().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'secret-missing' });
    expect(`${error.message} ${error.remedy}`).not.toContain('password');
  },
);

test('if the environment sets the URL of one target, it must set each URL', async () => {
  const env = { PROD_KEY: 'a', WEBSITES_BASE_URL_STAGING: 'https://staging.example.com' };
  await expect(keyOf('production', env)).rejects.toMatchObject({
    code: 'base-url-invalid',
    message: 'WEBSITES_BASE_URL_PRODUCTION is not set, and WEBSITES_BASE_URL_STAGING is.',
  });
  const pinned = { ...env, WEBSITES_BASE_URL_PRODUCTION: 'https://pinned.example.com' };
  expect(await keyOf('production', pinned)).toBe('a');
  const { pins } = await load(FILES, { target: 'production', env: pinned });
  expect(pins.base_url).toBe('https://pinned.example.com');
});

test.each<[string, string[]]>([
  ['targets: [a]', ['1:10 targets must be a map from names to settings']],
  ['targets: { A_b: { base_url: local } }', ['1:12 "A_b" cannot be the name of a target']],
  ['targets: { file: {} }', ['1:12 "file" cannot be the name of a target']],
  ['targets: { a: { base_ulr: local } }', ['1:17 unknown key base_ulr']],
  [
    'targets: { a: { base_url: ftp://x } }',
    [
      '1:27 base_url must be "local", or a URL such as https://analytics.example.com, without credentials, query or /api/v1',
    ],
  ],
  [
    'targets: { a: { api_key: { env: WEBSITES_API_KEY } } }',
    ['1:33 WEBSITES_API_KEY cannot be used in a file: names that start with WEBSITES_ are reserved'],
  ],
  ...['env', 'file'].map((way): [string, string[]] => [
    `targets: { a: { api_key: { ${way}: KEY, default: x } } }`,
    ['1:26 api_key must be { env: NAME } or { file: PATH }, never the key itself'],
  ]),
  [
    'targets: { a: { api_key: { file: ../key } } }',
    ['1:34 this file is outside the directory of the configuration'],
  ],
  ['targets: { a: { files: [no.yaml] } }', ['1:25 file not found']],
  [
    'targets: { a: { files: [/etc/hostname] } }',
    ['1:25 this file is outside the directory of the configuration'],
  ],
  ...['/etc/no-such-file', '../no-such-*', '/**/no-such-file'].map((pattern): [string, string[]] => [
    `targets: { a: { files: ["${pattern}"] } }`,
    ['1:25 this file is outside the directory of the configuration'],
  ]),
  [
    'targets: { a: { api_key: { env: K } } }\ndefaults: { exclude_params: ["${K}"] }',
    ['2:31 K is used for a secret, and cannot be used in other values'],
  ],
  [
    'targets: { a: { api_key: { env: K } } }\nwebsites: [{ domain: a.example, privacy: password, password: { env: K } }]',
    ['2:22 env:K is the API key of the target a and cannot be a password'],
  ],
])('an invalid target %j is reported as %j', async (text, expected) => {
  expect(lines(await problemsOf(text, { target: 'a', env: { K: 'k' } }))).toEqual(expected);
});

test('declaring a target in two files is an error', async () => {
  const twice = { 'a.yaml': 'targets: { a: {} }\n', 'b.yaml': 'targets: { a: {} }\n' };
  expect(lines(await problemsOf(twice))).toEqual(['b.yaml:1:12 the target a is declared in two files']);
  const nested = {
    'websites.yaml': 'targets: { a: { files: [own/] } }\n',
    'own/a.yaml': 'targets: { b: {} }\n',
  };
  expect(lines(await problemsOf(nested, { target: 'a' }))).toEqual([
    'own/a.yaml:1:1 a file under "files" of a target cannot declare targets',
  ]);
});

test.each([
  `targets: { a: { api_key: ${KEY} } }`,
  `targets:\n  a:\n    api_key: "${KEY}"\n`,
  `targets:\n  a:\n    api_key:\n      key: ${KEY}\n`,
  `targets:\n  a:\n    api-key: ${KEY}\n`,
  `targets:\n  a:\n    key: ${KEY}\n`,
  `targets:\n  a:\n    token: ${KEY}\n`,
  `targets:\n  a:\n    api_key: ${KEY}\n    www: [\n`,
  `targets:\n  a:\n    api_key: { env: ${KEY} }\n`,
])('an error does not show an API key in plain text', async (text) => {
  const problems = await problemsOf(text, { target: 'a' });
  expect(problems.length).toBeGreaterThan(0);
  expect(JSON.stringify(problems)).not.toContain(KEY);
});

test('WEBSITES_ALLOW_PATH allows files of a target in another directory', async () => {
  const outside = await testFolder({ 'own.yaml': 'websites: [o.example]\n', key: 'k\n' });
  const text = `targets: { a: { files: ["${outside}"], api_key: { file: "${join(outside, 'key')}" } } }\n`;
  const config = await load(text, { target: 'a', allowPaths: [outside] });
  expect(config.desired.websites).toHaveLength(1);
  expect(await config.pins.target?.key()).toBe('k');
});
