import { createHash } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { DesiredWebsite } from '../../src/model/website.ts';
import { testFolder } from '../support/cli.ts';
import { lines, load, meaning, noStdin, problemsOf } from './support.ts';

const EVERYTHING = `# yaml-language-server: $schema=./schema/websites.schema.json
version: 1
service:
  base_url: local
  www: distinct
  update: changed
prune: true
defaults:
  privacy: private
  exclude_bots: true
ignore: ["*.internal.example"]
protected: [example.com]
websites:
  - example.com
  - domain: shop.example.com
    privacy: password
    password: { env: SHOP_PASSWORD }
    email: true
    exclude_params: [utm_source, utm_medium, utm_source]
    exclude_ips: [192.0.2.0/24, "2001:DB8:0::1"]
    favorited_at: 2026-01-31T10:00:00+01:00
    protect: true
  - domain: BÜCHER.example.
    exclude_params: null
    favorite: true
  - domain: blog.example.com
    favorite: false
    state: present
  - domain: old.example.com
    state: absent
`;

const at = (line: number, column: number): DesiredWebsite['source'] => ({
  file: 'websites.yaml',
  line,
  column,
});

test('a configuration file can use every key', async () => {
  const { desired, pins, prune, warnings, unmatched } = await load(EVERYTHING);
  const defaults = { privacy: 1, exclude_bots: true };
  expect(desired).toEqual({
    websites: [
      { domain: 'example.com', state: 'present', settings: defaults, protect: false, source: at(14, 5) },
      {
        domain: 'shop.example.com',
        state: 'present',
        settings: {
          privacy: 2,
          exclude_bots: true,
          password: { env: 'SHOP_PASSWORD' },
          email: true,
          exclude_params: ['utm_source', 'utm_medium'],
          exclude_ips: ['192.0.2.0/24', '2001:db8::1'],
          favorited_at: '2026-01-31T09:00:00Z',
        },
        protect: true,
        source: at(15, 5),
      },
      {
        domain: 'xn--bcher-kva.example',
        state: 'present',
        settings: { ...defaults, exclude_params: [], favorited_at: true },
        protect: false,
        source: at(23, 5),
      },
      {
        domain: 'blog.example.com',
        state: 'present',
        settings: { ...defaults, favorited_at: null },
        protect: false,
        source: at(26, 5),
      },
      { domain: 'old.example.com', state: 'absent', settings: {}, protect: false, source: at(29, 5) },
    ],
    ignore: ['*.internal.example'],
    protected: ['example.com'],
  });
  expect(pins).toEqual({ base_url: 'local', www: 'distinct', update: 'changed' });
  expect({ prune, warnings, unmatched }).toEqual({ prune: true, warnings: [], unmatched: [] });
});

test.each([
  'websites: []\n',
  'websites:\n',
  '{}\n',
  'service:\ndefaults:\nignore:\nprotected:\n',
  'x-a: 1\n',
])('the file %j declares nothing', async (text) => {
  const { desired, pins, prune } = await load(text);
  expect({ desired, pins, prune }).toStrictEqual({
    desired: { websites: [], ignore: [], protected: [] },
    pins: {},
    prune: undefined,
  });
});

test('the closing bracket of a list can be in the column of its key', async () => {
  const { desired } = await load(
    'websites:\n  - domain: a.example\n    exclude_ips: [\n      192.0.2.1\n    ]\n',
  );
  expect(desired.websites[0]?.settings).toEqual({ exclude_ips: ['192.0.2.1'] });
});

test('records without own settings share one frozen settings object', async () => {
  const { desired } = await load(
    'defaults: { email: true }\nwebsites: [a.example, { domain: b.example }, { domain: c.example, email: false }]\n',
  );
  const [a, b, c] = desired.websites;
  expect(a?.settings).toBe(b?.settings);
  expect(Object.isFrozen(a?.settings)).toBe(true);
  expect(c?.settings).toEqual({ email: false });
});

