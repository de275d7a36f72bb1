/** Replaces API keys in everything that this process prints or writes to a file. */
import { type SecretSearch, searchFor } from './secret-forms.ts';

/** Minimum length. Shorter keys look like ordinary words and are not replaced. */
const MIN_LENGTH = 8;
const INSTEAD = '(API key)';

const filtered = new Map<string, SecretSearch>();

export function keepKey(key: string): void {
  if (key.length >= MIN_LENGTH && !filtered.has(key)) filtered.set(key, searchFor(key));
}

/** Replaces each key in the text. Must not be used for sealed content, which would no longer match its seal. */
export function withoutKeys(text: string): string {
  return [...filtered.values()].reduce((before, search) => search.replacedIn(before, INSTEAD), text);
}

export function holdsKey(text: string): boolean {
  return [...filtered.values()].some((search) => search.isIn(text));
}
