/** What earlier commits declared and the files of now do not, for `prune: removed`. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { baseUrlText, parseBaseUrl } from '../client/base-url.ts';
import type { Config } from '../config/load.ts';
import { runsAt } from '../journal/list-runs.ts';
import { carriedOut, mayBeSent, readJournal } from '../journal/reader.ts';
import { wwwTwin } from '../model/domain.ts';
import type { Place } from '../model/errors.ts';
import { type Commits, GONE, type Removals, type Removed } from '../model/removals.ts';
import type { EarlierFiles, PruneRule } from '../model/website.ts';
import { isPrune } from '../planner/changes.ts';
import { some } from '../util/text.ts';
import { type Connection, LOCAL, serviceOf } from './connect.ts';
import { type Earlier, type EarlierOptions, loadEarlier, restOf } from './earlier.ts';
import { compareCommits, gitIn } from './revision.ts';
import { runsFolder } from './state.ts';
import { stillNamed } from './still-named.ts';

/** Gives what is known, once there is a connection; asked again, it gives the same. */
export type RemovalsOf = (connection: Connection) => Promise<Removals>;

export interface Compared {
  readonly config: Config;
  /** How the files are loaded, at whatever commit. */
  readonly options: EarlierOptions;
  /** What was asked for in place of the address that the files give. */
  readonly baseUrl: string | undefined;
}

