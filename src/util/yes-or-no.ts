const YES = ['true', 'yes', 'on', '1'];
const NO = ['false', 'no', 'off', '0'];

const inAnyCase = (word: string): string =>
  word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);

/** Without the flag for letter case, which JSON Schema does not have. */
export const SWITCH = new RegExp(`^(?:${[...YES, ...NO].map(inAnyCase).join('|')})$`);

/** `undefined` for a word of no known spelling. */
export function switchOf(word: string): boolean | undefined {
  const lower = word.toLowerCase();
  return YES.includes(lower) || (NO.includes(lower) ? false : undefined);
}
