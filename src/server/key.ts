import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fileFailed, WebsitesError } from '../model/errors.ts';
import { apiKeyFrom } from '../model/secret.ts';
import { permissiveMode } from '../util/node/file-mode.ts';
import { type GitError, runGit } from '../util/node/git.ts';
import { MAX_SMALL_FILE, readRegularFile } from '../util/node/read-file.ts';

/** Printable characters that are valid in a header, and enough of them that nobody can guess the key. */
const KEY = /^[\x21-\x7e]{16,512}$/;

/** Returns 256 random bits after a prefix by which a leaked key can be recognized. */
export function mintKey(): string {
  return `wsk_${randomBytes(32).toString('base64url')}`;
}

/** Returns a function that checks a key. Throws a WebsitesError (`usage`) if `key` cannot be a key. */
export function authenticator(key: string): (presented: string) => boolean {
  if (!KEY.test(key)) {
    const message = 'The API key is not 16 to 512 printable ASCII characters without spaces.';
    const remedy = 'Use a long random key, such as the output of "openssl rand -hex 32".';
    throw new WebsitesError('usage', message, { remedy });
  }
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(key);
  return (presented) => timingSafeEqual(digest(presented), expected);
}

/** Maximum number of reads, 20 ms apart, of a file that another process has created and not yet written. */
const MAX_READS = 100;

/**
 * Returns the key in `file`. Creates a missing file with a new key and mode 0600; processes that do so at once return
 * the same key. If other users may read the file, sets mode 0600. Keeps a new file out of Git. Calls `warn` with one
 * line for each of these fixes. `read` may also read a pipe. Throws a WebsitesError: `file-failed`, or `usage` if the
 * file contains no key.
 */
export async function ensureKeyFile(
  file: string,
  warn: (text: string) => void = () => undefined,
  read: typeof readRegularFile = readRegularFile,
): Promise<string> {
  try {
    await mkdir(dirname(file), { recursive: true });
    const key = mintKey();
    if (await write(file, key)) {
      await keepOutOfGit(file, warn);
      return key;
    }
    const found = await readKey(file, read);
    await tighten(file, warn);
    return found;
  } catch (error) {
    const remedy = 'Make the file readable and its directory writable, or choose another file.';
    return fileFailed(`Cannot store the API key in ${file}`, remedy)(error);
  }
}

/** Returns false if the file exists. */
async function write(file: string, key: string): Promise<boolean> {
  try {
    await writeFile(file, `${key}\n`, { flag: 'wx', mode: 0o600, flush: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // On a full disk, an empty file would remain and make the next attempt fail.
    await rm(file, { force: true });
    throw error;
  }
}

async function readKey(file: string, read: typeof readRegularFile): Promise<string> {
  let text = '';
  for (let reads = 0; text === '' && reads < MAX_READS; reads += 1) {
    if (reads > 0) await sleep(20);
    text = (await read(file, MAX_SMALL_FILE)).toString();
  }
  const key = apiKeyFrom(text, file);
  if (key !== undefined && KEY.test(key)) return key;
  throw new WebsitesError('file-failed', `${file} contains no valid API key.`, {
    remedy:
      'Write 16 to 512 printable ASCII characters without spaces into it, or delete it to create a new key.',
  });
}

async function tighten(file: string, warn: (text: string) => void): Promise<void> {
  const mode = await permissiveMode(file);
  if (mode === undefined) return;
  await chmod(file, 0o600).catch(() => undefined);
  // Some file systems accept any mode without an error, and do not store it.
  const done =
    (await permissiveMode(file)) === undefined ? 'Its mode is 0600 now.' : 'Its mode cannot be changed.';
  warn(
    `Warning: other users could read the API key in ${file} (mode ${mode}). ${done} Replace the key if another user may have read it.\n`,
  );
}

/** Adds a `.gitignore` for the file. If a `.gitignore` exists, only warns. Never rejects. */
async function keepOutOfGit(file: string, warn: (text: string) => void): Promise<void> {
  // Exit code 1: the file is not ignored. 128: not a Git checkout. Git may also be missing.
  const checked = runGit(dirname(file), ['check-ignore', '--quiet', '--', file], process.env);
  const failure = await checked.then(() => undefined).catch((error: GitError) => error);
  if (failure?.code !== 1) return;
  const list = join(dirname(file), '.gitignore');
  const line = `/${basename(file).replace(/[\\*?[\]\s]/g, '\\$&')}`;
  try {
    await writeFile(list, `${line}\n`, { flag: 'wx' });
    warn(`Wrote ${list}, so that Git ignores the API key in ${basename(file)}.\n`);
  } catch {
    warn(`Warning: Git does not ignore ${file}, which contains an API key. Add ${line} to ${list}.\n`);
  }
}

const COST = { N: 16384, r: 8, p: 1 };
const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

/** Hashes with a new salt, outside the main thread. Returns `scrypt$N$r$p$SALT$HASH` with base64url values. */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(16);
  const derived = await derive(secret, salt, 32, COST);
  const [inSalt, inHash] = [salt, derived].map((bytes) => bytes.toString('base64url'));
  return ['scrypt', ...Object.values(COST), inSalt, inHash].join('$');
}
