import { DOUBTS, doubtsOf } from '../util/secret-text.ts';
import { WebsitesError } from './errors.ts';

/**
 * Reads the key in `text` without the white space around it; `undefined` if it is empty. Throws `usage`,
 * without the text, for a text that cannot be a key.
 */
export function apiKeyFrom(text: string | undefined, origin: string): string | undefined {
  const key = text?.trim();
  if (key === undefined || key === '') return undefined;
  const [doubt] = doubtsOf(key);
  if (doubt === undefined) return key;
  const { message, remedy } = WORDS[doubt] ?? DOUBTS[doubt];
  throw new WebsitesError('usage', `The API key in ${origin} ${message}.`, { remedy });
}

const PLACEHOLDER = { message: 'is a placeholder', remedy: 'Set it to an API key of the service.' };
const WORDS: Partial<typeof DOUBTS> = {
  quotes: { message: 'is in quotes', remedy: 'Remove the quotes: they are not part of the key.' },
  placeholder: PLACEHOLDER,
  unresolved: PLACEHOLDER,
};
