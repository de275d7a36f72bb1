import { formatPlace, type Problem } from '../../model/errors.ts';
import type { DocsCode } from '../document.ts';
import { joined, prose, safe } from '../sanitize.ts';
import type { Style } from '../style.ts';
import { columns, type Page, wrap } from '../text.ts';

const TAB = ' '.repeat(4);

export function worstFirst(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
}

/** The last problem with a code says how to read about it. */
export function problemsLines(problems: readonly Problem[], page: Page): readonly string[][] {
  const lastOf = new Map(problems.map((problem) => [problem.code, problem]));
  return problems.map((problem) => {
    const { code } = problem;
    const isLast = code !== undefined && lastOf.get(code) === problem;
    return [...problemLines(problem, page), ...(isLast ? [docsLine(code, page.style)] : [])];
  });
}

function problemLines(problem: Problem, page: Page): string[] {
  const { severity, message, remedy, place } = problem;
  const { style } = page;
  const where = place === undefined ? '' : `${style.strong(prose(formatPlace(place)))}: `;
  const label = severity === 'error' ? style.bad('error') : style.warn('warning');
  return [
    ...foldedLines('', `${where}${label}: ${prose(message)}`, page),
    ...excerptLines(problem, page),
    ...(remedy === undefined ? [] : foldedLines('  ', `${style.good('help:')} ${prose(remedy)}`, page)),
  ];
}

/** Wraps messages on a terminal alone; elsewhere each is one line, for searching and cutting. */
export function foldedLines(indent: string, text: string, { fold }: Page): string[] {
  const first = indent + (/^ */.exec(text)?.[0] ?? '');
  const further = `${first}  `;
  return wrap(text.trimStart(), fold - further.length).map(
    (line, index) => (index === 0 ? first : further) + line,
  );
}

export function docsLine(code: DocsCode, style: Style): string {
  return style.dim(`  more: websites explain ${code}`);
}

/** A long line is cut around the caret. */
function excerptLines({ place, excerpt }: Problem, { style, width }: Page): string[] {
  if (place === undefined || excerpt === undefined) return [];
  const number = String(place.line);
  const gutter = (text: string): string => style.dim(`  ${text.padStart(number.length)} |`);
  const room = width - number.length - 5;
  const { line, before, marked } = cut(excerpt.text, place.column - 1, excerpt.length, room);
  const caret = ' '.repeat(before) + style.bad('^'.repeat(Math.max(1, marked)));
  return [`${gutter(number)} ${line}`, `${gutter('')} ${caret}`];
}

/** Returns the part of `text` that fits in `room` columns around the mark, and the mark's column in it. */
function cut(text: string, start: number, length: number, room: number) {
  const end = start + length;
  const before = shown(text.slice(Math.max(0, start - room), start));
  const marked = shown(text.slice(start, start + Math.min(length, room)));
  const after = shown(text.slice(end, end + room));
  const isWhole = columns(before) + columns(marked) + columns(after) <= room;
  const most = isWhole ? room : Math.floor(room / 3);
  const left = kept([...before].reverse(), most)
    .reverse()
    .join('');
  const middle = kept([...marked], most).join('');
  const line = joined(left + middle + kept([...after], most).join(''));
  return { line, before: columns(left), marked: columns(middle) };
}

/** Prints tabs as spaces, so that carets point to the right column. */
function shown(source: string): string {
  return safe(source.replaceAll('\t', TAB), Number.POSITIVE_INFINITY);
}

function kept(characters: readonly string[], room: number): string[] {
  if (columns(characters.join('')) <= room) return [...characters];
  let used = 1;
  const some = characters.filter((character) => {
    used += columns(character);
    return used <= room;
  });
  return [...some, '…'];
}
