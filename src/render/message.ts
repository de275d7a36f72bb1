/**
 * `label: message`, and what to do about it: one shape for warnings, guards, problems and errors.
 * Messages are not wrapped, so that each can be searched for and cut out as one line.
 */
import type { DocsCode } from './docs.ts';
import { prose } from './sanitize.ts';
import type { Style } from './style.ts';

export function messageLine(label: string, message: string): string {
  return `${label}: ${prose(message)}`;
}

/** The line of a remedy, if there is one. */
export function helpLines(remedy: string | undefined, indent: string, style: Style): string[] {
  return remedy === undefined ? [] : [`${indent}${style.good('help:')} ${prose(remedy)}`];
}

/** The line that says how to read about `code`. */
export function docsLine(code: DocsCode, style: Style): string {
  return style.dim(`  more: websites explain ${code}`);
}
