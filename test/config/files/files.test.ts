import { chmod, mkdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findFiles } from '../../../src/config/files/files.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { testFolder } from '../../support/cli.ts';
import { noStdin } from '../support.ts';

const TREE = Object.fromEntries(
  [
    'websites.yaml',
    'notes.txt',
    'sites/a.yaml',
    'sites/b.yml',
    'sites/c.json',
    'sites/.hidden.yaml',
    'sites/.git/d.yaml',
    'sites/team-1/e.yaml',
    'sites/team-1/deep/f.yaml',
    'sites/team-2/g.yaml',
    'odd[1].yaml',
    'star*.yaml',
  ].map((name) => [name, 'websites: []\n']),
);

async function paths(patterns: readonly string[], below = '.'): Promise<readonly string[]> {
  const cwd = join(await testFolder(TREE), below);
  const { files, unmatched } = await findFiles(patterns, { cwd });
  expect(unmatched).toEqual([]);
  return files.map(({ path }) => path);
}

test.each(['/dev/stdin', '/dev/fd/63', '/proc/self/fd/11', '/proc/123/fd/11'])(
  '%s, as shells name a stream, counts as a file of the working folder',
  async (pattern) => {
    const cwd = await testFolder({});
    const { files } = await findFiles([pattern], { cwd });
    expect(files).toEqual([{ path: pattern, absolute: join(cwd, basename(pattern)) }]);
  },
);

test.each<[string[], string]>([
  [['websites.yaml', 'sites'], '.'],
  [['sites/team-1/e.yaml'], 'sites/team-1'],
  [['sites'], 'sites'],
  [['sites/team-1/', 'websites.yaml'], 'sites/team-1'],
  [['sites/**/f.yaml'], 'sites'],
  [['*/team-2/*.yaml'], '.'],
  [['sites/team-?'], 'sites'],
  [['none/*', 'sites'], 'none'],
  [['-', 'sites'], '.'],
  [['/dev/fd/63'], '.'],
])('of %j, the folder that is named first is %s, whatever files are below it', async (patterns, expected) => {
  const cwd = await testFolder(TREE);
  const { folder } = await findFiles(patterns, { cwd });
  expect(folder).toBe(join(cwd, expected));
});

describe('what a pattern names', () => {
  test.each<[string[], string[]]>([
    [['websites.yaml'], ['websites.yaml']],
    [['./sites/../websites.yaml'], ['websites.yaml']],
    [['notes.txt'], ['notes.txt']],
    [
      ['sites'],
      [
        'sites/a.yaml',
        'sites/b.yml',
        'sites/team-1/deep/f.yaml',
        'sites/team-1/e.yaml',
        'sites/team-2/g.yaml',
      ],
    ],
    [
      ['sites/'],
      [
        'sites/a.yaml',
        'sites/b.yml',
        'sites/team-1/deep/f.yaml',
        'sites/team-1/e.yaml',
        'sites/team-2/g.yaml',
      ],
    ],
    [['sites/*.yaml'], ['sites/a.yaml']],
    [['sites/?.y*ml'], ['sites/a.yaml', 'sites/b.yml']],
    [
      ['sites/**/*.yaml'],
      ['sites/a.yaml', 'sites/team-1/deep/f.yaml', 'sites/team-1/e.yaml', 'sites/team-2/g.yaml'],
    ],
    [['**/f.yaml'], ['sites/team-1/deep/f.yaml']],
    [['sites/*/*.yaml'], ['sites/team-1/e.yaml', 'sites/team-2/g.yaml']],
    [['sites/team-*'], ['sites/team-1/deep/f.yaml', 'sites/team-1/e.yaml', 'sites/team-2/g.yaml']],
    [['sites/team-?/'], ['sites/team-1/deep/f.yaml', 'sites/team-1/e.yaml', 'sites/team-2/g.yaml']],
    [['sites/team-1/**'], ['sites/team-1/deep/f.yaml', 'sites/team-1/e.yaml']],
    [['odd[1].yaml'], ['odd[1].yaml']],
    [['star*.yaml'], ['star*.yaml']],
    [
      ['sites/team-2', 'websites.yaml', 'sites/*/g.yaml'],
      ['sites/team-2/g.yaml', 'websites.yaml'],
    ],
    [
      ['-', 'websites.yaml', '-'],
      ['-', 'websites.yaml'],
    ],
    [[], ['websites.yaml']],
  ])('%j', async (patterns, expected) => {
    expect(await paths(patterns)).toEqual(expected);
  });

  test('from another folder, paths go up', async () => {
    expect(await paths([], 'sites/team-1/deep')).toEqual(['../../../websites.yaml']);
    expect(await paths(['../*.yml', '.'], 'sites/team-1')).toEqual(['../b.yml', 'deep/f.yaml', 'e.yaml']);
  });

  test('an absolute pattern', async () => {
    const cwd = await testFolder(TREE);
    const { files } = await findFiles([join(cwd, 'sites/*.yml')], { cwd });
    expect(files).toEqual([{ path: 'sites/b.yml', absolute: join(cwd, 'sites/b.yml') }]);
  });
});

test('stars in the name of the working folder match no other folder', async () => {
  const root = await testFolder({ 'a*/own.yaml': '', 'ab/other.yaml': '' });
  const { files } = await findFiles(['*.yaml'], { cwd: join(root, 'a*') });
  expect(files.map(({ path }) => path)).toEqual(['own.yaml']);
});

