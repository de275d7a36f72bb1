/**
 * Limits the files that a configuration may name (decision: "Configuration files are not trusted"). They must be in
 * the directory of the first file or in `WEBSITES_ALLOW_PATH`, and not in a directory whose name starts with one dot.
 */
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { MAX_FILE, readRegularFile, UnfitFile, whyUnread } from '../../util/node/read-file.ts';
import type { Finding } from '../read/source.ts';
import { type ReadAt, realPath } from './disk.ts';

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
  remedy: 'The path is relative to the directory of the file that contains it.',
} as const satisfies Finding;

export const OUTSIDE = {
  message: 'this file is outside the directory of the first file',
  remedy: 'Move the file there, or allow its directory with WEBSITES_ALLOW_PATH.',
} as const satisfies Finding;

const HIDDEN = {
  message: 'this file is in a directory whose name begins with a dot',
  remedy: 'Move the file to another directory, or allow that directory with WEBSITES_ALLOW_PATH.',
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
    return code === 'ENOENT' ? MISSING : { message: whyUnread(error as Error), remedy };
  }
}

export function followed(folders: readonly string[], readAt: ReadAt): string[] {
  return folders.map((folder) => realPath(readAt(folder)));
}
