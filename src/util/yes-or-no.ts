const YES = ['true', 'yes', 'on', '1'];
const NO = ['false', 'no', 'off', '0'];

const inAnyCase = (word: string): string =>
  word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);

/** Has no flag for letter case, because JSON Schema does not support it. */
export const SWITCH = new RegExp(`^(?:${[...YES, ...NO].map(inAnyCase).join('|')})$`);

/** Returns `undefined` for any other word. */
export function switchOf(word: string): boolean | undefined {
  const lower = word.toLowerCase();
  return YES.includes(lower) || (NO.includes(lower) ? false : undefined);
}
