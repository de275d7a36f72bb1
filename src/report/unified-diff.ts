import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import { leading, safe } from './sanitize.ts';
import type { Style } from './style.ts';
import { pageOf, type RenderOptions } from './text.ts';

const CONTEXT = 3;

/** Empty if the texts are equal; `before` is undefined for a new file. */
export function unifiedDiff(
  file: string,
  before: string | undefined,
  after: string,
  options: RenderOptions,
): string {
  const { style } = pageOf(options);
  const [from, to] = [linesOf(before ?? ''), linesOf(after)];
  const { start, end } = around(from, to);
  const patch = structuredPatch(
    before === undefined ? '/dev/null' : leading(file),
    leading(file),
    from.slice(start, from.length - end).join(''),
    to.slice(start, to.length - end).join(''),
    undefined,
    undefined,
    { context: CONTEXT, stripTrailingCr: true },
  );
  if (patch.hunks.length === 0) return '';
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + start,
    newStart: hunk.newStart + start,
    lines: hunk.lines.map((line) => safe(line, Number.POSITIVE_INFINITY)),
  }));
  return patchText({ ...patch, hunks }, style);
}

export function patchText(
  { oldFileName, newFileName, hunks }: Pick<StructuredPatch, 'oldFileName' | 'newFileName' | 'hunks'>,
  style: Style,
): string {
  const patch = { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks };
  const text = formatPatch(patch, FILE_HEADERS_ONLY);
  return text.replace(/^[-+@].*/gm, (line) => painted(line, style));
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

/** Excludes equal lines from the comparison, whose time is their number times that of added lines. */
function around(
  a: readonly string[],
  b: readonly string[],
): { readonly start: number; readonly end: number } {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return { start: Math.max(0, start - CONTEXT), end: Math.max(0, end - CONTEXT) };
}

function painted(line: string, style: Style): string {
  if (/^(?:---|\+\+\+) /.test(line)) return style.strong(line);
  if (line.startsWith('@')) return style.dim(line);
  return line.startsWith('+') ? style.add(line) : style.remove(line);
}
