import { copyFileSync, existsSync, mkdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, posix, relative } from 'node:path';
import { KNOWN_EXTENSIONS } from '../config/bulk/bulk.ts';
import { isInside, realPath, toPosix } from '../config/files/paths.ts';
import { commitOf, openRepository, orMissing, type Repository } from './repository.ts';
import { temporaryFolder } from './state.ts';

export interface FilesThen {
  /** Returns the path of the copy of a file in the repository, by its absolute path; `undefined` for a file outside. */
  at(path: string): string | undefined;
  /** Like `at`, but returns the current path of a file that Git never tracked, such as a generated list. */
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
  read: (files: FilesThen) => Promise<T>,
): Promise<T> {
  const folder = temporaryFolder('websites-revision-');
  const leave = () => rmSync(folder, { recursive: true, force: true, maxRetries: MAX_RETRIES });
  process.once('exit', leave);
  try {
    const files = await orMissing(revision, cwd, async () =>
      layOut(revision, paths, await openRepository(cwd), folder),
    );
    return await read(files);
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
): Promise<FilesThen> {
  const { top, git, tracked } = repository;
  const [tree, index] = [join(folder, 'tree'), join(folder, 'index')];
  const checkOut = async (files: readonly string[]): Promise<void> => {
    const input = files.map((path) => `${path}\0`).join('');
    await git(['checkout-index', '--force', '-z', '--stdin', `--prefix=${tree}/`], { input, index });
  };
  // Disabled, so that a sparse checkout does not hide files of the revision.
  const commit = await commitOf(revision, repository);
  await git(['-c', 'core.sparseCheckout=false', 'read-tree', commit], { index });
  const entries = entriesOf(await git(['ls-files', '--stage', '-z'], { index }));
  const links = [...entries].flatMap(([path, kind]) => (kind === 'link' ? path : []));
  await checkOut(links);
  const targets = new Map(links.map((path) => [path, readlinkSync(join(tree, path))]));
  await checkOut(
    readableFrom(paths.flatMap((path) => wayFrom(top, path) ?? []).map(toPosix), entries, targets),
  );
  const at: FilesThen['at'] = (path) => {
    const way = wayFrom(top, path);
    // A nested repository, such as a submodule, has revisions of its own.
    const isOther = waysTo(way ?? '').some((one) => one !== '' && existsSync(join(top, one, '.git')));
    return way === undefined || isOther ? undefined : join(tree, way);
  };
  return {
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

const READABLE = new RegExp(`\\.(?:ya?ml${KNOWN_EXTENSIONS.replaceAll(/\W+/g, '|')})$`, 'i');

/**
 * Returns the files at `ways` and at targets of links, and the YAML files and lists in or next to them. A link in a
 * directory may lead to any place.
 */
function readableFrom(
  ways: readonly string[],
  entries: TreeEntries,
  targets: ReadonlyMap<string, string>,
): readonly string[] {
  const folders = ways.map((way) => (entries.get(way) === 'file' ? posix.dirname(way) : way));
  const isNear = (path: string): boolean => folders.some((folder) => isIn(path, folder));
  const links = [...targets].map(([link, target]) => posix.join(posix.dirname(link), target));
  const named = new Set([...ways, ...links]);
  const hasLinks = [...targets.keys()].some((link) => isNear(link) || ways.some((way) => isIn(way, link)));
  const isReadable = (path: string): boolean =>
    named.has(path) || (READABLE.test(path) && (hasLinks || isNear(path)));
  return [...entries].flatMap(([path, kind]) => (kind === 'file' && isReadable(path) ? path : []));
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
