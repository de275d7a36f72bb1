/** Loads what `--since` needs: the files at an earlier revision, and the domains that were removed since. */
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { findDefault, STDIN } from '../config/files/files.ts';
import { realPath, toPosix } from '../config/files/paths.ts';
import { type Config, type ConfigOptions, loadConfig } from '../config/load.ts';
import { LOCAL, parseBaseUrl } from '../model/base-url.ts';
import { formatPlace, WebsitesError } from '../model/errors.ts';
import { type Commits, GONE, type Removals } from '../model/plan.ts';
import type { EarlierFiles, PruneRule } from '../model/website.ts';
import { byDomain } from '../planner/attribution.ts';
import { isPrune } from '../planner/changes.ts';
import { otherOf } from '../planner/match.ts';
import { canonicalJson } from '../planner/plan-file/write.ts';
import { readRun, runsAt } from '../run/file/read.ts';
import type { Connection } from './connect.ts';
import { compareCommits, type Revision, readRevision, stillNamed } from './repository.ts';

export type RemovalsOf = (connection: Connection) => Promise<Removals>;

export interface Compared {
  readonly config: Config;
  readonly options: Omit<ConfigOptions, 'readAt' | 'withoutRecords' | 'folder'>;
  readonly baseUrl: string | undefined;
  readonly prune: PruneRule | undefined;
}

export async function compareSince(
  since: string,
  compared: Compared,
): Promise<{ readonly earlier: EarlierFiles; readonly removals: RemovalsOf }> {
  const { config, options, prune } = compared;
  const then = await loadAtRevision(since, options);
  return {
    earlier: {
      ...then.files,
      prune: prune ?? then.files.prune,
      onlyWebsites: then.config !== undefined && restOf(then.config) === restOf(config),
    },
    removals: (connection) => removedSince(since, then, compared, connection),
  };
}

interface Earlier extends Pick<Revision, 'commit' | 'repository'> {
  readonly files: EarlierFiles;
  /** Missing if no file, or not this target, existed at that revision. */
  readonly config: Config | undefined;
}

/** Throws `usage` for a file that has no revisions, `revision-missing`, and errors of loading the revision's files. */
export async function loadAtRevision(revision: string, options: Compared['options']): Promise<Earlier> {
  const { patterns, cwd, allowPaths = [] } = options;
  if (patterns.includes(STDIN)) {
    throw new WebsitesError('usage', '--since cannot be used with standard input.', {
      remedy: 'Pass files with -f.',
    });
  }
  const named = patterns.length === 0 ? [await findDefault(cwd)] : patterns;
  const paths = [...named, ...allowPaths].map((path) => resolve(cwd, path));
  return readRevision(revision, cwd, paths, async (revised) => {
    const formerOf = (pattern: string) => revised.at(resolve(cwd, pattern));
    const outside = named.find((pattern) => formerOf(pattern) === undefined);
    if (outside !== undefined) {
      const message = `${outside} is outside of the repository, and --since compares files of the repository.`;
      throw new WebsitesError('usage', message, { remedy: 'Pass files of the repository, or omit --since.' });
    }
    const there = named.filter((pattern) => existsSync(formerOf(pattern) ?? ''));
    const then = { ...options, readAt: revised.atOrNow, patterns: there };
    const otherwise = (error: NodeJS.ErrnoException): undefined => {
      // The target was not declared at that revision.
      if (options.target !== undefined && error.code === 'usage') return undefined;
      throw error instanceof WebsitesError ? errorAt(revision, error) : error;
    };
    const config = there.length === 0 ? undefined : await loadConfig(then).catch(otherwise);
    const none = { websites: [], ignore: [], protected: [] };
    const files = { ...none, ...config?.desired, prune: config?.prune ?? false };
    return { ...revised, files, config };
  });
}

