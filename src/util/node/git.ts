import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../environment.ts';

const run = promisify(execFile);

export interface GitError extends Error {
  readonly code?: string | number;
  readonly stderr?: string;
}

/** Returns the output of Git without the line end. Throws a GitError. Git ends with this process. */
export async function runGit(
  folder: string,
  args: readonly string[],
  env: Environment,
  input = '',
): Promise<string> {
  // Git and its hooks must not get the API key.
  const others = Object.entries(env).filter(([name]) => !name.startsWith('WEBSITES_'));
  const options = { env: Object.fromEntries(others), maxBuffer: Number.POSITIVE_INFINITY };
  // Otherwise a directory of a pull request that looks like a bare repository would be used. Git would run
  // the commands of its configuration (Git 2.38 and newer).
  const running = run('git', ['-c', 'safe.bareRepository=explicit', '-C', folder, ...args], options);
  // If Git ends before it has read all, its own error counts.
  running.child.stdin?.on('error', () => undefined).end(input);
  // First of the exit handlers: others may remove files that Git writes.
  const end = () => running.child.kill('SIGKILL');
  process.prependOnceListener('exit', end);
  try {
    // A name may begin or end with a space.
    return (await running).stdout.replace(/\n$/, '');
  } finally {
    process.off('exit', end);
  }
}
