/**
 * What `reconcile --git` prunes by: the commit of its last unrestricted pass that verified. A pass that never verifies must
 * not delete again and again what somebody else made since: what it deletes is written down before it is sent, and what it
 * finds absent too (decision: "Prune deletes only what the files declared").
 */
import { resolve } from 'node:path';
import { wayTo } from '../config/files/files.ts';
import type { Config } from '../config/load.ts';
import type { Change } from '../model/change.ts';
import { domainKey, wwwTwin } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Plan, PlanOptions } from '../model/plan.ts';
import { GONE, type Removals, unknownRemovals } from '../model/removals.ts';
import { isPrune } from '../planner/changes.ts';
import { commitPath, type KeptCommit, type LoopKey, readCommit, writeCommit } from './commit-file.ts';
import type { Connection } from './connect.ts';
import type { EarlierOptions } from './earlier.ts';
import {
  declaredAtBase,
  namedBy,
  type RemovalsOf,
  type RemovedSince,
  removalsOf,
  removedSince,
} from './removals.ts';

export interface LoopSettings {
  readonly config: Config;
  readonly options: PlanOptions;
  /** How the files are loaded, at whatever commit; the repository is that of the checkout. */
  readonly load: EarlierOptions & { readonly repository: string };
  readonly baseUrl: string | undefined;
  /** The commit that is checked out. */
  readonly head: string;
}

export interface LoopCommits {
  readonly removals: RemovalsOf;
  /** Before anything is sent: what the plan deletes, and what it found absent, is not deleted a second time. */
  begin(plan: Plan, connection: Connection): Promise<void>;
  /** `verified`: the service matches the configuration. */
  end(verified: boolean, done: readonly Change[], connection: Connection): Promise<void>;
}

const UNKNOWN =
  'Nothing is pruned: no pass of these files has been verified yet. Later passes compare with the first one that is.';

export function createLoopCommits(settings: LoopSettings): LoopCommits {
  const { config, options, load, head } = settings;
  const { root, cwd, desired } = config;
  const key: LoopKey = {
    target: config.pins.target?.name,
    files: load.patterns.map((pattern) => wayTo(resolve(cwd, pattern), root)),
  };
  const isWhole = [options.domain, options.exclude, options.group ?? []].every(({ length }) => length === 0);
  const declared = new Set(desired.websites.map(({ domain }) => domain));
  let kept: KeptCommit | undefined;
  let removed: Removals['removed'] = new Map();
  let known: Promise<Removals> | undefined;
  /** Whether what is declared again has to be struck from the file. */
  let isStruck = false;
  /** Of orphans, by their domains. */
  const ids = new Map<string, string>();

  const open = async (connection: Connection): Promise<void> => {
    const before = await readCommit(root, key, connection);
    // What is declared again may be pruned again.
    kept = before && {
      commit: before.commit,
      pruned: without(before.pruned, declared),
      moved: without(before.moved, declared),
    };
    isStruck = kept?.pruned.size !== before?.pruned.size || kept?.moved.size !== before?.moved.size;
  };
  const find = async (connection: Connection): Promise<Removals> => {
    await open(connection);
    if (kept === undefined) return unknownRemovals(UNKNOWN);
    const since = await removedSince(kept.commit, { config, options: load, baseUrl: settings.baseUrl }).catch(
      beginAgain(commitPath(root, key, connection)),
    );
    const all = withMoved(since, await movedSince(kept, settings));
    const named = await namedBy(all.domains, config, load.repository);
    const removals = removalsOf(all, named, onlyOf(kept));
    removed = removals.removed;
    return removals;
  };

  return {
    removals(connection) {
      known ??= find(connection);
      return known;
    },
    async begin(plan, connection) {
      if (kept === undefined) await open(connection);
      // A create may be sent next: if this pass never ends, the record must still be known for a new one.
      if (kept === undefined || (removed.size === 0 && !isStruck)) return;
      kept = { ...kept, pruned: new Map([...kept.pruned, ...deletedBy(plan), ...absentIn(plan)]) };
      await writeCommit(root, key, connection, kept);
    },
    async end(verified, done, connection) {
      if (kept === undefined) await open(connection);
      const deleted = done.flatMap((change) => (isPrune(change) ? [[change.domain, GONE] as const] : []));
      const pruned = new Map([...(kept?.pruned ?? []), ...deleted]);
      if (verified && isWhole) {
        await writeCommit(root, key, connection, {
          commit: head,
          pruned: new Map(),
          moved: movedNow(pruned),
        });
      } else if (kept !== undefined && deleted.length > 0) {
        await writeCommit(root, key, connection, { ...kept, pruned });
      }
    },
  };

  /** Removed domains without a record: whatever has their names later is somebody else's. */
  function absentIn({ complete, orphans, changes }: Plan): readonly (readonly [string, string])[] {
    if (!complete || !isWhole) return [];
    const there = new Set([...orphans, ...changes].map(({ domain }) => domainKey(domain)));
    const isThere = (domain: string): boolean => there.has(domain) || there.has(wwwTwin(domain));
    for (const { domain, id } of orphans) ids.set(domain, id);
    return [...removed.keys()].filter((domain) => !isThere(domain)).map((domain) => [domain, GONE]);
  }

  function movedNow(pruned: ReadonlyMap<string, string>): KeptCommit['moved'] {
    // Nobody asked what was removed.
    if (known === undefined) return kept?.moved ?? new Map();
    const moved = new Map<string, { commit: string; id: string }>();
    for (const [domain, { named }] of removed) {
      const before = kept?.moved.get(domain);
      const id = before?.id ?? ids.get(domain) ?? ids.get(wwwTwin(domain));
      if (named === undefined || id === undefined || pruned.get(domain) === GONE) continue;
      moved.set(domain, { commit: before?.commit ?? kept?.commit ?? head, id });
    }
    return moved;
  }
}

