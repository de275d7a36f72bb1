/** What people call secrets. */
import { SECRET_KEYS } from '../schema/keys.ts';

const PASSWORD_WORDS = 'pas+(?:w|r?d|phrase|code|key)|p[aos]?s?w[or]*d|pswd?';

/** Well spelled or not, up to the end of the word that one stands in. */
export const SECRET_WORD = new RegExp(
  `(?:${SECRET_KEYS.join('|')}|${PASSWORD_WORDS}|api[_-]?key)[\\w-]*|\\b(?:key|token|secret|pass|pw)\\b`,
  'i',
);

/** How much of a key may be shown: `{ password:x }` and `{ password x }` have the secret in it. */
export function shownLength(key: string): number {
  const word = SECRET_WORD.exec(key);
  return word === null ? key.length : word.index + word[0].length;
}

/** A key as it may be shown. */
export function withoutSecret(key: string): string {
  const length = shownLength(key);
  return length < key.length ? `${key.slice(0, length)}…` : key;
}
