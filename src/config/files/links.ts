/** Checks links in the path of a file to write: a link that a pull request adds must not lead to just any file. */
import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { WebsitesError } from '../../model/errors.ts';
import { isInside, whyUnreadable } from './allowed-paths.ts';
import { exists, realPath } from './disk.ts';

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
    remedy: 'Remove the link, or use its destination.',
  });
}
