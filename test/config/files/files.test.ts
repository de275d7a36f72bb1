import { chmod, mkdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { findDefault, findFiles, findFileToAdd } from '../../../src/config/files/files.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { type Files, testFolder } from '../../support/cli.ts';
import { noStdin } from '../support.ts';

const TREE = Object.fromEntries(
  [
    ...['websites.yaml', 'notes.txt', 'sites/a.yaml', 'sites/b.yml', 'sites/c.json', 'sites/.hidden.yaml'],
    ...['sites/.git/d.yaml', 'sites/team-1/e.yaml', 'sites/team-1/deep/f.yaml', 'sites/team-2/g.yaml'],
    'odd[1].yaml',
  ].map((name) => [name, 'websites: []\n']),
);

const SITES = ['a.yaml', 'b.yml', 'team-1/deep/f.yaml', 'team-1/e.yaml', 'team-2/g.yaml'].map(
  (name) => `sites/${name}`,
);

async function paths(patterns: readonly string[], below = '.'): Promise<readonly string[]> {
  const cwd = join(await testFolder(TREE), below);
  const { files, unmatched } = await findFiles(patterns, { cwd });
  expect(unmatched).toEqual([]);
  return files.map(({ path }) => path);
}

test.each(['/dev/stdin', '/dev/fd/63', '/proc/self/fd/11', '/proc/123/fd/11'])(
  'the stream %s counts as a file in the working directory',
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
  [['-', 'sites'], '.'],
  [['/dev/fd/63'], '.'],
])('the configuration directory of -f %j is %s', async (patterns, expected) => {
  const cwd = await testFolder(TREE);
  const { folder } = await findFiles(patterns, { cwd });
  expect(folder).toBe(join(cwd, expected));
});

test.each<[string[], string[]]>([
  [['websites.yaml'], ['websites.yaml']],
  [['./sites/../websites.yaml'], ['websites.yaml']],
  [['notes.txt'], ['notes.txt']],
  [['sites'], SITES],
  [['sites/'], SITES],
  [['odd[1].yaml'], ['odd[1].yaml']],
  [
    ['sites/team-2', 'websites.yaml', 'sites/team-2/g.yaml'],
    ['sites/team-2/g.yaml', 'websites.yaml'],
  ],
  [
    ['-', 'websites.yaml', '-'],
    ['-', 'websites.yaml'],
  ],
  [[], ['websites.yaml']],
])('-f %j reads the files %j', async (patterns, expected) => {
  expect(await paths(patterns)).toEqual(expected);
});

test('files in parent directories are listed with paths that contain ".."', async () => {
  expect(await paths([], 'sites/team-1/deep')).toEqual(['../../../websites.yaml']);
  expect(await paths(['../b.yml', '.'], 'sites/team-1')).toEqual(['../b.yml', 'deep/f.yaml', 'e.yaml']);
});

test('-f accepts an absolute path', async () => {
  const cwd = await testFolder(TREE);
  const { files } = await findFiles([join(cwd, 'sites/b.yml')], { cwd });
  expect(files).toEqual([{ path: 'sites/b.yml', absolute: join(cwd, 'sites/b.yml') }]);
});

test('loading reports a directory that contains no YAML files', async () => {
  const cwd = await testFolder(TREE);
  await mkdir(join(cwd, 'empty'));
  const options = { cwd, env: {}, stdin: noStdin };
  expect(await loadConfig({ ...options, patterns: ['empty', 'websites.yaml'] })).toMatchObject({
    unmatched: ['empty'],
    files: [{ path: 'websites.yaml' }],
  });
  expect(await loadConfig({ ...options, patterns: ['empty'] })).toMatchObject({
    unmatched: ['empty'],
    files: [],
    root: join(cwd, 'empty'),
    desired: { websites: [] },
  });
});

test.each([
  [['none.yaml'], 'File not found: "none.yaml".'],
  [['websites.yaml/x'], 'File not found: "websites.yaml/x".'],
  [['websites.yaml', 'b.yaml'], 'File not found: "b.yaml".'],
  [[''], 'File not found: "".'],
])('-f %j is an error that names the missing files', async (patterns, message) => {
  await expect(paths(patterns)).rejects.toMatchObject({
    code: 'config-missing',
    exit: 1,
    message,
    remedy: 'Check the names after -f. "websites init" creates a first file.',
  });
});

test('-f with a wildcard is an error that suggests a directory', async () => {
  await expect(paths(['sites/*.yaml'])).rejects.toMatchObject({
    code: 'config-missing',
    remedy: expect.stringContaining('Pass a directory'),
  });
});

test('without -f, a missing websites.yaml is an error', async () => {
  await expect(findFiles([], { cwd: '/' })).rejects.toMatchObject({
    code: 'config-missing',
    message: 'websites.yaml not found in this directory or a parent.',
  });
});

