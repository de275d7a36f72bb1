/** The state directory of this program: `.websites` in the directory of the configuration, or WEBSITES_STATE_FOLDER. */
import { type Dirent, mkdtempSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLink, placeToWrite } from '../config/files/paths.ts';
import { fileFailed, WebsitesError } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import { sha256 } from '../util/node/sha256.ts';

export function dotFolder(root: string): string {
  return join(root, '.websites');
}

export function runsFolder(root: string): string {
  return join(dotFolder(root), 'runs');
}

function rootOfAll(root: string, isTarget: boolean): string {
  return isTarget ? join(root, '..', '..') : root;
}

export function lockPath(root: string, isTarget: boolean, service: Plan['service']): string {
  const name = sha256(`${service.base_url}\n${service.key_fingerprint}`).slice(0, 16);
  return join(dotFolder(rootOfAll(root, isTarget)), 'locks', `${name}.lock`);
}

/**
 * Creates a directory that Git ignores, because it may contain a key. Throws `file-failed`, also for any link in it:
 * a link could redirect writes to any file.
 */
export async function prepareState(root: string, isTarget: boolean): Promise<void> {
  const base = rootOfAll(root, isTarget);
  for (const each of new Set([root, base])) {
    const folder = dotFolder(each);
    await placeToWrite(folder, base);
    if (await isLink(folder)) throw isALink(folder);
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch(failed(folder));
    const entries = await entriesOf(folder);
    if (entries.length === 0) await ignore(folder);
    for (const name of ['runs', 'locks']) await entriesOf(join(folder, name));
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? [] : failed(folder)(error),
  );
  const link = entries.find((entry) => entry.isSymbolicLink());
  if (link !== undefined) throw isALink(join(folder, link.name));
  return entries;
}

async function ignore(folder: string): Promise<void> {
  const content = '# Made by websites: nothing in this directory belongs in Git.\n*\n';
  await writeFile(join(folder, '.gitignore'), content, { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) =>
      // Another process may have written the file at the same moment.
      error.code === 'EEXIST' ? undefined : failed(folder)(error),
  );
}

function isALink(path: string): WebsitesError {
  return new WebsitesError('file-failed', `${path} is a link, and state is never stored behind links.`, {
    remedy: 'Remove the link. To keep the state in another directory, set WEBSITES_STATE_FOLDER.',
  });
}

/** Synchronous, so that no interrupt can come before the code that removes the directory. */
export function temporaryFolder(name: string): string {
  try {
    return mkdtempSync(join(tmpdir(), name));
  } catch (error) {
    return failed(tmpdir())(error);
  }
}

function failed(folder: string): (error: unknown) => never {
  const remedy =
    'Make it writable and free disk space. ' +
    'To use another directory, set WEBSITES_STATE_FOLDER, or TMPDIR for temporary files.';
  return fileFailed(`${folder} cannot be used`, remedy);
}
