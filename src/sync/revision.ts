/** The files as they were at a Git revision, laid out in a folder of their own; the repository is not touched. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isInside } from '../config/files/allowed-paths.ts';
import { realPath } from '../config/files/disk.ts';
import { WebsitesError } from '../model/errors.ts';
import { type GitError, runGit, whyNoGit } from '../util/node/git.ts';
import { withShownAddresses } from '../util/redact.ts';

/** For the moment that Git, which is killed by then, may still write in. */
const RETRIES = 10;

export interface Revision {
  /** Where a file of the repository, by its absolute path, is laid out; `undefined` outside of the repository. */
  at(path: string): string | undefined;
  dispose(): Promise<void>;
}

/** Throws `revision-missing` where `revision` names no commit of the repository that `cwd` is in. */
export async function checkRevision(revision: string, cwd: string): Promise<void> {
  await commitOf(revision, gitIn(cwd)).catch((error) => {
    throw missing(revision, error);
  });
}

/** Lays the files of `revision` out, of the repository that `cwd` is in. Throws `revision-missing` and `file-failed`. */
export async function layOutRevision(revision: string, cwd: string): Promise<Revision> {
  const folder = temporaryFolder();
  // An interrupt ends the process in the middle of it.
  const leave = () => rmSync(folder, { recursive: true, force: true, maxRetries: RETRIES });
  process.once('exit', leave);
  const dispose = async (): Promise<void> => {
    process.off('exit', leave);
    await rm(folder, { recursive: true, force: true });
  };
  const git = gitIn(cwd, { GIT_INDEX_FILE: join(folder, 'index') });
  try {
    const top = await git('rev-parse', '--show-toplevel');
    await git('read-tree', await commitOf(revision, git));
    await git('-C', top, 'checkout-index', '--all', `--prefix=${join(folder, 'tree')}/`);
    const realTop = await realpath(top);
    const at = (path: string): string | undefined => {
      const way = wayFrom(realTop, path);
      return way === undefined || isOfAnother(realTop, way) ? undefined : join(folder, 'tree', way);
    };
    return { at, dispose };
  } catch (error) {
    await dispose();
    throw missing(revision, error as GitError);
  }
}

/** At once, so that no interrupt comes between its making and what removes it. */
function temporaryFolder(): string {
  const folder = tmpdir();
  try {
    return mkdtempSync(join(folder, 'websites-revision-'));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new WebsitesError('file-failed', `No folder can be made in ${folder} (${code}).`, {
      remedy: 'Name one that can be written to in the variable TMPDIR.',
      cause,
    });
  }
}

type Git = (...args: string[]) => Promise<string>;

function gitIn(cwd: string, more: NodeJS.ProcessEnv = {}): Git {
  return (...args) => runGit(cwd, args, { ...process.env, ...more });
}

function commitOf(revision: string, git: Git): Promise<string> {
  return git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
}

function missing(revision: string, cause: GitError): WebsitesError {
  const said = whyNoGit(cause) ?? withShownAddresses(cause.stderr?.trim().split('\n')[0] ?? '');
  const message = `The revision ${revision} cannot be read${said ? ` (${said})` : ''}.`;
  return new WebsitesError('revision-missing', message, {
    remedy:
      'Name a commit of this repository, such as origin/main; a shallow clone may lack it (fetch-depth: 0).',
    cause,
  });
}

/** The way from the folder `top` to an absolute path, on which links may lead into it; `undefined` outside of it. */
function wayFrom(top: string, path: string): string | undefined {
  const folder = dirname(path);
  const above = folder === path ? undefined : wayFrom(top, folder);
  if (above !== undefined) return join(above, basename(path));
  const real = realPath(path);
  return isInside(real, [top]) ? relative(top, real) : undefined;
}

/** Whether a way from the folder `top` leads into a repository of its own, such as a submodule. */
function isOfAnother(top: string, way: string): boolean {
  const names = way.split(sep).filter((name) => name !== '');
  return names.some((_, index) => existsSync(join(top, ...names.slice(0, index + 1), '.git')));
}
