/** The files of a plan. Their paths are relative to the *base*: the working directory in which the plan was made. */
import { dirname, join, resolve } from 'node:path';
import { type FoundFiles, findFiles, isStream, wayTo } from '../config/files/files.ts';
import { unlessUnfit } from '../config/files/paths.ts';
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
    open: open.length === 0 ? undefined : open,
    folder: isThere ? undefined : way,
    made_in: way.startsWith('..') ? wayTo(cwd, folder) : undefined,
  };
}

export function folderOf({ files: [first], folder }: PlanFiles): string {
  return folder ?? dirname(first?.path ?? '');
}

export interface FoundNow {
  readonly base: string;
  /** Files of the plan with their current digest, which a missing file lacks. Without pipes and standard input. */
  readonly files: readonly (PlanFiles['files'][number] & { readonly now: string | undefined })[];
  /** New files in the directories that the plan was made from. */
  readonly added: readonly string[];
}

/**
 * Finds the base: one of `starts`, or a directory above it, that contains most files of the plan. If a file differs
 * at the nearest directory that has any of them, it counts as changed, even if a directory above has an equal copy.
 */
export async function findNow(plan: PlanFiles, starts: readonly string[]): Promise<FoundNow> {
  const below = folderOf(plan)
    .split('/')
    .filter((name) => name !== '..');
  // A path from the lowest directory that contains both the files and the base.
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
  const at = base ?? starts[0] ?? '';
  const open = base === undefined ? [] : (plan.open ?? []);
  const found = await Promise.all(
    open.map((pattern) => findFiles([pattern], { cwd: at }).catch(unlessMissing)),
  );
  const known = new Set(files.map(({ path }) => path));
  return {
    base: at,
    files: files.map((file, index) => {
      const here = nearest[index];
      return { ...file, now: here === undefined || here === file.digest ? best[index] : here };
    }),
    added: found.flatMap((one) => one.files.flatMap(({ path }) => (known.has(path) ? [] : path))),
  };
}

function unlessMissing(error: unknown): Pick<FoundFiles, 'files'> {
  if (error instanceof WebsitesError && error.code === 'config-missing') return { files: [] };
  throw error;
}

function upward(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upward(above)];
}
