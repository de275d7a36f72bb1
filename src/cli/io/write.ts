import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { exists, placeToWrite } from '../../config/files/paths.ts';
import { fileFailed, WebsitesError } from '../../model/errors.ts';
import { inTurn } from '../../run/lock.ts';
import { withoutKeys } from '../../util/key-filter.ts';
import { inBatches } from './output.ts';

/**
 * Writes a temporary file and renames it, so that the file is never incomplete. Keeps its permissions, and follows
 * links that stay inside. Writes directly into a pipe or a device. `isStillRight` runs right before the rename and
 * may throw; no other process of this program writes the file meanwhile.
 */
export async function writeWhole(
  file: string,
  texts: Iterable<string>,
  cwd: string,
  isStillRight?: () => Promise<void>,
): Promise<void> {
  const named = resolve(cwd, file);
  const written = (function* () {
    for (const text of inBatches(texts)) yield withoutKeys(text);
  })();
  const path = await placeToWrite(named, cwd);
  const draft = `${path}.${process.pid}.tmp`;
  const place = async (): Promise<void> => {
    await isStillRight?.();
    await rename(draft, path);
  };
  try {
    // Uses the name as given, because /dev/stdout leads to a pipe that has no path.
    const status = await stat(named).catch(() => undefined);
    if (status !== undefined && !status.isFile() && !status.isDirectory()) {
      await isStillRight?.();
      await writeFile(named, written);
      return;
    }
    const mode = status?.mode;
    await mkdir(dirname(path), { recursive: true });
    // Removed first, so that nothing is written through a link or into a file that another process left.
    await rm(draft, { force: true });
    await writeFile(draft, written, { flag: 'wx', flush: true, mode });
    // The umask reduces the permissions of a new file. Some file systems support no permissions and reject the call.
    if (mode !== undefined) await chmod(draft, mode).catch(() => undefined);
    await (isStillRight === undefined ? place() : inTurn(`${path}.turn.tmp`, place));
  } catch (error) {
    // Errors of the cleanup are ignored, so that the first error is reported.
    await rm(draft, { force: true }).catch(() => undefined);
    fileFailed(`${file} cannot be written`, 'Name a file in a writable directory with enough space.')(error);
  }
}

/** Throws `file-failed` if `out`, relative to `cwd`, may not be written: it exists, or is a link that leads outside. */
export async function refuseExisting(
  { out, force }: { readonly out?: string | undefined; readonly force?: boolean | undefined },
  cwd: string,
): Promise<void> {
  if (out === undefined) return;
  await placeToWrite(resolve(cwd, out), cwd);
  if (force || !(await exists(resolve(cwd, out)))) return;
  throw new WebsitesError('file-failed', `${out} exists already.`, {
    remedy: 'Name another file with --out, or overwrite it with --force.',
  });
}
