/** The files of a plan, relative to its *base*: the working directory in which it was made. */
import { dirname, join, resolve } from 'node:path';
import { unlessUnfit } from '../config/files/disk.ts';
import { findFiles, isStream, wayTo } from '../config/files/files.ts';
import type { Config } from '../config/load.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import { readRegularFile } from '../util/node/read-file.ts';
import { sha256 } from '../util/node/sha256.ts';

type PlanFiles = Plan['config'];

export function filesOf({ files, digest, open, cwd, folder }: Config): PlanFiles {
  const way = wayTo(folder, cwd);
  const [first] = files;
  const isThere = first !== undefined && dirname(first.path) === way;
  return {
    files,
    digest,
    ...(open.length === 0 ? {} : { open }),
    ...(isThere ? {} : { folder: way }),
    ...(way.startsWith('..') ? { made_in: wayTo(cwd, folder) } : {}),
  };
}

export function folderOf({ files: [first], folder }: PlanFiles): string {
  return folder ?? dirname(first?.path ?? '');
}

export interface FoundNow {
  readonly base: string;
  /** The digest that each file has now, by its path in the plan; `undefined` if it is missing. Without streams. */
  readonly digests: ReadonlyMap<string, string | undefined>;
  /** New files in the directories of the plan, if one of its files is there. */
  readonly added: readonly string[];
}

/**
 * Finds the files from the base that has most of them: one of `starts`, in turn, or a directory above it. A file that
 * differs at the nearest base with one counts as changed, even if a directory above has a whole copy.
 */
export async function findNow(plan: PlanFiles, starts: readonly string[]): Promise<FoundNow> {
  const below = folderOf(plan)
    .split('/')
    .filter((name) => name !== '..');
  // Starts at the lowest directory above both the files and the base.
  const way = plan.made_in === undefined ? '.' : join(...below, plan.made_in);
  const files = plan.files.filter(({ path }) => !isStream(path));
  const digestOf = (path: string) => readRegularFile(path).then(sha256, unlessUnfit(path));
  let nearest: readonly (string | undefined)[] = [];
  let best = nearest;
  let base: string | undefined;
  for (const at of starts.flatMap(upward).map((folder) => resolve(folder, way))) {
    const found = await Promise.all(files.map(({ path }) => digestOf(resolve(at, path))));
    const count = found.filter(Boolean).length;
    if (count > 0 && base === undefined) nearest = found;
    if (count > best.filter(Boolean).length) [base, best] = [at, found];
    if (count === files.length) break;
  }
  const digests = new Map(
    files.map(({ path, digest }, index) => {
      const here = nearest[index];
      return [path, here === undefined || here === digest ? best[index] : here];
    }),
  );
  const all = base === undefined ? [] : await filesIn(plan, base);
  return { base: base ?? starts[0] ?? '', digests, added: all.filter((path) => !digests.has(path)) };
}

function upward(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upward(above)];
}

async function filesIn({ open = [] }: PlanFiles, base: string): Promise<readonly string[]> {
  const found = open.map((pattern) =>
    findFiles([pattern], { cwd: base }).catch((error: unknown) => {
      if (error instanceof WebsitesError && error.code === 'config-missing') return { files: [] };
      throw error;
    }),
  );
  return (await Promise.all(found)).flatMap(({ files }) => files.map(({ path }) => path));
}
