/** The text of an API key, as it was found. */

import { doubtsOf } from '../util/secret-text.ts';
import { WebsitesError } from './errors.ts';

/**
 * The key in `text`, which is from `origin`, without white space around it: no key has any. `undefined` where there is
 * none. Throws `usage`, which does not print it, for what plainly is another text than a key.
 */
export function apiKeyFrom(text: string | undefined, origin: string): string | undefined {
  const key = text?.trim();
  if (key === undefined || key === '') return undefined;
  const [doubt] = doubtsOf(key);
  if (doubt === undefined) return key;
  const [what, remedy] = doubt === 'quotes' ? QUOTES : PLACEHOLDER;
  throw new WebsitesError('usage', `The API key in ${origin} is ${what}.`, { remedy });
}

const QUOTES = ['in quotes', 'Remove the quotes: they are not part of the key.'] as const;
const PLACEHOLDER = ['a placeholder', 'Set it to an API key of the service.'] as const;
