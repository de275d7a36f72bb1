/** The files as they were at a Git revision, laid out in a folder of their own; the repository is not touched. */
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { WebsitesError } from '../core/errors.ts';

const run = promisify(execFile);

export interface Revision {
  /** The folder that stands for the working folder. */
  readonly cwd: string;
  dispose(): Promise<void>;
}

/** Lays the tree of `revision` out beside the repository that `cwd` is in. Throws `revision-missing`. */
export async function layOutRevision(revision: string, cwd: string): Promise<Revision> {
  const folder = await mkdtemp(join(tmpdir(), 'websites-revision-'));
  const dispose = () => rm(folder, { recursive: true, force: true });
  const git = (...args: string[]) =>
    run('git', ['-C', cwd, ...args], { env: { ...process.env, GIT_INDEX_FILE: join(folder, 'index') } });
  try {
    const top = (await git('rev-parse', '--show-toplevel')).stdout.trimEnd();
    const { stdout: commit } = await git(
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${revision}^{commit}`,
    );
    await git('read-tree', commit.trim());
    await git('-C', top, 'checkout-index', '--all', `--prefix=${join(folder, 'tree')}/`);
    return { cwd: join(folder, 'tree', relative(await realpath(top), await realpath(cwd))), dispose };
  } catch (error) {
    await dispose();
    const said = (error as { stderr?: string }).stderr?.trim().split('\n')[0];
    throw new WebsitesError(
      'revision-missing',
      `The revision ${revision} cannot be read${said ? ` (${said})` : ''}.`,
      {
        remedy:
          'Name a commit of this repository, such as origin/main; a shallow clone may lack it (fetch-depth: 0).',
        cause: error,
      },
    );
  }
}
