import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Environment, withoutOwn } from '../environment.ts';

const run = promisify(execFile);

/** Git ended with another code than 0, or there is none (`ENOENT`). */
export interface GitError extends Error {
  readonly code?: string | number;
  readonly stderr?: string;
}

/**
 * Returns what Git prints, without the line end; it may read `input`. Throws a GitError. When the process exits, Git ends
 * with it.
 */
export async function runGit(
  folder: string,
  args: readonly string[],
  env: Environment,
  input = '',
): Promise<string> {
  const options = { env: withoutOwn(env), maxBuffer: Number.POSITIVE_INFINITY };
  // A directory that a pull request makes look like a bare repository must not be taken for the one to read, since the
  // commands that its configuration names would be run (Git 2.38 and newer).
  const running = run('git', ['-c', 'safe.bareRepository=explicit', '-C', folder, ...args], options);
  // Where Git ends before it has read all, its error is the one to be told.
  running.child.stdin?.on('error', () => undefined).end(input);
  // Before others, who may remove what it writes.
  const end = () => running.child.kill('SIGKILL');
  process.prependOnceListener('exit', end);
  try {
    // A name may begin or end with a blank.
    return (await running).stdout.replace(/\n$/, '');
  } finally {
    process.off('exit', end);
  }
}

export function whyNoGit({ code }: GitError): string | undefined {
  return code === 'ENOENT' ? 'git was not found' : undefined;
}
