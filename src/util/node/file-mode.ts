import { access, constants, stat } from 'node:fs/promises';

/**
 * Returns the mode, such as 0644, of a key file that other users may read. `undefined` if they may not, or if the
 * mode cannot be changed.
 */
export async function permissiveMode(file: string): Promise<string | undefined> {
  const { uid, mode } = await stat(file);
  if (uid !== process.geteuid?.() || (mode & 0o077) === 0) return undefined;
  const failure = await access(file, constants.W_OK).catch((error: NodeJS.ErrnoException) => error);
  return failure?.code === 'EROFS' ? undefined : (mode & 0o7777).toString(8).padStart(4, '0');
}
