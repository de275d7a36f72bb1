/** Reads references to secrets with the files, and resolves a value when a plan or a run needs it. */
import { dirname, resolve } from 'node:path';
import { formatPlace, type Place, WebsitesError } from '../../model/errors.ts';
import { formatSecretRef, type ResolveSecret, Secret, type SecretRef } from '../../model/secret.ts';
import type { Environment } from '../../util/environment.ts';
import { MAX_SMALL_FILE } from '../../util/node/read-file.ts';
import { secretWarnings, withoutLineEnd } from '../../util/secret-text.ts';
import { decodeText } from '../files/encoding.ts';
import { STDIN, wayTo } from '../files/files.ts';
import { type Allowed, readAllowed, readThere, whyUnreadable } from '../files/paths.ts';
import { type Finding, isRow, putVariables, type Spot } from '../read/source.ts';
import { SECRET_KEYS } from '../schema/keys.ts';
import { hasReference, refuseSecretName, variable, wholeReference } from './substitute.ts';

export interface SecretSources extends Allowed {
  readonly env: Environment;
  /** Directory that files with secrets must be in, if it is not `folder`. */
  readonly secretsFolder?: string | undefined;
}

export interface SecretBook {
  readonly literals: Map<string, Secret>;
  readonly places: Map<string, Place>;
}

/** Converts a text that is only `${NAME}` to `{ env: NAME }`. */
export function spelledOut(at: Spot, raw: unknown): unknown {
  const name = typeof raw === 'string' && SECRET_KEYS.includes(at.name) ? wholeReference(raw) : undefined;
  return name === undefined ? raw : { env: name };
}

/** Checks a secret whose type is valid. `raw` is the value as written. `null` clears the setting. */
export function readSecret(at: Spot, value: SecretRef | null, raw: unknown): SecretRef | null | undefined {
  if (value === null) return null;
  if ('env' in value) return readVariable(at.in('env'), value.env);
  return 'file' in value ? readFileRef(at.in('file'), value.file) : readLiteral(at, String(raw));
}

function readVariable(at: Spot, env: string): SecretRef | undefined {
  const refused = refuseSecretName(env);
  if (refused !== undefined) {
    at.report(refused);
    return undefined;
  }
  // A suspicious value is reported at the first reference to its variable.
  const isNew = !at.scope.secrets.book.places.has(formatSecretRef({ env }));
  if (isNew) reportWarnings(at, `the value of ${env}`, variable(at.scope.variables.env, env) ?? '');
  return note(at, { env });
}

/** Reports the warnings about a secret. Returns false if `text` is in YAML (`isHere`) and certainly no secret. */
function reportWarnings(at: Spot, what: string, text: string, isHere = false): boolean {
  const warnings = secretWarnings(text);
  for (const { message, remedy, isFatal } of warnings) {
    const code = isHere && isFatal ? undefined : 'password-doubtful';
    at.report({ code, message: `${what} ${message}`, remedy });
  }
  return !warnings.some(({ isFatal }) => isFatal);
}

function readFileRef(at: Spot, raw: string): SecretRef | undefined {
  const named = putVariables(at, raw);
  if (named === undefined) return undefined;
  const { folder, allowPaths } = at.scope.secrets.sources;
  const path = resolve(dirname(at.scope.file.absolute), String(named));
  const refused = whyUnreadable(path, [folder, ...allowPaths]);
  if (refused === undefined) return note(at, { file: wayTo(path, folder) });
  at.report(refused);
  return undefined;
}

