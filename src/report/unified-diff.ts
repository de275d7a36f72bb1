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
  // Skips equal lines at the end: each of them would cost time for every line that is added before it.
  const differs = from.toReversed().findIndex((line, index) => line !== to.at(-1 - index));
  const end = Math.max(0, differs - CONTEXT);
  const patch = structuredPatch(
    before === undefined ? '/dev/null' : leading(file),
    leading(file),
    from.slice(0, from.length - end).join(''),
    to.slice(0, to.length - end).join(''),
    undefined,
    undefined,
    { context: CONTEXT, stripTrailingCr: true },
  );
  if (patch.hunks.length === 0) return '';
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => safe(line, Number.POSITIVE_INFINITY)),
  }));
  return patchText({ ...patch, hunks }, style);
}

export function patchText(
  patch: Pick<StructuredPatch, 'oldFileName' | 'newFileName' | 'hunks'>,
  style: Style,
): string {
  return formatPatch({ oldHeader: undefined, newHeader: undefined, ...patch }, FILE_HEADERS_ONLY)
    .replace(/^(?:---|\+\+\+) .*/gm, style.strong)
    .replace(/^@.*/gm, style.dim)
    .replace(/^\+.*/gm, style.add)
    .replace(/^-.*/gm, style.remove);
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}
