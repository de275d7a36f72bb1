/** References to secrets: reads them from the files, and their values when one is sent. */
import { resolve } from 'node:path';
import { formatPlace, type Place, WebsitesError } from '../../model/errors.ts';
import { formatSecretRef, Secret, type SecretRef } from '../../model/secret.ts';
import type { Environment } from '../../util/environment.ts';
import { MAX_SMALL_FILE } from '../../util/node/read-file.ts';
import { doubtsOf, withoutLineEnd } from '../../util/secret-text.ts';
import { type Allowed, readAllowed, whyUnreadable } from '../files/allowed-paths.ts';
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
      const found =
        'env' in ref
          ? fromEnv(ref.env, sources.env, book !== undefined)
          : 'file' in ref
            ? await fromFile(ref.file, sources)
            : (book?.literals.get(name) ?? GONE);
      if (found instanceof Secret) return found;
      const { message, remedy } = found;
      throw new WebsitesError('secret-missing', `The secret ${name} ${message}.`, { remedy, place });
    },
  };
}

const GONE: Finding = {
  message: 'is no longer in the file',
  remedy: 'Plan again, or use { env: NAME } instead of a text.',
};

/** `isReported`: doubts about variables were reported when the files were loaded. */
function fromEnv(name: string, env: Environment, isReported: boolean): Secret | Finding {
  const text = refuseSecretName(name) === undefined ? variable(env, name) : undefined;
  const remedy = `Set the environment variable ${name}.`;
  return text === undefined ? { message: 'is not set', remedy } : secretIn(text, remedy, isReported);
}

async function fromFile(file: string, sources: SecretSources): Promise<Secret | Finding> {
  const path = resolve(sources.folder, file);
  const bytes = await readAllowed(path, { ...sources, readAt: readThere }, MAX_SMALL_FILE);
  if ('message' in bytes) return { ...bytes, message: `cannot be read: ${bytes.message}` };
  const text = decodeText(bytes);
  // Another encoding, such as a Windows shell's, would silently change the secret.
  if (typeof text !== 'string') return text;
  // A line end at the end of a file is normal.
  return secretIn(withoutLineEnd(text), 'Put the secret into the file.');
}

function secretIn(text: string, remedy: string, isReported = false): Secret | Finding {
  const value = withoutLineEnd(text);
  const doubts = doubtsOf(text);
  if (value === '') return { message: 'is empty', remedy };
  return doubts.find(({ isFatal }) => isFatal) ?? new Secret(value, isReported ? [] : doubts);
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
