/**
 * The one filter for API keys: whatever this process prints or writes to a file passes it, wherever a service may have
 * put the key. It is for the whole process, as its streams are.
 */
import { type SecretSearch, searchFor } from './secret-forms.ts';

/** A shorter key is like a word of any text; nothing is filtered for it. */
const SHORTEST = 8;
const INSTEAD = '(API key)';

const filtered = new Map<string, SecretSearch>();

/** From here on, `key` is not let out. */
export function keepKey(key: string): void {
  if (key.length >= SHORTEST && !filtered.has(key)) filtered.set(key, searchFor(key));
}

/** The text, with something else in the place of each key. Not for what is sealed: that must not hold one. */
export function withoutKeys(text: string): string {
  return [...filtered.values()].reduce((before, search) => search.replacedIn(before, INSTEAD), text);
}

/** Whether the text holds a key, in any form. */
export function holdsKey(text: string): boolean {
  return [...filtered.values()].some((search) => search.isIn(text));
}
