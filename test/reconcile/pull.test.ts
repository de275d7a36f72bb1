import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkTracked, folderOf, type PullOptions, pull } from '../../src/reconcile/pull.ts';
import { testFolder } from '../support/cli.ts';
import { listen } from '../support/listen.ts';
import { KNOWS_BARE } from '../support/scratch-repo.ts';

const ENV = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { env: ENV, encoding: 'utf8', stdio: 'pipe' }).trim();

function commit(folder: string, text: string): string {
  writeFileSync(join(folder, 'websites.yaml'), text);
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message', text);
  return git(folder, 'rev-parse', 'HEAD');
}

/** A repository that somebody pushes to, and a checkout of it, to be copied. */
let made: string;
beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), 'websites-pull-'));
  const origin = join(made, 'origin');
  mkdirSync(origin);
  git(origin, 'init', '--quiet', '--initial-branch', 'main');
  commit(origin, 'one');
  git(made, 'clone', '--quiet', origin, 'checkout');
});
afterAll(() => rmSync(made, { recursive: true }));

/** A repository that somebody pushes to, and a checkout of it. */
async function repository() {
  const root = await testFolder();
  const [origin, checkout] = [join(root, 'origin'), join(root, 'checkout')];
  cpSync(made, root, { recursive: true, preserveTimestamps: true });
  const config = join(checkout, '.git', 'config');
  writeFileSync(config, readFileSync(config, 'utf8').replace(join(made, 'origin'), origin));
  return { origin, checkout };
}

const pullThere = (folder: string, more: Partial<PullOptions> = {}) =>
  pull({ folder, env: ENV, timeoutMs: 30_000, signal: new AbortController().signal, ...more });

/** A server that takes connections and never says anything. */
function silentServer(onConnection?: (socket: Socket) => void): Promise<number> {
  return listen(createServer((socket) => onConnection?.(socket.resume())));
}