function without<T>(map: ReadonlyMap<string, T>, declared: ReadonlySet<string>): ReadonlyMap<string, T> {
  return new Map([...map].filter(([domain]) => !declared.has(domain)));
}

function deletedBy({ changes }: Plan): readonly (readonly [string, string])[] {
  return changes.flatMap((change) =>
    change.action === 'delete' && isPrune(change) ? [[change.domain, change.id] as const] : [],
  );
}

/** The only records of then that may be left. */
function onlyOf({ pruned, moved }: KeptCommit): ReadonlyMap<string, string> {
  return new Map([...[...moved].map(([domain, { id }]) => [domain, id] as const), ...pruned]);
}

/** Domains that moved before the last verified pass, and that HEAD's history declared. */
async function movedSince({ moved }: KeptCommit, { load }: LoopSettings): Promise<readonly string[]> {
  const declaredAt = new Map<string, ReadonlySet<string>>();
  for (const commit of new Set([...moved.values()].map((one) => one.commit))) {
    declaredAt.set(commit, await declaredAtBase(commit, load).catch(noneIfMissing));
  }
  return [...moved].flatMap(([domain, { commit }]) => (declaredAt.get(commit)?.has(domain) ? domain : []));
}

/** History was rewritten since: what nobody can look up any more stays. */
function noneIfMissing(error: unknown): ReadonlySet<string> {
  if (error instanceof WebsitesError && error.code === 'revision-missing') return new Set();
  throw error;
}

function withMoved(since: RemovedSince, moved: readonly string[]): RemovedSince {
  return { ...since, domains: new Set([...since.domains, ...moved]) };
}

/** A commit that is gone for good must not stop the loop for good. */
function beginAgain(path: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof WebsitesError)) throw error;
    const { code, message, problems, cause } = error;
    const remedy = `${error.remedy ?? ''} If that commit is gone for good, remove ${path}. Then nothing is pruned until a pass has been verified.`;
    throw new WebsitesError(code, message, { remedy: remedy.trim(), problems, cause });
  };
}
