import { type SecretWarning, secretWarnings } from '../util/secret-text.ts';
import { WebsitesError } from './errors.ts';

/** The source of a secret. A reference may be printed and stored; the value may not. */
export type SecretRef =
  | { readonly env: string }
  | { readonly file: string }
  /** A plain-text secret in YAML. It is read from that location when it is needed. */
  | { readonly yaml: string };

export function isSecretRef(value: unknown): value is SecretRef {
  return (
    typeof value === 'object' && value !== null && ('env' in value || 'file' in value || 'yaml' in value)
  );
}

export function formatSecretRef(ref: SecretRef): string {
  if ('env' in ref) return `env:${ref.env}`;
  if ('file' in ref) return `file:${ref.file}`;
  return `yaml:${ref.yaml}`;
}

/** Returns a secret without line ends at its end. Throws `secret-missing`, which contains no value. */
export type ResolveSecret = (ref: SecretRef) => Promise<Secret>;

export const SENSITIVE = '(sensitive)';

/** Every conversion to text gives `(sensitive)`. Only `reveal()` returns the value. */
export class Secret {
  readonly #value: string;
  /** Warnings to print when the secret is sent. */
  readonly warnings: readonly SecretWarning[];

  constructor(value: string, warnings: readonly SecretWarning[] = []) {
    this.#value = value;
    this.warnings = warnings;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SENSITIVE;
  }

  toJSON(): string {
    return SENSITIVE;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return SENSITIVE;
  }
}

/**
 * Returns the trimmed key, or `undefined` for an empty text. Throws `usage` if the text cannot be a key; the error
 * does not contain it.
 */
export function apiKeyFrom(text: string | undefined, origin: string): string | undefined {
  const key = text?.trim();
  if (key === undefined || key === '') return undefined;
  const [warning] = secretWarnings(key);
  if (warning === undefined) return key;
  const message = `The API key in ${origin} ${warning.message}.`;
  throw new WebsitesError('usage', message, { remedy: warning.remedy });
}
