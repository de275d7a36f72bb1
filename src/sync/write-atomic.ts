/** Files that are there whole or not at all. */
import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { exists } from '../config/files/disk.ts';
import { placeToWrite } from '../config/files/links.ts';
import { WebsitesError } from '../model/errors.ts';
import { inTurn } from '../run/lock.ts';
import { withoutKeys } from '../util/key-filter.ts';

/**
 * Writes beside `file`, which counts from `cwd`, and then puts it in its place, through links that do not lead out of there
 * and with the rights of the file that was there. Makes its directory. Into a pipe or a device it writes as it is.
 * `isStillRight` may throw at the last moment, in which no other process that asks so puts anything in that place.
 */
export async function writeWhole(
  file: string,
  texts: Iterable<string>,
  cwd: string,
  isStillRight?: () => Promise<void>,
): Promise<void> {
  const named = resolve(cwd, file);
  const written = (function* () {
    for (const text of texts) yield withoutKeys(text);
  })();
  const path = await placeToWrite(named, cwd);
  const draft = `${path}.${process.pid}.tmp`;
  const place = async (): Promise<void> => {
    await isStillRight?.();
    await rename(draft, path);
  };
  try {
    // As it was named: /dev/stdout leads to a pipe, though by no path.
    const status = await stat(named).catch(() => undefined);
    if (status !== undefined && !status.isFile() && !status.isDirectory()) {
      await isStillRight?.();
      await writeFile(named, written);
      return;
    }
    const mode = status?.mode;
    await mkdir(dirname(path), { recursive: true });
    // What another process of this id left behind, or a link that somebody put there, is not written through.
    await rm(draft, { force: true });
    await writeFile(draft, written, { flag: 'wx', flush: true, ...(mode === undefined ? {} : { mode }) });
    // The umask takes from the rights of what is made; some volumes know none, and refuse to set them.
    if (mode !== undefined) await chmod(draft, mode).catch(() => undefined);
    await (isStillRight === undefined ? place() : inTurn(`${path}.turn.tmp`, place));
  } catch (error) {
    // What is in its way, such as a file for a folder, is what is told.
    await rm(draft, { force: true }).catch(() => undefined);
    if (error instanceof WebsitesError) throw error;
    // What the system says, without the call and the path, which is that of the draft.
    const reason = (error as Error).message.replace(/, [a-z]+(?: '.*)?$/s, '');
    throw new WebsitesError('file-failed', `${file} cannot be written: ${reason}.`, {
      remedy: 'Name a file in a writable directory with enough space.',
      cause: error,
    });
  }
}

/** Throws `file-failed` where `out`, which counts from `cwd`, is there already, unless it may be overwritten. */
export async function refuseExisting(
  { out, force }: { readonly out?: string | undefined; readonly force?: boolean | undefined },
  cwd: string,
): Promise<void> {
  if (force || out === undefined || !(await exists(resolve(cwd, out)))) return;
  throw new WebsitesError('file-failed', `${out} exists already.`, {
    remedy: 'Name another file with --out; --force overwrites it.',
  });
}
