/** Words that say yes or no. */

/** Those of YAML 1.1, and the numbers that the service has. */
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
]);

const inAnyCase = (word: string): string =>
  word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);

/** Each of them; without the flag for letter case, which JSON Schema does not have. */
export const SWITCH = new RegExp(`^(?:${[...WORDS.keys()].map(inAnyCase).join('|')})$`);

/** The yes or no that a word is, in whatever letter case; `undefined` for any other. */
export function switchOf(word: string): boolean | undefined {
  return WORDS.get(word.toLowerCase());
}
