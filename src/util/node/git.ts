import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../environment.ts';

const run = promisify(execFile);

export interface GitError extends Error {
  readonly code?: string | number;
  readonly stderr?: string;
}

/** Returns the output of Git without its line end. Throws a GitError. Git is killed when this process exits. */
export async function runGit(
  folder: string,
  args: readonly string[],
  env: Environment,
  input = '',
): Promise<string> {
  // Removes WEBSITES_… variables, because Git and its hooks must not get the API key.
  const others = Object.entries(env).filter(([name]) => !name.startsWith('WEBSITES_'));
  const options = { env: Object.fromEntries(others), maxBuffer: Number.POSITIVE_INFINITY };
  // Without this, Git 2.38 and newer would use a directory that looks like a bare repository, and run commands from
  // its configuration. A pull request could add such a directory.
  const running = run('git', ['-c', 'safe.bareRepository=explicit', '-C', folder, ...args], options);
  // If Git exits before it has read the input, its own error is reported instead.
  running.child.stdin?.on('error', () => undefined).end(input);
  // Must run before other exit handlers, which may remove files that Git still writes.
  const end = () => running.child.kill('SIGKILL');
  process.prependOnceListener('exit', end);
  try {
    // Not trimmed, because a file name may begin or end with a space.
    return (await running).stdout.replace(/\n$/, '');
  } finally {
    process.off('exit', end);
  }
}
