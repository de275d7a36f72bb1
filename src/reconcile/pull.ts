/** Bringing a checkout up to date, so that what is planned from it is one commit, whole. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { whileListening } from '../core/abort.ts';
import { LONGEST_TIMER_MS } from '../core/clock.ts';
import { type Environment, withoutOwn } from '../core/environment.ts';
import { WebsitesError } from '../core/errors.ts';
import { withShownAddresses } from '../core/login.ts';
import { some } from '../core/names.ts';

const run = promisify(execFile);

export interface Checkout {
  /** Of the checkout, or in it. */
  readonly folder: string;
  readonly env: Environment;
}

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

type Git = ReturnType<typeof gitIn>;

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

/** Runs Git and returns what it says. Throws `pull-failed`. */
function gitIn({ folder, env }: Checkout) {
  return async (args: readonly string[]) => {
    const options = { env: unattended(env), maxBuffer: Number.POSITIVE_INFINITY };
    try {
      const { stdout } = await run('git', ['-C', folder, ...args], options);
      // A name may begin or end with a blank.
      return stdout.replace(/\n$/, '');
    } catch (error) {
      throw failed(folder, error as GitError);
    }
  };
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

/**
 * Runs Git in a group of its own: Ctrl-C on a terminal goes to all of this one, and would end it in the middle; and
 * once `until` is aborted, whom Git left the network to (ssh, git-remote-https) is to end with it.
 */
async function inGroup(
  { folder, env }: Checkout,
  args: readonly string[],
  until: AbortSignal = new AbortController().signal,
): Promise<void> {
  const child = spawn('git', ['-C', folder, ...args], {
    env: unattended(env),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  const end = (): void => {
    child.stderr.destroy();
    endGroup(child);
  };
  if (until.aborted) end();
  const ended = whileListening(until, end, () => once(child, 'close'));
  const [code] = await ended.catch((error: GitError) => {
    throw failed(folder, error);
  });
  if (code !== 0) throw failed(folder, Object.assign(new Error(`git ${args[0]} was cut off`), { stderr }));
}

function endGroup(leader: ChildProcess): void {
  try {
    process.kill(-(leader.pid ?? Number.NaN), 'SIGTERM');
  } catch {
    // It has ended by itself, or the system has no groups.
    leader.kill();
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

/** With an ssh that asks nobody, unless one was chosen: by a variable, or in what Git is set to. */
async function withSsh({ folder, env }: Checkout): Promise<Checkout['env']> {
  if (env.GIT_SSH_COMMAND !== undefined || env.GIT_SSH !== undefined) return env;
  const chosen = await gitIn({ folder, env })(['config', '--get', '--default', '', 'core.sshCommand']);
  return chosen === '' ? { ...env, GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' } : env;
}

/** What Git tells its hooks of the repository that they are of, be it another than the checkout. */
const OF_A_HOOK: NodeJS.ProcessEnv = {
  GIT_DIR: undefined,
  GIT_COMMON_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
  GIT_PREFIX: undefined,
};

/** Nobody is there to be asked for a password, or whether a host is known. */
function unattended(env: Checkout['env']): NodeJS.ProcessEnv {
  return {
    ...withoutOwn(env),
    ...OF_A_HOOK,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    LC_ALL: 'C',
  };
}

interface GitError extends Error {
  readonly code?: string | number;
  readonly stderr?: string;
}

function failed(folder: string, { code, stderr = '', message }: GitError): WebsitesError {
  const said = withShownAddresses(reasonOf(stderr.trim().split(/\r?\n/)).replace(REASON, ''));
  const why =
    code === 'ENOENT'
      ? 'there is no program "git" here'
      : said.replace(/\.$/, '') || (message.split('\n')[0] ?? '');
  return cannotPull(folder, why);
}

function cannotPull(folder: string, why: string): WebsitesError {
  return new WebsitesError('pull-failed', `The checkout ${folder} cannot be brought up to date: ${why}.`, {
    remedy:
      'See with "git pull --ff-only" there what is in the way; credentials must work without a question.',
  });
}

/** What Git died of, among hints and progress. */
const REASON = /^(?:fatal|error): /;

/** Why is in the line before, by the program that Git left it to, such as ssh. */
const TRANSPORT_FAILED = /^fatal: Could not read from remote repository/;

function reasonOf(lines: readonly string[]): string {
  const at = Math.max(
    0,
    lines.findIndex((line) => REASON.test(line)),
  );
  const [before, line = ''] = [lines[at - 1], lines[at]];
  if (TRANSPORT_FAILED.test(line)) return before ?? line;
  const files = lines.slice(at).flatMap((listed) => /^\t(.+)/.exec(listed)?.[1] ?? []);
  return line.endsWith(':') && files.length > 0 ? `${line} ${some(files, 3)}` : line;
}

function notPushed(folder: string, commit: string): WebsitesError {
  return new WebsitesError(
    'pull-failed',
    `The checkout ${folder} has a commit that its remote does not have: ${commit}.`,
    { remedy: 'Where the remote took it back, say "git reset --keep @{upstream}" there; else push it.' },
  );
}

function notWhole(folder: string, files: readonly string[]): WebsitesError {
  return new WebsitesError('pull-failed', `The checkout ${folder} is not as committed: ${some(files, 3)}.`, {
    remedy: 'Commit or discard it; "--state-folder" keeps what the loop itself writes elsewhere.',
  });
}
