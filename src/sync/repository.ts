/** Reads the Git repository around a directory, also at an earlier revision. Never changes it. */
import { copyFileSync, existsSync, mkdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, posix, relative } from 'node:path';
import { KNOWN_EXTENSIONS } from '../config/bulk/bulk.ts';
import { wayTo } from '../config/files/files.ts';
import { isInside, realPath, toPosix } from '../config/files/paths.ts';
import { domainKey } from '../model/domain.ts';
import { type Place, WebsitesError } from '../model/errors.ts';
import type { Commits } from '../model/plan.ts';
import { type GitError, runGit } from '../util/node/git.ts';
import { redacted } from '../util/redact.ts';
import { cutText } from '../util/text.ts';
import { temporaryFolder } from './state.ts';

export interface Repository {
  readonly cwd: string;
  /** Real path of the top directory. */
  readonly top: string;
  /** Runs Git in `top`, with English output, because the output is parsed. */
  git(args: readonly string[], given?: { input?: string; index?: string }): Promise<string>;
  /** Paths of tracked files, relative to `top`. */
  readonly tracked: ReadonlySet<string>;
}

async function openRepository(cwd: string): Promise<Repository> {
  const env = { ...process.env, LC_ALL: 'C' };
  const top = await realpath(await runGit(cwd, ['rev-parse', '--show-toplevel'], env));
  const git: Repository['git'] = (args, { input, index } = {}) =>
    runGit(top, args, index === undefined ? env : { ...env, GIT_INDEX_FILE: index }, input);
  return { cwd, top, git, tracked: new Set((await git(['ls-files', '-z'])).split('\0')) };
}

/** Finds the merge base of a revision and HEAD. Throws `revision-missing`. */
export async function compareCommits(
  revision: string,
  { repository, commit }: Pick<Revision, 'commit' | 'repository'>,
): Promise<Commits> {
  const merge_base = await repository.git(['merge-base', commit, 'HEAD']).catch(() => '');
  if (merge_base !== '') return { since: commit, merge_base };
  throw new WebsitesError('revision-missing', `${revision} and HEAD have no common commit (no merge base).`, {
    remedy: (await isShallow(repository.cwd)) ? SHALLOW : 'Pass a commit from the history of HEAD.',
  });
}

/** File name extensions of YAML files and lists. */
const ENDINGS = ['.yaml', '.yml', ...KNOWN_EXTENSIONS.split(', ')];
const FILES = ENDINGS.map((ending) => `:(icase)*${ending}`);

const GREP = ['grep', '--text', '-z', '-n', '--no-color', '--no-column', '-e', ''];

/**
 * Finds domains in tracked files and their comments. A website that was removed from the loaded files may have moved
 * to another file.
 */
export async function stillNamed(
  domains: ReadonlySet<string>,
  repository: Repository,
): Promise<ReadonlyMap<string, Place>> {
  const found = new Map<string, Place>();
  const { top, git } = repository;
  const here = await realpath(repository.cwd);
  for (const revision of [[], ['HEAD']]) {
    const lines = await git([...GREP, ...revision, '--', ...FILES]).catch((error: GitError) => {
      if (error.code === 1) return '';
      throw error;
    });
    for (const [, path = '', line, text = ''] of lines.matchAll(/([^\0]+)\0(\d+)\0(.*)\n?/g)) {
      const file = revision.length === 0 ? wayTo(join(top, path), here) : path;
      for (const [name, at] of namesIn(text)) {
        const domain = domainKey(name);
        if (!domains.has(domain) || found.has(domain)) continue;
        found.set(domain, { file, line: Number(line), column: at + 1 });
      }
    }
  }
  return found;
}

/**
 * Matches complete names and patterns, so that a part of a longer name does not count. IP addresses with colons have
 * their own expression.
 */
const NAME = /[\p{L}\p{M}\p{N}._*\-\u3002\uff0e\uff61]+/gu;
const ADDRESS = /[\da-f:.]*:[\da-f:.]+/gi;

