import { formatPlace, type Problem } from '../../model/errors.ts';
import type { DocsCode } from '../document.ts';
import { joined, prose, safe } from '../sanitize.ts';
import { columns, type Page, type Style, wrap } from '../text.ts';

const TAB = ' '.repeat(4);

export function worstFirst(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
}

/** The last problem with a code names `websites explain`. */
export function problemsLines(problems: readonly Problem[], page: Page): readonly string[][] {
  const { style } = page;
  const lastOf = new Map(problems.map((problem) => [problem.code, problem]));
  return problems.map((problem) => {
    const { severity, code, message, remedy, place } = problem;
    const where = place === undefined ? '' : `${style.strong(prose(formatPlace(place)))}: `;
    const label = severity === 'error' ? style.bad('error') : style.warn('warning');
    return [
      ...foldedLines('', `${where}${label}: ${prose(message)}`, page),
      ...excerptLines(problem, page),
      ...(remedy === undefined ? [] : foldedLines('  ', `${style.good('help:')} ${prose(remedy)}`, page)),
      ...(code !== undefined && lastOf.get(code) === problem ? [docsLine(code, style)] : []),
    ];
  });
}

/** Wraps messages only on a terminal. Elsewhere each message is one line, which is easier to search. */
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

/** Shortens each part of a line that does not fit to a third of the width, as if all characters were wide. */
function excerptLines({ place, excerpt }: Problem, { style, width }: Page): string[] {
  if (place === undefined || excerpt === undefined) return [];
  const number = String(place.line);
  const gutter = (text: string): string => style.dim(`  ${text.padStart(number.length)} |`);
  const room = width - number.length - 5;
  const { text, length } = excerpt;
  const [start, end] = [place.column - 1, place.column - 1 + length];
  const parts = [text.slice(0, start), text.slice(start, end), text.slice(end)].map((part) =>
    safe(part.replaceAll('\t', TAB), Number.POSITIVE_INFINITY),
  );
  const most = columns(parts.join('')) <= room ? room : Math.floor(room / 6) - 1;
  const [before = '', marked = '', after = ''] = parts.map((part, index) => {
    const characters = [...part];
    if (characters.length <= most) return part;
    return index === 0 ? `…${characters.slice(-most).join('')}` : `${characters.slice(0, most).join('')}…`;
  });
  const caret = ' '.repeat(columns(before)) + style.bad('^'.repeat(Math.max(1, columns(marked))));
  return [`${gutter(number)} ${joined(before + marked + after)}`, `${gutter('')} ${caret}`];
}
