/** Errors for a person and for a program. */
import { type ErrorCode, formatPlace, WebsitesError } from '../model/errors.ts';
import { docsAddress } from './docs.ts';
import { jsonDocument, jsonLine } from './json.ts';
import { docsLine, helpLines, messageLines } from './message.ts';
import { problemBlocks } from './problems.ts';
import { prose } from './sanitize.ts';
import type { Style } from './style.ts';
import { pageOf, type RenderOptions, textOf } from './text.ts';

export const ERROR_FORMAT = 'websites.error/1';

const BUG = 'This is a bug in websites-as-code, not a mistake in your input.';
const REPORT = 'Please report it with the lines above and the command that led to it.';

/** The single problems, then message, place and remedy, where the eye is left; of an error that nobody foresaw, its stack. */
export function errorHuman(error: unknown, options: RenderOptions): string {
  const page = pageOf(options);
  const { style } = page;
  const { code, message, place, remedy, problems } = wordsOf(error);
  const isBug = code === 'bug';
  const head = [
    ...messageLines(style.bad('Error'), isBug ? BUG : message, page),
    ...(isBug ? causeLines(error, style) : []),
    ...(place === undefined ? [] : [`  at ${prose(formatPlace(place))}`]),
    ...helpLines(remedy, '  ', page),
    docsLine(code, style),
  ];
  return textOf([...problemBlocks(problems, page), head]);
}

/** The document `websites.error/1`. */
export function errorJson(error: unknown): string {
  return jsonDocument(errorDocument(error));
}

/** The same as the last line of a stream of events. */
export function errorLine(error: unknown): string {
  return jsonLine({ type: 'diagnostic', severity: 'error', ...errorDocument(error) });
}

/** What a program is told of anything that was thrown. */
function errorDocument(error: unknown) {
  const { code, message, remedy = null, place = null, problems } = wordsOf(error);
  return { format: ERROR_FORMAT, code, message, remedy, place, problems, docs: docsAddress(code) };
}

/** What a reader is told of anything that was thrown. */
export function wordsOf(
  error: unknown,
): Pick<WebsitesError, 'message' | 'remedy' | 'place' | 'problems'> & { readonly code: ErrorCode | 'bug' } {
  if (error instanceof WebsitesError) return error;
  const message = `${BUG} ${titleOf(error)}`;
  return { code: 'bug', message, remedy: REPORT, place: undefined, problems: [] };
}

const DEEPEST_CAUSE = 5;

/**
 * Name, message and stack of an error and of its causes. Its other properties are not looked at: those
 * of a library's error may hold headers, and so the API key.
 */
function causeLines(error: unknown, style: Style, depth = 0): string[] {
  const frames =
    error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  const title = `  ${depth === 0 ? '' : 'caused by '}${titleOf(error)}`;
  const lines = [title, ...frames.map((frame) => style.dim(`    ${prose(frame)}`))];
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined || depth === DEEPEST_CAUSE
    ? lines
    : [...lines, ...causeLines(cause, style, depth + 1)];
}

/** The kind and message of anything that was thrown. */
function titleOf(error: unknown): string {
  if (error instanceof Error) return prose(`${error.name}: ${error.message}`);
  return typeof error === 'string'
    ? `a thrown text: ${prose(error)}`
    : `a thrown ${error === null ? 'null' : typeof error}`;
}
