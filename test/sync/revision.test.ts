import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { layOutRevision } from '../../src/sync/revision.ts';
import { testFolder } from '../support/cli.ts';
import { git, KNOWS_BARE } from '../support/scratch-repo.ts';

test('what Git runs for it is not handed the key of the service', async () => {
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
  const revision = await layOutRevision('HEAD', folder);
  await revision.dispose();
  const text = readFileSync(seen, 'utf8');
  expect(text).toContain('GIT_INDEX_FILE=');
  expect(text).not.toContain('do-not-hand-me-on');
});

test.skipIf(!KNOWS_BARE)(
  'a folder of the checkout that looks like a repository is none, and what it is set to is not run',
  async () => {
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
    const error = await layOutRevision('HEAD', within).catch((thrown) => thrown);
    expect(existsSync(ran)).toBe(false);
    expect(error).toMatchObject({ code: 'revision-missing' });
  },
);

test.each(['user:a/do-not-print-me@127.0.0.1:1/repo.git', '127.0.0.1:1/repo.git?token=do-not-print-me'])(
  'what Git says of a remote that it fetches the files from holds no credentials (%s)',
  async (address) => {
    const [origin, top] = [await testFolder({ 'websites.yaml': 'websites: []\n' }), await testFolder()];
    const folder = join(top, 'repo');
    git(origin, 'init', '--quiet');
    git(origin, 'add', '--all');
    git(origin, 'commit', '--quiet', '--message', 'First');
    git(origin, 'config', 'uploadpack.allowFilter', 'true');
    git(top, 'clone', '--quiet', '--filter=blob:none', '--no-checkout', `file://${origin}`, folder);
    git(folder, 'remote', 'set-url', 'origin', `http://${address}`);
    const error = await layOutRevision('HEAD', folder).catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: 'revision-missing',
      message: expect.stringContaining("unable to access 'http://127.0.0.1:1/repo.git"),
    });
    expect(error.message).not.toContain('do-not-print-me');
  },
);

test('where there is no place for the files of then, that is said', async () => {
  const folder = await testFolder();
  vi.stubEnv('TMPDIR', join(folder, 'missing'));
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(layOutRevision('HEAD', folder)).rejects.toMatchObject({
    code: 'file-failed',
    message: `No folder can be made in ${join(folder, 'missing')} (ENOENT).`,
    remedy: expect.stringContaining('TMPDIR'),
  });
});

test('where there is no Git, that is said', async () => {
  const folder = await testFolder();
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(layOutRevision('HEAD', folder)).rejects.toMatchObject({
    code: 'revision-missing',
    message: 'The revision HEAD cannot be read (there is no program "git" here).',
  });
});
