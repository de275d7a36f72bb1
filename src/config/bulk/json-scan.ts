/** Where values of a JSON text begin and end, without making them. */
import type { Range } from '../read/source.ts';

export const SPACE = /[ \t\n]*/y;
/** A number or word. */
const WORD = /[^\s,[\]{}"]+/y;
/** What is of no account where brackets are counted; only so much at once, since an expression goes back over all of it. */
const NO_BRACKETS = /(?:[^"[\]{}]+|"[^"\\]*"){0,64}/y;

/** The end of what `pattern`, a sticky one, matches at `at`. */
export function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Where the value that starts at `start` ends; `start` itself where there is none, or no end. */
export function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at = skip(text, at, NO_BRACKETS)) {
    const character = text[at] ?? '';
    if (depth === 0 && !'[{'.includes(character)) {
      return character === '"' ? endOfText(text, start) : skip(text, start, WORD);
    }
    const end = character === '"' ? endOfText(text, at) : at + 1;
    if (end === at) return start;
    depth += depthOf(character);
    at = end;
    if (depth === 0) return at;
  }
  return start;
}

/** What a character adds to the depth of brackets. */
function depthOf(character: string): number {
  return '[{'.includes(character) ? 1 : ']}'.includes(character) ? -1 : 0;
}

/** Where the text in quotes that starts at `start` ends; `start` itself where it does not. */
function endOfText(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1 || start;
}

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}

/** A member of an object as it is written; the range is that of its value. */
interface Member extends Range {
  readonly name: string;
  /** Where its name starts. */
  readonly at: number;
}

/** The members of the object that starts at `start`. */
export function membersOf(text: string, start: number): readonly Member[] {
  const members: Member[] = [];
  let at = skip(text, start + 1, SPACE);
  while (text[at] === '"') {
    const end = endOfText(text, at);
    const value = skip(text, skip(text, end, SPACE) + 1, SPACE);
    const endOfValue = endOf(text, value);
    members.push({ name: JSON.parse(text.slice(at, end)), at, start: value, end: endOfValue });
    at = skip(text, skip(text, endOfValue, SPACE) + 1, SPACE);
  }
  return members;
}
