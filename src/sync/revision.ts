/**
 * The files as they were at a Git revision, laid out in a folder of their own as far as they are asked for; the repository
 * is not touched.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isInside } from '../config/files/allowed-paths.ts';
import { realPath, toPosix } from '../config/files/disk.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Commits } from '../model/removals.ts';
import { type GitError, runGit } from '../util/node/git.ts';
import { createLayout } from './layout.ts';
import { noMergeBase, revisionMissing } from './revision-missing.ts';

/** For the moment that Git, which is killed by then, may still write in. */
const RETRIES = 10;

export interface Revision {
  /** Where a file of the repository, by its absolute path, is to be laid out; `undefined` outside of the repository. */
  at(path: string): string | undefined;
  /** The same, but for a file that Git tracks neither then nor now, such as a generated list: that is read as it is. */
  atOrNow(path: string): string;
  /**
   * What `read` gives. What it asks for by `at` is laid out, and then it is run again, until it asks for nothing more that
   * there is. Throws what it throws in the end, and `revision-missing`.
   */
  read<T>(read: () => Promise<T>): Promise<T>;
  dispose(): Promise<void>;
}

/** The commit of `revision`, and its merge base with HEAD. Throws `revision-missing`, also where they share no commit. */
export async function compareCommits(revision: string, cwd: string): Promise<Commits> {
  const git = gitIn(cwd);
  const since = await orMissing(revision, cwd, () => commitOf(revision, git));
  const merge_base = await git(['merge-base', since, 'HEAD']).catch(() => '');
  if (merge_base !== '') return { since, merge_base };
  throw await noMergeBase(revision, () => isShallow(cwd));
}

async function isShallow(cwd: string): Promise<boolean> {
  return (await gitIn(cwd)(['rev-parse', '--is-shallow-repository']).catch(() => 'false')) === 'true';
}

/** The files of `revision`, of the repository that `cwd` is in. Throws `revision-missing` and `file-failed`. */
export async function layOutRevision(revision: string, cwd: string): Promise<Revision> {
  const folder = temporaryFolder();
  // An interrupt ends the process in the middle of it.
  const leave = () => rmSync(folder, { recursive: true, force: true, maxRetries: RETRIES });
  process.once('exit', leave);
  const dispose = async (): Promise<void> => {
    process.off('exit', leave);
    await rm(folder, { recursive: true, force: true });
  };
  const tree = join(folder, 'tree');
  const inIndex = gitIn(cwd, { GIT_INDEX_FILE: join(folder, 'index') });
  try {
    const { top, tracked, listed } = await orMissing(revision, cwd, async () => {
      const top = await inIndex(['rev-parse', '--show-toplevel']);
      // A sparse checkout is no reason to know less of the revision.
      await inIndex(['-c', 'core.sparseCheckout=false', 'read-tree', await commitOf(revision, inIndex)]);
      const tracked = new Set((await gitIn(cwd)(['-C', top, 'ls-files', '-z'])).split('\0'));
      return { top, tracked, listed: await inIndex(['-C', top, 'ls-files', '--stage', '-z']) };
    });
    const realTop = await realpath(top);
    const { layOut, holds } = createLayout(listed, tree, (paths) =>
      orMissing(revision, cwd, () => checkOut(paths, `${tree}/`, top, inIndex)),
    );
    const asked = new Set<string>();
    const at: Revision['at'] = (path) => {
      const way = wayFrom(realTop, path);
      if (way === undefined || isOfAnother(realTop, way)) return undefined;
      asked.add(toPosix(way));
      return join(tree, way);
    };
    const isNeverTracked = (path: string): boolean => {
      const way = toPosix(wayFrom(realTop, path) ?? '');
      if (way === '' || isOfAnother(realTop, way)) return false;
      if (holds(way) || waysTo(way).some((one) => tracked.has(one))) return false;
      return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
    };
    return {
      at,
      atOrNow(path) {
        const there = at(path) ?? path;
        if (!isNeverTracked(path)) return there;
        mkdirSync(dirname(there), { recursive: true });
        copyFileSync(path, there);
        return there;
      },
      async read(read) {
        for (;;) {
          const [result] = await Promise.allSettled([read()]);
          if (await layOut(asked)) continue;
          if (result.status === 'rejected') throw result.reason;
          return result.value;
        }
      },
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Writes files of the index, by their paths in the tree, below `prefix`. */
async function checkOut(paths: readonly string[], prefix: string, top: string, git: Git): Promise<void> {
  if (await isPartial(git)) {
    // Else they would be fetched one by one; to be compared they are fetched together.
    const nothing = await git(['hash-object', '-t', 'tree', '/dev/null']);
    const look = ['diff', '--cached', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv'];
    const args = ['--literal-pathspecs', '-C', top, ...look, nothing, '--'];
    for (let at = 0; at < paths.length; at += MOST_ARGUMENTS) {
      await git([...args, ...paths.slice(at, at + MOST_ARGUMENTS)]);
    }
  }
  await git(
    ['-C', top, 'checkout-index', '--force', '-z', '--stdin', `--prefix=${prefix}`],
    paths.map((path) => `${path}\0`).join(''),
  );
}

/** A command line has no room for many more, as long as a path may be. */
const MOST_ARGUMENTS = 400;

async function isPartial(git: Git): Promise<boolean> {
  // It ends with 1 where nothing is set.
  return (await git(['config', '--get-regexp', '^remote\\..*\\.promisor$']).catch(() => '')) !== '';
}

async function orMissing<T>(revision: string, cwd: string, work: () => Promise<T>): Promise<T> {
  return work().catch(async (error: GitError) => {
    throw await revisionMissing(revision, cwd, error, () => isShallow(cwd));
  });
}

/** At once, so that no interrupt comes between its making and what removes it. */
function temporaryFolder(): string {
  const folder = tmpdir();
  try {
    return mkdtempSync(join(folder, 'websites-revision-'));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new WebsitesError('file-failed', `Cannot create a directory in ${folder} (${code}).`, {
      remedy: 'Set TMPDIR to a writable directory.',
      cause,
    });
  }
}

type Git = (args: readonly string[], input?: string) => Promise<string>;

/** What it says is read, and so in no other language. */
export function gitIn(cwd: string, more: NodeJS.ProcessEnv = {}): Git {
  return (args, input) => runGit(cwd, args, { ...process.env, LC_ALL: 'C', ...more }, input);
}

function commitOf(revision: string, git: Git): Promise<string> {
  return git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
}

/** The way from the folder `top` to an absolute path, on which links may lead into it; `undefined` outside of it. */
function wayFrom(top: string, path: string): string | undefined {
  const folder = dirname(path);
  const above = folder === path ? undefined : wayFrom(top, folder);
  if (above !== undefined) return join(above, basename(path));
  const real = realPath(path);
  return isInside(real, [top]) ? relative(top, real) : undefined;
}

/** A way, with slashes, and all that lead to it: one may be a link. */
function waysTo(way: string): string[] {
  const names = way.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether a way from the folder `top` leads into a repository of its own, such as a submodule. */
function isOfAnother(top: string, way: string): boolean {
  const names = way.split(sep).filter((name) => name !== '');
  return names.some((_, index) => existsSync(join(top, ...names.slice(0, index + 1), '.git')));
}
