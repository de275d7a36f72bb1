/** Reads secrets: first their references in the files, and a value only when it is sent. */
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
  /** Returns the value of `ref` without line ends at its end. Throws `secret-missing`, which contains no value. */
  resolve(ref: SecretRef): Promise<Secret>;
}

export interface SecretSources extends Allowed {
  readonly env: Environment;
}

export interface SecretBook {
  readonly literals: Map<string, Secret>;
  readonly places: Map<string, Place>;
}

/**
 * Creates a resolver. Without `book`, it resolves only references, as in a saved plan. `book` adds plain-text secrets
 * and locations.
 */
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

/** `isReported`: suspicious values of variables were already reported when the files were loaded. */
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
  // A file in another encoding, such as one from a Windows shell, is rejected, because it would change the secret
  // silently.
  if (typeof text !== 'string') return text;
  // Text editors add a line end at the end of a file, so it is not part of the secret.
  return secretIn(withoutLineEnd(text), 'Put the secret into the file.');
}

function secretIn(text: string, remedy: string, isReported = false): Secret | Finding {
  const value = withoutLineEnd(text);
  const doubts = doubtsOf(text);
  if (value === '') return { message: 'is empty', remedy };
  return doubts.find(({ isFatal }) => isFatal) ?? new Secret(value, isReported ? [] : doubts);
}

/** Returns the path of a secret's file for its reference, or the reason that the file must not be read. */
export function secretPath(file: string, { folder, allowPaths }: Allowed): { path: string } | Finding {
  return whyUnreadable(file, [folder, ...allowPaths]) ?? { path: wayTo(file, folder) };
}

/** Returns the reference of a plain-text secret: its location, relative to the directory of the files. */
export function literalRef(file: string, place: Place, { folder }: Allowed): { yaml: string } {
  return {
    yaml: formatPlace({ ...place, file: place.file === STDIN ? STDIN : wayTo(file, folder) }),
  };
}
