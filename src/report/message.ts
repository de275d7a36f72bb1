/**
 * `label: message`, and what to do about it: one shape for warnings, guards, problems and errors.
 * Messages are wrapped on a terminal alone, at spaces; elsewhere each is one line, to be searched for and cut out.
 */
import type { DocsCode } from './docs.ts';
import { prose } from './sanitize.ts';
import type { Style } from './style.ts';
import { type Page, wrap } from './text.ts';

/** `label: message`. */
export function messageLines(label: string, message: string, page: Page): string[] {
  return folded('', `${label}: ${prose(message)}`, page);
}

/** The lines of a remedy, if there is one. */
export function helpLines(remedy: string | undefined, indent: string, page: Page): string[] {
  return remedy === undefined ? [] : folded(indent, `${page.style.good('help:')} ${prose(remedy)}`, page);
}

const HANGING = '  ';

/** Further lines hang below the first one. */
function folded(indent: string, text: string, { fold }: Page): string[] {
  const further = indent + HANGING;
  return wrap(text, fold - further.length).map((line, index) => (index === 0 ? indent : further) + line);
}

/** The line that says how to read about `code`. */
export function docsLine(code: DocsCode, style: Style): string {
  return style.dim(`  more: websites explain ${code}`);
}
