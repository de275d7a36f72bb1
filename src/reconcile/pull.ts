/** Bringing a checkout up to date, so that what is planned from it is one commit, whole. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { WebsitesError } from '../core/errors.ts';
import { LONGEST_TIMER_MS } from '../core/service.ts';

const run = promisify(execFile);

export interface PullOptions {
  /** Of the checkout, or in it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For the part that goes over the network. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Does what `git pull --ff-only` does, in two steps, because a pull that is cut off in the middle leaves half a
 * tree: the fetch, which may take long and may be cut off at any time, and the merge, which is left to its end.
 * Returns the commit. Throws `pull-failed`, also where the tree is not that of the commit.
 */
export async function pull({ folder, env, timeoutMs, signal }: PullOptions): Promise<string> {
  const git = async (args: readonly string[], more: { timeout?: number; signal?: AbortSignal } = {}) => {
    const { stdout } = await run('git', ['-C', folder, ...args], { env: unattended(env), ...more });
    return stdout.trim();
  };
  try {
    // Without "--prune" a branch that is gone from the remote would stay, as it was, for ever.
    await git(['fetch', '--quiet', '--prune'], { timeout: Math.min(timeoutMs, LONGEST_TIMER_MS), signal });
    await git(['merge', '--ff-only', '--quiet', '@{upstream}']);
    const changed = await git(['diff', '--name-only', 'HEAD']);
    if (changed !== '') throw notWhole(folder, changed.split('\n'));
    return await git(['rev-parse', 'HEAD']);
  } catch (error) {
    throw error instanceof WebsitesError ? error : failed(folder, error as GitError, timeoutMs);
  }
}

/** The folder that the first of the patterns of `-f` begins with; `cwd` where there is none. */
export async function folderOf(patterns: readonly string[], cwd: string): Promise<string> {
  const [first = '.'] = patterns;
  let path = resolve(cwd, /^[^*?[{]*/.exec(first)?.[0] ?? '.');
  while (!(await isFolder(path)) && dirname(path) !== path) path = dirname(path);
  return path;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/**
 * Nobody is there to be asked for a password, or whether a host is known. The key of the service is no business of Git,
 * its hooks and helpers.
 */
function unattended(env: PullOptions['env']): NodeJS.ProcessEnv {
  const GIT_SSH_COMMAND = env.GIT_SSH_COMMAND ?? 'ssh -o BatchMode=yes';
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('WEBSITES_')));
  return { ...own, GIT_SSH_COMMAND, GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', SSH_ASKPASS: '', LC_ALL: 'C' };
}

interface GitError extends Error {
  readonly code?: string | number;
  readonly killed?: boolean;
  readonly stderr?: string;
}

function failed(
  folder: string,
  { code, killed, stderr = '', message, name }: GitError,
  timeoutMs: number,
): WebsitesError {
  const lines = stderr.trim().split('\n');
  const said = (lines.find((line) => REASON.test(line)) ?? lines[0] ?? '')
    .replace(REASON, '')
    .replace(CREDENTIALS, '$1');
  if (name === 'AbortError') return new WebsitesError('interrupted', 'The pull was interrupted.');
  const why =
    code === 'ENOENT'
      ? 'there is no program "git" here'
      : killed
        ? `it did not end within ${timeoutMs / 1000} s`
        : said.replace(/\.$/, '') || message.split('\n')[0];
  return new WebsitesError('pull-failed', `The checkout ${folder} cannot be brought up to date: ${why}.`, {
    remedy:
      'See with "git pull --ff-only" there what is in the way; credentials must work without a question.',
  });
}

/** What Git died of, among hints and progress. */
const REASON = /^(?:fatal|error): /;

/** User and password of an address. */
const CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)[^/\s@]*@/gi;

function notWhole(folder: string, files: readonly string[]): WebsitesError {
  const more = files.length > 3 ? ` and ${files.length - 3} more` : '';
  return new WebsitesError(
    'pull-failed',
    `The checkout ${folder} is not as committed: ${files.slice(0, 3).join(', ')}${more}.`,
    { remedy: 'Commit or discard it; "--state-folder" keeps what the loop itself writes elsewhere.' },
  );
}
