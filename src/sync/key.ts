/** The API key: from a variable or a file, never from a flag. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { NamedService } from '../config/named-service.ts';
import { WebsitesError } from '../core/errors.ts';
import type { Host } from './host.ts';

/**
 * Reads the key from `file`, or else from WEBSITES_API_KEY; that of a target comes from nowhere but where its own
 * is. Throws `key-missing`, and what a target's key throws.
 */
export async function readKey(
  file: string | undefined,
  { env, cwd }: Host,
  target: NamedService | undefined,
): Promise<string> {
  if (target !== undefined) return target.key();
  if (file === undefined) {
    const key = env.WEBSITES_API_KEY;
    if (key === undefined || key === '') throw missing('There is no API key.');
    return key;
  }
  const key = await readFile(resolve(cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw missing(`The key file ${file} cannot be read (${error.code ?? error.message}).`);
  });
  if (key.trim() === '') throw missing(`The key file ${file} is empty.`);
  return key.trim();
}

function missing(message: string): WebsitesError {
  return new WebsitesError('key-missing', message, {
    remedy: 'Set WEBSITES_API_KEY, or name a file that holds the key with --api-key-file.',
  });
}
