/**
 * Reads files of the regular shape many times faster than the full parser, with the same result; anything uncertain is
 * left to it.
 */
import { type ParsedDocument, problemAt, type Range, type Source } from '../../read/source.ts';
import { documentOf } from '../nodes.ts';
import type { parseYaml } from '../syntax.ts';
import { readBlocks } from './blocks.ts';

/** The limit of the full parser, in bytes: a text of this size takes a gigabyte of memory. */
export const MAX_PARSED = 16_000_000;

/** As `parseYaml`, which is loaded only for files of irregular shape. */
export async function readYaml(source: Source): Promise<ReturnType<typeof parseYaml>> {
  const document = readRegular(source);
  if (typeof document === 'object') return { document, problems: [] };
  if (Buffer.byteLength(source.text) <= MAX_PARSED) return (await import('../syntax.ts')).parseYaml(source);
  const finding = {
    message: `this is not in the regular form that a file larger than ${MAX_PARSED / 1e6} MB must have`,
    remedy: 'Write it as "websites export" does, divide the file, or move the records into a bulk file.',
  };
  // The content of the line is unknown, so nothing of it is shown.
  return { problems: [problemAt(source, { start: document, end: document + 1 }, finding, () => 1)] };
}

/** Reads a source of the regular shape; for any other, valid or not, returns the offset of the first irregular part. */
export function readRegular(source: Source): ParsedDocument | number {
  const top = readBlocks(source.text);
  if (typeof top === 'number') return top;
  // A secret in plain text, a login or a query is never regular, so nothing has to be hidden.
  const hidden = (): undefined => undefined;
  return documentOf(source, top, hidden, (range) => withoutLinesAfter(range, source.text));
}

const NO_CONTENT = /^[ \t\r]*(?:#.*)?$/s;

/** A block was read up to the next content: blank lines and comments before that are not part of it. */
export function withoutLinesAfter({ start, end }: Range, text: string): Range {
  // The text before it may be a very long line and is not searched.
  const own = text.slice(start, end);
  let last = own.length;
  let line = own.lastIndexOf('\n', last - 1);
  while (line > 0 && NO_CONTENT.test(own.slice(line + 1, last))) {
    last = line;
    line = own.lastIndexOf('\n', last - 1);
  }
  return { start, end: start + last };
}