function restOf({ desired, prune, pins, targetNames, unmatched }: Config): string {
  const { websites: _, groups: __, ...rest } = desired;
  const target = pins.target && { name: pins.target.name, key: pins.target.keySource };
  return canonicalJson({ ...rest, prune, pins: { ...pins, target }, targetNames, unmatched });
}

/** Writes the locations into the message, because they are in files of the revision and not in current files. */
function errorAt(revision: string, { code, message, problems }: WebsitesError): WebsitesError {
  return new WebsitesError(code, `At ${revision}: ${message}`, {
    remedy: 'Choose another revision, or omit --since.',
    problems: problems.map(({ severity, message, place }) => ({
      severity,
      message: `At ${revision}: ${place ? `${formatPlace(place)}: ` : ''}${message}`,
    })),
  });
}

async function removedSince(
  since: string,
  then: Earlier,
  { config, options, baseUrl }: Compared,
  connection: Connection,
): Promise<Removals> {
  const { repository } = then;
  const commits = await compareCommits(since, then);
  const none = { commits, removed: new Map() };
  const [was, is] = [then.config, config].map((one) => {
    const address = baseUrl ?? one?.pins.base_url;
    return address === undefined || address === LOCAL ? address : parseBaseUrl(address);
  });
  if (then.files.websites.length > 0 && was !== is) {
    const commit = commits.since.slice(0, 10);
    return { ...none, warnings: [{ code: 'prune-skipped/service', commit, address: was ?? 'not declared' }] };
  }
  const base =
    commits.merge_base === commits.since ? then : await loadAtRevision(commits.merge_base, options);
  const isTracked = (path: string): boolean =>
    repository.tracked.has(toPosix(relative(repository.top, realPath(resolve(config.cwd, path)))));
  const untracked = new Set(config.files.flatMap(({ path }) => (isTracked(path) ? [] : path)));
  const warnings: Removals['warnings'] =
    untracked.size === 0 ? [] : [{ code: 'prune-skipped/untracked', files: [...untracked] }];
  const domains = removedBetween(then, base, config, untracked);
  if (domains.length === 0) return { ...none, warnings };
  const namesOf = (domain: string) => [domain, otherOf(domain, config.pins) ?? domain];
  const named = await stillNamed(new Set(domains.flatMap(namesOf)), repository);
  const gone = await prunedSince(commits, connection);
  const removed = domains.map((domain) => {
    const [place] = namesOf(domain).flatMap((name) => named.get(name) ?? []);
    const pruned = gone.get(domain);
    return [domain, { named: place, pruned }] as const;
  });
  return { commits, removed: new Map(removed), warnings };
}

/** Returns the domains that were declared present at both commits and that no file lists now. */
function removedBetween(
  then: Earlier,
  base: Earlier,
  { desired }: Config,
  untracked: ReadonlySet<string>,
): readonly string[] {
  const [atBase, declared] = [byDomain(base.files), byDomain(desired)];
  const removed = then.files.websites.filter(
    ({ domain, state, source }) =>
      state === 'present' &&
      atBase.get(domain)?.state === 'present' &&
      !declared.has(domain) &&
      !untracked.has(source.file),
  );
  return removed.map(({ domain }) => domain);
}

/**
 * Returns records that runs on this machine pruned or may have pruned: the ID by domain, or `GONE` if the record is
 * certainly deleted.
 */
async function prunedSince({ since }: Commits, connection: Connection): Promise<ReadonlyMap<string, string>> {
  const pruned = new Map<string, string>();
  for (const { run, sealed } of await runsAt(connection)) {
    if (!sealed) continue;
    const { plan, changes } = await readRun(connection.runsFolder, run, connection);
    if (plan.commits?.since !== since) continue;
    for (const { change, outcome } of changes.filter((one) => isPrune(one.change))) {
      if (outcome === 'done') pruned.set(change.domain, GONE);
      else if (outcome === 'unknown' && change.action === 'delete') pruned.set(change.domain, change.id);
    }
  }
  return pruned;
}
