/** Finds characters that editors and web pages insert instead of a typed quote, hyphen, dot or space. */

export interface Oddity {
  readonly character: string;
  /** For example `“ (U+201C)`, or `an invisible character (U+00A0)`. */
  readonly name: string;
  readonly position: number;
}

/** Control characters except tab and line ends, white space except a plain space, and other invisible characters. */
const INVISIBLE_CLASS = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800';
/** These characters may be part of the letter or emoji before them. */
const JOINED =
  '(?<=(?!\\p{sc=Latin})[\\p{L}\\p{M}])[\\u200c\\u200d]|(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f\\u200d]';
const INVISIBLE = new RegExp(`(?![ \\t\\n\\r]|${JOINED})[${INVISIBLE_CLASS}]`, 'u');

/** Symbols that look like punctuation. Other symbols, such as emoji, occur in names registered before RFC 5892. */
const LIKE_PUNCTUATION =
  '\\u2044\\u2052\\u2212\\u2215-\\u2219\\u2223\\u2236\\u223c\\u22c5\\u2796\\u29f5\\u29f8\\u2571\\u2572';
/** Punctuation of valid names (RFC 5892, appendix A; RFC 3490, section 3.1), and wide forms of input methods. */
const OF_NAMES = '\\u00b7\\u05f3\\u05f4\\u0f0b\\u30fb\\uff65\\u3002\\uff0e\\uff61\\uff0d\\uff3f';
const NOT_ASCII = '(?![\\x00-\\x7f])';
const BEYOND_ASCII = /[\u0080-\uffff]/;
const OF_NO_NAME = new RegExp(
  `${NOT_ASCII}(?:${INVISIBLE.source}|(?![${OF_NAMES}])\\p{P}|(?![\\u0375\\u{1f3fb}-\\u{1f3ff}])\\p{Sk}|[${LIKE_PUNCTUATION}])`,
  'u',
);

/** Returns the first character that is invisible or looks like a space. */
export function firstInvisible(text: string): Oddity | undefined {
  return first(INVISIBLE, text);
}

/** Returns the first non-ASCII character that no host name contains, such as a quote or an invisible character. */
export function firstOfNoName(text: string): Oddity | undefined {
  return BEYOND_ASCII.test(text) ? first(OF_NO_NAME, text) : undefined;
}

function first(pattern: RegExp, text: string): Oddity | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const [character] = found;
  const number = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const name = `${INVISIBLE.test(character) ? 'an invisible character' : character} (U+${number})`;
  return { character, name, position: [...text.slice(0, found.index)].length + 1 };
}

export function contains({ name, position }: Oddity): string {
  return `it contains ${name} at position ${position}`;
}

export const TYPE_IT_PLAIN = 'Delete it, or type the plain character instead.';

/** Removes only plain white space. Characters that look like it stay, so that they are reported. */
export function trimPlain(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.trim();
  return text.replace(/^[ \t\n\r\f\v]+/, '').replace(/(?<![ \t\n\r\f\v])[ \t\n\r\f\v]+$/, '');
}
