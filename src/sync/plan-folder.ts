/** Where the files of a saved plan are, and what is believed of it. */
import { basename, dirname, join, resolve } from 'node:path';
import { followed, isInside } from '../config/allowed.ts';
import { exists, readThere } from '../config/disk.ts';
import { findDefault, isStream } from '../config/files.ts';
import type { SecretResolver } from '../config/secrets.ts';
import { WebsitesError } from '../core/errors.ts';
import type { Plan } from '../core/plan.ts';
import { formatSecretRef } from '../core/secret.ts';
import type { Host } from './host.ts';

/** The folder of the first file that a plan was made from, be it here or not. */
export function folderOf({ config }: Pick<Plan, 'config'>, cwd: string): string {
  const [first] = config.files;
  return first === undefined || isStream(first.path) ? cwd : dirname(resolve(cwd, first.path));
}

/**
 * The folder that the paths of a plan count from: this one. Where its first file is not here, but in `folder`, or found by
 * looking upward, the plan was made in another folder, of the same files.
 */
export async function baseOf(
  { files: [first] }: Plan['config'],
  cwd: string,
  folder?: string,
): Promise<string> {
  if (first === undefined || (await exists(resolve(cwd, first.path)))) return cwd;
  const named =
    folder !== undefined && (await exists(join(folder, basename(first.path)))) ? folder : undefined;
  const at = named ?? (LOOKED_UP.test(first.path) ? await lookedUp(cwd) : undefined);
  if (at === undefined) return cwd;
  // What folders that the path leads out of were called is not known, and does not matter.
  const back: Record<string, string> = { '.': '.', '..': '-' };
  const way = dirname(first.path).split('/').reverse();
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
