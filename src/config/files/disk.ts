import { realpathSync } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { WebsitesError } from '../../model/errors.ts';
import { UnfitFile, whyUnread } from '../../util/node/read-file.ts';

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
    return unreadable(path)(error);
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

/** Returns a handler that throws `file-failed` for an error of the file system. `what` is usually a path. */
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

export function unlessUnfit(path: string): (error: unknown) => undefined {
  return (error) => (error instanceof UnfitFile ? unreadable(path)(error) : undefined);
}

export function toPosix(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
