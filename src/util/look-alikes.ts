/**
 * Characters that are taken for others, or for nothing: a text editor or a web page puts them where somebody typed a
 * quote, a hyphen, a dot or a space.
 */

export interface Oddity {
  /** The character, and how it is called: `“ (left double quotation mark, U+201C)`, `no-break space (U+00A0)`. */
  readonly character: string;
  readonly name: string;
  /** Which character of the text it is, counted from 1. */
  readonly position: number;
}

/** Controls but tab and line ends, white space but the plain one, and whatever shows nothing by default. */
const INVISIBLE_CLASS = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800';
/** A joiner or a selector may be a part of the letter or picture before it; the others never are. */
const JOINED =
  '(?<=(?!\\p{sc=Latin})[\\p{L}\\p{M}])[\\u200c\\u200d]|(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f\\u200d]';
const INVISIBLE = new RegExp(`(?![ \\t\\n\\r]|${JOINED})[${INVISIBLE_CLASS}]`, 'u');

/**
 * Signs of mathematics and modifiers that look like a hyphen, a dot, a slash, a colon or a quote. Other signs, like
 * pictures, are in names that were registered before they were ruled out (RFC 5892), and browsers open them.
 */
const LIKE_PUNCTUATION =
  '\\u2044\\u2052\\u2212\\u2215-\\u2219\\u2223\\u2236\\u223c\\u22c5\\u2796\\u29f5\\u29f8\\u2571\\u2572';
/**
 * Punctuation that names do have: what IDNA allows (RFC 5892, appendix A), the dots of RFC 3490, section 3.1, and the
 * wide forms of hyphen and underscore that an input method for wide letters types.
 */
const OF_NAMES = '\\u00b7\\u05f3\\u05f4\\u0f0b\\u30fb\\uff65\\u3002\\uff0e\\uff61\\uff0d\\uff3f';
const NOT_ASCII = '(?![\\x00-\\x7f])';
const BEYOND_ASCII = /[\u0080-\uffff]/;
const OF_NO_NAME = new RegExp(
  `${NOT_ASCII}(?:${INVISIBLE.source}|(?![${OF_NAMES}])\\p{P}|(?![\\u0375\\u{1f3fb}-\\u{1f3ff}])\\p{Sk}|[${LIKE_PUNCTUATION}])`,
  'u',
);
const EVERY_OF_NO_NAME = new RegExp(OF_NO_NAME.source, 'gu');

/** The first character of a text that nobody can see, or tell from a space. */
export function firstInvisible(text: string): Oddity | undefined {
  return first(INVISIBLE, text);
}

/** The first character beyond ASCII that is in no host name: an invisible one, a quote, a dash, a slash and the like. */
export function firstOfNoName(text: string): Oddity | undefined {
  return BEYOND_ASCII.test(text) ? first(OF_NO_NAME, text) : undefined;
}

function first(pattern: RegExp, text: string): Oddity | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const [character] = found;
  return { character, name: nameOf(character), position: [...text.slice(0, found.index)].length + 1 };
}

/** `text` as it may have been meant: without what is of no name, and with plain spaces for the others. */
export function plainly(text: string): string {
  return text.replace(EVERY_OF_NO_NAME, (character) => (/\p{Z}/u.test(character) ? ' ' : ''));
}

/** Says where an oddity is, as the end of a sentence about its text. */
export function contains({ name, position }: Oddity): string {
  return `it contains ${name} at position ${position}`;
}

/** What to do about one. */
export const TYPE_IT_PLAIN = 'Delete it, or type the plain character instead.';

