import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IDENTITY = [
  '-c',
  'user.name=Somebody',
  '-c',
  'user.email=somebody@example.com',
  '-c',
  'commit.gpgsign=false',
];

/** Runs git in `folder`; returns its output. */
export function git(folder: string, ...args: readonly string[]): string {
  const output = execFileSync('git', [...IDENTITY, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return output.toString().trim();
}

/** True if this Git can be forbidden to use bare repositories: 2.38 and newer. */
export const KNOWS_BARE = /^git version (?:2\.(?:3[89]|[4-9]\d|\d{3})|[3-9])/.test(git('.', 'version'));

export interface ScratchRepo {
  /** The work folder, and the source of checkouts. */
  readonly work: string;
  /** Writes `files` and commits all changes; returns the commit. */
  commit(files: Readonly<Record<string, string>>): string;
  /** Merges the branch `name` into main as a preview; returns the merge commit. */
  mergePreview(name: string): string;
  /** Merges the branch into main as one commit, as "squash and merge" does; returns that commit. */
  squash(name: string): string;
}

export function scratchRepo(folder: string): ScratchRepo {
  const work = join(folder, 'clone');
  git(folder, 'init', '--quiet', '--initial-branch=main', work);
  const head = () => git(work, 'rev-parse', 'HEAD');

  return {
    work,
    commit(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(work, name)), { recursive: true });
        writeFileSync(join(work, name), text);
      }
      git(work, 'add', '--all');
      git(work, 'commit', '--quiet', '--message', 'A change');
      return head();
    },
    mergePreview(name) {
      git(work, 'checkout', '--quiet', '-B', `preview-${name}`, 'main');
      git(work, 'merge', '--quiet', '--no-ff', '--message', 'Merge', name);
      const sha = head();
      git(work, 'checkout', '--quiet', name);
      return sha;
    },
    squash(name) {
      git(work, 'checkout', '--quiet', 'main');
      git(work, 'merge', '--quiet', '--squash', name);
      git(work, 'commit', '--quiet', '--message', `Merge ${name}`);
      return head();
    },
  };
}
