/** Who may read a key file. It imports nothing of the service, so that clients can ask too. */
import { access, constants, stat } from 'node:fs/promises';

const OTHERS = 0o077;

/**
 * The mode, as 0644, of a key file that other users may read; `undefined` where they may not, or where it is not this
 * user's to change: somebody else's, or on a read-only volume, as the secrets of Kubernetes and Docker are. Windows has
 * no such modes.
 */
export async function openMode(file: string): Promise<string | undefined> {
  const status = await stat(file);
  const isOurs = status.uid === process.geteuid?.() && (status.mode & OTHERS) !== 0;
  if (!isOurs || (await isReadOnly(file))) return undefined;
  return (status.mode & 0o7777).toString(8).padStart(4, '0');
}

function isReadOnly(file: string): Promise<boolean> {
  return access(file, constants.W_OK).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'EROFS',
  );
}