/** `text` without plain white space around it; what merely looks like that stays, to be told of. */
export function trimPlain(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.trim();
  return text.replace(/^[ \t\n\r\f\v]+/, '').replace(/(?<![ \t\n\r\f\v])[ \t\n\r\f\v]+$/, '');
}

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '\0': 'null character',
    '\u007f': 'delete character',
    '\u0085': 'next line',
    '\u00a0': 'no-break space',
    '\u00ab': 'left-pointing double angle quotation mark',
    '\u00ad': 'soft hyphen',
    '\u00b4': 'acute accent',
    '\u00bb': 'right-pointing double angle quotation mark',
    '\u034f': 'combining grapheme joiner',
    '\u05be': 'Hebrew punctuation maqaf',
    '\u061c': 'Arabic letter mark',
    '\u115f': 'Hangul choseong filler',
    '\u1160': 'Hangul jungseong filler',
    '\u1680': 'Ogham space mark',
    '\u180e': 'Mongolian vowel separator',
    '\u2000': 'en quad',
    '\u2001': 'em quad',
    '\u2002': 'en space',
    '\u2003': 'em space',
    '\u2004': 'three-per-em space',
    '\u2005': 'four-per-em space',
    '\u2006': 'six-per-em space',
    '\u2007': 'figure space',
    '\u2008': 'punctuation space',
    '\u2009': 'thin space',
    '\u200a': 'hair space',
    '\u200b': 'zero width space',
    '\u200c': 'zero width non-joiner',
    '\u200d': 'zero width joiner',
    '\u200e': 'left-to-right mark',
    '\u200f': 'right-to-left mark',
    '\u2010': 'hyphen',
    '\u2011': 'non-breaking hyphen',
    '\u2012': 'figure dash',
    '\u2013': 'en dash',
    '\u2014': 'em dash',
    '\u2015': 'horizontal bar',
    '\u2018': 'left single quotation mark',
    '\u2019': 'right single quotation mark',
    '\u201a': 'single low-9 quotation mark',
    '\u201b': 'single high-reversed-9 quotation mark',
    '\u201c': 'left double quotation mark',
    '\u201d': 'right double quotation mark',
    '\u201e': 'double low-9 quotation mark',
    '\u201f': 'double high-reversed-9 quotation mark',
    '\u2022': 'bullet',
    '\u2024': 'one dot leader',
    '\u2025': 'two dot leader',
    '\u2026': 'horizontal ellipsis',
    '\u2027': 'hyphenation point',
    '\u2028': 'line separator',
    '\u2029': 'paragraph separator',
    '\u202a': 'left-to-right embedding',
    '\u202b': 'right-to-left embedding',
    '\u202c': 'pop directional formatting',
    '\u202d': 'left-to-right override',
    '\u202e': 'right-to-left override',
    '\u202f': 'narrow no-break space',
    '\u2032': 'prime',
    '\u2033': 'double prime',
    '\u2039': 'single left-pointing angle quotation mark',
    '\u203a': 'single right-pointing angle quotation mark',
    '\u2044': 'fraction slash',
    '\u205f': 'medium mathematical space',
    '\u2060': 'word joiner',
    '\u2066': 'left-to-right isolate',
    '\u2067': 'right-to-left isolate',
    '\u2068': 'first strong isolate',
    '\u2069': 'pop directional isolate',
    '\u2212': 'minus sign',
    '\u2215': 'division slash',
    '\u2216': 'set minus',
    '\u2217': 'asterisk operator',
    '\u2219': 'bullet operator',
    '\u2223': 'divides',
    '\u2236': 'ratio',
    '\u223c': 'tilde operator',
    '\u22c5': 'dot operator',
    '\u2796': 'heavy minus sign',
    '\u2800': 'braille pattern blank',
    '\u29f8': 'big solidus',
    '\u3000': 'ideographic space',
    '\u3001': 'ideographic comma',
    '\u300c': 'left corner bracket',
    '\u300d': 'right corner bracket',
    '\u301c': 'wave dash',
    '\u3164': 'Hangul filler',
    '\ufe0e': 'variation selector-15',
    '\ufe0f': 'variation selector-16',
    '\ufe52': 'small full stop',
    '\ufe58': 'small em dash',
    '\ufe63': 'small hyphen-minus',
    '\ufeff': 'zero width no-break space, or byte order mark',
    '\uff02': 'fullwidth quotation mark',
    '\uff07': 'fullwidth apostrophe',
    '\uff0a': 'fullwidth asterisk',
    '\uff0c': 'fullwidth comma',
    '\uff0f': 'fullwidth solidus',
    '\uff1a': 'fullwidth colon',
    '\uff1b': 'fullwidth semicolon',
    '\uff20': 'fullwidth commercial at',
    '\uff3c': 'fullwidth reverse solidus',
    '\uffa0': 'halfwidth Hangul filler',
  }),
);

/** One without a name of its own here goes by its number; an invisible one is not shown. */
function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const name = NAMES.get(character);
  const isInvisible = INVISIBLE.test(character);
  if (name === undefined)
    return isInvisible ? `an invisible character (${number})` : `${character} (${number})`;
  return isInvisible ? `${name} (${number})` : `${character} (${name}, ${number})`;
}