test.each([
  ['exclude_ips: [192.0.2.1]', 'exclude_ips: [192.0.2.2]', { exclude_ips: ['192.0.2.2'] }],
  ['exclude_ips: [192.0.2.1]', 'exclude_ips: null', { exclude_ips: [] }],
  ['exclude_ips: [192.0.2.1]', 'exclude_ips: []', { exclude_ips: [] }],
  ['favorited_at: 2026-01-31', 'favorite: false', { favorited_at: null }],
  ['favorite: true', 'favorited_at: 2026-01-31', { favorited_at: '2026-01-31T00:00:00Z' }],
  ['password: { env: P }', 'privacy: password', { password: { env: 'P' }, privacy: 2 }],
  ['privacy: password, password: { env: P }', 'privacy: public', { privacy: 0 }],
  ['privacy: password', 'password: { env: P }', { privacy: 2, password: { env: 'P' } }],
  ['email: true', 'password: null', { email: true, password: null }],
  ['email: 1', 'privacy: 2', { email: true, privacy: 2 }],
])('with the default "%s", a record with "%s" has the settings %j', async (defaults, own, settings) => {
  const { desired } = await load(`defaults: { ${defaults} }\nwebsites: [{ domain: a.example, ${own} }]\n`);
  expect(desired.websites[0]?.settings).toEqual(settings);
});

test('own keys of a record override merged keys, and earlier merges override later ones', async () => {
  const { desired } = await load(`
x-one: &one { email: true, privacy: 1 }
x-two: &two { email: false, exclude_bots: false }
websites:
  - { <<: *one, domain: a.example, privacy: 0 }
  - { domain: b.example, <<: [*one, *two] }
  - { domain: c.example, <<: [{ email: false }, *one] }
`);
  expect(desired.websites.map(({ settings }) => settings)).toEqual([
    { email: true, privacy: 0 },
    { email: true, privacy: 1, exclude_bots: false },
    { email: false, privacy: 1 },
  ]);
});

test('an alias can use an anchor inside a merged map', async () => {
  const { desired } = await load(
    'websites: [{ <<: { exclude_ips: &ips [192.0.2.1] }, domain: a.example, exclude_params: *ips }]\n',
  );
  expect(desired.websites[0]?.settings).toEqual({
    exclude_ips: ['192.0.2.1'],
    exclude_params: ['192.0.2.1'],
  });
});

test('a quoted << is an unknown key, not a merge key', async () => {
  expect(
    lines(
      await problemsOf(
        'x-ips: &ips [192.0.2.1]\nwebsites: [{ domain: a.example, exclude_ips: *ips, "<<": 1 }]\n',
      ),
    ),
  ).toEqual(['2:52 unknown key "<<"']);
});

test('several files join their lists, and may repeat equal single values', async () => {
  const config = await load({
    'a.yaml':
      'service: { www: same }\nprune: true\ndefaults: { privacy: 1, exclude_ips: [192.0.2.1, 192.0.2.2] }\nignore: [x.example]\nwebsites: [a.example]\n',
    'b.yaml':
      'service: { www: same, update: full }\nprune: true\ndefaults: { privacy: private, exclude_ips: [192.0.2.2, 192.0.2.1], email: true }\nignore: [x.example, y.example]\nprotected: [a.example]\nwebsites: [b.example]\n',
  });
  const settings = { privacy: 1, exclude_ips: ['192.0.2.1', '192.0.2.2'], email: true };
  const record = { state: 'present', protect: false, settings };
  expect(meaning(config)).toEqual({
    websites: [
      { domain: 'a.example', ...record },
      { domain: 'b.example', ...record },
    ],
    ignore: ['x.example', 'y.example'],
    protected: ['a.example'],
    pins: { www: 'same', update: 'full' },
    prune: true,
  });
});

test('different values of one key in several files are reported with both locations', async () => {
  const problems = await problemsOf({
    'a.yaml':
      'prune: true\nservice: { www: same }\ndefaults:\n  privacy: 1\n  favorite: true\nwebsites: [a.example]\n',
    'b.yaml':
      'prune: false\nservice: { www: distinct }\ndefaults:\n  privacy: 2\n  favorited_at: 2026-01-31\nwebsites: [A.example]\n',
    'c.yaml': 'prune: true\ndefaults: { privacy: 0 }\nignore: ["a.*"]\n',
  });
  expect(lines(problems)).toEqual([
    'a.yaml:6:12 a.example is declared, and ignored by "a.*" (c.yaml:3:10)',
    'b.yaml:1:8 prune differs from a.yaml:1:8',
    'b.yaml:2:17 www differs from a.yaml:2:17',
    'b.yaml:4:12 privacy differs from a.yaml:4:12',
    'b.yaml:5:17 favorited_at differs from a.yaml:4:3',
    'b.yaml:6:12 a.example is declared twice, first at a.yaml:6:12',
    'c.yaml:2:22 privacy differs from a.yaml:4:12',
  ]);
});

