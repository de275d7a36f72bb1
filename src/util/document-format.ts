/** Names of stored document formats with their version: `websites.plan/1`. */
import { isObject } from './json.ts';

export const USE_ITS_VERSION = 'Use the version that wrote it.';

export function otherVersion(document: unknown, known: string): string | undefined {
  const format = isObject(document) ? document.format : undefined;
  const isOther =
    typeof format === 'string' && format !== known && format.split('/')[0] === known.split('/')[0];
  return isOther ? `it is ${JSON.stringify(format)}, and this program reads ${known}` : undefined;
}
