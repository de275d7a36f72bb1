import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readRevision } from '../../src/sync/repository.ts';
import { testFolder } from '../support/cli.ts';
import { git, KNOWS_BARE } from '../support/scratch-repo.ts';

/** The text of a file of `folder` as it was at a revision. */
function readAt(revision: string, folder: string, path: string): Promise<string> {
  const file = join(folder, path);
  return readRevision(revision, folder, [file], async ({ at }) => readFileSync(at(file) ?? '', 'utf8'));
}

/** A repository with two commits, of which the second changes `websites.yaml` and adds `new.txt`. */
async function repository(): Promise<string> {
  const folder = await testFolder({
    'websites.yaml': 'then\n',
    'lists/a.csv': 'domain\n',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`apps/${index}.txt`, `${index}`])),
  });
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'First');
  writeFileSync(join(folder, 'websites.yaml'), 'now\n');
  git(folder, 'commit', '--quiet', '--all', '--message', 'Second');
  git(folder, 'config', 'uploadpack.allowFilter', 'true');
  git(folder, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  return folder;
}

test('reading a revision in a partial clone fetches only the needed files', async () => {
  const [origin, top] = [await repository(), await testFolder()];
  const clone = join(top, 'clone');
  git(top, 'clone', '--quiet', '--filter=blob:none', '--sparse', `file://${origin}`, clone);
  const missing = (): number =>
    git(clone, 'rev-list', '--objects', '--all', '--missing=print').match(/^\?/gm)?.length ?? 0;
  const before = missing();
  const list = join(clone, 'apps/7.txt');
  const texts = await readRevision('HEAD~1', clone, [list], async ({ at }) => [
    readFileSync(at(list) ?? '', 'utf8'),
    existsSync(at(join(clone, 'websites.yaml')) ?? ''),
  ]);
  expect(texts).toEqual(['7', false]);
  expect(before - missing()).toBe(20);
});

test('reading a revision copies the files, lists next to them, and the targets of links', async () => {
  const folder = await testFolder({
    ...{ 'sites/deep/b.yaml': 'b\n', 'sites/code.ts': 'c\n', 'sites/named.conf': 'n\n', 'apps/x.txt': 'x\n' },
    'lists/a.csv': 'a\n',
  });
  const links = {
    'sites/link.csv': '../lists/a.csv',
    conf: 'sites/deep',
    circle: 'sites/circle',
    'sites/circle': '../circle',
    'sites/out.csv': '../../elsewhere/a.csv',
  };
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, path));
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'First');
  const there = async (...paths: string[]) => {
    const named = paths.map((path) => join(folder, path));
    return readRevision('HEAD', folder, named, async ({ at }) => {
      const all = ['sites/deep/b.yaml', 'sites/code.ts', 'sites/named.conf', 'apps/x.txt', 'lists/a.csv'];
      return [...all, ...Object.keys(links)].filter((path) => existsSync(at(join(folder, path)) ?? ''));
    });
  };
  for (const name of ['sites', 'lists', 'apps']) git(folder, 'rm', '-r', '--quiet', name);
  const lists = ['sites/deep/b.yaml', 'lists/a.csv', 'sites/link.csv'];
  expect(await there('sites')).toEqual(lists);
  expect(await there('apps')).toEqual(['apps/x.txt']);
  expect(await there('sites/named.conf', 'missing/too.yaml')).toEqual(
    lists.toSpliced(1, 0, 'sites/named.conf'),
  );
  expect(await there('conf/b.yaml')).toEqual(['sites/deep/b.yaml', 'conf']);
});

test('a revision is read in a Git worktree, and a missing repository is an error', async () => {
  const [main, top] = [await repository(), await testFolder()];
  const tree = join(top, 'tree');
  git(main, 'worktree', 'add', '--quiet', '--detach', tree);
  expect(await readAt('HEAD~1', tree, 'websites.yaml')).toBe('then\n');
  renameSync(join(main, '.git'), join(main, 'moved'));
  await expect(readAt('HEAD~1', tree, 'websites.yaml')).rejects.toMatchObject({
    code: 'revision-missing',
    message: expect.stringContaining('not a git repository'),
  });
});

