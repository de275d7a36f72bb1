/** Lays out messages as lines, for a terminal and for the code blocks of a page. */
import { formatPlace, type Problem } from '../../model/errors.ts';
import type { Message } from '../document.ts';
import { prose, safe, say } from '../sanitize.ts';
import { columns, hang, type Page } from '../text.ts';

/** Returns the lines of problems with empty lines between. The last problem with a code names `websites explain`. */
export function problemsLines(problems: readonly Problem[], page: Page): string[][] {
  const lastOf = new Map(problems.map((problem) => [problem.code, problem]));
  return problems.map((problem, at) => {
    const { severity, code, message, remedy, place } = problem;
    const lines = messageLines(
      {
        tone: severity === 'error' ? 'bad' : 'warn',
        label: say`${severity}`,
        text: prose(message),
        stack: excerptLines(problem, page),
        remedy: remedy && prose(remedy),
        more: lastOf.get(code) === problem ? code : undefined,
      },
      page,
      place && page.style.strong(prose(formatPlace(place))),
    );
    return at === 0 ? lines : ['', ...lines];
  });
}

type Lines = Omit<Message, 'stack'> & { readonly stack?: readonly string[] };

/** Wraps messages only on a terminal. Elsewhere each message is one line, which is easier to search. */
export function messageLines(message: Lines, { style, fold }: Page, start = ''): string[] {
  const { tone = 'plain', label, text, place, stack = [], remedy, more } = message;
  const said = [start && `${start}:`, label && `${style[tone](label)}:`, text].filter(Boolean).join(' ');
  const lead = said === '' ? '' : '  ';
  return [
    ...(said === '' ? [] : hang('', said, fold, 2)),
    ...stack.map((line) => `  ${line}`),
    ...(place ? [`  at ${place}`] : []),
    ...(remedy ? hang(lead, `${style.good('help:')} ${remedy}`, fold, lead.length + 2) : []),
    ...(more ? [style.dim(`  more: websites explain ${more}`)] : []),
  ];
}

/** Shortens each part of a line that does not fit. */
function excerptLines({ place, excerpt }: Problem, { style, width }: Page): string[] {
  if (place === undefined || excerpt === undefined) return [];
  const gutter = `${place.line} |`;
  const room = width - gutter.length - 3;
  const { text, length } = excerpt;
  const [start, end] = [place.column - 1, place.column - 1 + length];
  const most =
    columns(text) <= room ? Number.POSITIVE_INFINITY : Math.floor(room / 3) - '… (100 more) …'.length;
  const [before = '', marked = '', after = ''] = [
    text.slice(0, start),
    text.slice(start, end),
    text.slice(end),
  ].map((part) => safe(part.replaceAll('\t', '    '), most));
  const caret = ' '.repeat(columns(before)) + style.bad('^'.repeat(Math.max(1, columns(marked))));
  // Made safe again: parts that are harmless alone can form a CI command, such as `::error::`, when joined.
  const line = safe(before + marked + after, Number.POSITIVE_INFINITY);
  return [`${style.dim(gutter)} ${line}`, `${style.dim('|'.padStart(gutter.length))} ${caret}`];
}
