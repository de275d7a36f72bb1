/** The API key, fit to be sent. */
import { WebsitesError } from '../model/errors.ts';

/**
 * Checks that `key` can travel in a header (RFC 6750, section 2.1). Throws `usage`, which does not print it, for one
 * with other than visible ASCII characters.
 */
export function checkKey(key: string): string {
  const what = [...key].find((character) => character <= ' ' || character > '~');
  if (what === undefined) return key;
  const kind = /\s/.test(what) ? 'a space or a line end' : 'a character that no key has';
  throw new WebsitesError('usage', `The API key contains ${kind}.`, {
    remedy: 'Copy the key again, without quotes and line ends.',
  });
}
