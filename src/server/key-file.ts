/** A file that holds an API key. */
import { chmod, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiKeyFrom } from '../model/api-key.ts';
import { WebsitesError } from '../model/errors.ts';
import { LARGEST_SMALL_FILE, readRegularFile } from '../util/node/read-file.ts';
import { keepOutOfGit } from './git-ignore.ts';
import { openMode } from './key-mode.ts';
import { isKey, mintKey } from './keys.ts';

/** How often, 20 ms apart, a file that another process has just made is looked at until it is written. */
const LOOKS = 100;

/**
 * Returns the key in `file`. Where file not found it is made, with a new key and mode 0600; of
 * several processes that do so at once, all return the same key. One that other users may read is made
 * this user's alone, and a new one is kept out of Git; `tell` is told. `read` is for one that may be a pipe. Throws a
 * WebsitesError: `file-failed`, and `usage` where something else stands in the place of the key.
 */
export async function ensureKeyFile(
  file: string,
  tell: (text: string) => void = () => undefined,
  read: typeof readRegularFile = readRegularFile,
): Promise<string> {
  try {
    await mkdir(dirname(file), { recursive: true });
    const key = mintKey();
    if (await write(file, key)) {
      await keepOutOfGit(file, tell);
      return key;
    }
    const found = await readKey(file, read);
    await tighten(file, tell);
    return found;
  } catch (error) {
    throw error instanceof WebsitesError ? error : failed(file, error);
  }
}

/**
 * Writes `key` to a new file of mode 0600; `tell` is told how it is kept out of Git. Throws a WebsitesError
 * (`file-failed`), also where there is one.
 */
export async function writeKeyFile(file: string, key: string, tell: (text: string) => void): Promise<void> {
  const isNew = await write(file, key).catch((error: unknown) => {
    throw failed(file, error);
  });
  if (isNew) return keepOutOfGit(file, tell);
  throw new WebsitesError('file-failed', `${file} exists already.`, {
    remedy: 'Name a new file: a file with a key is not overwritten.',
  });
}

function failed(file: string, cause: unknown): WebsitesError {
  return new WebsitesError(
    'file-failed',
    `Cannot keep the API key in ${file}: ${(cause as Error).message}.`,
    {
      remedy: 'Make the file readable and its directory writable, or choose another file.',
      cause,
    },
  );
}

async function tighten(file: string, tell: (text: string) => void): Promise<void> {
  const mode = await openMode(file);
  if (mode === undefined) return;
  await chmod(file, 0o600).catch(() => undefined);
  // Some volumes know no modes, and take any without an error.
  const done = (await openMode(file)) === undefined ? 'Its mode is 0600 now.' : 'Its mode cannot be changed.';
  tell(
    `Warning: other users could read the API key in ${file} (mode ${mode}). ${done} Replace the key if one of them may have.\n`,
  );
}

/** Makes the file; false where it exists already. */
async function write(file: string, key: string): Promise<boolean> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (handle === undefined) return false;
  try {
    await handle.writeFile(`${key}\n`);
    await handle.sync();
  } catch (error) {
    // On a full disk, where an empty file would be in the way of the next attempt.
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return true;
}

async function readKey(file: string, read: typeof readRegularFile): Promise<string> {
  let text = '';
  for (let look = 0; look < LOOKS; look += 1) {
    const before = text;
    text = (await read(file, LARGEST_SMALL_FILE)).toString();
    // A line end is the last that we write; a file that somebody else wrote need not have one.
    if (text.endsWith('\n') || (text !== '' && text === before)) break;
    await sleep(20);
  }
  const key = apiKeyFrom(text, file);
  if (key !== undefined && isKey(key)) return key;
  throw new WebsitesError('file-failed', `${file} contains no API key.`, {
    remedy: 'Put a long random key into it (openssl rand -hex 32), or remove it to create a new one.',
  });
}