test('default passwords in several files are compared and never shown', async () => {
  const file = (password: string): string => `defaults: { privacy: password, password: ${password} }\n`;
  for (const others of [
    ['{ env: A }', 'hunter2'],
    ['{ env: A }', '{ env: B }'],
    ['hunter2', 'hunter2'],
  ] as const) {
    const different = await problemsOf({ 'a.yaml': file(others[0]), 'b.yaml': file(others[1]) });
    expect(lines(different)).toContain('b.yaml:1:42 password differs from a.yaml:1:42');
    expect(JSON.stringify(different)).not.toContain('hunter');
  }
});

test('a configuration means the same in any order of files and records', async () => {
  const items = [
    'a.example',
    '{ domain: b.example, privacy: public }',
    '{ domain: c.example, state: absent }',
    '{ domain: www.a.example, exclude_ips: [192.0.2.1] }',
    '{ domain: d.example, privacy: password, password: { env: P } }',
    '{ domain: e.example, favorite: true, protect: true }',
  ];
  const tops = [
    'prune: true\n',
    'defaults: { email: true }\n',
    'ignore: [x.example]\nservice: { www: same }\n',
  ];
  const text = (top: string, share: readonly string[]): string =>
    `${top}websites:\n${share.map((item) => `  - ${item}\n`).join('')}`;
  const expected = meaning(await load(text(tops.join(''), items)));
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(items, { minLength: items.length }),
      fc.shuffledSubarray(tops, { minLength: tops.length }),
      fc.tuple(fc.nat(items.length), fc.nat(items.length)),
      async (shuffled, parts, cuts) => {
        const [first, second] = [Math.min(...cuts), Math.max(...cuts)];
        const files = {
          'a.yaml': text(parts[0] ?? '', shuffled.slice(0, first)),
          'b.yaml': text(parts[1] ?? '', shuffled.slice(first, second)),
          'c.yaml': text(parts[2] ?? '', shuffled.slice(second)),
        };
        expect(meaning(await load(files))).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('a loaded configuration has relative paths, digests, and the directory of its first file', async () => {
  const cwd = await testFolder({
    'sites/b.yaml': 'websites: [b.example]\n',
    'a.yaml': 'websites: [a.example]\n',
  });
  const options = { cwd, env: {}, stdin: noStdin };
  const one = await loadConfig({ ...options, patterns: ['sites', 'a.yaml'] });
  const other = await loadConfig({ ...options, patterns: ['a.yaml', 'sites/b.yaml'] });
  expect(one.files).toEqual([
    { path: 'sites/b.yaml', digest: sha256('websites: [b.example]\n') },
    { path: 'a.yaml', digest: sha256('websites: [a.example]\n') },
  ]);
  expect(one.root).toBe(join(cwd, 'sites'));
  expect(other.root).toBe(cwd);
  expect(one.digest).toBe(other.digest);
  expect(one.digest).toMatch(/^[0-9a-f]{64}$/);
});

test('the digest of a configuration changes with its content', async () => {
  const [a, b] = [await load('websites: [a.example]\n'), await load('websites: [b.example]\n')];
  expect(a.digest).not.toBe(b.digest);
});

test('standard input is read like a file in the working directory', async () => {
  const cwd = await testFolder({});
  async function* stdin(): AsyncGenerator<Buffer> {
    const bytes = Buffer.from('websites: [bücher.example, a b]\n');
    // Cut in the middle of a character.
    yield bytes.subarray(0, 13);
    yield bytes.subarray(13);
  }
  const options = { cwd, env: {}, patterns: ['-'] };
  await expect(loadConfig({ ...options, stdin: stdin() })).rejects.toMatchObject({
    code: 'config-invalid',
    problems: [{ place: { file: '-', line: 1, column: 28 } }],
  });
  const { files, root, desired } = await loadConfig({
    ...options,
    stdin: (async function* () {
      yield 'websites: [a.example]\n';
    })(),
  });
  expect(files[0]?.path).toBe('-');
  expect(root).toBe(cwd);
  expect(desired.websites[0]?.source).toEqual({ file: '-', line: 1, column: 12 });
});

test('an error about a configuration counts its problems and files', async () => {
  await expect(load({ 'a.yaml': 'websites: [a b, localhost]\n', 'b.yaml': '' })).rejects.toMatchObject({
    code: 'config-invalid',
    exit: 1,
    message: '2 errors, 1 warning in 2 files.',
  });
});
