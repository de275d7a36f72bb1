/** Reads files in the usual layout faster than the full parser, with the same result, and leaves others to it. */
import { type ParsedDocument, problemAt, type Range, type Source } from '../../read/source.ts';
import { documentOf } from '../nodes.ts';
import type { parseYaml } from '../syntax.ts';
import { readBlocks } from './blocks.ts';

/** Maximum size in bytes for the full parser, which needs a gigabyte of memory for such a file. */
const MAX_PARSED = 16_000_000;

/** Returns the same as `parseYaml`, which is loaded only for files in an unusual layout. */
export async function readYaml(source: Source): Promise<ReturnType<typeof parseYaml>> {
  const document = readRegular(source);
  if (typeof document === 'object') return { document, problems: [] };
  if (Buffer.byteLength(source.text) <= MAX_PARSED) return (await import('../syntax.ts')).parseYaml(source);
  const finding = {
    message: `this is not in the regular form that a file larger than ${MAX_PARSED / 1e6} MB must have`,
    remedy: 'Write it as "websites export" does, divide the file, or move the records into a bulk file.',
  };
  return { problems: [problemAt(source, { start: document, end: document + 1 }, finding)] };
}

/** Reads a source in the usual layout. For any other source, returns the offset of the first unusual part. */
export function readRegular(source: Source): ParsedDocument | number {
  const top = readBlocks(source.text);
  if (typeof top === 'number') return top;
  // Hides nothing, because a file with a plain-text secret, credentials or a query is never read here.
  const hidden = (): boolean => false;
  return documentOf(source, top, hidden, (range) => withoutLinesAfter(range, source.text));
}

const NO_CONTENT = /^[ \t\r]*(?:#.*)?$/s;

/** Removes blank lines and comments at the end of a range: a block was read up to the next content. */
export function withoutLinesAfter({ start, end }: Range, text: string): Range {
  // Searches only the range itself, because the text before it may be a very long line.
  const own = text.slice(start, end);
  let last = own.length;
  let line = own.lastIndexOf('\n', last - 1);
  while (line > 0 && NO_CONTENT.test(own.slice(line + 1, last))) {
    last = line;
    line = own.lastIndexOf('\n', last - 1);
  }
  return { start, end: start + last };
}
