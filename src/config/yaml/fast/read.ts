/**
 * Files of the regular shape, which people and programs mostly write, are read without the full parser and
 * many times faster. What is accepted here gives the very document that the full parser would give; anything
 * that is not certain is left to it.
 */
import type { Document } from '../../read/document.ts';
import type { Range, Source } from '../../read/source.ts';
import type { parseYaml } from '../parse.ts';
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
      locate: (path, part = 'value') => withoutLinesAfter(locateIn(top, path, part), source.text),
      itemStarts: (path) => itemStartsIn(top, path),
      // What would have to be hidden, a secret in plain text, a login or a query, is nothing regular.
      hidden: () => undefined,
    };
  } catch (error) {
    if (error === UNUSUAL) return undefined;
    throw error;
  }
}

const NO_CONTENT = /^[ \t\r]*(?:#.*)?$/s;

/** A block was read up to what follows it: blank lines, and those of comments, before that are not its own. */
export function withoutLinesAfter({ start, end }: Range, text: string): Range {
  // What is before it, which may be a very long line, is not looked through.
  const own = text.slice(start, end);
  let last = own.length;
  let line = own.lastIndexOf('\n', last - 1);
  while (line > 0 && NO_CONTENT.test(own.slice(line + 1, last))) {
    last = line;
    line = own.lastIndexOf('\n', last - 1);
  }
  return { start, end: start + last };
}
