/** Everything that this process prints or writes to a file passes this one filter for API keys. */
import { type SecretSearch, searchFor } from './secret-forms.ts';

/** Shorter keys are like words of any text and are not filtered. */
const SHORTEST = 8;
const INSTEAD = '(API key)';

const filtered = new Map<string, SecretSearch>();

export function keepKey(key: string): void {
  if (key.length >= SHORTEST && !filtered.has(key)) filtered.set(key, searchFor(key));
}

/** Replaces each key in the text. Not for sealed content, which must not contain one. */
export function withoutKeys(text: string): string {
  return [...filtered.values()].reduce((before, search) => search.replacedIn(before, INSTEAD), text);
}

export function holdsKey(text: string): boolean {
  return [...filtered.values()].some((search) => search.isIn(text));
}