describe('a pattern takes no longer for what it is made of', () => {
  test('many stars in a name', async () => {
    const cwd = await testFolder({ [`${'a'.repeat(200)}.yaml`]: '' });
    const found = async (pattern: string) => (await findFiles([pattern], { cwd })).files.length;
    expect(await found(`${'*a'.repeat(12)}*b.yaml`)).toBe(0);
    expect(await found(`${'*a'.repeat(12)}*.yaml`)).toBe(1);
    expect(await found(`a*${'a?'.repeat(98)}.*aml`)).toBe(1);
  });

  test('many folders of any name', async () => {
    const cwd = await testFolder({ [`${'a/'.repeat(22)}x.yaml`]: '' });
    const { files } = await findFiles([`${'**/'.repeat(12)}x.yaml`], { cwd });
    expect(files).toHaveLength(1);
  });
});

describe('patterns without a file are told, for the guard to refuse', () => {
  test.each(['sites/*.toml', 'none/*.yaml', 'sites/**/none.yaml', 'empty', '.g*/*.yaml'])(
    '%s',
    async (pattern) => {
      const cwd = await testFolder(TREE);
      await mkdir(join(cwd, 'empty'));
      const config = await loadConfig({ patterns: [pattern, 'websites.yaml'], cwd, env: {}, stdin: noStdin });
      expect(config.unmatched).toEqual([pattern]);
      expect(config.files).toHaveLength(1);
    },
  );

  test('without any file there is nothing desired', async () => {
    const cwd = await testFolder({});
    const config = await loadConfig({ patterns: ['*.yaml'], cwd, env: {}, stdin: noStdin });
    expect(config).toMatchObject({ unmatched: ['*.yaml'], files: [], root: cwd, desired: { websites: [] } });
  });
});

describe('names that lead nowhere', () => {
  test.each([
    [['none.yaml'], 'File not found: "none.yaml".'],
    [['websites.yaml/x'], 'File not found: "websites.yaml/x".'],
    [['a.yaml', 'websites.yaml', 'b.yaml'], 'File not found: "a.yaml", "b.yaml".'],
    [[''], 'File not found: "".'],
  ])('%j', async (patterns, message) => {
    await expect(paths(patterns)).rejects.toMatchObject({
      code: 'config-missing',
      exit: 1,
      message,
      remedy: 'Check the names after -f. "websites init" creates a first file.',
    });
  });

  test('no websites.yaml anywhere', async () => {
    await expect(findFiles([], { cwd: '/' })).rejects.toMatchObject({
      code: 'config-missing',
      message: 'websites.yaml not found in this directory or a parent.',
    });
  });
});

describe('links', () => {
  test('that stay inside are followed, folders in a circle are not', async () => {
    const cwd = await testFolder({
      '..data/websites.yaml': 'websites: []\n',
      'sub/a.yaml': 'websites: []\n',
    });
    await symlink('..data/websites.yaml', join(cwd, 'websites.yaml'));
    await symlink('.', join(cwd, 'sub/loop'));
    const { files } = await findFiles(['.', '*/*'], { cwd });
    expect(files.map(({ path }) => path)).toEqual(['sub/a.yaml', 'websites.yaml', 'sub/loop/a.yaml']);
  });

  test.each(['.', '*.yaml', '**/*.yaml'])('that lead out are refused in %s', async (pattern) => {
    const cwd = await testFolder({ 'sites/a.yaml': 'websites: []\n', 'secret.yaml': 'websites: []\n' });
    await symlink('../secret.yaml', join(cwd, 'sites/link.yaml'));
    await expect(findFiles([pattern], { cwd: join(cwd, 'sites') })).rejects.toMatchObject({
      code: 'config-missing',
      message: expect.stringContaining('link.yaml is a link that is broken, or leads out of its directory.'),
    });
  });

  test('that are named themselves are followed anywhere', async () => {
    const cwd = await testFolder({ 'sites/.keep': '', 'other.yaml': 'websites: [a.example]\n' });
    await symlink('../other.yaml', join(cwd, 'sites/websites.yaml'));
    const config = await loadConfig({ patterns: [], cwd: join(cwd, 'sites'), env: {}, stdin: noStdin });
    expect(config.desired.websites).toHaveLength(1);
    expect(config.root).toBe(join(cwd, 'sites'));
  });

  test.each([
    ['TOKEN=secret\n', 'the top of a file must be a map'],
    ['[default]\nkey = secret\n', 'this does not belong here'],
    ['{ auths: secret }\n', 'unknown key auths'],
  ])('quote nothing of what they lead out to: %j', async (text, message) => {
    const cwd = await testFolder({ 'sites/.keep': '', other: text });
    await symlink('../other', join(cwd, 'sites/websites.yaml'));
    const load = (allowPaths: string[]) =>
      loadConfig({ patterns: [], cwd: join(cwd, 'sites'), env: {}, stdin: noStdin, allowPaths });
    const told = (part: string, isQuoted: boolean) =>
      expect.objectContaining({
        problems: [expect.toSatisfy((one) => one.message.includes(part) && 'excerpt' in one === isQuoted)],
      });
    await expect(load([])).rejects.toEqual(told('which is not shown', false));
    await expect(load([cwd])).rejects.toEqual(told(message, true));
  });
});

test.skipIf(process.getuid?.() === 0)('a file that may not be read', async () => {
  const cwd = await testFolder({ 'websites.yaml': 'websites: []\n' });
  await chmod(join(cwd, 'websites.yaml'), 0o000);
  await expect(loadConfig({ patterns: [], cwd, env: {}, stdin: noStdin })).rejects.toMatchObject({
    code: 'file-failed',
    message: 'websites.yaml cannot be read: permission denied.',
  });
});