const file = 'websites: []\n';
const found = async (files: Files, cwd = '.') => findDefault(join(await testFolder(files), cwd));

test.each<[Files, string, string]>([
  [{ 'websites.yaml': file, 'websites/a.yaml': file }, '.', 'websites.yaml'],
  [{ 'websites.yaml': file, 'sub/websites/a.yaml': file }, 'sub', '../websites.yaml'],
  [{ 'websites/team/a.yml': file }, '.', 'websites'],
])('without -f, the files %j in the directory %s are read from %s', async (files, cwd, path) => {
  expect(await found(files, cwd)).toBe(path);
});

test.each<[Files, string, string]>([
  [{ 'websites.yml': file }, '.', 'Pass -f websites.yml.'],
  [{ 'websites/a.csv': '', 'a/b/websites.yaml': file }, '.', 'Pass -f a/b/websites.yaml.'],
  [
    { 'websites/a.yaml': file, 'sub/.keep': '' },
    'sub',
    '"websites init" creates one. To use another file, pass -f.',
  ],
])('without -f, the files %j in the directory %s are an error: %s', async (files, cwd, remedy) => {
  await expect(found(files, cwd)).rejects.toMatchObject({ code: 'config-missing', remedy });
});

test('a new configuration file goes into the directory that is read', async () => {
  expect(await findFileToAdd(await testFolder({ 'websites/a.yaml': file }))).toBe('websites/websites.yaml');
  expect(await findFileToAdd(await testFolder({}))).toBe('websites.yaml');
});

test('a directory is searched through links inside it, and a link cycle does no harm', async () => {
  const cwd = await testFolder({
    '..data/websites.yaml': 'websites: []\n',
    'sub/a.yaml': 'websites: []\n',
  });
  await symlink('..data/websites.yaml', join(cwd, 'websites.yaml'));
  await symlink('.', join(cwd, 'sub/loop'));
  const { files } = await findFiles(['.'], { cwd });
  expect(files.map(({ path }) => path)).toEqual(['sub/a.yaml', 'websites.yaml']);
});

test('a link that leads out of a configuration directory is an error', async () => {
  const cwd = await testFolder({ 'sites/a.yaml': 'websites: []\n', 'secret.yaml': 'websites: []\n' });
  await symlink('../secret.yaml', join(cwd, 'sites/link.yaml'));
  await expect(findFiles(['.'], { cwd: join(cwd, 'sites') })).rejects.toMatchObject({
    code: 'config-missing',
    message: expect.stringContaining('link.yaml is a link that is broken, or leads out of its directory.'),
  });
});

test('a websites.yaml that is a link can lead anywhere', async () => {
  const cwd = await testFolder({ 'sites/.keep': '', 'other.yaml': 'websites: [a.example]\n' });
  await symlink('../other.yaml', join(cwd, 'sites/websites.yaml'));
  const config = await loadConfig({ patterns: [], cwd: join(cwd, 'sites'), env: {}, stdin: noStdin });
  expect(config.desired.websites).toHaveLength(1);
  expect(config.root).toBe(join(cwd, 'sites'));
});

test.each([
  ['TOKEN=secret\n', 'the top of a file must be a map'],
  ['[default]\nname: else\n', 'this does not belong here'],
  ['{ auths: secret }\n', 'unknown key auths'],
])('an error does not quote a linked file outside the configuration directory: %j', async (text, message) => {
  const cwd = await testFolder({ 'sites/.keep': '', other: text });
  await symlink('../other', join(cwd, 'sites/websites.yaml'));
  const load = (allowPaths: string[]) =>
    loadConfig({ patterns: [], cwd: join(cwd, 'sites'), env: {}, stdin: noStdin, allowPaths });
  const told = (problem: object) => ({ problems: [problem] });
  const hidden = expect.objectContaining({ message: expect.stringContaining('which is not shown') });
  await expect(load([])).rejects.toMatchObject(
    told(expect.not.objectContaining({ excerpt: expect.anything() })),
  );
  await expect(load([])).rejects.toMatchObject(told(hidden));
  await expect(load([cwd])).rejects.toMatchObject(told({ message: expect.stringContaining(message) }));
});

test.skipIf(process.getuid?.() === 0)('an unreadable configuration file is an error', async () => {
  const cwd = await testFolder({ 'websites.yaml': 'websites: []\n' });
  await chmod(join(cwd, 'websites.yaml'), 0o000);
  await expect(loadConfig({ patterns: [], cwd, env: {}, stdin: noStdin })).rejects.toMatchObject({
    code: 'file-failed',
    message: 'websites.yaml cannot be read: permission denied.',
  });
});