describe('pull', () => {
  test('brings the checkout to the newest commit, and stays there', async () => {
    const { origin, checkout } = await repository();
    const newest = commit(origin, 'two');
    expect(await pullThere(checkout)).toBe(newest);
    expect(readFileSync(join(checkout, 'websites.yaml'), 'utf8')).toBe('two');
    expect(await pullThere(checkout)).toBe(newest);
  });

  test.skipIf(!KNOWS_BARE)(
    'takes no folder in the checkout for a repository, and runs nothing that it is set to',
    async () => {
      const { origin, checkout } = await repository();
      const [within, ran] = [join(checkout, 'sites'), join(origin, 'ran')];
      git(checkout, 'clone', '--quiet', origin, within);
      git(within, 'config', 'core.fsmonitor', `touch '${ran}'; false`);
      git(within, 'config', 'core.worktree', '.');
      for (const name of ['HEAD', 'config', 'objects', 'refs', 'packed-refs', 'index']) {
        renameSync(join(within, '.git', name), join(within, name));
      }
      rmSync(join(within, '.git'), { recursive: true });
      commit(origin, 'two');
      await expect(pullThere(within)).rejects.toMatchObject({ code: 'pull-failed' });
      expect(existsSync(ran)).toBe(false);
    },
  );

  test('goes by the folder, also where a hook of another repository begins it', async () => {
    const { origin, checkout } = await repository();
    const newest = commit(origin, 'two');
    const other = await repository();
    const env = {
      ...ENV,
      GIT_DIR: join(other.checkout, '.git'),
      GIT_WORK_TREE: other.checkout,
      GIT_INDEX_FILE: join(other.checkout, '.git', 'index'),
    };
    expect(await pullThere(checkout, { env })).toBe(newest);
    expect(git(checkout, 'rev-parse', 'HEAD')).toBe(newest);
  });

  test('leaves alone what Git does not know', async () => {
    const { origin, checkout } = await repository();
    mkdirSync(join(checkout, '.websites'));
    writeFileSync(join(checkout, '.websites', 'local.db'), 'x');
    expect(await pullThere(checkout)).toBe(git(origin, 'rev-parse', 'HEAD'));
  });

  test('never takes half a tree, or an edited one, for a commit', async () => {
    const { checkout } = await repository();
    appendFileSync(join(checkout, 'websites.yaml'), 'edited');
    await expect(pullThere(checkout)).rejects.toMatchObject({
      code: 'pull-failed',
      message: expect.stringContaining('has uncommitted changes: websites.yaml.'),
    });
  });

  test('names the edited files that a commit would change', async () => {
    const { origin, checkout } = await repository();
    commit(origin, 'two');
    appendFileSync(join(checkout, 'websites.yaml'), 'edited');
    await expect(pullThere(checkout)).rejects.toMatchObject({
      code: 'pull-failed',
      message: expect.stringContaining('would be overwritten by merge: websites.yaml.'),
    });
  });

  test('sees an edit beside its folder, whatever Git is set to', async () => {
    const { checkout } = await repository();
    const sites = join(checkout, 'sites');
    mkdirSync(sites);
    git(checkout, 'config', 'diff.relative', 'true');
    await pullThere(sites);
    appendFileSync(join(checkout, 'websites.yaml'), 'edited');
    await expect(pullThere(sites)).rejects.toMatchObject({
      code: 'pull-failed',
      message: expect.stringContaining('has uncommitted changes: websites.yaml.'),
    });
  });

  test('refuses history that was rewritten', async () => {
    const { origin, checkout } = await repository();
    commit(origin, 'two');
    await pullThere(checkout);
    git(origin, 'commit', '--quiet', '--amend', '--message', 'another');
    await expect(pullThere(checkout)).rejects.toMatchObject({
      code: 'pull-failed',
      message: expect.stringContaining(': Not possible to fast-forward, aborting.'),
    });
  });

  test('refuses a commit that was taken back from the remote', async () => {
    const { origin, checkout } = await repository();
    const first = git(origin, 'rev-parse', 'HEAD');
    commit(origin, 'two');
    await pullThere(checkout);
    git(origin, 'reset', '--quiet', '--hard', first);
    for (const _ of ['first', 'next pass']) {
      await expect(pullThere(checkout)).rejects.toMatchObject({
        code: 'pull-failed',
        message: expect.stringContaining('has a commit that its remote does not have'),
      });
    }
    git(checkout, 'reset', '--quiet', '--hard', '@{upstream}');
    expect(await pullThere(checkout)).toBe(first);
  });

  test('fails where the branch is gone from the remote, until it is back', async () => {
    const { origin, checkout } = await repository();
    const newest = git(origin, 'rev-parse', 'HEAD');
    git(origin, 'branch', '--move', 'main', 'renamed');
    await expect(pullThere(checkout)).rejects.toMatchObject({ code: 'pull-failed' });
    await expect(pullThere(checkout)).rejects.toMatchObject({ code: 'pull-failed' });
    git(origin, 'branch', '--move', 'renamed', 'main');
    expect(await pullThere(checkout)).toBe(newest);
  });

  test.each([
    'user:do-not-print-me@127.0.0.1:1/repo.git',
    'user:a/do-not-print-me@127.0.0.1:1/repo.git',
    'user:a@do-not-print-me@127.0.0.1:1/repo.git',
    '127.0.0.1:1/repo.git?token=do-not-print-me',
  ])('says what Git says, without the credentials of an address (%s)', async (address) => {
    const { checkout } = await repository();
    git(checkout, 'remote', 'set-url', 'origin', `http://${address}`);
    const error = await pullThere(checkout).catch((caught: Error) => caught);
    expect(error).toMatchObject({
      code: 'pull-failed',
      message: expect.stringContaining('http://127.0.0.1:1'),
    });
    expect(JSON.stringify([error, String(error)])).not.toContain('do-not-print-me');
  });

  test('says what the transport says, where Git only says that it failed', async () => {
    const { checkout } = await repository();
    git(checkout, 'remote', 'set-url', 'origin', 'ssh://127.0.0.1/repo.git');
    const ssh = 'printf "git@127.0.0.1: Permission denied (publickey).\r\n" >&2; exit 255; :';
    const failed = pullThere(checkout, { env: { ...ENV, GIT_SSH_COMMAND: ssh } });
    await expect(failed).rejects.toMatchObject({
      code: 'pull-failed',
      message: expect.stringMatching(/: git@127\.0\.0\.1: Permission denied \(publickey\)\.$/),
    });
  });

  test('asks nobody, and hands the key of the service to nothing that it starts', async () => {
    const { checkout } = await repository();
    const seen = join(checkout, '..', 'environment');
    git(checkout, 'remote', 'set-url', 'origin', 'ssh://127.0.0.1/repo.git');
    const env = { ...ENV, GIT_SSH_COMMAND: `env > ${seen}; false`, WEBSITES_API_KEY: 'do-not-hand-me-on' };
    await expect(pullThere(checkout, { env })).rejects.toMatchObject({ code: 'pull-failed' });
    const text = readFileSync(seen, 'utf8');
    expect(text).toContain('GIT_TERMINAL_PROMPT=0');
    expect(text).not.toContain('do-not-hand-me-on');
  });

  test.each(['core.sshCommand', 'GIT_SSH'])('goes by the ssh that was chosen with %s', async (name) => {
    const { origin, checkout } = await repository();
    const ssh = join(checkout, '..', 'ssh');
    // The command for the other side is the last argument.
    writeFileSync(ssh, '#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n', { mode: 0o755 });
    git(checkout, 'remote', 'set-url', 'origin', `ssh://127.0.0.1:1${origin}`);
    if (name !== 'GIT_SSH') git(checkout, 'config', name, ssh);
    const newest = commit(origin, 'two');
    const env = name === 'GIT_SSH' ? { ...ENV, GIT_SSH: ssh } : ENV;
    expect(await pullThere(checkout, { env })).toBe(newest);
  });

  test('gives a remote up that does not answer', async () => {
    const { checkout } = await repository();
    git(checkout, 'remote', 'set-url', 'origin', `git://127.0.0.1:${await silentServer()}/repo.git`);
    await expect(pullThere(checkout, { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'pull-failed',
      message: expect.stringContaining('it did not end within 0.3 s'),
    });
  });

  test.each([30 * 86_400_000, 30_000.5])('gives a remote %d ms, which no timer takes', async (timeoutMs) => {
    const { origin, checkout } = await repository();
    expect(await pullThere(checkout, { timeoutMs })).toBe(git(origin, 'rev-parse', 'HEAD'));
  });

  test('ends when it is told to', async () => {
    const { checkout } = await repository();
    git(checkout, 'remote', 'set-url', 'origin', `git://127.0.0.1:${await silentServer()}/repo.git`);
    const end = new AbortController();
    const pulled = pullThere(checkout, { signal: end.signal });
    end.abort();
    await expect(pulled).rejects.toMatchObject({ code: 'interrupted' });
  });

  test('leaves nothing behind that goes on asking a remote which does not answer', async () => {
    const { checkout } = await repository();
    const ended: Promise<unknown>[] = [];
    const port = await silentServer((socket) => {
      socket.on('error', () => undefined);
      ended.push(once(socket, 'close'));
    });
    git(checkout, 'remote', 'set-url', 'origin', `http://127.0.0.1:${port}/repo.git`);
    await expect(pullThere(checkout, { timeoutMs: 500 })).rejects.toMatchObject({ code: 'pull-failed' });
    const end = new AbortController();
    const pulled = pullThere(checkout, { signal: end.signal });
    await vi.waitUntil(() => ended.length === 2, { timeout: 20_000 });
    end.abort();
    await expect(pulled).rejects.toMatchObject({ code: 'interrupted' });
    await Promise.all(ended);
  });

  test('fails where there is no repository, no upstream, or no Git', async () => {
    const { checkout } = await repository();
    await expect(pullThere(await testFolder())).rejects.toMatchObject({ code: 'pull-failed' });
    await expect(pullThere(checkout, { env: { PATH: '' } })).rejects.toMatchObject({
      message: expect.stringContaining('git was not found'),
    });
    git(checkout, 'switch', '--quiet', '--create', 'mine');
    await expect(pullThere(checkout)).rejects.toMatchObject({
      message: expect.stringContaining('no upstream'),
    });
  });
});

describe('the files of a checkout', () => {
  test('are tracked, or lie elsewhere', async () => {
    const { checkout } = await repository();
    const elsewhere = await testFolder({ 'more.yaml': '' });
    const files = [join(checkout, 'websites.yaml'), join(elsewhere, 'more.yaml')];
    await checkTracked(files, { folder: checkout, env: ENV });
  });

  test.each(['extra.yaml', 'ignored.yaml', 'a folder/ümlaut.yaml', ' blank.yaml'])(
    'refuse %s',
    async (name) => {
      const { checkout } = await repository();
      mkdirSync(join(checkout, 'a folder'));
      writeFileSync(join(checkout, '.git', 'info', 'exclude'), 'ignored.yaml');
      writeFileSync(join(checkout, name), '');
      const link = join(checkout, '..', 'link');
      symlinkSync(checkout, link);
      for (const folder of [checkout, link]) {
        const files = [join(folder, 'websites.yaml'), join(folder, name)];
        await expect(
          checkTracked(files, { folder: join(folder, 'a folder'), env: ENV }),
        ).rejects.toMatchObject({
          code: 'pull-failed',
          message: expect.stringContaining(`has uncommitted changes: ${name}.`),
        });
      }
    },
  );
});

test.each(['--skip-worktree', '--assume-unchanged'])(
  'a file that Git is told not to look at (%s) is as committed all the same',
  async (flag) => {
    const { checkout } = await repository();
    git(checkout, 'update-index', flag, 'websites.yaml');
    const files = [join(checkout, 'websites.yaml')];
    await checkTracked(files, { folder: checkout, env: ENV });
    writeFileSync(join(checkout, 'websites.yaml'), 'edited');
    await pull({ folder: checkout, env: ENV, timeoutMs: 60_000, signal: new AbortController().signal });
    await expect(checkTracked(files, { folder: checkout, env: ENV })).rejects.toMatchObject({
      code: 'pull-failed',
      message: expect.stringContaining('has uncommitted changes: websites.yaml.'),
    });
  },
);

test('a link that is tracked does not make what it leads to tracked', async () => {
  const { checkout } = await repository();
  const [link, file] = [join(checkout, 'link.yaml'), join(checkout, 'own.yaml')];
  writeFileSync(file, '');
  symlinkSync('own.yaml', link);
  git(checkout, 'add', 'link.yaml');
  const check = () => checkTracked([link], { folder: checkout, env: ENV });
  await expect(check()).rejects.toMatchObject({
    message: expect.stringContaining('has uncommitted changes: own.yaml.'),
  });
  git(checkout, 'add', 'own.yaml');
  await check();
});

test('the files of a repository within the checkout are none of the checkout', async () => {
  const { checkout } = await repository();
  const inner = join(checkout, 'sites', 'inner');
  mkdirSync(join(inner, 'deep'), { recursive: true });
  git(inner, 'init', '--quiet');
  writeFileSync(join(inner, 'deep', 'more.yaml'), '');
  const files = [join(checkout, 'websites.yaml'), join(inner, 'deep', 'more.yaml')];
  await expect(checkTracked(files, { folder: checkout, env: ENV })).rejects.toMatchObject({
    message: expect.stringContaining('has uncommitted changes: sites/inner/deep/more.yaml.'),
  });
});

test('the files of a submodule are as it is committed in the checkout', async () => {
  const { origin, checkout } = await repository();
  git(checkout, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', origin, 'inner');
  git(checkout, 'commit', '--quiet', '--message', 'inner');
  const inner = join(checkout, 'inner');
  const check = (name: string) => checkTracked([join(inner, name)], { folder: checkout, env: ENV });
  const refused = (name: string) => ({
    code: 'pull-failed',
    message: expect.stringContaining(`has uncommitted changes: ${name}.`),
  });
  await check('websites.yaml');
  writeFileSync(join(inner, 'new.yaml'), '');
  await expect(check('new.yaml')).rejects.toMatchObject(refused('new.yaml'));
  await check('websites.yaml');
  git(checkout, 'config', 'submodule.inner.ignore', 'all');
  writeFileSync(join(inner, 'websites.yaml'), 'edited');
  await expect(check('websites.yaml')).rejects.toMatchObject(refused('inner'));
  commit(inner, 'another commit');
  await expect(check('websites.yaml')).rejects.toMatchObject(refused('inner'));
});

test('the folder is that of the first pattern, or the working folder', async () => {
  const cwd = await testFolder({ 'websites.yaml': '' });
  mkdirSync(join(cwd, 'sites'));
  mkdirSync(join(cwd, 'sites [1] {a}'));
  expect(await folderOf([], cwd)).toBe(cwd);
  expect(await folderOf(['websites.yaml', 'sites'], cwd)).toBe(cwd);
  expect(await folderOf(['sites/'], cwd)).toBe(join(cwd, 'sites'));
  expect(await folderOf(['sites/*.yaml'], cwd)).toBe(join(cwd, 'sites'));
  expect(await folderOf(['sites/not-there-yet/*.yaml'], cwd)).toBe(join(cwd, 'sites'));
  expect(await folderOf(['sites [1] {a}/*.yaml'], cwd)).toBe(join(cwd, 'sites [1] {a}'));
  expect(await folderOf(['sites*/*.yaml'], cwd)).toBe(cwd);
});
