import { SECRET_KEYS } from '../schema/keys.ts';

const PASSWORD_WORDS = 'pas+(?:w|r?d|phrase|code|key)|p[aos]?s?w[or]*d|pswd?';

/** Matches a word for a secret, with the letters after it, so that misspelled keys match too. */
export const SECRET_WORD = new RegExp(
  `(?:${SECRET_KEYS.join('|')}|${PASSWORD_WORDS}|api[_-]?key)[\\w-]*|\\b(?:key|token|secret|pass|pw)\\b`,
  'i',
);

/** Matches a word for a secret with a value after it, unless the value is a reference. */
export const SECRET_VALUE = new RegExp(
  `(?:${SECRET_WORD.source})(?=\\\\?["']?[\\s:=]\\s*\\\\?["']?(?!\\$\\{)[^\\s{"'\\\\])`,
  'i',
);

const cutAfter =
  (secret: RegExp) =>
  (text: string): string => {
    const word = secret.exec(text);
    const end = word === null ? text.length : word.index + word[0].length;
    return end < text.length ? `${text.slice(0, end)}…` : text;
  };

const withoutValue = cutAfter(SECRET_VALUE);

/** Cuts a key after a word for a secret: in `{ password:x }` and `{ password x }`, the key contains the secret. */
export const withoutSecret = cutAfter(SECRET_WORD);

export function withoutSecretValues(message: string): string {
  return message.replace(/"((?:[^"\\]|\\.)*)"/g, (_, text: string) => `"${withoutValue(text)}"`);
}
