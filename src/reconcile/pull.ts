/** Bringing a checkout up to date, so that what is planned from it is one commit, whole. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { WebsitesError } from '../model/errors.ts';
import { LONGEST_TIMER_MS } from '../util/clock.ts';
import { some } from '../util/text.ts';
import { type Checkout, cannotPull, type Git, gitIn, inGroup, withSsh } from './git.ts';

export interface PullOptions extends Checkout {
  /** For the part that goes over the network. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Does what `git pull --ff-only` does, in two steps, because a pull that is cut off in the middle leaves half a
 * tree: the fetch, which may take long and may be cut off at any time, and the merge, which is left to its end.
 * Returns the commit. Throws `pull-failed`, also where the remote does not have it, or the tree is not that of it.
 */
export async function pull({ folder, env, timeoutMs, signal }: PullOptions): Promise<string> {
  const checkout = { folder, env: await withSsh({ folder, env }) };
  const git = gitIn(checkout);
  await fetch(checkout, timeoutMs, signal);
  await inGroup(checkout, ['merge', '--ff-only', '--quiet', '@{upstream}']);
  // A branch that was put back to an earlier commit leaves nothing to merge, and what it took back in the checkout.
  const own = await git(['rev-list', '--max-count=1', '@{upstream}..HEAD']);
  if (own !== '') throw notPushed(folder, own);
  // Set to "relative", Git would tell of this folder alone.
  const changed = await git(['-c', 'diff.relative=false', 'diff', '--name-only', 'HEAD']);
  if (changed !== '') throw notWhole(folder, changed.split('\n'));
  return git(['rev-parse', 'HEAD']);
}

/**
 * Throws `pull-failed` where any of `files`, absolute paths, lies in the checkout, and Git does not track it, or is told
 * not to look at it and it is not as committed.
 */
export async function checkTracked(files: readonly string[], checkout: Checkout): Promise<void> {
  const git = gitIn(checkout);
  const top = await git(['rev-parse', '--show-toplevel']);
  const others = (await git(['-C', top, 'ls-files', '--others', '-z'])).split('\0');
  const untracked = new Set(others.map((name) => resolve(top, name)));
  // Git names a repository within the checkout as a whole.
  const isUntracked = (path: string): boolean =>
    path.length > top.length && (untracked.has(path) || isUntracked(dirname(path)));
  const unwatched = await unwatchedIn(top, git);
  const paths = await waysTo(files);
  const found: string[] = [];
  for (const path of paths) {
    const name = unwatched.get(path);
    const isOther = isUntracked(path) || (name !== undefined && (await isEdited(name, top, git)));
    if (isOther) found.push(relative(top, path));
  }
  if (found.length > 0) throw notWhole(checkout.folder, found);
  // Of a submodule the outer checkout knows the commit, and may be told not to look; what it does not track is its own.
  for (const [folder, within] of await checkoutsWithin(top, paths)) {
    const look = ['--literal-pathspecs', '-C', top, 'diff', '--name-only', '--ignore-submodules=untracked'];
    if ((await git([...look, 'HEAD', '--', folder])) !== '') {
      throw notWhole(checkout.folder, [relative(top, folder)]);
    }
    await checkTracked(within, { ...checkout, folder });
  }
}

/** Git tracks a link as a link, and apart from what it leads to; the folders on the way to it are as Git names them. */
async function waysTo(files: readonly string[]): Promise<ReadonlySet<string>> {
  const ways = new Set<string>();
  for (const file of files) {
    ways.add(join(await realpath(dirname(file)), basename(file)));
    ways.add(await realpath(file));
  }
  return ways;
}

/** The outermost checkouts within the one at `top`, by their folders, with those of `paths` that lie in them. */
async function checkoutsWithin(
  top: string,
  paths: Iterable<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Map<string, string | undefined>([[top, undefined]]);
  const checkoutOf = async (folder: string): Promise<string | undefined> => {
    if (folder.length <= top.length) return undefined;
    if (!known.has(folder)) {
      const isOne = (await stat(join(folder, '.git')).catch(() => undefined)) !== undefined;
      known.set(folder, (await checkoutOf(dirname(folder))) ?? (isOne ? folder : undefined));
    }
    return known.get(folder);
  };
  const within = new Map<string, string[]>();
  for (const path of paths) {
    const folder = path.startsWith(`${top}${sep}`) ? await checkoutOf(dirname(path)) : undefined;
    if (folder === undefined) continue;
    const others = within.get(folder);
    if (others === undefined) within.set(folder, [path]);
    else others.push(path);
  }
  return within;
}

/** What Git takes for as committed without looking ("skip-worktree", "assume-unchanged"): its names by the paths. */
async function unwatchedIn(top: string, git: Git): Promise<ReadonlyMap<string, string>> {
  const listed = (await git(['-C', top, 'ls-files', '-v', '-z'])).split('\0');
  const names = listed.filter((line) => /^[a-zS] /.test(line)).map((line) => line.slice(2));
  return new Map(names.map((name) => [resolve(top, name), name]));
}

async function isEdited(name: string, top: string, git: Git): Promise<boolean> {
  const committed = await git(['rev-parse', `HEAD:${name}`]);
  return (await git(['-C', top, 'hash-object', '--', name])) !== committed;
}

/** Throws `interrupted` once the signal is aborted. */
async function fetch(checkout: Checkout, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), LONGEST_TIMER_MS));
  try {
    // Without "--prune" a branch that is gone from the remote would stay, as it was, for ever.
    await inGroup(checkout, ['fetch', '--quiet', '--prune'], AbortSignal.any([signal, late]));
  } catch (error) {
    if (signal.aborted) throw new WebsitesError('interrupted', 'The pull was interrupted.');
    if (late.aborted) throw cannotPull(checkout.folder, `it did not end within ${timeoutMs / 1000} s`);
    throw error;
  }
}

/** The folder that the first of the patterns of `-f` begins with; `cwd` where there is none. */
export async function folderOf(patterns: readonly string[], cwd: string): Promise<string> {
  const [first = '.'] = patterns;
  let path = resolve(cwd, first.replace(/[^/]*[*?].*/s, ''));
  while (!(await isFolder(path)) && dirname(path) !== path) path = dirname(path);
  return path;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function notPushed(folder: string, commit: string): WebsitesError {
  return new WebsitesError(
    'pull-failed',
    `The checkout ${folder} has a commit that its remote does not have: ${commit}.`,
    { remedy: 'Push it, or discard it with "git reset --keep @{upstream}".' },
  );
}

function notWhole(folder: string, files: readonly string[]): WebsitesError {
  return new WebsitesError(
    'pull-failed',
    `The checkout ${folder} has uncommitted changes: ${some(files, 3)}.`,
    {
      remedy: 'Commit or discard them. With --state-folder, the loop writes its own files elsewhere.',
    },
  );
}
