/**
 * Markdown as GitHub and GitLab read it (GitHub Flavored Markdown). Foreign text is only ever in code, as a
 * span or behind a fence, so no back end has to escape. Nothing in it is markup, HTML, a link, a mention
 * (`@team`), a reference (`#12`) or a quick action (`/close`).
 */
import { prose } from './sanitize.ts';
import { plain } from './style.ts';
import type { Page } from './text.ts';

/** The width of a comment without sideways scrolling. */
export const FENCE: Page = { style: plain, width: 100, fold: Number.POSITIVE_INFINITY };

/** GitHub allows 65,536 characters, of which the action adds some; GitLab and step summaries allow more. */
const COMMENT_LIMIT = 64_000;

export interface MarkdownOptions {
  /** The longest text in characters (UTF-16 code units), at least 2,000; the default is 64,000. */
  readonly limit?: number;
}

/** Escapes bars, which end a cell of a table even in code (GFM 0.29, 4.10). */
export function cell(markdown: string): string {
  return markdown.replaceAll('|', '\\|');
}

/** Text as a code span (CommonMark 0.31, 6.1), its delimiters longer than any run of backticks in it. */
export function code(text: string, longest?: number): string {
  const shown = prose(text, longest) || ' ';
  const ticks = '`'.repeat(longestRun(shown) + 1);
  const space = /^`|`$/.test(shown) ? ' ' : '';
  return ticks + space + shown + space + ticks;
}

/** Lines as a fenced code block (CommonMark 0.31, 4.5) that none of them can close. */
export function fenced(language: string, lines: readonly string[]): string[] {
  const ticks = '`'.repeat(lines.reduce((most, line) => Math.max(most, longestRun(line) + 1), 3));
  return [ticks + language, ...lines, ticks];
}

/** Folded details; the empty lines make Markdown of the content. */
export function folded(summary: string, lines: readonly string[]): string[] {
  return [`<details><summary>${summary}</summary>`, '', ...lines, '', '</details>'];
}

/** An alert of GitHub and GitLab; a quotation elsewhere. */
export function alert(kind: 'NOTE' | 'WARNING' | 'CAUTION', lines: readonly string[]): string[] {
  return [`[!${kind}]`, ...lines].map((line) => `> ${line}`);
}

const WORD = /^[a-z]+(?:['-][a-z]+)*$/i;
const NUMBER = /^\d{1,6}(?:\.\d{1,2})?%?$/;
/** A string that could become a link to a commit. */
const HEX = /^[0-9a-f]{7,}$/i;

/** A sentence: words and small numbers stay as they are, the rest becomes code. */
export function inline(text: string, longest?: number): string {
  const runs: { words: string[]; plain: boolean }[] = [];
  for (const word of prose(text, longest).split(' ')) {
    const last = runs.at(-1);
    const isArgument = last?.plain === false && last.words.at(-1)?.startsWith('--') && NUMBER.test(word);
    const plain = isPlain(word) && !isArgument;
    if (last?.plain === plain && (plain || !isApart(last.words, word))) last.words.push(word);
    else runs.push({ words: [word], plain });
  }
  return runs.map(({ words, plain }) => (plain ? words.join(' ') : codeRun(words.join(' ')))).join(' ');
}

/** Items of a list and text in brackets are code of their own, unless they are within quotes. */
function isApart(words: readonly string[], word: string): boolean {
  const isQuoted = (words.join(' ').match(/["']/g) ?? []).length % 2 === 1;
  return !isQuoted && (word.startsWith('(') || /[,;]$/.test(words.at(-1) ?? ''));
}

/** Accepts a word without meaning in Markdown, also with quotes, a bracket or a full stop around it. */
function isPlain(word: string): boolean {
  if (word === '') return true;
  const core = word.replace(/^[("]/, '').replace(/[)"]?[.,;:?]?$/, '');
  if (WORD.test(core)) return !HEX.test(core);
  // A number with only a full stop or a bracket behind it may begin a list.
  return NUMBER.test(
    word
      .replace(/^\((.*)\)(?=[.,;:?]?$)/, '$1')
      .replace(/^\(/, '')
      .replace(/[,;:?]$/, ''),
  );
}

/** Excludes a bracket before the code, a full stop behind it, and the end of an outer quote or bracket. */
function codeRun(text: string): string {
  const open = /^\([^()]/.test(text) ? '(' : '';
  const rest = text.slice(open.length);
  const [, stop = ''] =
    /^[^"(]*[^".,;:?)]([")]?[.,;:?]?)$/.exec(rest) ??
    /[^.,;:?]([.,;:?])$/.exec(rest) ??
    /.([,;])$/.exec(rest) ??
    [];
  return open + code(rest.slice(0, rest.length - stop.length)) + stop;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

const FIRST_TRY = 1000;

/** The longest of the texts that `render` gives for its first 0 … `most` parts that is within the limit. */
export function fitting(most: number, options: MarkdownOptions, render: (parts: number) => string): string {
  const limit = options.limit ?? COMMENT_LIMIT;
  let [fits, tooMany, text] = [0, most + 1, ''];
  const tryWith = (parts: number): void => {
    const candidate = render(parts);
    if (candidate.length > limit) tooMany = parts;
    else [fits, text] = [parts, candidate];
  };
  // Grows upward, because a text that does not fit may be a thousand times the limit.
  for (let parts = FIRST_TRY; fits < most && tooMany > most; parts *= 2) tryWith(Math.min(parts, most));
  if (text === '') text = render(0);
  while (tooMany - fits > 1) tryWith(Math.floor((fits + tooMany) / 2));
  return text;
}
