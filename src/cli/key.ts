/** Reads the API key from an environment variable or a file. No flag accepts a key. */
import { resolve } from 'node:path';
import { decodeText } from '../config/files/encoding.ts';
import { isStream } from '../config/files/files.ts';
import type { NamedService } from '../config/read/targets.ts';
import { reasonOf, WebsitesError } from '../model/errors.ts';
import { shellWord } from '../model/next-command.ts';
import { apiKeyFrom } from '../model/secret.ts';
import { permissiveMode } from '../util/node/file-mode.ts';
import { MAX_SMALL_FILE, readNamed } from '../util/node/read-file.ts';
import type { Io } from './io/io.ts';
import type { AnyFlags } from './options.ts';

/** Throws `key-missing`, `usage` if the key is obviously wrong, and the errors of reading a target's key. */
export async function readKey(
  { apiKey, apiKeyFile: file }: Pick<AnyFlags, 'apiKey' | 'apiKeyFile'>,
  { env, cwd, err }: Pick<Io, 'env' | 'cwd' | 'err'>,
  target: NamedService | undefined,
): Promise<string> {
  const own = apiKeyFrom(apiKey, 'settings.apiKey');
  if (own !== undefined) return own;
  if (target !== undefined) return target.key();
  if (file === undefined) {
    const key = apiKeyFrom(env.WEBSITES_API_KEY, 'WEBSITES_API_KEY');
    if (key === undefined) throw missing('No API key is set.');
    return key;
  }
  const path = resolve(cwd, file);
  const bytes = await readNamed(path, MAX_SMALL_FILE).catch((error: unknown) => {
    throw missing(`The key file ${file} cannot be read: ${reasonOf(error)}.`);
  });
  const mode = isStream(file) ? undefined : await permissiveMode(path);
  if (mode !== undefined) {
    err(
      `Warning: other users can read the API key in ${file} (mode ${mode}). Run: chmod 600 ${shellWord(file)}\n`,
    );
  }
  const text = decodeText(bytes);
  if (typeof text !== 'string') throw missing(`The key file ${file} ${text.message}.`, text.remedy);
  const key = apiKeyFrom(text, `the key file ${file}`);
  if (key === undefined) throw missing(`The key file ${file} is empty.`);
  return key;
}

const REMEDY = 'Set WEBSITES_API_KEY, or pass the file that contains the key with --api-key-file.';

function missing(message: string, remedy = REMEDY): WebsitesError {
  return new WebsitesError('key-missing', message, { remedy });
}