/** Returns only a reference to the location, relative to the directory of the files. The text is not passed on. */
function readLiteral(at: Spot, raw: string): SecretRef | undefined {
  const { file, variables, secrets } = at.scope;
  const message = `${at.name} is stored in plain text`;
  if (isRow(at.scope)) {
    at.report({ message, remedy: 'Write env:NAME or file:PATH.' });
    return undefined;
  }
  // The literal may use variables that are secrets elsewhere.
  const text = putVariables(at, raw, { env: variables.env, secretNames: new Set() });
  if (typeof text !== 'string' || !isLiteral(at, raw, text)) return undefined;
  const name = at.place.file === STDIN ? STDIN : wayTo(file.absolute, secrets.sources.folder);
  const ref = { yaml: formatPlace({ ...at.place, file: name }) };
  secrets.book.literals.set(formatSecretRef(ref), new Secret(withoutLineEnd(text)));
  if (!hasReference(raw)) {
    at.report({ code: 'password-in-file', message, remedy: USE_REFERENCE }, 'key');
  }
  return note(at, ref);
}

const USE_REFERENCE = 'Use { env: NAME } or { file: PATH }.';
const BULK_REFERENCE = /^(env|file):\s*\S/;

/** Checks if a text can be a secret. `raw` is the text as written. Reports errors and warnings. */
function isLiteral(at: Spot, raw: string, text: string): boolean {
  const { name } = at;
  const [, kind] = BULK_REFERENCE.exec(text) ?? [];
  if (kind !== undefined || withoutLineEnd(text) === '') {
    const message = kind === undefined ? `${name} is empty` : `${name} is a string that starts with ${kind}:`;
    at.report({ message, remedy: USE_REFERENCE });
    return false;
  }
  // A `$${` shows that the text is intended as written.
  return raw.includes('$${') || reportWarnings(at, name, text, true);
}

function note(at: Spot, ref: SecretRef): SecretRef {
  const { places } = at.scope.secrets.book;
  const name = formatSecretRef(ref);
  if (!places.has(name)) places.set(name, at.place);
  return ref;
}

/**
 * Creates a resolver. Without `book`, it resolves only references, as in a saved plan. `book` adds plain-text secrets
 * and locations.
 */
export function secretResolver(sources: SecretSources, book?: SecretBook): ResolveSecret {
  return async (ref) => {
    const name = formatSecretRef(ref);
    const found = await secretAt(ref, sources, book);
    if (found instanceof Secret) return found;
    const { message, remedy } = found;
    const place = book?.places.get(name);
    throw new WebsitesError('secret-missing', `The secret ${name} ${message}.`, { remedy, place });
  };
}

async function secretAt(
  ref: SecretRef,
  sources: SecretSources,
  book?: SecretBook,
): Promise<Secret | Finding> {
  if ('yaml' in ref) return book?.literals.get(formatSecretRef(ref)) ?? GONE;
  if ('env' in ref) {
    const value = refuseSecretName(ref.env) === undefined ? variable(sources.env, ref.env) : undefined;
    const remedy = `Set the environment variable ${ref.env}.`;
    // A book means that suspicious values were already reported when the files were loaded.
    return value === undefined ? { message: 'is not set', remedy } : secretIn(value, remedy, Boolean(book));
  }
  const path = resolve(sources.folder, ref.file);
  const { secretsFolder: folder = sources.folder } = sources;
  const bytes = await readAllowed(path, { ...sources, folder, readAt: readThere }, MAX_SMALL_FILE);
  if ('message' in bytes) return { ...bytes, message: `cannot be read: ${bytes.message}` };
  const text = decodeText(bytes);
  // A file in an older encoding, such as Windows-1252, is rejected: read as UTF-8, it would give another secret.
  if (typeof text !== 'string') return text;
  // Text editors add a line end at the end of a file, so it is not part of the secret.
  return secretIn(withoutLineEnd(text), 'Put the secret into the file.');
}

const GONE: Finding = {
  message: 'is no longer in the file',
  remedy: 'Plan again. To avoid this, use { env: NAME } instead of a password in the file.',
};

function secretIn(text: string, remedy: string, isReported = false): Secret | Finding {
  const value = withoutLineEnd(text);
  const warnings = secretWarnings(text);
  if (value === '') return { message: 'is empty', remedy };
  return warnings.find(({ isFatal }) => isFatal) ?? new Secret(value, isReported ? [] : warnings);
}
