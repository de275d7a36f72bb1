/** The formats of documents that are written down and read again, each with its version: `websites.plan/1`. */
import { isObject } from './json.ts';

export const USE_ITS_VERSION = 'Use the version that wrote it.';

/** Why `document` cannot be read where it is one of the format `known`, but of another version. */
export function otherVersion(document: unknown, known: string): string | undefined {
  const format = isObject(document) ? document.format : undefined;
  const isOther = typeof format === 'string' && format !== known && nameOf(format) === nameOf(known);
  return isOther ? `it is ${JSON.stringify(format)}, and this program reads ${known}` : undefined;
}

function nameOf(format: string): string {
  return format.slice(0, format.indexOf('/') + 1);
}