/** Domains that were removed since a commit, before it is known what became of their records. */
export interface RemovedSince {
  readonly commits: Commits;
  readonly domains: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

/** Compares with `revision`, of which the files may be `loaded`, and its merge base with HEAD. Throws `revision-missing` and what loading throws. */
export async function removedSince(
  revision: string,
  compared: Compared,
  loaded?: Earlier,
): Promise<RemovedSince> {
  const { config, options, baseUrl } = compared;
  const { cwd, repository = cwd } = options;
  const commits = await compareCommits(revision, repository);
  const then = loaded ?? (await loadEarlier(commits.since, options));
  const nothing = { commits, domains: new Set<string>() };
  const addresses = [baseUrl ?? then.baseUrl, baseUrl ?? config.pins.base_url].map(identityOf);
  if (then.files.websites.length > 0 && addresses[0] !== addresses[1]) {
    const was = addresses[0] ?? 'not declared';
    return { ...nothing, warnings: [`Nothing is pruned: at ${shortOf(commits)}, the service was ${was}.`] };
  }
  const isSame = commits.merge_base === commits.since;
  const base = isSame ? then : await loadEarlier(commits.merge_base, options);
  const untracked = await untrackedFiles(config, repository);
  const domains = removedBetween(then, base, config, untracked);
  const warnings =
    untracked.size === 0
      ? []
      : [`Git does not track ${some([...untracked])}, so what is removed from there is not pruned.`];
  return { commits, domains, warnings };
}

function removedBetween(
  then: Earlier,
  base: Earlier,
  { desired }: Config,
  untracked: ReadonlySet<string>,
): ReadonlySet<string> {
  const atBase = presentIn(base);
  const declared = new Set(desired.websites.map(({ domain }) => domain));
  const removed = then.files.websites.filter(
    ({ domain, state, source }) =>
      state === 'present' && atBase.has(domain) && !declared.has(domain) && !untracked.has(source.file),
  );
  return new Set(removed.map(({ domain }) => domain));
}

function presentIn({ files }: Earlier): ReadonlySet<string> {
  return new Set(files.websites.flatMap(({ domain, state }) => (state === 'present' ? domain : [])));
}

/** Domains that were declared at the merge base of a commit and HEAD. */
export async function declaredAtBase(commit: string, options: EarlierOptions): Promise<ReadonlySet<string>> {
  const { merge_base } = await compareCommits(commit, options.repository ?? options.cwd);
  return presentIn(await loadEarlier(merge_base, options));
}

/** Where tracked files name any of `domains`; a www variant that may be the same website counts for it. */
export async function namedBy(
  domains: ReadonlySet<string>,
  { pins }: Pick<Config, 'pins'>,
  repository: string,
): Promise<ReadonlyMap<string, Place>> {
  if (pins.www === 'distinct') return stillNamed(domains, repository);
  const found = await stillNamed(new Set([...domains].flatMap((one) => [one, wwwTwin(one)])), repository);
  return new Map(
    [...domains].flatMap((domain) => {
      const place = found.get(domain) ?? found.get(wwwTwin(domain));
      return place === undefined ? [] : [[domain, place]];
    }),
  );
}

/** The files that were read and that Git does not track, as they are named. */
async function untrackedFiles({ files, cwd }: Config, repository: string): Promise<ReadonlySet<string>> {
  const git = gitIn(repository);
  const top = await realpath(await git(['rev-parse', '--show-toplevel']));
  const tracked = new Set(
    (await git(['-C', top, 'ls-files', '-z'])).split('\0').map((path) => resolve(top, path)),
  );
  const untracked = new Set<string>();
  for (const { path } of files) {
    const real = await realpath(resolve(cwd, path)).catch(() => path);
    if (!tracked.has(real)) untracked.add(path);
  }
  return untracked;
}

function identityOf(address: string | undefined): string | undefined {
  if (address === undefined || address === LOCAL) return address;
  return baseUrlText(parseBaseUrl(address));
}

export function shortOf({ since }: Pick<Commits, 'since'>): string {
  return since.slice(0, 10);
}

/** What is known for a plan; `only` says what of the records of then may be left. */
export function removalsOf(
  { commits, domains, warnings }: RemovedSince,
  named: ReadonlyMap<string, Place>,
  only: ReadonlyMap<string, string>,
): Removals {
  const removed = new Map<string, Removed>();
  for (const domain of domains) {
    const [place, pruned] = [named.get(domain), only.get(domain)];
    removed.set(domain, { ...(place && { named: place }), ...(pruned && { pruned }) });
  }
  return { commits, removed, warnings };
}

/**
 * What a plan with `--since` knows of the files at that revision; `prune` is what was asked for in place of their rule.
 * Throws as loadEarlier does.
 */
export async function compareSince(
  since: string,
  compared: Compared,
  prune: PruneRule | undefined,
): Promise<{ readonly earlier: EarlierFiles; readonly removals: RemovalsOf }> {
  const then = await loadEarlier(since, compared.options);
  let known: Promise<Removals> | undefined;
  const find = async (connection: Connection): Promise<Removals> => {
    const found = await removedSince(since, compared, then);
    const { config, options } = compared;
    const isAny = found.domains.size > 0;
    const pruned = isAny ? await prunedSince(found.commits, runsFolder(config.root), connection) : new Map();
    return removalsOf(found, await namedBy(found.domains, config, options.repository ?? options.cwd), pruned);
  };
  return {
    earlier: {
      ...then.files,
      prune: prune ?? then.files.prune,
      onlyWebsites: then.rest === restOf(compared.config),
    },
    removals(connection) {
      known ??= find(connection);
      return known;
    },
  };
}

/** What runs here pruned, or may have, since a commit: by domain, the ID of the record; `GONE` where it is known to be so. */
async function prunedSince(
  { since }: Commits,
  folder: string,
  connection: Connection,
): Promise<ReadonlyMap<string, string>> {
  const pruned = new Map<string, string>();
  const runs = await runsAt(folder, serviceOf(connection), connection.seals);
  for (const info of runs.filter((one) => one.sealed)) {
    const recorded = await readJournal(folder, info.run, { seals: connection.seals });
    if (recorded.plan.commits?.since !== since) continue;
    const [done, sent] = [carriedOut(recorded), mayBeSent(recorded)];
    for (const [index, change] of recorded.plan.changes.entries()) {
      if (!isPrune(change) || change.action !== 'delete') continue;
      if (done.has(index)) pruned.set(change.domain, GONE);
      else if (sent.has(index)) pruned.set(change.domain, change.id);
    }
  }
  return pruned;
}
