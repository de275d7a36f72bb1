/** Where the files of a saved plan are, and what is believed of it. */
import { dirname, join, relative, resolve } from 'node:path';
import { followed, isInside } from '../config/allowed.ts';
import { exists, readThere, realPath } from '../config/disk.ts';
import { findDefault, findFiles, isStream } from '../config/files.ts';
import type { SecretResolver } from '../config/secrets.ts';
import { WebsitesError } from '../core/errors.ts';
import type { Plan } from '../core/plan.ts';
import { formatSecretRef } from '../core/secret.ts';
import type { Host } from './host.ts';

/** The folder that state lies in, relative to the one that the plan was made in. */
export function folderOf({ files: [first], folder }: Plan['config']): string {
  return folder ?? dirname(first?.path ?? '');
}

/** Where the files of a plan may be. */
export interface Places extends Pick<Host, 'cwd'> {
  /** The folder of the files that were named now, absolute. */
  readonly named?: string;
  /** The folder of the plan file, absolute. */
  readonly saved?: string;
}

/**
 * The folder that the paths of a plan count from: the first in which most of them lead to something, of this one and those
 * that it can have been made in, with the files that were named now, or that are here or beside it, or in a folder above.
 */
export async function baseOf(config: Plan['config'], { cwd, named, saved = cwd }: Places): Promise<string> {
  const own = folderOf(config);
  const below = own.split('/').filter((name) => name !== '..');
  const baseIn = (root: string): string => resolve(root, config.made_in ?? relative(own, '.'));
  const from = (start: string): string[] => [start, ...upward(start).map((at) => baseIn(join(at, ...below)))];
  const bases = [...(named === undefined ? [] : [baseIn(named)]), ...from(cwd), ...from(saved)];
  const paths = config.files.flatMap(({ path }) => (isStream(path) ? [] : path));
  let best = { base: cwd, count: 0 };
  for (const base of bases) {
    if (best.count === paths.length) break;
    const there = await Promise.all(paths.map((path) => exists(resolve(base, path))));
    const count = there.filter(Boolean).length;
    if (count > best.count) best = { base, count };
  }
  return best.base;
}

/** A folder, and those above it. */
function upward(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upward(above)];
}

/** What the patterns and folders of a plan, whose paths count from `cwd`, lead to by now. */
export async function filesIn({ open = [] }: Plan['config'], cwd: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const pattern of open) {
    const { files } = await findFiles([pattern], { cwd }).catch((error: unknown) => {
      if (error instanceof WebsitesError && error.code === 'config-missing') return { files: [] };
      throw error;
    });
    for (const { path } of files) paths.push(path);
  }
  return paths;
}

/** The folder of the file that is found by looking upward. */
async function lookedUp(cwd: string): Promise<string | undefined> {
  const found = await findDefault(cwd).catch(() => undefined);
  return found && dirname(resolve(cwd, found));
}

/**
 * A plan alone says which folder its files are in. Where that is another than this one, one in it, or that of the file
 * that is found by looking upward, secrets in files are read there by leave of `--allow-path` alone: a forger could
 * name any.
 */
export async function heldToHere(
  secrets: SecretResolver,
  root: string,
  allowed: readonly string[],
  { cwd }: Pick<Host, 'cwd'>,
): Promise<SecretResolver> {
  const [folder = root, here = cwd, ...reached] = await followed([root, cwd, ...allowed], readThere);
  if (isInside(folder, [here, ...reached]) || root === (await lookedUp(cwd))) return secrets;
  return {
    async resolve(ref) {
      const path = 'file' in ref && resolve(root, ref.file);
      // A link in what is allowed may lead back to where the plan says that its files are.
      if (path && !(isInside(path, allowed) && isInside(realPath(path), reached))) {
        throw new WebsitesError('secret-missing', `The secret ${formatSecretRef(ref)} is in ${root}.`, {
          remedy: 'Where the plan is right to read it there, name that folder with --allow-path.',
        });
      }
      return secrets.resolve(ref);
    },
  };
}
