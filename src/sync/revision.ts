/** The files at a Git revision; the repository is not changed. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix, relative } from 'node:path';
import { KNOWN_EXTENSIONS } from '../config/bulk/bulk.ts';
import { isInside } from '../config/files/allowed-paths.ts';
import { realPath, toPosix } from '../config/files/disk.ts';
import { WebsitesError } from '../model/errors.ts';
import { shellWord } from '../model/next-command.ts';
import type { Commits } from '../model/removals.ts';
import { type GitError, runGit, whyNoGit } from '../util/node/git.ts';
import { withShownAddresses } from '../util/redact.ts';

export interface FilesThen {
  /** The copy of a file of the repository, by its absolute path; `undefined` outside of the repository. */
  at(path: string): string | undefined;
  /** The same, but a file that Git tracks neither then nor now, such as a generated list, is read in place. */
  atOrNow(path: string): string;
}

/** Git, although killed, may still write for a moment. */
const RETRIES = 10;

/**
 * Gives `read` the files of `revision`: those at `paths`, and YAML files and lists in or next to them, with links
 * followed. Throws what `read` throws, `revision-missing` and `file-failed`.
 */
export async function readRevision<T>(
  revision: string,
  cwd: string,
  paths: readonly string[],
  read: (files: FilesThen) => Promise<T>,
): Promise<T> {
  const folder = temporaryFolder();
  const leave = () => rmSync(folder, { recursive: true, force: true, maxRetries: RETRIES });
  process.once('exit', leave);
  try {
    return await read(await layOut(revision, cwd, paths, folder));
  } finally {
    process.off('exit', leave);
    await rm(folder, { recursive: true, force: true });
  }
}

async function layOut(
  revision: string,
  cwd: string,
  paths: readonly string[],
  folder: string,
): Promise<FilesThen> {
  const tree = join(folder, 'tree');
  const git = gitIn(cwd, { GIT_INDEX_FILE: join(folder, 'index') });
  return orMissing(revision, cwd, async () => {
    const top = await git(['rev-parse', '--show-toplevel']);
    const realTop = await realpath(top);
    // A sparse checkout must not limit the revision.
    await git(['-c', 'core.sparseCheckout=false', 'read-tree', await commitOf(revision, git)]);
    const tracked = new Set((await gitIn(cwd)(['-C', top, 'ls-files', '-z'])).split('\0'));
    const entries = entriesOf(await git(['-C', top, 'ls-files', '--stage', '-z']));
    const links = [...entries].flatMap(([path, kind]) => (kind === 'link' ? path : []));
    await checkOut(links, `${tree}/`, top, git);
    const ways = paths.flatMap((path) => wayFrom(realTop, path) ?? []).map(toPosix);
    await checkOut(readableFrom(ways, entries, tree), `${tree}/`, top, git);
    const at: FilesThen['at'] = (path) => {
      const way = wayFrom(realTop, path);
      // A nested repository, such as a submodule, has its own revisions.
      const isOther = waysTo(toPosix(way ?? '')).some(
        (one) => one !== '' && existsSync(join(realTop, one, '.git')),
      );
      return way === undefined || isOther ? undefined : join(tree, way);
    };
    return {
      at,
      atOrNow(path) {
        const there = at(path);
        if (there === undefined) return path;
        const known = waysTo(toPosix(relative(tree, there)));
        const isKnown = known.some((one) => tracked.has(one) || entries.has(one));
        if (isKnown || existsSync(there) || !statSync(path, { throwIfNoEntry: false })?.isFile())
          return there;
        mkdirSync(dirname(there), { recursive: true });
        copyFileSync(path, there);
        return there;
      },
    };
  });
}

type TreeEntries = ReadonlyMap<string, 'file' | 'link'>;

/** `listed` is the output of `git ls-files --stage -z`. A nested repository is omitted. */
function entriesOf(listed: string): TreeEntries {
  const kinds = { '100': 'file', '120': 'link' } as const;
  const entries = listed.split('\0').flatMap((line) => {
    const kind = kinds[line.slice(0, 3) as keyof typeof kinds];
    return kind === undefined ? [] : [[line.slice(line.indexOf('\t') + 1), kind] as const];
  });
  return new Map(entries);
}

/** The files at `ways`, and YAML files and lists in or next to them, or at the targets of links in there. */
function readableFrom(ways: readonly string[], entries: TreeEntries, tree: string): readonly string[] {
  // A path that ends at a link is a circle.
  const ends = ways.map((way) => followed(way, entries, tree)).filter((way) => entries.get(way) !== 'link');
  const folders = ends.map((way) => (entries.has(way) ? topless(posix.dirname(way)) : way));
  const isIn = (path: string): boolean =>
    folders.some((one) => one === '' || path === one || path.startsWith(`${one}/`));
  const links = [...entries].filter(([path, kind]) => kind === 'link' && isIn(path));
  ends.push(...links.map(([path]) => followed(path, entries, tree)));
  folders.push(...ends.filter((way) => !entries.has(way)));
  const named = new Set(ends);
  const files = [...entries].filter(([path, kind]) => kind === 'file' && (named.has(path) || isIn(path)));
  return files.flatMap(([path]) => (named.has(path) || READABLE.test(path) ? path : []));
}

const READABLE = new RegExp(`\\.(?:ya?ml${KNOWN_EXTENSIONS.replaceAll(/\W+/g, '|')})$`, 'i');

const MAX_LINKS = 40;

