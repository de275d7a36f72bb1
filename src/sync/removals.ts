import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../config/load.ts';
import { LOCAL, parseBaseUrl } from '../model/base-url.ts';
import type { Place } from '../model/errors.ts';
import { type Commits, GONE, type Removals } from '../model/removals.ts';
import type { EarlierFiles, PruneRule } from '../model/website.ts';
import { isPrune } from '../planner/changes.ts';
import { otherOf } from '../planner/match.ts';
import { mayBeSent, type RecordedRun, readRun, runsAt } from '../run/file/read.ts';
import { joinShortened } from '../util/text.ts';
import type { Connection } from './connect.ts';
import { type Earlier, type EarlierOptions, loadAtRevision, restOf } from './earlier.ts';
import { compareCommits, gitIn, topOf } from './revision.ts';
import { stillNamed } from './still-named.ts';

export type RemovalsOf = (connection: Connection) => Promise<Removals>;

export interface Compared {
  readonly config: Config;
  readonly options: EarlierOptions;
  readonly baseUrl: string | undefined;
}

/** The facts of a plan with `--since`; `prune` overrides the rule of the files. Throws as loadAtRevision does. */
export async function compareSince(
  since: string,
  compared: Compared,
  prune: PruneRule | undefined,
): Promise<{ readonly earlier: EarlierFiles; readonly removals: RemovalsOf }> {
  const then = await loadAtRevision(since, compared.options);
  return {
    earlier: {
      ...then.files,
      prune: prune ?? then.files.prune,
      onlyWebsites: then.rest === restOf(compared.config),
    },
    removals: (connection) => removedSince(since, then, compared, connection),
  };
}

async function removedSince(
  since: string,
  then: Earlier,
  { config, options, baseUrl }: Compared,
  connection: Connection,
): Promise<Removals> {
  const commits = await compareCommits(since, options.cwd);
  const none = { commits, removed: new Map() };
  const [was, is] = [then.baseUrl, config.pins.base_url].map((own) => {
    const address = baseUrl ?? own;
    return address === undefined || address === LOCAL ? address : parseBaseUrl(address);
  });
  if (then.files.websites.length > 0 && was !== is) {
    const at = `at ${commits.since.slice(0, 10)}, the service was ${was ?? 'not declared'}`;
    return { ...none, warnings: [`Nothing is pruned: ${at}.`] };
  }
  const base =
    commits.merge_base === commits.since ? then : await loadAtRevision(commits.merge_base, options);
  const untracked = await untrackedFiles(config);
  const warnings =
    untracked.size === 0
      ? []
      : [`Git does not track ${joinShortened([...untracked])}, so what is removed from there is not pruned.`];
  const domains = removedBetween(then, base, config, untracked);
  if (domains.length === 0) return { ...none, warnings };
  const named = await namedBy(domains, config);
  const gone = await prunedSince(commits, connection);
  const removed = domains.map((domain) => {
    const [place, pruned] = [named.get(domain), gone.get(domain)];
    return [domain, { ...(place && { named: place }), ...(pruned && { pruned }) }] as const;
  });
  return { commits, removed: new Map(removed), warnings };
}

/** The domains that were declared present at both commits and are not listed now. */
function removedBetween(
  then: Earlier,
  base: Earlier,
  { desired }: Config,
  untracked: ReadonlySet<string>,
): readonly string[] {
  const presentAt = ({ files }: Earlier) => files.websites.filter(({ state }) => state === 'present');
  const atBase = new Set(presentAt(base).map(({ domain }) => domain));
  const declared = new Set(desired.websites.map(({ domain }) => domain));
  const removed = presentAt(then).filter(
    ({ domain, source }) => atBase.has(domain) && !declared.has(domain) && !untracked.has(source.file),
  );
  return [...new Set(removed.map(({ domain }) => domain))];
}

/** Places in tracked files that name any of `domains`; the other name of a possibly equal website counts. */
async function namedBy(
  domains: readonly string[],
  { pins, cwd }: Pick<Config, 'pins' | 'cwd'>,
): Promise<ReadonlyMap<string, Place>> {
  const namesOf = (domain: string) => [domain, otherOf(domain, pins) ?? domain];
  const found = await stillNamed(new Set(domains.flatMap(namesOf)), cwd);
  return new Map(
    domains.flatMap((domain) => {
      const place = namesOf(domain).flatMap((name) => found.get(name) ?? [])[0];
      return place === undefined ? [] : [[domain, place]];
    }),
  );
}

async function untrackedFiles({ files, cwd }: Config): Promise<ReadonlySet<string>> {
  const top = await topOf(cwd);
  const tracked = new Set(
    (await gitIn(top)(['ls-files', '-z'])).split('\0').map((path) => resolve(top, path)),
  );
  const untracked = new Set<string>();
  for (const { path } of files) {
    const real = await realpath(resolve(cwd, path)).catch(() => path);
    if (!tracked.has(real)) untracked.add(path);
  }
  return untracked;
}

/** Records that runs here pruned, or may have: the ID by domain; `GONE` if known to be deleted. */
async function prunedSince(
  { since }: Commits,
  { identity, runsFolder, seals }: Connection,
): Promise<ReadonlyMap<string, string>> {
  const pruned = new Map<string, string>();
  for (const { run, sealed } of await runsAt(runsFolder, identity, seals)) {
    if (!sealed) continue;
    const recorded = await readRun(runsFolder, run, { seals });
    if (recorded.plan.commits?.since !== since) continue;
    for (const [domain, id] of prunedBy(recorded)) pruned.set(domain, id);
  }
  return pruned;
}

function prunedBy(recorded: RecordedRun): readonly (readonly [string, string])[] {
  const { plan, settled, ended } = recorded;
  const sent = mayBeSent(recorded);
  return plan.changes.flatMap((change, index) => {
    if (!isPrune(change) || change.action !== 'delete') return [];
    const isGone = settled.has(index) || ended.get(index)?.outcome === 'done';
    if (isGone) return [[change.domain, GONE] as const];
    return sent.has(index) ? [[change.domain, change.id] as const] : [];
  });
}
