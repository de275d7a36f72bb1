/** Reads the Git repository around a directory. Never changes it. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { KNOWN_EXTENSIONS } from '../config/bulk/bulk.ts';
import { wayTo } from '../config/files/files.ts';
import { domainKey } from '../model/domain.ts';
import { type Place, WebsitesError } from '../model/errors.ts';
import type { Commits } from '../model/plan.ts';
import { type GitError, runGit } from '../util/node/git.ts';
import { redacted } from '../util/redact.ts';
import { cutText } from '../util/text.ts';

export interface Repository {
  readonly cwd: string;
  /** Real path of the top directory. */
  readonly top: string;
  /** Runs Git in `top`, with English output, because the output is parsed. */
  git(args: readonly string[], given?: { input?: string; index?: string }): Promise<string>;
  /** Paths of tracked files, relative to `top`. */
  readonly tracked: ReadonlySet<string>;
}

export async function openRepository(cwd: string): Promise<Repository> {
  const env = { ...process.env, LC_ALL: 'C' };
  const top = await realpath(await runGit(cwd, ['rev-parse', '--show-toplevel'], env));
  const git: Repository['git'] = (args, { input, index } = {}) =>
    runGit(top, args, index === undefined ? env : { ...env, GIT_INDEX_FILE: index }, input);
  return { cwd, top, git, tracked: new Set((await git(['ls-files', '-z'])).split('\0')) };
}

export function commitOf(revision: string, { git }: Repository): Promise<string> {
  return git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
}

/**
 * Returns the commit of `revision`, and its merge base with HEAD. Throws `revision-missing`, also if the two have no
 * common commit.
 */
export async function compareCommits(revision: string, repository: Repository): Promise<Commits> {
  const since = await orMissing(revision, repository.cwd, () => commitOf(revision, repository));
  const merge_base = await repository.git(['merge-base', since, 'HEAD']).catch(() => '');
  if (merge_base !== '') return { since, merge_base };
  throw new WebsitesError('revision-missing', `${revision} and HEAD have no common commit (no merge base).`, {
    remedy: (await isShallow(repository.cwd)) ? SHALLOW : 'Pass a commit from the history of HEAD.',
  });
}

const FILES = ['.yaml', '.yml', ...KNOWN_EXTENSIONS.split(', ')].map((ending) => `:(icase)*${ending}`);

const GREP = ['grep', '--text', '-z', '-n', '--no-color', '--no-column', '-e', ''];

/**
 * Finds domains in tracked files and their comments. A website that was removed from the loaded files may have moved
 * to another file.
 */
export async function stillNamed(
  domains: ReadonlySet<string>,
  repository: Repository,
): Promise<ReadonlyMap<string, Place>> {
  const found = new Map<string, Place>();
  const { top, git } = repository;
  const here = await realpath(repository.cwd);
  for (const revision of [[], ['HEAD']]) {
    const lines = await git([...GREP, ...revision, '--', ...FILES]).catch((error: GitError) => {
      if (error.code === 1) return '';
      throw error;
    });
    for (const [, path = '', line, text = ''] of lines.matchAll(/([^\0]+)\0(\d+)\0(.*)\n?/g)) {
      const file = revision.length === 0 ? wayTo(join(top, path), here) : path;
      for (const [name, at] of namesIn(text)) {
        const domain = domainKey(name);
        if (!domains.has(domain) || found.has(domain)) continue;
        found.set(domain, { file, line: Number(line), column: at + 1 });
      }
    }
  }
  return found;
}

/**
 * Matches complete names and patterns, so that a part of a longer name does not count. IP addresses with colons have
 * their own expression.
 */
const NAME = /[\p{L}\p{M}\p{N}._*\-\u3002\uff0e\uff61]+/gu;
const ADDRESS = /[\da-f:.]*:[\da-f:.]+/gi;

function namesIn(line: string): (readonly [name: string, at: number])[] {
  // Also searches the text with `\uXXXX` escapes of JSON and YAML decoded.
  const text = line.replaceAll(/\\u([\da-f]{4})/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return [...text.matchAll(NAME), ...text.matchAll(ADDRESS)].map(({ 0: name, index }) => [
    name.replace(/^[.-]+|[.-]+$/g, ''),
    index,
  ]);
}

async function isShallow(cwd: string): Promise<boolean> {
  const args = ['rev-parse', '--is-shallow-repository'];
  return (await runGit(cwd, args, process.env).catch(() => 'false')) === 'true';
}

const SHALLOW =
  'This clone is shallow. Run "git fetch --unshallow"; in a workflow, check out with "fetch-depth: 0".';
const UNKNOWN =
  'Name a commit of this repository, such as origin/main, or run "git fetch" first. Or omit --since.';

const MAX_SAID = 400;

export async function orMissing<T>(revision: string, cwd: string, work: () => Promise<T>): Promise<T> {
  return work().catch(async (cause: GitError) => {
    const said = cause.code === 'ENOENT' ? 'git was not found' : (cause.stderr ?? cause.message);
    const shown = redacted(cutText(said.replace(/\s+/g, ' ').trim(), MAX_SAID));
    const message = `The revision ${revision} cannot be read: ${shown || 'it does not exist'}.`;
    throw new WebsitesError('revision-missing', message, {
      remedy: (await isShallow(cwd)) ? SHALLOW : UNKNOWN,
      cause,
    });
  });
}
