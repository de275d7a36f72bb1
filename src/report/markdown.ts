/**
 * Markdown as GitHub and GitLab read it (GitHub Flavored Markdown). Foreign text only ever stands in code,
 * as a span or behind a fence: nothing in it is markup, HTML, a link, a mention (`@team`), a reference
 * (`#12`) or a quick action (`/close`). So nothing has to be escaped, and nothing can be forgotten.
 */
import { prose } from './sanitize.ts';
import { plain } from './style.ts';
import type { Page } from './text.ts';

/** What a comment shows without scrolling sideways. */
export const FENCE: Page = { style: plain, width: 100, fold: Number.POSITIVE_INFINITY };

/**
 * The longest comment that GitHub takes has 65,536 characters, of which the action adds some; GitLab and step summaries
 * take more.
 */
const COMMENT_LIMIT = 64_000;

export interface MarkdownOptions {
  /** The longest text in characters (UTF-16 code units), 2,000 at the least; 64,000 if not said. */
  readonly limit?: number;
}

/** Markdown in a cell of a table, which a bar would end, in code too (GFM 0.29, 4.10). */
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

/** Folded away until somebody asks; the empty lines make Markdown of what is inside. */
export function folded(summary: string, lines: readonly string[]): string[] {
  return [`<details><summary>${summary}</summary>`, '', ...lines, '', '</details>'];
}

/** A block that stands out, as GitHub and GitLab draw it; elsewhere a quotation. */
export function alert(kind: 'NOTE' | 'WARNING' | 'CAUTION', lines: readonly string[]): string[] {
  return [`[!${kind}]`, ...lines].map((line) => `> ${line}`);
}

/** A word that is nothing but a word, wherever it stands. */
const WORD = /^[a-z]+(?:['-][a-z]+)*$/i;
const NUMBER = /^\d{1,6}(?:\.\d{1,2})?%?$/;
/** What may be the beginning of a commit's name and would become a link to it. */
const HEX = /^[0-9a-f]{7,}$/i;

/** A sentence: words and small numbers as they are, whatever else is in it as code. */
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

/** Items of a list, and what is in brackets, are code of their own, unless they are within quotes. */
function isApart(words: readonly string[], word: string): boolean {
  const isQuoted = (words.join(' ').match(/["']/g) ?? []).length % 2 === 1;
  return !isQuoted && (word.startsWith('(') || /[,;]$/.test(words.at(-1) ?? ''));
}

/** Whether a word means nothing to Markdown, also with quotes, a bracket or a stop around it. */
function isPlain(word: string): boolean {
  if (word === '') return true;
  const core = word.replace(/^[("]/, '').replace(/[)"]?[.,;:?]?$/, '');
  if (WORD.test(core)) return !HEX.test(core);
  // A number with a stop, or a bracket behind it alone, may begin a list.
  return NUMBER.test(
    word
      .replace(/^\((.*)\)(?=[.,;:?]?$)/, '$1')
      .replace(/^\(/, '')
      .replace(/[,;:?]$/, ''),
  );
}

/** Code without the bracket before it, the stop behind it, and the end of a quote, or of brackets, that began before it. */
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

/** So many parts are tried first. */
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
  // From few to more: what does not fit may be a thousand times what does.
  for (let parts = FIRST_TRY; fits < most && tooMany > most; parts *= 2) tryWith(Math.min(parts, most));
  if (text === '') text = render(0);
  while (tooMany - fits > 1) tryWith(Math.floor((fits + tooMany) / 2));
  return text;
}
