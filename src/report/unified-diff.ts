import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import { leading, safe } from './sanitize.ts';
import { pageOf, type RenderOptions, type Style } from './text.ts';

const CONTEXT = 3;

/** Returns an empty text if both texts are equal. `before` is undefined for a new file. */
export function unifiedDiff(
  file: string,
  before: string | undefined,
  after: string,
  options: RenderOptions,
): string {
  const { style } = pageOf(options);
  const [from, to] = [linesOf(before ?? ''), linesOf(after)];
  // Skips equal lines at the start and the end, because the time grows with all lines times the added lines.
  const equal = equalLines(from, to);
  const [fromEnd, toEnd] = [from, to].map((lines) => lines.slice(equal).reverse()) as [string[], string[]];
  const start = Math.max(0, equal - CONTEXT);
  const end = Math.max(0, equalLines(fromEnd, toEnd) - CONTEXT);
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

/** Returns the number of equal lines at the start. */
function equalLines(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((line, index) => line !== b[index]);
  return at < 0 ? a.length : at;
}

function painted(line: string, style: Style): string {
  if (/^(?:---|\+\+\+) /.test(line)) return style.strong(line);
  if (line.startsWith('@')) return style.dim(line);
  return line.startsWith('+') ? style.add(line) : style.remove(line);
}
