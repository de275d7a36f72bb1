/** Changes of a text at places: every other byte stays. */
import type { Range } from '../read/source.ts';

/** What is written in the place of a range, which may be empty. */
export interface Edit extends Range {
  readonly text: string;
}

/** The text with `edits` made. Of several at one place, the order is that of the list. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: own } of edits.toSorted((a, b) => a.start - b.start)) {
    if (start < at) throw new Error('Two edits overlap.');
    parts.push(text.slice(at, start), own);
    at = end;
  }
  return [...parts, text.slice(at)].join('');
}

/** The line end of the line that `offset` is in, and where it starts. */
export function lineEndAt(text: string, offset: number): { readonly at: number; readonly lineEnd: string } {
  const feed = text.indexOf('\n', offset);
  if (feed === -1) return { at: text.length, lineEnd: text.includes('\r\n') ? '\r\n' : '\n' };
  return text[feed - 1] === '\r' ? { at: feed - 1, lineEnd: '\r\n' } : { at: feed, lineEnd: '\n' };
}
