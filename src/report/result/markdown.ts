/** What a run came to, as a step summary or a comment. */
import type { Result } from '../../model/run.ts';
import { alert, code, FENCE, fenced, fitting, folded, inline, type MarkdownOptions } from '../markdown.ts';
import { count, flow, limited, moreLine, textOf } from '../text.ts';
import { type Applied, gravestApplied } from './applied.ts';
import { failureBlocks, residualBlocks, signedName } from './human.ts';
import {
  costText,
  countsText,
  effectLine,
  effectSections,
  goOnText,
  isNothing,
  nothingText,
  proofOf,
  unknownFirst,
} from './words.ts';

/** The hidden first line by which a job finds the comment that it wrote before. */
export const RESULT_MARKER = '<!-- websites-as-code:result -->';

const [NOTES, NOTE_LENGTH, RUN_LENGTH] = [10, 400, 100];
/** So many changes that were applied are named, and so many parts of a section stand open. */
const [APPLIED, OPEN] = [100, 25];

type Section = 'failed' | 'residual' | 'effect' | 'name' | 'note' | 'applied';

interface ResultPart {
  readonly section: Section;
  readonly lines: readonly string[];
}

/** The result as Markdown of at most `limit` characters; what does not fit is cut, and counted. */
export function resultMarkdown(result: Result, options: MarkdownOptions & Applied = {}): string {
  const failures = unknownFirst(result.failures);
  const parts: ResultPart[] = [
    ...failureBlocks(failures, FENCE).map((lines): ResultPart => ({ section: 'failed', lines })),
    ...residualBlocks(result.residual, FENCE).map((lines): ResultPart => ({ section: 'residual', lines })),
    ...effectSections(result).flatMap(({ title, effects }) =>
      effects.map(
        (effect): ResultPart => ({ section: 'effect', lines: [`${title}: ${effectLine(effect)}`] }),
      ),
    ),
    ...noteLines(result).map((line): ResultPart => ({ section: 'note', lines: [line] })),
    ...result.not_attempted.map((subject): ResultPart => ({ section: 'name', lines: [signedName(subject)] })),
    ...gravestApplied(options, APPLIED).map(
      (change): ResultPart => ({ section: 'applied', lines: [signedName(change)] }),
    ),
  ];
  return fitting(parts.length, options, (shown) => documentOf(result, parts.slice(0, shown), options));
}

function documentOf(
  result: Result,
  parts: readonly ResultPart[],
  { target, applied = [] }: MarkdownOptions & Applied,
): string {
  const { failures, residual, not_attempted, stopped } = result;
  const effects = effectSections(result).flatMap((section) => section.effects);
  const listed = (
    section: Section,
    total: number,
    noun: string,
    title: string,
    intro: readonly string[] = [],
  ) =>
    total === 0
      ? []
      : [[`### ${title}: ${count(total, noun)}`], [...intro, ...fences(section, parts, total)]];
  return textOf([
    [RESULT_MARKER],
    [`## Websites: ${headline(result)}`],
    target === undefined ? [] : [code(target)],
    verdictLines(result),
    ...listed('failed', failures.length, 'change', 'Failed'),
    ...listed('residual', residual.length, 'difference', 'Not converged'),
    ...listed('effect', effects.length, 'difference', 'Settings that were not to change'),
    ...listed(
      'name',
      not_attempted.length,
      'change',
      'Not attempted',
      stopped === null ? [] : [`Because: ${inline(stopped, NOTE_LENGTH)}`, ''],
    ),
    linesOf('note', parts).flat(),
    ...listed('applied', applied.length, 'change', 'Applied'),
    [colophon(result)],
  ]);
}

function linesOf(section: Section, parts: readonly ResultPart[]): (readonly string[])[] {
  return parts.filter((part) => part.section === section).map(({ lines }) => lines);
}

/** The parts of a section that have room of `total`, those beyond the first ones folded away. */
function fences(section: Section, parts: readonly ResultPart[], total: number): string[] {
  const shown = linesOf(section, parts);
  const isNames = section === 'name' || section === 'applied';
  const fence = (some: readonly (readonly string[])[], left: readonly string[] = []): string[] => {
    const lines = isNames ? flow(some.flat(), FENCE.width) : some.flat();
    return fenced(section === 'failed' ? 'diff' : '', [...lines, ...left]);
  };
  const left = moreLine(total - shown.length);
  if (shown.length <= OPEN) return fence(shown, left);
  return [
    ...fence(shown.slice(0, OPEN)),
    '',
    ...folded(`${total - OPEN} more`, fence(shown.slice(OPEN), left)),
  ];
}

function headline(result: Result): string {
  if (isNothing(result)) return 'nothing to apply';
  return `${result.interrupted ? 'interrupted after ' : ''}${countsText(result)}`;
}

/** What to believe, and what to do next. */
function verdictLines(result: Result): string[] {
  const proof = proofOf(result);
  const goOn = goOnText(result);
  const lines = [
    ...(isNothing(result) ? [inline(`${nothingText(result)}.`)] : []),
    ...(proof === undefined ? [] : [`**${proof[0]}:** ${proof[1]}.`]),
    ...(goOn === undefined ? [] : [inline(goOn)]),
  ];
  return goOn === undefined || lines.length === 0 ? lines : alert('CAUTION', lines);
}

function noteLines({ notes }: Result): string[] {
  return limited(notes, NOTES, 'note', (note) => `- ${inline(note, NOTE_LENGTH)}`);
}

function colophon(result: Result): string {
  const run = result.run === null ? '' : `Run ${code(result.run, RUN_LENGTH)} `;
  return `<sub>${run}${costText(result)}</sub>`;
}