test('an error about a Git revision and its remedy explain the cause', async () => {
  const [origin, top] = [await repository(), await testFolder()];
  const shallow = join(top, 'shallow');
  git(top, 'clone', '--quiet', '--depth=1', `file://${origin}`, shallow);
  const shownFor = async (revision: string, folder: string): Promise<string> => {
    const error = await readAt(revision, folder, 'websites.yaml').catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'revision-missing' });
    return `${error.message} ${error.remedy}`;
  };
  expect(await shownFor('HEAD~1', shallow)).toContain('git fetch --unshallow');
  expect(await shownFor('nowhere', origin)).toContain('Name a commit');
  expect(await shownFor('HEAD', top)).toContain('.git');
  vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await shownFor('HEAD', origin)).toContain(`safe.directory ${origin}`);
});

test('Git and its helpers do not get the API key', async () => {
  const top = await testFolder();
  const [folder, seen] = [join(top, 'repo'), join(top, 'seen')];
  mkdirSync(folder);
  writeFileSync(join(folder, 'websites.yaml'), 'websites: []\n');
  writeFileSync(join(folder, '.gitattributes'), '*.yaml filter=look\n');
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'First');
  git(folder, 'config', 'filter.look.smudge', `env > '${seen}'; cat`);
  vi.stubEnv('WEBSITES_API_KEY', 'do-not-hand-me-on');
  onTestFinished(() => void vi.unstubAllEnvs());
  await readAt('HEAD', folder, 'websites.yaml');
  const text = readFileSync(seen, 'utf8');
  expect(text).toContain('GIT_INDEX_FILE=');
  expect(text).not.toContain('do-not-hand-me-on');
});

test.skipIf(!KNOWS_BARE)('Git runs nothing from a directory that only looks like a repository', async () => {
  const folder = await testFolder();
  const [within, ran] = [join(folder, 'checkout/sites'), join(folder, 'ran')];
  mkdirSync(within, { recursive: true });
  writeFileSync(join(within, 'websites.yaml'), 'websites: []\n');
  writeFileSync(join(within, '.gitattributes'), '* filter=run\n');
  git(within, 'init', '--quiet');
  git(within, 'add', '--all');
  git(within, 'commit', '--quiet', '--message', 'First');
  git(within, 'config', 'core.worktree', '.');
  git(within, 'config', 'filter.run.smudge', `touch '${ran}'; cat`);
  for (const name of ['HEAD', 'config', 'objects', 'refs']) {
    renameSync(join(within, '.git', name), join(within, name));
  }
  rmSync(join(within, '.git'), { recursive: true });
  const error = await readAt('HEAD', within, 'websites.yaml').catch((thrown) => thrown);
  expect(existsSync(ran)).toBe(false);
  expect(error).toMatchObject({ code: 'revision-missing' });
});

test.each(['user:a/do-not-print-me@127.0.0.1:1/repo.git', '127.0.0.1:1/repo.git?token=do-not-print-me'])(
  'a Git error about a remote repository contains no credentials (%s)',
  async (address) => {
    const [origin, top] = [await testFolder({ 'websites.yaml': 'websites: []\n' }), await testFolder()];
    const folder = join(top, 'repo');
    git(origin, 'init', '--quiet');
    git(origin, 'add', '--all');
    git(origin, 'commit', '--quiet', '--message', 'First');
    git(origin, 'config', 'uploadpack.allowFilter', 'true');
    git(top, 'clone', '--quiet', '--filter=blob:none', '--no-checkout', `file://${origin}`, folder);
    git(folder, 'remote', 'set-url', 'origin', `http://${address}`);
    const error = await readAt('HEAD', folder, 'websites.yaml').catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: 'revision-missing',
      message: expect.stringMatching(/unable to access 'http:\/\/(?:…@)?127\.0\.0\.1:1\/repo\.git/),
    });
    expect(error.message).not.toContain('do-not-print-me');
  },
);

test('reading a Git revision without a temporary directory is an error', async () => {
  const folder = await testFolder();
  vi.stubEnv('TMPDIR', join(folder, 'missing'));
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(readAt('HEAD', folder, 'websites.yaml')).rejects.toMatchObject({
    code: 'file-failed',
    message: expect.stringContaining(`${join(folder, 'missing')} cannot be used: file not found`),
  });
});

test('reading a Git revision is an error if the git program is missing', async () => {
  const folder = await testFolder();
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(readAt('HEAD', folder, 'websites.yaml')).rejects.toMatchObject({
    code: 'revision-missing',
    message: 'The revision HEAD cannot be read: git was not found.',
  });
});
