export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** The first of `names`, the rest counted. */
export function some(names: readonly string[], named = 5): string {
  const shown = names.slice(0, named).join(', ');
  return names.length > named ? `${shown} and ${names.length - named} more` : shown;
}

export function firstOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

export function lastOf(text: string, length: number): string {
  return text.slice(-length).replace(/^[\udc00-\udfff]/, '');
}

/**
 * Controls, format characters (bidirectional ones among them), lone surrogates, line and paragraph separators, and
 * whatever is invisible by default; as the inside of a class of a regular expression.
 */
export const UNSAFE_CLASS = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';

/** A character as JSON writes it, so that JSON stays the same JSON: `\u202e`, two of them for a larger one. */
export function utf16Escapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
