/** References to secrets: reads them from the files, and their values when one is sent. */
import { resolve } from 'node:path';
import { formatPlace, type Place, WebsitesError } from '../../model/errors.ts';
import { formatSecretRef, Secret, type SecretRef } from '../../model/secret.ts';
import type { Environment } from '../../util/environment.ts';
import { MAX_SMALL_FILE, readRegularFile, UnfitFile, whyUnread } from '../../util/node/read-file.ts';
import { type Doubt, doubtsOf, fatalDoubt, withoutLineEnd } from '../../util/secret-text.ts';
import { type Allowed, HIDDEN, whyRefused, whyUnreadable } from '../files/allowed-paths.ts';
import { readThere } from '../files/disk.ts';
import { decodeText } from '../files/encoding.ts';
import { STDIN, wayTo } from '../files/files.ts';
import type { Finding } from '../read/source.ts';
import { refuseSecretName, variable } from './substitute.ts';

export interface SecretResolver {
  /**
   * Reads the value of `ref`, without line ends after it. Throws `secret-missing`, naming the reference and never a
   * value.
   */
  resolve(ref: SecretRef): Promise<Secret>;
}

export interface SecretSources extends Allowed {
  readonly env: Environment;
}

export interface SecretBook {
  readonly literals: Map<string, Secret>;
  readonly places: Map<string, Place>;
}

/** A resolver for references alone (a saved plan's), or with the literals and places of `book`. */
export function createSecretResolver(sources: SecretSources, book?: SecretBook): SecretResolver {
  return {
    async resolve(ref) {
      const name = formatSecretRef(ref);
      const place = book?.places.get(name);
      const value =
        'env' in ref
          ? fromEnv(ref.env, sources.env, book !== undefined)
          : 'file' in ref
            ? await fromFile(ref.file, sources)
            : (book?.literals.get(name) ?? GONE);
      if (value instanceof Secret) return value;
      const where = place === undefined ? '' : ` (${formatPlace(place)})`;
      throw new WebsitesError('secret-missing', `The secret ${name}${where} ${value.reason}.`, {
        remedy: value.remedy,
        place,
      });
    },
  };
}

interface MissingSecret {
  readonly reason: string;
  readonly remedy: string;
}

/** `isReported`: doubts about variables were reported when the files were loaded. */
function fromEnv(name: string, env: Environment, isReported: boolean): Secret | MissingSecret {
  const text = variable(env, name);
  const remedy = `Set the environment variable ${name}.`;
  if (refuseSecretName(name) !== undefined || text === undefined) return { reason: 'is not set', remedy };
  return secretIn(text, isReported ? [] : doubtsOf(text), remedy);
}

function secretIn(text: string, doubts: readonly Doubt[], remedy: string): Secret | MissingSecret {
  const value = withoutLineEnd(text);
  if (value === '') return { reason: 'is empty', remedy };
  const fatal = fatalDoubt(doubtsOf(value));
  if (fatal !== undefined) return { reason: fatal.message, remedy: fatal.remedy };
  return new Secret(value, doubts);
}

const GONE: MissingSecret = {
  reason: 'is no longer in the file',
  remedy: 'Plan again, or use { env: NAME } instead of a text.',
};

async function fromFile(
  file: string,
  { folder, allowPaths }: SecretSources,
): Promise<Secret | MissingSecret> {
  let text: ReturnType<typeof decodeText>;
  try {
    const path = resolve(folder, file);
    const refused = await whyRefused(path, { folder, allowPaths, readAt: readThere });
    if (refused !== undefined) {
      const where =
        refused === HIDDEN
          ? 'into a directory whose name begins with a dot'
          : 'out of the directory of the configuration';
      return { reason: `leads ${where}`, remedy: refused.remedy };
    }
    text = decodeText(await readRegularFile(path, MAX_SMALL_FILE));
  } catch (error) {
    if (error instanceof UnfitFile) {
      return { reason: 'is not a regular file', remedy: 'Put the secret alone into a file.' };
    }
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    const remedy = 'Put the secret into that file, readable for this user.';
    return { reason: `cannot be read: ${whyUnread(error as Error)}`, remedy };
  }
  // Another encoding, such as a Windows shell's, would silently change the secret.
  if (typeof text !== 'string') return { reason: text.message, remedy: text.remedy };
  // A line end at the end of a file is normal.
  return secretIn(text, doubtsOf(withoutLineEnd(text)), 'Put the secret into the file.');
}

/** The path in the reference of a secret's file, from its absolute one, or why it must not be read. */
export function secretPath(file: string, { folder, allowPaths }: Allowed): { path: string } | Finding {
  return whyUnreadable(file, [folder, ...allowPaths]) ?? { path: wayTo(file, folder) };
}

/** The reference of a literal: its place, independent of the working directory. */
export function literalRef(file: string, place: Place, { folder }: Allowed): { yaml: string } {
  return {
    yaml: formatPlace({ ...place, file: place.file === STDIN ? STDIN : wayTo(file, folder) }),
  };
}
