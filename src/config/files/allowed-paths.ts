/**
 * What may be read beside the files that were named: what lies in the folder of the first of them, or in what
 * `WEBSITES_ALLOW_PATH` names (decision: "Configuration files are not trusted"), but for directories whose names begin with
 * one dot.
 */
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import type { Finding } from '../read/source.ts';
import type { ReadAt } from './disk.ts';

export interface Allowed {
  /** The folder of the files, absolute: paths in references count from it. */
  readonly folder: string;
  readonly allowPaths: readonly string[];
}

/** Which files beside those that were named may be read, and where. */
export interface FileSources extends Allowed {
  readonly readAt: ReadAt;
  /** What is read in place of the files with these absolute paths. */
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

export const HIDDEN = {
  message: 'this file is in a directory whose name begins with a dot',
  remedy: 'Move the file to another directory, or allow that directory with WEBSITES_ALLOW_PATH.',
} as const satisfies Finding;

/** Whether `path` is one of `folders`, or in one of them; links are not followed. */
export function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isDownward(relative(folder, path)));
}

function isDownward(way: string): boolean {
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Why what files name must not be read at `path`, links not followed: it is outside of `folders`, or in a directory such as
 * `.git`, in which programs keep credentials of their own. Two dots begin the directories of a Kubernetes volume.
 */
export function whyUnreadable(
  path: string,
  folders: readonly string[],
): typeof OUTSIDE | typeof HIDDEN | undefined {
  const ways = folders.map((folder) => relative(folder, path)).filter(isDownward);
  if (ways.length === 0) return OUTSIDE;
  return ways.every(isHidden) ? HIDDEN : undefined;
}

function isHidden(way: string): boolean {
  const directories = way.split(sep).slice(0, -1);
  return directories.some((name) => /^\.(?!\.)/.test(name));
}

/**
 * Why a file, by its absolute path, must not be read: as it is named, judged first so that nothing is learned of what
 * lies outside, and as links lead to it. Throws what the file system throws where it leads nowhere.
 */
export async function whyRefused(
  path: string,
  { folder, allowPaths, readAt }: FileSources,
): Promise<typeof OUTSIDE | typeof HIDDEN | undefined> {
  const folders = [folder, ...allowPaths];
  const refused = whyUnreadable(path, folders);
  return refused ?? whyUnreadable(await realpath(readAt(path)), await followed(folders, readAt));
}

/** What `folders` lead to, as far as they are there. */
export function followed(folders: readonly string[], readAt: ReadAt): Promise<string[]> {
  return Promise.all(folders.map((folder) => realpath(readAt(folder)).catch(() => folder)));
}
