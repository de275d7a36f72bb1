/** Why a revision cannot be read, and what helps against just that. */
import { WebsitesError } from '../model/errors.ts';
import { shellWord } from '../model/next-command.ts';
import { type GitError, whyNoGit } from '../util/node/git.ts';
import { withShownAddresses } from '../util/redact.ts';

/** What Git says, in the language C, and what to do. The first that fits holds. */
const REMEDIES: readonly (readonly [said: RegExp, remedy: (folder: string) => string])[] = [
  [
    /dubious ownership|unsafe repository/,
    (folder) =>
      `The checkout belongs to another user. If you trust it, run: git config --global --add safe.directory ${shellWord(folder)}`,
  ],
  [
    /not a git repository: /,
    () =>
      'The repository of this worktree was moved. Make it available at its old path, or run "git worktree repair" in it.',
  ],
  [/not a git repository/, () => 'Run the command in a checkout with its .git directory, or omit --since.'],
  [
    /promisor remote|unable to read sha1 file|remote repository|unable to access/,
    () =>
      'This clone is partial, and its remote has the files of that revision. Check that it can be reached, with its credentials, or make a full clone.',
  ],
];

const SHALLOW =
  'This clone is shallow. Run "git fetch --unshallow"; in a workflow, check out with "fetch-depth: 0".';
const UNKNOWN =
  'Name a commit of this repository, such as origin/main; "git fetch" brings what the remote has.';

/** `isShallow`, asked where Git does not know the revision, says whether the clone lacks commits. */
export async function revisionMissing(
  revision: string,
  folder: string,
  cause: GitError,
  isShallow: () => Promise<boolean>,
): Promise<WebsitesError> {
  const noGit = whyNoGit(cause);
  const stderr = cause.stderr?.trim() ?? '';
  const said = noGit ?? withShownAddresses(stderr.split('\n')[0] ?? '');
  const known = REMEDIES.find(([pattern]) => pattern.test(stderr));
  const remedy =
    noGit !== undefined
      ? 'Install Git, or omit --since.'
      : (known?.[1](folder) ?? ((await isShallow()) ? SHALLOW : UNKNOWN));
  const message = `The revision ${revision} cannot be read${said ? ` (${said})` : ''}.`;
  return new WebsitesError('revision-missing', message, { remedy, cause });
}

/** That no commit is in the history of both, so that nobody knows what was removed since. */
export async function noMergeBase(
  revision: string,
  isShallow: () => Promise<boolean>,
): Promise<WebsitesError> {
  const message = `${revision} and HEAD have no common commit (no merge base).`;
  return new WebsitesError('revision-missing', message, {
    remedy: (await isShallow()) ? SHALLOW : 'Name a commit of the history of HEAD.',
  });
}
