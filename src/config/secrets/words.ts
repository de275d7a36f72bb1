import { SECRET_KEYS } from '../schema/keys.ts';

const PASSWORD_WORDS = 'pas+(?:w|r?d|phrase|code|key)|p[aos]?s?w[or]*d|pswd?';

/** Matches misspelled words too, up to the end of the word around one. */
export const SECRET_WORD = new RegExp(
  `(?:${SECRET_KEYS.join('|')}|${PASSWORD_WORDS}|api[_-]?key)[\\w-]*|\\b(?:key|token|secret|pass|pw)\\b`,
  'i',
);

const WORD_BESIDE_VALUE = new RegExp(
  `(?:${SECRET_WORD.source})(?=\\\\?["']?[\\s:=]\\s*\\\\?["']?(?!\\$\\{)[^\\s{"'\\\\])`,
  'i',
);

export function shownOfLine(line: string): number {
  const word = WORD_BESIDE_VALUE.exec(line);
  return word === null ? line.length : word.index + word[0].length;
}

export function withoutSecretValues(message: string): string {
  return message.replace(/"((?:[^"\\]|\\.)*)"/g, (quote, text: string) => {
    const length = shownOfLine(text);
    return length < text.length ? `"${text.slice(0, length)}…"` : quote;
  });
}

/** Length up to which a key is shown: `{ password:x }` and `{ password x }` contain the secret. */
export function shownLength(key: string): number {
  const word = SECRET_WORD.exec(key);
  return word === null ? key.length : word.index + word[0].length;
}

export function withoutSecret(key: string): string {
  const length = shownLength(key);
  return length < key.length ? `${key.slice(0, length)}…` : key;
}