function namesIn(line: string): (readonly [name: string, at: number])[] {
  // Also searches the text with `\uXXXX` escapes of JSON and YAML decoded.
  const text = line.replaceAll(/\\u([\da-f]{4})/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return [...text.matchAll(NAME), ...text.matchAll(ADDRESS)].map(({ 0: name, index }) => [
    name.replace(/^[.-]+|[.-]+$/g, ''),
    index,
  ]);
}

async function isShallow(cwd: string): Promise<boolean> {
  const args = ['rev-parse', '--is-shallow-repository'];
  return (await runGit(cwd, args, process.env).catch(() => 'false')) === 'true';
}

const SHALLOW =
  'This clone is shallow. Run "git fetch --unshallow". In a workflow, check out with "fetch-depth: 0".';
const UNKNOWN =
  'Name a commit of this repository, such as origin/main, or run "git fetch" first. Or omit --since.';

const MAX_SAID = 400;

async function throwMissing(revision: string, cwd: string, cause: GitError): Promise<never> {
  const said = cause.code === 'ENOENT' ? 'git was not found' : (cause.stderr ?? cause.message);
  const shown = redacted(cutText(said.replace(/\s+/g, ' ').trim(), MAX_SAID));
  const message = `The revision ${revision} cannot be read: ${shown || 'it does not exist'}.`;
  const remedy = (await isShallow(cwd)) ? SHALLOW : UNKNOWN;
  throw new WebsitesError('revision-missing', message, { remedy, cause });
}

/** A commit, and its files. */
export interface Revision {
  readonly repository: Repository;
  readonly commit: string;
  /** Returns the path of the copy of a file in the repository, by its absolute path; `undefined` for a file outside. */
  at(path: string): string | undefined;
  /** Like `at`, but first copies a file that Git never tracked. Returns the path of a file outside unchanged. */
  atOrNow(path: string): string;
}

/** Number of tries to remove the directory, because a killed Git may still write for a moment. */
const MAX_RETRIES = 10;

/**
 * Calls `read` with the files of `revision`: those at `paths`, and YAML files and lists in or next to them. Follows
 * links. Throws errors of `read`, `revision-missing` and `file-failed`.
 */
export async function readRevision<T>(
  revision: string,
  cwd: string,
  paths: readonly string[],
  read: (then: Revision) => Promise<T>,
): Promise<T> {
  const folder = temporaryFolder('websites-revision-');
  const leave = () => rmSync(folder, { recursive: true, force: true, maxRetries: MAX_RETRIES });
  process.once('exit', leave);
  try {
    const then = await openRepository(cwd)
      .then((repository) => layOut(revision, paths, repository, folder))
      .catch((cause: GitError) => throwMissing(revision, cwd, cause));
    return await read(then);
  } finally {
    process.off('exit', leave);
    await rm(folder, { recursive: true, force: true });
  }
}

async function layOut(
  revision: string,
  paths: readonly string[],
  repository: Repository,
  folder: string,
): Promise<Revision> {
  const { top, git, tracked } = repository;
  const [tree, index] = [join(folder, 'tree'), join(folder, 'index')];
  const name = `${revision}^{commit}`;
  const commit = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', name]);
  // Disabled, so that a sparse checkout does not hide files of the revision.
  await git(['-c', 'core.sparseCheckout=false', 'read-tree', commit], { index });
  const entries = entriesOf(await git(['ls-files', '--stage', '-z'], { index }));
  const done = new Set<string>();
  let ways = paths.flatMap((path) => wayFrom(top, path) ?? []).map(toPosix);
  while (ways.length > 0) {
    const files = readableFrom(ways, entries).filter((path) => !done.has(path));
    const input = files.map((path) => `${path}\0`).join('');
    await git(['checkout-index', '--force', '-z', '--stdin', `--prefix=${tree}/`], { input, index });
    const links = files.filter((path) => entries.get(path) === 'link');
    ways = links.map((path) => posix.join(posix.dirname(path), readlinkSync(join(tree, path))));
    for (const path of files) done.add(path);
  }
  const at: Revision['at'] = (path) => {
    const way = wayFrom(top, path);
    // A nested repository, such as a submodule, has revisions of its own.
    const isOther = waysTo(way ?? '').some((one) => one !== '' && existsSync(join(top, one, '.git')));
    return way === undefined || isOther ? undefined : join(tree, way);
  };
  return {
    repository,
    commit,
    at,
    atOrNow(path) {
      const there = at(path);
      if (there === undefined) return path;
      const isKnown = waysTo(relative(tree, there)).some((one) => tracked.has(one) || entries.has(one));
      if (isKnown || existsSync(there) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return there;
      mkdirSync(dirname(there), { recursive: true });
      copyFileSync(path, there);
      return there;
    },
  };
}

type TreeEntries = ReadonlyMap<string, 'file' | 'link'>;

/** Parses the output of `git ls-files --stage -z`. Omits nested repositories. */
function entriesOf(listed: string): TreeEntries {
  const kinds = { '100': 'file', '120': 'link' } as const;
  const entries = listed.split('\0').flatMap((line) => {
    const kind = kinds[line.slice(0, 3) as keyof typeof kinds];
    return kind === undefined ? [] : [[line.slice(line.indexOf('\t') + 1), kind] as const];
  });
  return new Map(entries);
}

/** Returns the files and links on `ways`, and the YAML files, lists and links in or next to them. */
function readableFrom(ways: readonly string[], entries: TreeEntries): readonly string[] {
  const folders = ways.map((way) => (entries.get(way) === 'file' ? posix.dirname(way) : way));
  return [...entries].flatMap(([path, kind]) => {
    const isOfKind = kind === 'link' || ENDINGS.some((ending) => path.toLowerCase().endsWith(ending));
    const isNear = isOfKind && folders.some((folder) => isIn(path, folder));
    return isNear || ways.some((way) => isIn(way, path)) ? path : [];
  });
}

function isIn(path: string, folder: string): boolean {
  return folder === '.' || folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** Returns the path from the directory `top` to an absolute path, also through links; `undefined` if it is outside. */
function wayFrom(top: string, path: string): string | undefined {
  const folder = dirname(path);
  const above = folder === path ? undefined : wayFrom(top, folder);
  if (above !== undefined) return join(above, basename(path));
  const real = realPath(path);
  return isInside(real, [top]) ? relative(top, real) : undefined;
}

function waysTo(way: string): string[] {
  const names = toPosix(way).split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
