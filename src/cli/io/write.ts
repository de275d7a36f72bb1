import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { exists } from '../../config/files/disk.ts';
import { placeToWrite } from '../../config/files/links.ts';
import { WebsitesError } from '../../model/errors.ts';
import { inTurn } from '../../run/lock.ts';
import { withoutKeys } from '../../util/key-filter.ts';
import { inBatches } from './output.ts';

/**
 * Writes a draft and renames it, through links that stay inside and with the existing permissions; directly into a pipe
 * or device. `isStillRight` may throw right before the rename, during which no other such process writes there.
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
    // As named: /dev/stdout leads to a pipe without a path.
    const status = await stat(named).catch(() => undefined);
    if (status !== undefined && !status.isFile() && !status.isDirectory()) {
      await isStillRight?.();
      await writeFile(named, written);
      return;
    }
    const mode = status?.mode;
    await mkdir(dirname(path), { recursive: true });
    // A leftover of another process with this ID, or a link, must not be written through.
    await rm(draft, { force: true });
    await writeFile(draft, written, { flag: 'wx', flush: true, ...(mode === undefined ? {} : { mode }) });
    // The umask reduces the permissions of new files; some volumes support none and reject them.
    if (mode !== undefined) await chmod(draft, mode).catch(() => undefined);
    await (isStillRight === undefined ? place() : inTurn(`${path}.turn.tmp`, place));
  } catch (error) {
    // The first error, such as a file instead of a directory, is the one to report.
    await rm(draft, { force: true }).catch(() => undefined);
    if (error instanceof WebsitesError) throw error;
    // The reason of the system without the call and the path, which is that of the draft.
    const reason = (error as Error).message.replace(/, [a-z]+(?: '.*)?$/s, '');
    throw new WebsitesError('file-failed', `${file} cannot be written: ${reason}.`, {
      remedy: 'Name a file in a writable directory with enough space.',
      cause: error,
    });
  }
}

/** Throws `file-failed` if `out`, relative to `cwd`, exists, unless it may be overwritten. */
export async function refuseExisting(
  { out, force }: { readonly out?: string | undefined; readonly force?: boolean | undefined },
  cwd: string,
): Promise<void> {
  if (force || out === undefined || !(await exists(resolve(cwd, out)))) return;
  throw new WebsitesError('file-failed', `${out} exists already.`, {
    remedy: 'Name another file with --out; --force overwrites it.',
  });
}
