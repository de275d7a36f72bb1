/**
 * Files of the regular shape, which people and programs mostly write, are read without the full parser and
 * many times faster. What is accepted here gives the very document that the full parser would give; anything
 * that is not certain is left to it.
 */

import type { Document, parseYaml } from '../parse.ts';
import type { Source } from '../source.ts';
import { readBlocks } from './blocks.ts';
import { itemStartsIn, locateIn, UNUSUAL } from './nodes.ts';

/** As `parseYaml`, which is loaded and asked where the file is not of the regular shape. */
export async function readYaml(source: Source): Promise<ReturnType<typeof parseYaml>> {
  const document = readRegular(source);
  return document === undefined
    ? (await import('../parse.ts')).parseYaml(source)
    : { document, problems: [] };
}

/** Reads a source of the regular shape; `undefined` for any other, whether or not something is wrong with it. */
export function readRegular(source: Source): Document | undefined {
  try {
    const top = readBlocks(source.text);
    return {
      source,
      value: top.value,
      locate: (path, part = 'value') => locateIn(top, path, part),
      itemStarts: (path) => itemStartsIn(top, path),
      // What would have to be hidden, a secret in plain text or a login, is nothing regular.
      hidden: () => undefined,
    };
  } catch (error) {
    if (error === UNUSUAL) return undefined;
    throw error;
  }
}