/** The target of a path in a tree with all links; for a circle, or outside of the tree, not an entry. */
function followed(way: string, entries: TreeEntries, tree: string): string {
  let now = way;
  for (let count = 0; count < MAX_LINKS; count += 1) {
    const link = waysTo(now).find((one) => entries.get(one) === 'link');
    if (link === undefined) break;
    now = join(dirname(link), readlinkSync(join(tree, link)), now.slice(link.length));
  }
  return topless(posix.normalize(now));
}

function topless(way: string): string {
  return way.replace(/^\.$|\/$/, '');
}

/** The number of paths that fit on a command line, each as long as possible. */
const MAX_ARGUMENTS = 400;

async function checkOut(paths: readonly string[], prefix: string, top: string, git: Git): Promise<void> {
  if (paths.length === 0) return;
  for (let at = 0; at < paths.length; at += MAX_ARGUMENTS) {
    const some = paths.slice(at, at + MAX_ARGUMENTS).map((path) => `:(literal)${path}`);
    await fetchTogether(some, top, git);
  }
  await git(
    ['-C', top, 'checkout-index', '--force', '-z', '--stdin', `--prefix=${prefix}`],
    paths.map((path) => `${path}\0`).join(''),
  );
}

/** In a partial clone, fetches missing files at `paths`, of a commit or of the index, in one request. */
export async function fetchTogether(
  paths: readonly string[],
  top: string,
  git: Git,
  commit?: string,
): Promise<void> {
  const isPartial = await git(['config', '--get-regexp', '^remote\\..*\\.promisor$']).catch(() => '');
  if (isPartial === '') return;
  const nothing = await git(['hash-object', '-t', 'tree', '/dev/null']);
  const sides = commit === undefined ? ['--cached', nothing] : [nothing, commit];
  const look = ['diff', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv'];
  await git(['-C', top, ...look, ...sides, '--', ...paths]);
}

/** Synchronous, so that no interrupt comes between its creation and the code that removes it. */
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

/** Its output is parsed, so it is always in English. */
export function gitIn(cwd: string, more: NodeJS.ProcessEnv = {}): Git {
  return (args, input) => runGit(cwd, args, { ...process.env, LC_ALL: 'C', ...more }, input);
}

export async function topOf(cwd: string): Promise<string> {
  return realpath(await gitIn(cwd)(['rev-parse', '--show-toplevel']));
}

function commitOf(revision: string, git: Git): Promise<string> {
  return git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
}

/** The path from the directory `top` to an absolute path, also through links; `undefined` outside of it. */
function wayFrom(top: string, path: string): string | undefined {
  const folder = dirname(path);
  const above = folder === path ? undefined : wayFrom(top, folder);
  if (above !== undefined) return join(above, basename(path));
  const real = realPath(path);
  return isInside(real, [top]) ? relative(top, real) : undefined;
}

function waysTo(way: string): string[] {
  const names = way.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** The commit of `revision`, and its merge base with HEAD. Throws `revision-missing`, also if they share no commit. */
export async function compareCommits(revision: string, cwd: string): Promise<Commits> {
  const git = gitIn(cwd);
  const since = await orMissing(revision, cwd, () => commitOf(revision, git));
  const merge_base = await git(['merge-base', since, 'HEAD']).catch(() => '');
  if (merge_base !== '') return { since, merge_base };
  throw new WebsitesError('revision-missing', `${revision} and HEAD have no common commit (no merge base).`, {
    remedy: (await isShallow(cwd)) ? SHALLOW : 'Name a commit of the history of HEAD.',
  });
}

async function isShallow(cwd: string): Promise<boolean> {
  return (await gitIn(cwd)(['rev-parse', '--is-shallow-repository']).catch(() => 'false')) === 'true';
}

const REMEDIES: readonly (readonly [said: RegExp, remedy: string])[] = [
  [
    /dubious ownership|unsafe repository/,
    'The checkout belongs to another user. If you trust it, run: git config --global --add safe.directory FOLDER',
  ],
  [
    /not a git repository: /,
    'The repository of this worktree was moved. Make it available at its old path, or run "git worktree repair" in it.',
  ],
  [/not a git repository/, 'Run the command in a checkout with its .git directory, or omit --since.'],
  [
    /promisor remote|unable to read sha1 file|remote repository|unable to access/,
    'This clone is partial, and its remote has the files of that revision. Check that it can be reached, with its credentials, or make a full clone.',
  ],
];
const SHALLOW =
  'This clone is shallow. Run "git fetch --unshallow"; in a workflow, check out with "fetch-depth: 0".';
const UNKNOWN =
  'Name a commit of this repository, such as origin/main; "git fetch" brings what the remote has.';

async function orMissing<T>(revision: string, cwd: string, work: () => Promise<T>): Promise<T> {
  return work().catch(async (cause: GitError) => {
    const noGit = whyNoGit(cause);
    const stderr = cause.stderr?.trim() ?? '';
    const said = noGit ?? withShownAddresses(stderr.split('\n')[0] ?? '');
    const known = REMEDIES.find(([pattern]) => pattern.test(stderr))?.[1];
    const remedy =
      noGit === undefined
        ? (known?.replace('FOLDER', () => shellWord(cwd)) ?? ((await isShallow(cwd)) ? SHALLOW : UNKNOWN))
        : 'Install Git, or omit --since.';
    const message = `The revision ${revision} cannot be read${said ? ` (${said})` : ''}.`;
    throw new WebsitesError('revision-missing', message, { remedy, cause });
  });
}
