/**
 * Files of the regular shape, which people and programs mostly write, are read without the full parser and
 * many times faster. What is accepted here gives the very document that the full parser would give; anything
 * that is not certain is left to it.
 */
import type { ParsedDocument } from '../../read/source.ts';
import { problemAt, type Range, type Source } from '../../read/source.ts';
import { documentOf } from '../nodes.ts';
import type { parseYaml } from '../syntax.ts';
import { readBlocks } from './blocks.ts';

/** What the full parser takes, in bytes: in its hands a text of this size becomes a gigabyte. */
export const MAX_PARSED = 16_000_000;

/** As `parseYaml`, which is loaded and asked where the file is not of the regular shape. */
export async function readYaml(source: Source): Promise<ReturnType<typeof parseYaml>> {
  const document = readRegular(source);
  if (typeof document === 'object') return { document, problems: [] };
  if (Buffer.byteLength(source.text) <= MAX_PARSED) return (await import('../syntax.ts')).parseYaml(source);
  const finding = {
    message: `this is not in the regular form that a file larger than ${MAX_PARSED / 1e6} MB must have`,
    remedy: 'Write it as "websites export" does, divide the file, or move the records into a bulk file.',
  };
  // What the line holds is not known: nothing of it is shown.
  return { problems: [problemAt(source, { start: document, end: document + 1 }, finding, () => 1)] };
}

/** Reads a source of the regular shape; of any other, whether or not something is wrong with it, where it is that. */
export function readRegular(source: Source): ParsedDocument | number {
  const top = readBlocks(source.text);
  if (typeof top === 'number') return top;
  // What would have to be hidden, a secret in plain text, a login or a query, is nothing regular.
  const hidden = (): undefined => undefined;
  return documentOf(source, top, hidden, (range) => withoutLinesAfter(range, source.text));
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
