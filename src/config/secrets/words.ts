import { SECRET_KEYS } from '../schema/keys.ts';

const PASSWORD_WORDS = 'pas+(?:w|r?d|phrase|code|key)|p[aos]?s?w[or]*d|pswd?';

/** Matches words for secrets, with the rest of a word that contains one, so that misspelled keys match too. */
export const SECRET_WORD = new RegExp(
  `(?:${SECRET_KEYS.join('|')}|${PASSWORD_WORDS}|api[_-]?key)[\\w-]*|\\b(?:key|token|secret|pass|pw)\\b`,
  'i',
);

const WORD_BESIDE_VALUE = new RegExp(
  `(?:${SECRET_WORD.source})(?=\\\\?["']?[\\s:=]\\s*\\\\?["']?(?!\\$\\{)[^\\s{"'\\\\])`,
  'i',
);

const shownBefore =
  (secret: RegExp) =>
  (text: string): number => {
    const word = secret.exec(text);
    return word === null ? text.length : word.index + word[0].length;
  };

export const shownOfLine = shownBefore(WORD_BESIDE_VALUE);

/**
 * Returns the number of characters of a key that may be shown. In `{ password:x }` and `{ password x }`, the key
 * contains the secret.
 */
export const shownLength = shownBefore(SECRET_WORD);

export function withoutSecretValues(message: string): string {
  return message.replace(/"((?:[^"\\]|\\.)*)"/g, (quote, text: string) => {
    const length = shownOfLine(text);
    return length < text.length ? `"${text.slice(0, length)}…"` : quote;
  });
}

export function withoutSecret(key: string): string {
  const length = shownLength(key);
  return length < key.length ? `${key.slice(0, length)}…` : key;
}
