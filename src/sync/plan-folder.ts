/** Where the files of a saved plan are, and what is believed of it. */
import { dirname, join, relative, resolve } from 'node:path';
import { followed, isInside } from '../config/allowed.ts';
import { exists, readThere } from '../config/disk.ts';
import { findDefault } from '../config/files.ts';
import type { SecretResolver } from '../config/secrets.ts';
import { WebsitesError } from '../core/errors.ts';
import type { Plan } from '../core/plan.ts';
import { formatSecretRef } from '../core/secret.ts';
import type { Host } from './host.ts';

/** The folder that state lies in, relative to the one that the plan was made in. */
export function folderOf({ files: [first], folder }: Plan['config']): string {
  return folder ?? dirname(first?.path ?? '');
}

/**
 * The folder that the paths of a plan count from: this one. Where its first file is not here, but in `folder`, or found by
 * looking upward, the plan was made in another folder, of the same files.
 */
export async function baseOf(config: Plan['config'], cwd: string, folder?: string): Promise<string> {
  const [first] = config.files;
  const own = folderOf(config);
  if (first === undefined || (await exists(resolve(cwd, first.path)))) return cwd;
  const named =
    folder !== undefined && (await exists(join(folder, relative(own, first.path)))) ? folder : undefined;
  const at = named ?? (LOOKED_UP.test(first.path) ? await lookedUp(cwd) : undefined);
  if (at === undefined) return cwd;
  // What folders that the path leads out of were called is not known, and does not matter.
  const back: Record<string, string> = { '.': '.', '..': '-' };
  const way = own.split('/').reverse();
  return resolve(at, ...way.map((name) => back[name] ?? '..'));
}

/** How DEFAULT_FILE is named from its folder, or from one below. */
const LOOKED_UP = /^(?:\.\.\/)*websites\.yaml$/;

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
  const [folder = root, ...here] = await followed([root, cwd, ...allowed], readThere);
  if (isInside(folder, here) || root === (await lookedUp(cwd))) return secrets;
  return {
    async resolve(ref) {
      if ('file' in ref && !isInside(resolve(root, ref.file), allowed)) {
        throw new WebsitesError('secret-missing', `The secret ${formatSecretRef(ref)} is in ${root}.`, {
          remedy: 'Where the plan is right to read it there, name that folder with --allow-path.',
        });
      }
      return secrets.resolve(ref);
    },
  };
}
