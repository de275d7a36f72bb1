/** Keeping a key out of the Git checkout that its file is made in. */
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type GitError, runGit } from '../util/node/git.ts';

/**
 * Where "git add" would take the new file `file`: has Git ignore it by a new `.gitignore` next to it, or, where there is
 * one already, which is never changed, tells what to add. Never rejects.
 */
export async function keepOutOfGit(file: string, tell: (text: string) => void): Promise<void> {
  if (!(await wouldBeAdded(file))) return;
  const list = join(dirname(file), '.gitignore');
  const line = `/${basename(file).replace(/[\\*?[\]\s]/g, '\\$&')}`;
  const isWritten = await writeFile(list, `${line}\n`, { flag: 'wx' }).then(
    () => true,
    () => false,
  );
  tell(
    isWritten
      ? `Wrote ${list}, so that Git ignores the API key in ${basename(file)}.\n`
      : `Warning: Git does not ignore ${file}, which contains an API key. Add ${line} to ${list}.\n`,
  );
}

/** Whether the file is in a checkout whose Git does not ignore it; not so where there is no Git to ask. */
function wouldBeAdded(file: string): Promise<boolean> {
  // It exits with 1 for a file that is not ignored, and with 128 where there is no checkout.
  return runGit(dirname(file), ['check-ignore', '--quiet', '--', file], process.env).then(
    () => false,
    ({ code }: GitError) => code === 1,
  );
}
