/**
 * Limits the files that a configuration may name (decision: "Configuration files are not trusted"). They must be in
 * the directory of the configuration or in `WEBSITES_ALLOW_PATH`, and not in a directory whose name starts with one dot.
 * A link in the path of a file to write must not lead to just any file either: a pull request may add it.
 */
import { type Dirent, realpathSync } from 'node:fs';
import { access, lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { fileFailed, reasonOf, WebsitesError } from '../../model/errors.ts';
import { MAX_FILE, readRegularFile, UnfitFile } from '../../util/node/read-file.ts';
import type { Finding } from '../read/source.ts';

/** Maps an absolute path to the path to read. For an earlier revision, that is a copy. */
export type ReadAt = (path: string) => string;

export const readThere: ReadAt = (path) => path;

const NOT_THERE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

/** Follows links. Anything that is not a directory counts as a file. */
export async function statusOf(path: string): Promise<'file' | 'folder' | undefined> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code)) return undefined;
    return throwUnreadable(path)(error);
  }
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Follows links. Returns the path itself if it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export async function listFolder(path: string): Promise<Dirent[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(throwUnreadable(path));
  return entries.filter(({ name }) => !name.startsWith('.'));
}

/** Returns a handler that throws `file-failed` for an error of the file system. `what` is usually a path. */
export function throwUnreadable(what: string): (error: unknown) => never {
  return (error) => {
    const standard = 'Check its name, and the permissions of the file and its directories.';
    return fileFailed(`${what} cannot be read`, error instanceof UnfitFile ? error.remedy : standard)(error);
  };
}

export function unlessUnfit(path: string): (error: unknown) => undefined {
  return (error) => (error instanceof UnfitFile ? throwUnreadable(path)(error) : undefined);
}

export function toPosix(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

export interface Allowed {
  /** Absolute path of the directory of the files. Relative references start from it. */
  readonly folder: string;
  readonly allowPaths: readonly string[];
}

export interface FileSources extends Allowed {
  readonly readAt: ReadAt;
  readonly contents?: ReadonlyMap<string, Uint8Array> | undefined;
}

export const MISSING = {
  message: 'file not found',
  remedy: 'Check the path. It is relative to the directory of the file in which you wrote it.',
} as const satisfies Finding;

export const OUTSIDE = {
  message: 'this file is outside the directory of the configuration',
  remedy: 'Move the file into that directory, or add the directory of the file to WEBSITES_ALLOW_PATH.',
} as const satisfies Finding;

const HIDDEN = {
  message: 'this file is in a directory whose name begins with a dot',
  remedy: 'Move the file to another directory, or add its current directory to WEBSITES_ALLOW_PATH.',
} as const satisfies Finding;

/** True if `path` is inside one of `folders`, or one of them. Does not follow links. */
export function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isDownward(relative(folder, path)));
}

function isDownward(way: string): boolean {
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Checks a path without following links. Programs keep credentials in directories such as `.git`. Directories that
 * start with two dots are allowed, because Kubernetes volumes have them.
 */
export function whyUnreadable(path: string, folders: readonly string[]): Finding | undefined {
  const ways = folders.map((folder) => relative(folder, path)).filter(isDownward);
  if (ways.length === 0) return OUTSIDE;
  const isHidden = (way: string): boolean =>
    way
      .split(sep)
      .slice(0, -1)
      .some((name) => /^\.(?!\.)/.test(name));
  return ways.every(isHidden) ? HIDDEN : undefined;
}

/**
 * Checks the path first, so that the error reveals nothing about files outside, and then the target of its links.
 * Throws the error of the file system if the path leads to no file.
 */
export async function whyRefused(
  path: string,
  { folder, allowPaths, readAt }: FileSources,
): Promise<Finding | undefined> {
  const folders = [folder, ...allowPaths];
  const refused = whyUnreadable(path, folders);
  return refused ?? whyUnreadable(await realpath(readAt(path)), followed(folders, readAt));
}

/** Returns the bytes of a file that a configuration names, or the reason that it is not read. */
export async function readAllowed(
  path: string,
  sources: FileSources,
  most: number = MAX_FILE,
): Promise<Uint8Array | Finding> {
  try {
    const refused = await whyRefused(path, sources);
    return refused ?? sources.contents?.get(path) ?? (await readRegularFile(sources.readAt(path), most));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const remedy = error instanceof UnfitFile ? error.remedy : 'Check the permissions of the file.';
    return code === 'ENOENT' ? MISSING : { message: reasonOf(error), remedy };
  }
}

export function followed(folders: readonly string[], readAt: ReadAt): string[] {
  return folders.map((folder) => realPath(readAt(folder)));
}

/**
 * Follows the links in an absolute path; the file may not exist yet. A link in a Git checkout or in `base` must lead
 * to a place inside it. Elsewhere a directory may lead anywhere, like /tmp on some systems, and a file only to its
 * own directory or below. Throws `file-failed`.
 */
export async function placeToWrite(path: string, base: string): Promise<string> {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep).filter(Boolean);
  const realBase = realPath(base);
  let at = root;
  for (const [index, name] of names.entries()) {
    const named = join(at, name);
    const next = names[index + 1];
    const target = (await isLink(named)) ? await throughLinks(named) : named;
    if (target !== named) {
      const limits = await limitsOf(at, realBase, next === undefined);
      const reached = next === undefined ? target : join(target, next);
      if (limits !== undefined && whyUnreadable(reached, limits) !== undefined) throw leadsOut(named, path);
    }
    at = target;
  }
  return at;
}

export async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}

/** Returns the directories that a link in `directory` may lead to; `undefined` means any. */
async function limitsOf(
  directory: string,
  base: string,
  isLast: boolean,
): Promise<readonly string[] | undefined> {
  // /dev/stdout and similar paths belong to the system, and the user named them.
  if (isInside(directory, ['/dev', '/proc'])) return undefined;
  let checkout: string | undefined = directory;
  while (checkout !== undefined && !(await exists(join(checkout, '.git')))) {
    checkout = dirname(checkout) === checkout ? undefined : dirname(checkout);
  }
  const limits = [checkout ?? [], isInside(directory, [base]) ? base : []].flat();
  return limits.length > 0 || isLast ? [directory, ...limits] : undefined;
}

/** Returns the path of the file that a path leads to. The file may not exist yet. */
async function throughLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    // Links that form a cycle lead to no file.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return path;
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? path : throughLinks(resolve(await realpath(dirname(path)), target));
  }
}

function leadsOut(link: string, path: string): WebsitesError {
  const what = link === path ? path : `${path} cannot be written: ${link}`;
  return new WebsitesError('file-failed', `${what} is a link that leads out of its directory or checkout.`, {
    remedy: 'Remove the link, or pass the path that it leads to.',
  });
}
