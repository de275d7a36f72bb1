import { realpathSync } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { WebsitesError } from '../../model/errors.ts';
import { UnfitFile, whyUnread } from '../../util/node/read-file.ts';

/** Where what is said to be at an absolute path is read: elsewhere, where it is of an earlier revision. */
export type ReadAt = (path: string) => string;

export const readThere: ReadAt = (path) => path;

const NOT_THERE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

/** What is at `path`, links followed; anything that is no folder can be read as a file. */
export async function statusOf(path: string): Promise<'file' | 'folder' | undefined> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code)) return undefined;
    return unreadable(path)(error);
  }
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Where a path leads to by now, links followed; the path itself where it leads nowhere. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export async function listFolder(
  path: string,
): Promise<{ name: string; kind: 'file' | 'folder' | 'link' }[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(unreadable(path));
  return entries
    .filter(({ name }) => !name.startsWith('.'))
    .map((entry) => ({
      name: entry.name,
      kind: entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file',
    }));
}

/** Turns an error of the file system about `what`, mostly a path, into one for the user. */
export function unreadable(what: string): (error: unknown) => never {
  return (error) => {
    throw new WebsitesError('file-failed', `${what} cannot be read: ${whyUnread(error as Error)}.`, {
      remedy:
        error instanceof UnfitFile
          ? error.remedy
          : 'Check its name, and the permissions of the file and its directories.',
      cause: error,
    });
  };
}

/** The same for what is read where it is there: what cannot be, for whatever reason of the system, is as good as missing. */
export function unlessUnfit(path: string): (error: unknown) => undefined {
  return (error) => (error instanceof UnfitFile ? unreadable(path)(error) : undefined);
}

export function toPosix(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
