import { dirname, resolve } from 'node:path';
import { formatSecretRef, Secret, type SecretRef } from '../../model/secret.ts';
import { type Doubt, doubtsOf, withoutLineEnd } from '../../util/secret-text.ts';
import { SECRET_KEYS } from '../schema/keys.ts';
import { literalRef, secretPath } from '../secrets/resolve.ts';
import { hasReference, refuseSecretName, variable, wholeReference } from '../secrets/substitute.ts';
import { isRow, putVariables, Spot } from './spot.ts';

/** Converts a text that is only `${NAME}` to `{ env: NAME }`. */
export function spelledOut(at: Spot, raw: unknown): unknown {
  const name = typeof raw === 'string' && SECRET_KEYS.includes(at.name) ? wholeReference(raw) : undefined;
  return name === undefined ? raw : { env: name };
}

/** Checks a secret whose type is valid. `raw` is the value as written. `null` clears the setting. */
export function readSecret(at: Spot, value: SecretRef | null, raw: unknown): SecretRef | null | undefined {
  if (value === null) return null;
  if ('env' in value) return readVariable(at, value);
  return 'file' in value ? readFileRef(at.in('file'), value.file) : readLiteral(at, String(raw));
}

function readVariable(at: Spot, ref: SecretRef & { readonly env: string }): SecretRef | undefined {
  const refused = refuseSecretName(ref.env);
  if (refused !== undefined) {
    at.in('env').report(refused);
    return undefined;
  }
  // A suspicious value is reported at the first reference to its variable.
  const doubts = at.scope.secrets.book.places.has(formatSecretRef(ref))
    ? []
    : doubtsOf(variable(at.scope.variables.env, ref.env) ?? '');
  for (const doubt of doubts) reportDoubt(at.in('env'), `the value of ${ref.env}`, doubt);
  return note(at.in('env'), ref);
}

function reportDoubt(at: Spot, what: string, { message, remedy }: Doubt, isRefused = false): void {
  at.report({ ...(!isRefused && { code: 'password-doubtful' }), message: `${what} ${message}`, remedy });
}

function readFileRef(at: Spot, raw: string): SecretRef | undefined {
  const path = putVariables(at, raw);
  if (path === undefined) return undefined;
  const { file, secrets } = at.scope;
  const found = secretPath(resolve(dirname(file.absolute), String(path)), secrets.sources);
  if ('path' in found) return note(at, { file: found.path });
  at.report(found);
  return undefined;
}

/** Returns only a reference to the location. The text itself is not passed on. */
function readLiteral(at: Spot, raw: string): SecretRef | undefined {
  const { file, variables, secrets } = at.scope;
  const message = `${at.name} is stored in plain text`;
  if (isRow(at.scope)) {
    at.report({ message, remedy: 'Write env:NAME or file:PATH.' });
    return undefined;
  }
  // Empty, because the literal may use variables that are secrets elsewhere.
  const scope = { ...at.scope, variables: { env: variables.env, secretNames: new Set<string>() } };
  const text = putVariables(new Spot(scope, at.path), raw);
  if (typeof text !== 'string' || !isLiteral(at, raw, text)) return undefined;
  const ref = literalRef(file.absolute, at.place, secrets.sources);
  secrets.book.literals.set(formatSecretRef(ref), new Secret(withoutLineEnd(text)));
  if (!hasReference(raw)) {
    at.report({ code: 'password-in-file', message, remedy: 'Use { env: NAME } or { file: PATH }.' }, 'key');
  }
  return note(at, ref);
}

const BULK_REFERENCE = /^(env|file):\s*\S/;

/** Checks if a text can be a secret. `raw` is the text as written. Reports errors and warnings. */
function isLiteral(at: Spot, raw: string, text: string): boolean {
  const { name } = at;
  const [, kind] = BULK_REFERENCE.exec(text) ?? [];
  if (kind !== undefined || withoutLineEnd(text) === '') {
    const message = kind === undefined ? `${name} is empty` : `${name} is a string that starts with ${kind}:`;
    at.report({ message, remedy: `Write { ${kind ?? 'env'}: ${kind === 'file' ? 'PATH' : 'NAME'} }.` });
    return false;
  }
  // A `$${` shows that the text is intended as written.
  const doubts = raw.includes('$${') ? [] : doubtsOf(text);
  for (const doubt of doubts) reportDoubt(at, name, doubt, doubt.isFatal);
  return !doubts.some(({ isFatal }) => isFatal);
}

function note(at: Spot, ref: SecretRef): SecretRef {
  const { places } = at.scope.secrets.book;
  const name = formatSecretRef(ref);
  if (!places.has(name)) places.set(name, at.place);
  return ref;
}
