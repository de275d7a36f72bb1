/** Running Git in a checkout, where nobody is there to be asked anything. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { WebsitesError } from '../model/errors.ts';
import { listen } from '../util/abort.ts';
import { type Environment, withoutOwn } from '../util/environment.ts';
import { type GitError, gitArguments, runGit, whyNoGit } from '../util/node/git.ts';
import { withShownAddresses } from '../util/redact.ts';
import { some } from '../util/text.ts';

export interface Checkout {
  /** Of the checkout, or in it. */
  readonly folder: string;
  readonly env: Environment;
}

export type Git = ReturnType<typeof gitIn>;

/** Runs Git and returns what it says. Throws `pull-failed`. */
export function gitIn({ folder, env }: Checkout) {
  return (args: readonly string[]): Promise<string> =>
    runGit(folder, args, unattended(env)).catch((error: GitError) => {
      throw failed(folder, error);
    });
}

/**
 * Runs Git in a group of its own: Ctrl-C on a terminal goes to all of this one, and would end it in the middle; and
 * once `until` is aborted, whom Git left the network to (ssh, git-remote-https) is to end with it.
 */
export async function inGroup(
  { folder, env }: Checkout,
  args: readonly string[],
  until: AbortSignal = new AbortController().signal,
): Promise<void> {
  const child = spawn('git', gitArguments(folder, args), {
    env: unattended(env),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  const end = (): void => {
    child.stderr.destroy();
    endGroup(child);
  };
  if (until.aborted) end();
  const unlisten = listen(until, end);
  const [code] = await once(child, 'close')
    .catch((error: GitError) => {
      throw failed(folder, error);
    })
    .finally(unlisten);
  if (code !== 0) throw failed(folder, Object.assign(new Error(`git ${args[0]} was cut off`), { stderr }));
}

function endGroup(leader: ChildProcess): void {
  try {
    process.kill(-(leader.pid ?? Number.NaN), 'SIGTERM');
  } catch {
    // It has ended by itself, or the system has no groups.
    leader.kill();
  }
}

/** With an ssh that asks nobody, unless one was chosen: by a variable, or in what Git is set to. */
export async function withSsh({ folder, env }: Checkout): Promise<Checkout['env']> {
  if (env.GIT_SSH_COMMAND !== undefined || env.GIT_SSH !== undefined) return env;
  const chosen = await gitIn({ folder, env })(['config', '--get', '--default', '', 'core.sshCommand']);
  return chosen === '' ? { ...env, GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' } : env;
}

/** What Git tells its hooks of the repository that they are of, be it another than the checkout. */
const OF_A_HOOK: NodeJS.ProcessEnv = {
  GIT_DIR: undefined,
  GIT_COMMON_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
  GIT_PREFIX: undefined,
};

/** Nobody is there to be asked for a password, or whether a host is known. */
function unattended(env: Checkout['env']): NodeJS.ProcessEnv {
  return {
    ...withoutOwn(env),
    ...OF_A_HOOK,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    LC_ALL: 'C',
  };
}

function failed(folder: string, error: GitError): WebsitesError {
  const { stderr = '', message } = error;
  const said = withShownAddresses(reasonOf(stderr.trim().split(/\r?\n/)).replace(REASON, ''));
  const why = said.replace(/\.$/, '') || (message.split('\n')[0] ?? '');
  return cannotPull(folder, whyNoGit(error) ?? why);
}

export function cannotPull(folder: string, why: string): WebsitesError {
  return new WebsitesError('pull-failed', `The checkout ${folder} cannot be updated: ${why}.`, {
    remedy: 'Run "git pull --ff-only" there to see why. Credentials must work without a prompt.',
  });
}

/** What Git died of, among hints and progress. */
const REASON = /^(?:fatal|error): /;

/** Why is in the line before, by the program that Git left it to, such as ssh. */
const TRANSPORT_FAILED = /^fatal: Could not read from remote repository/;

function reasonOf(lines: readonly string[]): string {
  const at = Math.max(
    0,
    lines.findIndex((line) => REASON.test(line)),
  );
  const [before, line = ''] = [lines[at - 1], lines[at]];
  if (TRANSPORT_FAILED.test(line)) return before ?? line;
  const files = lines.slice(at).flatMap((listed) => /^\t(.+)/.exec(listed)?.[1] ?? []);
  return line.endsWith(':') && files.length > 0 ? `${line} ${some(files, 3)}` : line;
}
