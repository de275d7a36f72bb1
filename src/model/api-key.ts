import { type Doubt, doubtsOf, PLACEHOLDER, QUOTES, UNRESOLVED } from '../util/secret-text.ts';
import { WebsitesError } from './errors.ts';

/** The key in `text`, trimmed; `undefined` if empty. Throws `usage`, without the text, if it cannot be a key. */
export function apiKeyFrom(text: string | undefined, origin: string): string | undefined {
  const key = text?.trim();
  if (key === undefined || key === '') return undefined;
  const [doubt] = doubtsOf(key);
  if (doubt === undefined) return key;
  const { message, remedy } = WORDS.get(doubt) ?? doubt;
  throw new WebsitesError('usage', `The API key in ${origin} ${message}.`, { remedy });
}

const NO_KEY = { message: 'is a placeholder', remedy: 'Set it to an API key of the service.' };
const WORDS: ReadonlyMap<Doubt, Doubt> = new Map([
  [QUOTES, { message: 'is in quotes', remedy: 'Remove the quotes: they are not part of the key.' }],
  [PLACEHOLDER, NO_KEY],
  [UNRESOLVED, NO_KEY],
]);
