/** The text of a secret: what is not part of it, and what it most likely is not meant to be. */

/** What is doubtful about a secret. One that is `unresolved` cannot be meant. */
export type Doubt = 'line-end' | 'quotes' | 'placeholder' | 'unresolved';

/** Each ends a sentence about the secret. */
export const DOUBTS: Readonly<Record<Doubt, { readonly message: string; readonly remedy: string }>> = {
  'line-end': {
    message: 'ends in a line end, which is not sent',
    remedy: 'Set it without the line end: printf %s writes none, echo does.',
  },
  quotes: {
    message: 'is in quotes, which are sent as part of it',
    remedy: 'Remove the quotes, unless they are meant.',
  },
  placeholder: { message: 'looks like a placeholder', remedy: 'Set the secret itself.' },
  unresolved: { message: 'is a placeholder, not a secret', remedy: 'Set the secret itself.' },
};

/** What stands for a value that something else was to put in, such as a shell, a template or this program. */
const UNRESOLVED = /^(?:\$\{[^}]*\}|\$?\{\{.*\}\}|\(sensitive\))$/s;
const PLACEHOLDER = /^(?:<.*>|\$[A-Z_][A-Z0-9_]*|\$\(.*\)|%[A-Z_][A-Z0-9_]*%)$/s;
/** Without white space, hyphens and underscores, in small letters. */
const PLACEHOLDER_WORD =
  /^(?:(?:change|replace)(?:me|this|it)|fixme|todo|tbd|placeholder|redacted|x{4,}|\*{3,}|\.{3,}|…|(?:your|enter|insert|put|add)\w*(?:key|token|secret|password)(?:goes)?(?:here)?|(?:api)?(?:key|token|secret|password)(?:goes)?here)$/;
const QUOTED = /^(["'`]).+\1$/s;
/** No placeholder is longer. */
const LONGEST = 100;

/** A secret as it is sent: the line ends after it belong to the file, or to the program that wrote it. */
export function withoutLineEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1;
  return text.slice(0, end);
}

/** What is doubtful about the text of a secret. */
export function doubtsOf(text: string): readonly Doubt[] {
  const value = withoutLineEnd(text);
  const ofValue = doubtOf(value);
  return [...(value === text ? [] : (['line-end'] as const)), ...(ofValue === undefined ? [] : [ofValue])];
}

function doubtOf(value: string): Exclude<Doubt, 'line-end'> | undefined {
  if (value.length > LONGEST) return QUOTED.test(value) ? 'quotes' : undefined;
  if (UNRESOLVED.test(value)) return 'unresolved';
  const word = value.toLowerCase().replace(/[\s_-]/g, '');
  if (PLACEHOLDER.test(value) || PLACEHOLDER_WORD.test(word)) return 'placeholder';
  return QUOTED.test(value) ? 'quotes' : undefined;
}
