/** Locates the files of a saved plan, relative to its *base*: the working directory in which it was made. */
import { dirname, relative, resolve } from 'node:path';
import { type Allowed, followed, isInside } from '../config/files/allowed-paths.ts';
import { exists, readThere, realPath } from '../config/files/disk.ts';
import { findFiles, findNearest, isStream } from '../config/files/files.ts';
import type { Config } from '../config/load.ts';
import type { SecretResolver } from '../config/secrets/resolve.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import { formatSecretRef } from '../model/secret.ts';

export function folderOf({ files: [first], folder }: Plan['config']): string {
  return folder ?? dirname(first?.path ?? '');
}

export type Near = Pick<Config, 'cwd' | 'folder'> | (Pick<Config, 'cwd'> & { readonly planFile: string });

/**
 * The first possible directory in which most paths of the plan exist: the working directory, that of the plan file, a
 * parent, or one that fits the files read now.
 */
export async function baseOf(config: Plan['config'], near: Near): Promise<string> {
  const { cwd } = near;
  const own = folderOf(config);
  const below = own.split('/').filter((name) => name !== '..');
  const seenFrom = (folder: string): string => resolve(folder, config.made_in ?? relative(own, '.'));
  const above = (start: string): string[] => upward(start).map((at) => seenFrom(resolve(at, ...below)));
  const bases =
    'folder' in near
      ? [seenFrom(near.folder), cwd, ...above(cwd)]
      : [cwd, ...above(cwd), dirname(near.planFile), ...above(dirname(near.planFile))];
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

function upward(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upward(above)];
}

export async function filesIn({ open = [] }: Plan['config'], base: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const pattern of open) {
    const { files } = await findFiles([pattern], { cwd: base }).catch((error: unknown) => {
      if (error instanceof WebsitesError && error.code === 'config-missing') return { files: [] };
      throw error;
    });
    for (const { path } of files) paths.push(path);
  }
  return paths;
}

/**
 * Only the plan itself names the `folder` of its files. Outside of the working directory and the nearest configuration,
 * secrets in files need `WEBSITES_ALLOW_PATH`: a forger could name any.
 */
export async function heldToHere(
  secrets: SecretResolver,
  { folder, allowPaths }: Allowed,
  cwd: string,
): Promise<SecretResolver> {
  const [real = folder, here = cwd, ...reached] = await followed([folder, cwd, ...allowPaths], readThere);
  const nearest = await findNearest(cwd);
  const isNearest = nearest !== undefined && folder === dirname(resolve(cwd, nearest));
  if (isNearest || isInside(real, [here, ...reached])) return secrets;
  return {
    async resolve(ref) {
      const path = 'file' in ref && resolve(folder, ref.file);
      // A link in an allowed directory may lead back to the plan's own.
      if (path && !(isInside(path, allowPaths) && isInside(realPath(path), reached))) {
        throw new WebsitesError('secret-missing', `The secret ${formatSecretRef(ref)} is in ${folder}.`, {
          remedy: 'If the plan may read it there, name that directory in WEBSITES_ALLOW_PATH.',
        });
      }
      return secrets.resolve(ref);
    },
  };
}
